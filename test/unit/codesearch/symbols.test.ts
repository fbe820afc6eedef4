import { describe, expect, test } from 'vitest';
import { blockEnd, docComment, fileComment, firstSentence } from '../../../src/codesearch/search/blocks.ts';
import { cutChunks } from '../../../src/codesearch/search/chunks.ts';
import { roleOf } from '../../../src/codesearch/search/roles.ts';
import { findSymbols } from '../../../src/codesearch/search/symbols.ts';

const namesIn = (path: string, text: string): string[] =>
  findSymbols(path, text.split('\n')).map(({ kind, name }) => `${kind} ${name}`);

describe('finding symbols', () => {
  test('finds what TypeScript defines', () => {
    const text = `export async function load<T>(id: T) {
  if (id) { return; }
}
export class Store extends Base {
  async #get<T extends (a: any) => Promise<any>>(key: string): Promise<T> {
  }
  moveTo(
    key: string,
  ): void {
    this.call(
      key,
    );
  }
}
export interface Options {}
type Id = string;
export const LIMIT = 3;
const add = (a: number) => a + 1;
`;
    expect(namesIn('a.ts', text)).toEqual([
      'function load',
      'class Store',
      'method get',
      'method moveTo',
      'interface Options',
      'type Id',
      'constant LIMIT',
      'function add',
    ]);
  });

  test.each([
    [
      'a.py',
      'class Store:\n    def get(self):\n        pass\n\ndef load():\n    pass\nLIMIT = 3\n',
      ['class Store', 'method get', 'function load', 'constant LIMIT'],
    ],
    [
      'a.go',
      'type Store struct {\n}\nfunc (s *Store) Get() {\n}\nfunc load() {\n}\nconst limit = 3\n',
      ['type Store', 'method Get', 'function load', 'constant limit'],
    ],
    [
      'a.rs',
      'pub struct Store {}\nimpl Store {\n    pub fn get(&self) {}\n}\npub trait Load {}\n',
      ['class Store', 'function get', 'interface Load'],
    ],
    [
      'A.java',
      'public class Store {\n    public static int get(String key) {\n    }\n}\n',
      ['class Store', 'method get'],
    ],
    ['a.rb', 'class Store\n  def get\n  end\nend\n', ['class Store', 'method get']],
    ['a.c', '#define LIMIT 3\nstatic int load(char *key)\n{\n}\n', ['constant LIMIT', 'function load']],
    ['a.md', '# Title\n```sh\n# not a heading\n```\n## Part\n', ['heading Title', 'heading Part']],
    ['a.txt', 'function nothing() {}\n', []],
  ])('finds the symbols of %s', (path, text, expected) => {
    expect(namesIn(path, text)).toEqual(expected);
  });
});

describe('a block of code', () => {
  const code = `/**
 * Adds numbers. Not more.
 * @param a one
 */
export function add(
  a: number,
  b: number,
): number {
  return a + b;
}

/*
Counts without stars.
*/
const count = 3;
`.split('\n');
  const [add, count] = findSymbols('a.ts', code);

  test('of a definition ends at its closing brace, after a signature of several lines', () => {
    expect(add === undefined ? 0 : blockEnd(code, add)).toBe(10);
    expect(count === undefined ? 0 : blockEnd(code, count)).toBe(15);
  });

  test('of a comment is read without its marks and tags', () => {
    expect(docComment(code, add?.line ?? 0)).toBe('Adds numbers. Not more.');
    expect(firstSentence(docComment(code, add?.line ?? 0))).toBe('Adds numbers.');
    expect(docComment(code, count?.line ?? 0)).toBe('Counts without stars.');
  });

  test('of Python begins with its docstring and ends where the indentation does', () => {
    const python = 'def load(key):\n    """Loads a key."""\n    if key:\n        return 1\n\nx = 1\n'.split('\n');
    const [load] = findSymbols('a.py', python);
    expect(docComment(python, 1)).toBe('Loads a key.');
    expect(load === undefined ? 0 : blockEnd(python, load)).toBe(4);
  });

  test('of a license does not describe its file', () => {
    expect(fileComment(['// Copyright 2020 Somebody', 'code();'])).toBe('');
    expect(fileComment(['/* Reads files. */', 'code();'])).toBe('Reads files.');
  });
});

test('chunks cover every line once', () => {
  const chunks = cutChunks(500, [{ name: 'f', kind: 'function', line: 40, exported: false, indent: 0 }]);
  expect(chunks.map(({ start }) => start).slice(1)).toEqual(chunks.map(({ end }) => end + 1).slice(0, -1));
  expect(chunks[0]?.start).toBe(1);
  expect(chunks.at(-1)?.end).toBe(500);
  expect(chunks.some(({ start }) => start === 40)).toBe(true);
});

test.each([
  ['src/a.ts', 'source'],
  ['src/a.test.ts', 'test'],
  ['pkg/a_test.go', 'test'],
  ['docs/guide.md', 'docs'],
  ['README', 'docs'],
  ['package-lock.json', 'generated'],
  ['vendor/lib/a.go', 'vendored'],
  ['dist/app.min.js', 'generated'],
  ['config/app.yaml', 'config'],
  ['examples/run.py', 'example'],
])('the file %s is of the kind %s', (path, role) => {
  expect(roleOf(path)).toBe(role);
});
