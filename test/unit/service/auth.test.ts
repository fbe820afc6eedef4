import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAuthorizer, sudoAuthorization } from '../../../src/service/auth.ts';

const never = new AbortController().signal;

test.each([
  ['ada', 't', 'token-sudo user="ada",token="t"'],
  ['a"b', 'c\\d', 'token-sudo user="a\\"b",token="c\\\\d"'],
  ['a,token="x"', 't', 'token-sudo user="a,token=\\"x\\"",token="t"'],
])('the names in an authorization header are quoted: %s', (user, token, header) => {
  expect(sudoAuthorization(user, token)).toBe(header);
});

test('quoting can be undone for any names', () => {
  const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1 });
  fc.assert(
    fc.property(printable, printable, (user, token) => {
      const match = /^token-sudo user="((?:[^"\\]|\\.)*)",token="((?:[^"\\]|\\.)*)"$/.exec(
        sudoAuthorization(user, token),
      );
      expect([match?.[1], match?.[2]].map((value) => value?.replace(/\\(.)/g, '$1'))).toEqual([user, token]);
    }),
  );
});

test('a plain token is sent unchanged', async () => {
  const authorizer = createAuthorizer({ kind: 'token', token: 'sgp_1' });
  expect(await authorizer.header(never)).toBe('token sgp_1');
  expect(await authorizer.renew('token sgp_1', never)).toBe(false);
});

test.each(['', 'a\nb', 'a\r\nX-Evil: 1', 'tökén', 'a\u0000'])(
  'a credential that no header can carry is refused: %j',
  (token) => {
    const unusable = expect.objectContaining({
      kind: 'unauthorized',
      message: expect.not.stringContaining(token || 'ö'),
    });
    expect(() => createAuthorizer({ kind: 'token', token })).toThrow(unusable);
    expect(() => createAuthorizer({ kind: 'sudo', username: 'ada', token })).toThrow(unusable);
    expect(() => createAuthorizer({ kind: 'sudo', username: token, token: 't' })).toThrow(unusable);
  },
);
