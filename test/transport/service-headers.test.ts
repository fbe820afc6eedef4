import { expect, onTestFinished, test } from 'vitest';
import { createAuthorizationServer } from '../../src/app/accounts.ts';
import { parseConfig } from '../../src/config.ts';
import { Secret } from '../../src/core/secret.ts';
import { startRoutedService } from '../support/doctor/healthy-service.ts';
import { createPatient, examinePatient } from '../support/doctor/patient.ts';
import { json } from '../support/fake-service/scripted-server.ts';
import { openServer } from './setup.ts';

const settings = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  SRC_ACCESS_TOKEN: 'sgp_1',
  SRC_HEADERS: 'X-Proxy: pass',
};

test('every request to the service carries SRC_HEADERS: lists, GraphQL, and those of the doctor', async () => {
  const service = await startRoutedService();
  const patient = await createPatient(service.origin);
  patient.settings.SRC_HEADERS = 'X-Proxy: pass\\nCookie: a=1';
  await examinePatient(patient);
  const paths = new Set(service.requests.map(({ url }) => url.split('?', 1)[0]));
  expect(paths).toContain('/.api/graphql');
  expect(paths).toContain('/.api/deepsearch/v1');
  for (const { headers } of service.requests) expect(headers).toMatchObject({ 'x-proxy': 'pass', cookie: 'a=1' });
});

test('requests for people’s tokens carry them only at the origin of the service', async () => {
  const [service, other] = [await openServer(), await openServer()];
  const ends: (() => Promise<void>)[] = [];
  onTestFinished(async () => void (await Promise.all(ends.map((end) => end()))));
  const proxyHeaders = async (server: typeof service) => {
    server.script(json({ access_token: 'access' }));
    const config = parseConfig({
      ...settings,
      ACCOUNTS: 'preferred',
      SRC_ENDPOINT: `${service.origin}/code`,
      SRC_OAUTH_CLIENT_ID: 'app',
      SRC_OAUTH_AUTHORIZE_URL: `${server.origin}/authorize`,
      SRC_OAUTH_TOKEN_URL: `${server.origin}/token`,
      PUBLIC_URL: 'https://app.example',
    });
    const client = createAuthorizationServer({ config, now: Date.now, onStop: (end) => void ends.push(end) });
    await client?.refresh(new Secret('old'));
    return server.requests.map(({ headers }) => headers['x-proxy']);
  };
  expect(await proxyHeaders(service)).toEqual(['pass']);
  expect(await proxyHeaders(other)).toEqual([undefined]);
});
