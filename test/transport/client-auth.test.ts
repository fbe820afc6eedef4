import { expect, test } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import type { BearerToken } from '../../src/deepsearch/auth.ts';
import { json, type silence, status } from '../support/fake-service/scripted-server.ts';
import { connect, conversation, errorOf } from './setup.ts';

const success = json(conversation());

/** An OAuth issuer that numbers its tokens. */
function issuer(expiresInSeconds = 3_600) {
  let issued = 0;
  return {
    issued: () => issued,
    refresh: async (): Promise<BearerToken> => {
      issued += 1;
      return { accessToken: `access-${issued}`, expiresInSeconds };
    },
  };
}

test('a sudo credential names the user', async () => {
  const { client, server } = await connect({ auth: { kind: 'sudo', username: 'ada', token: 't' } });
  server.script(success);
  await client.get(7);
  expect(server.requests[0]?.headers.authorization).toBe('token-sudo user="ada",token="t"');
});

test('a refused token is not tried again', async () => {
  const { client, server } = await connect();
  server.script(status(401));
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unauthorized', code: 401 });
  expect(server.requests).toHaveLength(1);
});

test('a bearer token is obtained once for all calls', async () => {
  const { refresh, issued } = issuer();
  const { client, server } = await connect({ auth: { kind: 'bearer', refresh } });
  server.script(success, success, success);
  await Promise.all([client.get(7), client.get(7)]);
  await client.get(7);
  expect(issued()).toBe(1);
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer access-1']));
});

test('a bearer token is renewed before it expires', async () => {
  let nowMs = 0;
  const { refresh } = issuer(600);
  const auth = { kind: 'bearer', initial: { accessToken: 'access-0', expiresInSeconds: 600 }, refresh } as const;
  const { client, server } = await connect({ auth, clock: () => nowMs });
  for (const timeMs of [0, 539_000, 541_000, 1_000_000]) {
    nowMs = timeMs;
    server.script(success);
    await client.get(7);
  }
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer access-0',
    'Bearer access-0',
    'Bearer access-1',
    'Bearer access-1',
  ]);
});

test('a 401 renews the bearer token once, even for a creation', async () => {
  const { refresh } = issuer();
  const auth = { kind: 'bearer', initial: { accessToken: 'stale' }, refresh } as const;
  const { client, server } = await connect({ auth });
  server.script(status(401), success);
  await expect(client.create('where?')).resolves.toMatchObject({ id: 7 });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer stale', 'Bearer access-1']);
  expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
});

test('a second 401 is final', async () => {
  const { refresh, issued } = issuer();
  const { client, server } = await connect({ auth: { kind: 'bearer', refresh } });
  server.script(status(401), status(401));
  expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unauthorized' });
  expect(issued()).toBe(2);
});

test('a 403 does not renew the token', async () => {
  const { refresh, issued } = issuer();
  const { client, server } = await connect({ auth: { kind: 'bearer', refresh } });
  server.script(status(403));
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unauthorized' });
  expect(issued()).toBe(1);
});

test('many 401s at once renew the token once', async () => {
  const { refresh, issued } = issuer();
  const auth = { kind: 'bearer', initial: { accessToken: 'stale' }, refresh } as const;
  const { client, server } = await connect({ auth });
  const refuseStale = (response: Parameters<typeof silence>[0], request: Parameters<typeof silence>[1]) =>
    (request.headers.authorization === 'Bearer stale' ? status(401) : success)(response, request);
  server.script(...Array.from({ length: 8 }, () => refuseStale));
  await Promise.all(Array.from({ length: 4 }, () => client.get(7)));
  expect(issued()).toBe(1);
});

test('a failed renewal means that nothing was done', async () => {
  const failures = [new Error('down'), new AppError('unauthorized', 'revoked')];
  const refresh = () => Promise.reject(failures.shift());
  const { client, server } = await connect({ auth: { kind: 'bearer', refresh } });
  expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unauthorized' });
  expect(server.requests).toEqual([]);
});

test('a token that is still valid is used when its renewal fails', async () => {
  let nowMs = 0;
  const auth = {
    kind: 'bearer',
    initial: { accessToken: 'alive', expiresInSeconds: 600 },
    refresh: () => Promise.reject(new Error('down')),
  } as const;
  const { client, server } = await connect({ auth, clock: () => nowMs });
  nowMs = 590_000;
  server.script(success);
  await client.get(7);
  nowMs = 600_000;
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unavailable' });
});

test('a renewal that hangs ends with the call', async () => {
  const { client } = await connect({
    auth: { kind: 'bearer', refresh: () => new Promise<BearerToken>(() => undefined) },
    timeoutMs: 100,
  });
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unavailable', code: 'timeout' });
});
