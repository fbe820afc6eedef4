import { expect, test } from 'vitest';
import { readAuthorization } from '../../../src/codesearch/accounts/authorization-header.ts';
import { urlOfSubmodule } from '../../../src/codesearch/graphql/files.ts';

/** Work that grows with the square of these texts would take hours. */
const LONG = 1_000_000;

test.each([
  `token ${' '.repeat(LONG)}x y`,
  `token${'\t '.repeat(LONG)}\u0001`,
  `token-sudo ${'a=b,'.repeat(LONG)}`,
  `token-sudo user="${'\\'.repeat(LONG)}`,
  '='.repeat(LONG),
])('an Authorization header of any length is read in linear time', (header) => {
  expect(readAuthorization(header)).toEqual({ scheme: 'unknown' });
});

test.each([
  ['token abc', { scheme: 'token', credential: 'abc' }],
  ['  TOKEN\t abc  ', { scheme: 'token', credential: 'abc' }],
  ['token a b', { scheme: 'unknown' }],
  ['token', { scheme: 'unknown' }],
  ['token-sudo token = "a\\"b" , user=bob', { scheme: 'token-sudo', user: 'bob', token: 'a"b' }],
  ['token-sudo ,user="",token="x",', { scheme: 'token-sudo', user: '', token: 'x' }],
  ['token-sudo user="a" token="b"', { scheme: 'unknown' }],
  ['token-sudo user="a",token="b",user="c"', { scheme: 'unknown' }],
  ['token-sudo user="a",token="b" c', { scheme: 'unknown' }],
])('the header %j is read as %j', (header, expected) => {
  expect(readAuthorization(header)).toEqual(expected);
});

test.each([
  ['\n'.repeat(LONG), ''],
  [`[submodule "lib"]\n\tpath = ${'x '.repeat(LONG)}y\n`, ''],
  [`[submodule "lib"]\n\tpath = lib\n\turl = ${'//'.repeat(LONG)}`, '//'.repeat(LONG)],
  [
    '[submodule "a"]\npath=a\nurl=x\n[submodule "lib"]\n\turl = https://me:p@ss@h.example/lib\n\tpath = lib',
    'https://h.example/lib',
  ],
])('.gitmodules is read in linear time', (text, url) => {
  expect(urlOfSubmodule(text, 'lib')).toBe(url);
});
