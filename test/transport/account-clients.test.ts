import { afterEach, expect, test } from 'vitest';
import type { AccountCredentials } from '../../src/core/accounts/accounts.ts';
import { AppError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { createLimiters } from '../../src/rate-limits/limiters.ts';
import { createApiChoice } from '../../src/service/api-choice.ts';
import { createPersonsClient, createPersonsService, createPipeline } from '../../src/service/pipeline.ts';
import { createServiceHttp } from '../../src/service/service-client.ts';
import { json, startScriptedServer, status } from '../support/fake-service/scripted-server.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { conversation, errorOf } from './setup.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of cleanUp.splice(0)) await end();
});

const ada = { teamId: 'T1', userId: 'U1' };
const bob = { teamId: 'T1', userId: 'U2' };

/**
 * The service as ada and bob see it, through one pool of connections. Their tokens are their ids. `failing`: what ada gets
 * in place of a credential, which is nothing at all for `never`.
 */
async function connectBoth(failing?: AppError | 'never') {
  const server = await startScriptedServer();
  cleanUp.push(() => server.close());
  const { log } = createRecordingLog();
  const options = { baseUrl: server.origin, userAgentVersion: '1', timeoutMs: 2_000, random: () => 0 };
  const http = createServiceHttp({ ...options, maxConnections: 1 });
  cleanUp.push(() => http.close());
  const credentials: AccountCredentials = {
    current: async ({ userId }) => {
      if (failing === 'never' && userId === ada.userId) return new Promise(() => undefined);
      if (failing !== undefined && userId === ada.userId) throw failing;
      return { scheme: 'token', secret: new Secret(userId) };
    },
    renewed: async () => undefined,
  };
  const connect = createPipeline({
    baseUrl: server.origin,
    choice: createApiChoice({ setting: 1, readVersion: async () => undefined, log }),
    createLimiter: createLimiters({ log }),
    requestsPerSecond: 50,
    hasTotal: true,
    hidesCredentials: true,
    now: Date.now,
    log,
  });
  const of = createPersonsService(connect, (person) => createPersonsClient({ ...options, http }, credentials, person));
  return { server, of };
}

test('each person’s requests carry their own credential, over the same connections', async () => {
  const { server, of } = await connectBoth();
  server.script(json(conversation()), json(conversation()), json(conversation()));
  for (const person of [ada, bob, ada]) await of(person).read(7);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['token U1', 'token U2', 'token U1']);
  expect(server.connections()).toBe(1);
});

test('a 401 without a newer credential names the account, and a 403 does not', async () => {
  const { server, of } = await connectBoth();
  server.script(status(401), status(403));
  expect(await errorOf(of(ada).read(7))).toMatchObject({ kind: 'unauthorized', code: 'accountRefused' });
  expect(await errorOf(of(ada).read(7))).toMatchObject({ kind: 'unauthorized', code: 403 });
});

test('an account that can not be decrypted counts as refused, and nothing is sent', async () => {
  const { server, of } = await connectBoth(new AppError('corrupt', 'no key'));
  expect(await errorOf(of(ada).create('q'))).toMatchObject({ kind: 'unauthorized', code: 'accountRefused' });
  expect(server.requests).toEqual([]);
});

test('a credential that can not be obtained now does not stop the calls of others', async () => {
  const { server, of } = await connectBoth(new AppError('unavailable', 'not refreshed', { retryAfterMs: 5_000 }));
  for (let count = 0; count < 10; count += 1) {
    expect(await errorOf(of(ada).create('q'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  }
  server.script(json(conversation()));
  expect((await of(bob).read(7)).id).toBe(conversation().id);
});

test('a credential that takes longer than its call does not stop the calls of others', async () => {
  const { server, of } = await connectBoth('never');
  const failures = await Promise.all(Array.from({ length: 10 }, () => errorOf(of(ada).read(7))));
  for (const failure of failures) expect(failure).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  server.script(json(conversation()));
  expect((await of(bob).read(7)).id).toBe(conversation().id);
});

test('a 429 pauses only the account that got it', async () => {
  const { server, of } = await connectBoth();
  server.script(status(429, { 'retry-after': '30' }), json(conversation()));
  expect(await errorOf(of(ada).create('q'))).toMatchObject({ kind: 'rateLimited' });
  expect(await errorOf(of(ada).read(7))).toMatchObject({ kind: 'rateLimited' });
  expect((await of(bob).read(7)).id).toBe(conversation().id);
  expect(server.requests).toHaveLength(2);
});

test('calls to a service that does not answer use none of the rate budget', async () => {
  const { server, of } = await connectBoth();
  server.script(...Array.from({ length: 15 }, () => status(503)));
  const failures: string[] = [];
  for (let call = 0; call < 500; call += 1) failures.push((await errorOf(of(ada).read(7))).kind);
  expect(server.requests).toHaveLength(15);
  expect(new Set(failures)).toEqual(new Set(['unavailable']));
});
