import { describe, expect, test } from 'vitest';
import type { ErrorKind } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { type DeepSearchAdapter, isApiGone } from '../../src/service/generation.ts';
import { hangUp, json, type Reply, silence, status, text } from '../support/fake-service/scripted-server.ts';
import { targetOf } from '../support/service/cancel-target.ts';
import { connectSecond, conversation2 } from './second-generation.ts';
import { errorOf } from './setup.ts';

const PAGE = '<html><body>Sign in</body></html>';

const answeredConversation = conversation2({ state: { completed: {} } });

const writes: [string, (deepSearch: DeepSearchAdapter) => Promise<unknown>][] = [
  ['a creation', (deepSearch) => deepSearch.create('Where?')],
  ['a follow-up', (deepSearch) => deepSearch.followUp(140, 'And?')],
];
const reads: [string, (deepSearch: DeepSearchAdapter) => Promise<unknown>, Reply][] = [
  ['a read', (deepSearch) => deepSearch.read(140), json(conversation2())],
  ['a search', (deepSearch) => deepSearch.newest(10), json({})],
  ['a look before a cancellation', (deepSearch) => deepSearch.cancel(140, targetOf()), json(answeredConversation)],
  ['a deletion', (deepSearch) => deepSearch.delete(140), json({})],
];

const calls: typeof writes = [...writes, ...reads.map(([name, call]): (typeof writes)[number] => [name, call])];

interface Expected {
  kind: ErrorKind;
  code: string | number;
  outcomeUnknown: boolean;
}

const codes: [string, number, Expected][] = [
  ['invalid_argument', 400, { kind: 'refused', code: 'invalid_argument', outcomeUnknown: false }],
  ['out_of_range', 400, { kind: 'refused', code: 'out_of_range', outcomeUnknown: false }],
  ['already_exists', 409, { kind: 'refused', code: 'already_exists', outcomeUnknown: false }],
  ['unauthenticated', 401, { kind: 'unauthorized', code: 401, outcomeUnknown: false }],
  ['permission_denied', 403, { kind: 'unauthorized', code: 403, outcomeUnknown: false }],
  ['resource_exhausted', 429, { kind: 'rateLimited', code: 'resource_exhausted', outcomeUnknown: false }],
  ['aborted', 409, { kind: 'unavailable', code: 'aborted', outcomeUnknown: true }],
  ['canceled', 499, { kind: 'unavailable', code: 'canceled', outcomeUnknown: true }],
  ['unknown', 500, { kind: 'unavailable', code: 'unknown', outcomeUnknown: true }],
  ['internal', 500, { kind: 'unavailable', code: 'internal', outcomeUnknown: true }],
  ['data_loss', 500, { kind: 'unavailable', code: 'data_loss', outcomeUnknown: true }],
  ['unavailable', 503, { kind: 'unavailable', code: 'unavailable', outcomeUnknown: true }],
  ['deadline_exceeded', 504, { kind: 'unavailable', code: 'deadline_exceeded', outcomeUnknown: true }],
];

describe('an error of the protocol', () => {
  test.each(codes)('with the code %s (%i) has its kind, to a creation', async (code, httpStatus, expected) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json({ code, message: 'private words' }, httpStatus));
    const error = await errorOf(deepSearch.create('Where?'));
    expect(error).toMatchObject(expected);
    expect(error.message).not.toContain('private');
    expect(isApiGone(error)).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  test('that nothing is there means to a creation that its address is missing', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json({ code: 'not_found' }, 404));
    expect(isApiGone(await errorOf(deepSearch.create('Where?')))).toBe(true);
  });

  test.each([
    ['deadline_exceeded', 408, 'unavailable'],
    ['failed_precondition', 412, 'refused'],
    ['not_found', 500, 'notFound'],
    ['permission_denied', 404, 'unauthorized'],
  ])('with the code %s is read by its code, also with the status %i', async (code, httpStatus, kind) => {
    const { deepSearch, server } = await connectSecond();
    const reply = json({ code }, httpStatus);
    server.script(reply, reply, reply);
    const error = await errorOf(deepSearch.read(140));
    expect(error).toMatchObject({ kind, outcomeUnknown: false });
    expect(isApiGone(error)).toBe(false);
  });

  test('says how long to wait', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json({ code: 'resource_exhausted' }, 429, { 'retry-after': '90' }));
    expect(await errorOf(deepSearch.create('Where?'))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 90_000 });
  });
});

