import { expect, test } from 'vitest';
import type { UsableCredential } from '../../src/core/accounts/accounts.ts';
import { AppError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { type Auth, noCredential } from '../../src/service/auth.ts';
import { json, status } from '../support/fake-service/scripted-server.ts';
import { connect, conversation, errorOf } from './setup.ts';

const success = json(conversation());

/** A person's account: each time its credential is refused, it gets the next one, as long as there are some. */
function accountWith(...tokens: string[]) {
  const refused: string[] = [];
  const usable = (token: string): UsableCredential => ({ scheme: 'Bearer', secret: new Secret(token) });
  const auth: Auth = {
    kind: 'account',
    current: async () => usable(tokens[0] ?? ''),
    renewed: async ({ scheme, secret }) => {
      refused.push(`${scheme} ${secret.reveal()}`);
      if (tokens[0] === secret.reveal() && tokens.length > 1) tokens.shift();
      return tokens[0] === secret.reveal() ? undefined : usable(tokens[0] ?? '');
    },
  };
  return { auth, refused };
}

function sent(requests: { headers: { authorization?: string | undefined } }[]): (string | undefined)[] {
  return requests.map(({ headers }) => headers.authorization);
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

test('a call with a person’s account asks for its credential', async () => {
  const { auth } = accountWith('first');
  const { client, server } = await connect({ auth });
  server.script(success);
  await client.get(7);
  expect(sent(server.requests)).toEqual(['Bearer first']);
});

test('a call with a person’s access token sends it as such', async () => {
  const current = async (): Promise<UsableCredential> => ({ scheme: 'token', secret: new Secret('own') });
  const { client, server } = await connect({ auth: { kind: 'account', current, renewed: async () => undefined } });
  server.script(success, status(401));
  await client.get(7);
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unauthorized', code: 401 });
  expect(sent(server.requests)).toEqual(['token own', 'token own']);
});

test('a 401 renews the credential of an account, even for a creation', async () => {
  const { auth, refused } = accountWith('stale', 'next');
  const { client, server } = await connect({ auth });
  server.script(status(401), success);
  await expect(client.create('where?')).resolves.toMatchObject({ id: 7 });
  expect(sent(server.requests)).toEqual(['Bearer stale', 'Bearer next']);
  expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
  expect(refused).toEqual(['Bearer stale']);
});

test('a call reports a second 401 and ends with a third', async () => {
  const { auth, refused } = accountWith('a', 'b', 'c', 'd');
  const { client, server } = await connect({ auth });
  server.script(status(401), status(401), status(401));
  expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unauthorized', code: 401 });
  expect(refused).toEqual(['Bearer a', 'Bearer b']);
});

test('a 403 does not renew the credential', async () => {
  const { auth, refused } = accountWith('first', 'next');
  const { client, server } = await connect({ auth });
  server.script(status(403));
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unauthorized', code: 403 });
  expect(refused).toEqual([]);
});

test('a call without a credential sends nothing', async () => {
  const failures = [
    new AppError('unavailable', 'down'),
    new AppError('unauthorized', 'none', { code: 'notConnected' }),
  ];
  const auth: Auth = {
    kind: 'account',
    current: () => Promise.reject(failures.shift()),
    renewed: async () => undefined,
  };
  const { client, server } = await connect({ auth });
  expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unauthorized', code: 'notConnected' });
  expect(server.requests).toEqual([]);
});

test('a credential that no header can carry is not sent', async () => {
  const { auth } = accountWith('a\nb');
  const { client, server } = await connect({ auth });
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unauthorized' });
  expect(server.requests).toEqual([]);
});

test('a credential that never comes ends with the call, and is no failure of the service', async () => {
  const never = () => new Promise<UsableCredential>(() => undefined);
  const { client } = await connect({ auth: { kind: 'account', current: never, renewed: never }, timeoutMs: 100 });
  expect(await errorOf(client.get(7))).toMatchObject({
    kind: 'unavailable',
    code: noCredential,
    outcomeUnknown: false,
  });
});

test('a renewal that never comes ends with the call, and is no failure of the service', async () => {
  const current = async (): Promise<UsableCredential> => ({ scheme: 'Bearer', secret: new Secret('stale') });
  const never = () => new Promise<UsableCredential>(() => undefined);
  const { client, server } = await connect({ auth: { kind: 'account', current, renewed: never }, timeoutMs: 100 });
  server.script(status(401));
  expect(await errorOf(client.get(7))).toMatchObject({
    kind: 'unavailable',
    code: noCredential,
    outcomeUnknown: false,
  });
});

test('a client that is closed says so also where it waits for a credential', async () => {
  const never = () => new Promise<UsableCredential>(() => undefined);
  const { client } = await connect({ auth: { kind: 'account', current: never, renewed: never } });
  const failed = errorOf(client.get(7));
  await client.close();
  expect(await failed).toMatchObject({ kind: 'unavailable', code: 'closed' });
});
