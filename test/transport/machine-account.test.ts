import { expect, onTestFinished, test } from 'vitest';
import { noCredential } from '../../src/service/auth.ts';
import { createMachineAccount, createTokenEndpoint } from '../../src/service/oauth.ts';
import { startRoutedService } from '../support/doctor/healthy-service.ts';
import { createPatient, examinePatient } from '../support/doctor/patient.ts';
import { hangUp, json, type Reply, status, text } from '../support/fake-service/scripted-server.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { conversation, errorOf, openClient, openServer } from './setup.ts';

const token = (access_token: string, expires_in?: number): Reply =>
  json({ access_token, token_type: 'Bearer', expires_in });
const success = json(conversation());

/** A client of a scripted service, with tokens of a scripted token endpoint. */
async function open() {
  const [service, issuer] = [await openServer(), await openServer()];
  const { log, lines } = createRecordingLog();
  const clock = { nowMs: 1_000_000 };
  const now = () => clock.nowMs;
  const endpoint = createTokenEndpoint({
    clientId: 'app',
    clientSecret: 'app secret',
    tokenUrl: `${issuer.origin}/token`,
    clock: now,
  });
  onTestFinished(() => endpoint.close());
  const auth = createMachineAccount({ endpoint, now, log });
  const client = openClient({ baseUrl: service.origin, auth });
  const used = () => service.requests.map(({ headers }) => headers.authorization);
  return { service, issuer, client, clock, lines, used };
}

test('one token is asked for by client_credentials, and serves all calls', async () => {
  const { service, issuer, client, used } = await open();
  issuer.script(token('one', 600));
  service.script(success, success, success);
  await Promise.all([client.get(7), client.get(7)]);
  await client.get(7);
  expect(used()).toEqual(['Bearer one', 'Bearer one', 'Bearer one']);
  const [request, ...others] = issuer.requests;
  expect(others).toEqual([]);
  expect([request?.method, request?.url, request?.body]).toEqual(['POST', '/token', 'grant_type=client_credentials']);
  expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('app:app+secret').toString('base64')}`);
});

test('the next token is asked for before the old one ends, and no call waits for it', async () => {
  const { service, issuer, client, clock, used } = await open();
  issuer.script(token('one', 600));
  service.script(success, success, success, success);
  await client.get(7);
  clock.nowMs += 539_000;
  await client.get(7);
  expect(issuer.requests).toHaveLength(1);
  clock.nowMs += 2_000;
  let answer = (): void => {};
  issuer.script((response, request) => {
    answer = () => token('two', 600)(response, request);
  });
  await client.get(7);
  await issuer.received(2);
  answer();
  await expect
    .poll(async () => {
      service.script(success);
      await client.get(7);
      return used().at(-1);
    })
    .toBe('Bearer two');
  expect(used().slice(0, 3)).toEqual(['Bearer one', 'Bearer one', 'Bearer one']);
  expect(issuer.requests).toHaveLength(2);
});

test('a token that ended is never used, also if the next one fails', async () => {
  const { service, issuer, client, clock, used } = await open();
  issuer.script(token('one', 600), status(503), token('two', 600));
  service.script(success, success);
  await client.get(7);
  clock.nowMs += 601_000;
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unavailable', code: noCredential });
  clock.nowMs += 5_000;
  await client.get(7);
  expect(used()).toEqual(['Bearer one', 'Bearer two']);
});

test('a refused token is replaced once, also for a creation, and not again for a minute', async () => {
  const { service, issuer, client, clock, used } = await open();
  issuer.script(token('one'), token('two'), token('three'));
  service.script(status(401), success, status(401), status(401), status(401), success);
  await client.create('where?');
  expect(used()).toEqual(['Bearer one', 'Bearer two']);
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unauthorized', code: 401 });
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unauthorized', code: 401 });
  expect(issuer.requests).toHaveLength(2);
  clock.nowMs += 60_000;
  await client.get(7);
  expect(used().slice(2)).toEqual(['Bearer two', 'Bearer two', 'Bearer two', 'Bearer three']);
});

test.each<[string, Reply, string]>([
  ['a wrong secret', json({ error: 'invalid_client' }, 401), 'unauthorized'],
  ['a grant that is not allowed', json({ error: 'unauthorized_client' }, 400), 'unauthorized'],
  ['a wrong address', status(404), 'unauthorized'],
  ['a page for people', text('<html>', 'text/html'), 'unavailable'],
  ['an outage', status(503), 'unavailable'],
  ['a broken connection', hangUp, 'unavailable'],
  ['too many requests', status(429), 'unavailable'],
])('no token because of %s: nothing is sent to the service, and the log says so once', async (_name, reply, kind) => {
  const { service, issuer, client, lines } = await open();
  issuer.script(reply);
  const error = await errorOf(client.create('where?'));
  expect(error).toMatchObject({ kind, code: noCredential, outcomeUnknown: false });
  expect(await errorOf(client.create('where?'))).toMatchObject({ kind });
  expect([service.requests.length, issuer.requests.length]).toEqual([0, 1]);
  expect(lines.map(({ event }) => event)).toEqual(['deepsearch.token']);
});

test('the doctor uses such an account, and says why it gets no token', async () => {
  const [service, issuer] = [await startRoutedService(), await openServer()];
  const { SRC_ACCESS_TOKEN: _, ...settings } = (await createPatient(service.origin)).settings;
  const patient = await createPatient(service.origin);
  patient.settings = {
    ...settings,
    ...{ SRC_CLIENT_ID: 'app', SRC_CLIENT_SECRET: 'app secret', SRC_TOKEN_URL: `${issuer.origin}/token` },
    SLACK_API_URL: patient.slack.url,
  };
  const found = async () =>
    (await examinePatient(patient))
      .filter(({ check }) => check === 'service')
      .map(({ code, values }) => [code, values]);
  issuer.script(token('one'));
  expect(await found()).toEqual([['serviceAnswers', expect.anything()]]);
  issuer.script(json({ error: 'invalid_client' }, 401));
  expect(await found()).toEqual([
    [
      'refused',
      {
        reason: 'the app gets no access token (invalid_client)',
        settings: 'SRC_CLIENT_ID, SRC_CLIENT_SECRET, SRC_TOKEN_URL',
      },
    ],
  ]);
  expect(issuer.requests).toHaveLength(2);
});