describe('a failure without an error of the protocol', () => {
  const cases: [string, Reply, Partial<Expected>][] = [
    ['400', status(400), { kind: 'unavailable', code: 'internal', outcomeUnknown: true }],
    ['401', text(PAGE, 'text/html', 401), { kind: 'unauthorized', code: 401, outcomeUnknown: false }],
    ['403', status(403), { kind: 'unauthorized', code: 403, outcomeUnknown: false }],
    ['413', status(413), { kind: 'refused', code: 413, outcomeUnknown: false }],
    ['429', status(429), { kind: 'rateLimited', code: 429, outcomeUnknown: false }],
    ['500', json({ error: 'boom' }, 500), { kind: 'unavailable', code: 500, outcomeUnknown: true }],
    ['501', status(501), { kind: 'unavailable', code: 501, outcomeUnknown: true }],
    ['502 with a page', text(PAGE, 'text/html', 502), { kind: 'unavailable', code: 502, outcomeUnknown: true }],
    [
      '503 with an unknown code',
      json({ code: 'tired' }, 503),
      { kind: 'unavailable', code: 503, outcomeUnknown: true },
    ],
    ['504', status(504), { kind: 'unavailable', code: 504, outcomeUnknown: true }],
    ['302 elsewhere', status(302, { location: 'https://other.example/api' }), { kind: 'badReply', code: 302 }],
    ['200 with a page', text(PAGE, 'text/html'), { kind: 'badReply', outcomeUnknown: true }],
    ['200 without JSON', text('OK', 'text/plain'), { kind: 'badReply', outcomeUnknown: true }],
    ['200 without a body', status(200), { kind: 'badReply', outcomeUnknown: true }],
    ['a lost connection', hangUp, { kind: 'unavailable', outcomeUnknown: true }],
  ];
  test.each(cases)('is read by its status: %s', async (_name, reply, expected) => {
    const { deepSearch, server } = await connectSecond();
    server.script(reply);
    const error = await errorOf(deepSearch.create('Where?'));
    expect(error).toMatchObject(expected);
    expect(isApiGone(error)).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  test.each(writes)('or without any reply leaves the outcome of %s unknown', async (_name, call) => {
    const { deepSearch, server } = await connectSecond({ createTimeoutMs: 150 });
    server.script(silence);
    expect(await errorOf(call(deepSearch))).toMatchObject({
      kind: 'unavailable',
      code: 'timeout',
      outcomeUnknown: true,
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('an instance without the second generation', () => {
  const gone: [string, Reply][] = [
    ['404 as text', text('404 page not found', 'text/plain', 404)],
    ['404 as a page', text(PAGE, 'text/html', 404)],
    ['404 without a body', status(404)],
    ['404 with JSON of another kind', json({ code: 'weird', message: 'x' }, 404)],
    ['404 with a page of 200 KB', text('x'.repeat(200_000), 'text/html', 404)],
    ['405', status(405, { allow: 'GET' })],
    ['unimplemented', json({ code: 'unimplemented' }, 501)],
    ['unimplemented with the status 404', json({ code: 'unimplemented' }, 404)],
    ['a redirect to the sign-in', status(302, { location: '/sign-in?returnTo=%2Fapi' })],
    ['a redirect to the sign-in with its host', status(303, { location: 'https://code.example/x/sign-in' })],
  ];
  const pages: [string, Reply][] = [['a page of HTML', text(PAGE, 'text/html; charset=utf-8')]];

  describe.each(gone)('that replies %s', (_name, reply) => {
    test.each(calls)('is recognized by %s, which had no effect and is not retried', async (_call, call) => {
      const { deepSearch, server } = await connectSecond();
      server.script(reply);
      const error = await errorOf(call(deepSearch));
      expect(isApiGone(error)).toBe(true);
      expect(error.outcomeUnknown).toBe(false);
      expect(server.requests).toHaveLength(1);
    });
  });

  describe.each(pages)('that replies %s', (_name, reply) => {
    test.each(reads)('is recognized by %s', async (_call, call) => {
      const { deepSearch, server } = await connectSecond();
      server.script(reply);
      expect(isApiGone(await errorOf(call(deepSearch)))).toBe(true);
      expect(server.requests).toHaveLength(1);
    });
  });
});

describe('a temporary failure', () => {
  const temporary: [string, Reply][] = [
    ['unavailable', json({ code: 'unavailable' }, 503)],
    ['resource_exhausted', json({ code: 'resource_exhausted' }, 429)],
    ['deadline_exceeded', json({ code: 'deadline_exceeded' }, 504)],
    ['aborted', json({ code: 'aborted' }, 409)],
    ['429', status(429)],
    ['502', text(PAGE, 'text/html', 502)],
    ['503', status(503)],
    ['504', status(504)],
    ['a lost connection', hangUp],
  ];

  test.each(temporary)('(%s) of a read is followed by two repetitions', async (_name, reply) => {
    const { deepSearch, server } = await connectSecond();
    server.script(reply, reply, json(conversation2()));
    await expect(deepSearch.read(140)).resolves.toMatchObject({ id: 140 });
  });

  test.each(reads)('is followed by a repetition of %s', async (_name, call, success) => {
    const { deepSearch, server } = await connectSecond();
    server.script(status(503), json({ code: 'unavailable' }, 503), success);
    await call(deepSearch);
    expect(server.requests).toHaveLength(3);
  });

  test.each(temporary)('(%s) is never followed by a repetition of a creation or a follow-up', async (_name, reply) => {
    for (const [, call] of writes) {
      const { deepSearch, server } = await connectSecond();
      server.script(reply);
      await errorOf(call(deepSearch));
      expect(server.requests).toHaveLength(1);
    }
  });

  const lasting: [string, Reply][] = [
    ...['canceled', 'unknown', 'internal', 'data_loss', 'invalid_argument', 'permission_denied', 'not_found'].map(
      (code): [string, Reply] => [code, json({ code }, 500)],
    ),
    ['400', status(400)],
    ['500', status(500)],
    ['501', status(501)],
    ['a wrong shape', json({ name: 5 })],
  ];

  test.each(lasting)('is not %s, so a read is not repeated', async (_name, reply) => {
    const { deepSearch, server } = await connectSecond();
    server.script(reply);
    await errorOf(deepSearch.read(140));
    expect(server.requests).toHaveLength(1);
  });
});

test('a 401 of the protocol renews the credential, even for a creation', async () => {
  const tokens = ['stale', 'next'];
  const credential = () => ({ scheme: 'Bearer' as const, secret: new Secret(tokens[0] ?? '') });
  const { deepSearch, server } = await connectSecond({
    auth: {
      kind: 'account',
      current: async () => credential(),
      renewed: async () => {
        tokens.shift();
        return credential();
      },
    },
  });
  server.script(json({ code: 'unauthenticated' }, 401), json(conversation2()));
  await expect(deepSearch.create('Where?')).resolves.toMatchObject({ id: 140 });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer stale', 'Bearer next']);
});
