import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runCommand } from '../../../src/codesearch/account-commands.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createPerson } from '../support/people.ts';
import { createCaller, startTestService } from '../support/service.ts';

const registered = z.object({ clientId: z.string(), clientSecret: z.string() });
let folder: Awaited<ReturnType<typeof createTempDir>>;
let service: Awaited<ReturnType<typeof startTestService>>;
let app: z.infer<typeof registered>;
let nowMs = Date.parse('2026-03-01T12:00:00Z');

async function command(...line: string[]): Promise<string> {
  const result = await runCommand([...line, '--data-dir', folder.path]);
  return 'output' in result ? result.output : result.problems.join('\n');
}

beforeAll(async () => {
  folder = await createTempDir();
  await command('user', 'create', '--name', 'ci', '--service-account');
  await command('user', 'create', '--name', 'carol');
  app = registered.parse(JSON.parse(await command('oauth-app', 'create', '--name', 'CI', '--user', 'ci')));
  expect(await command('oauth-app', 'create', '--name', 'X', '--user', 'carol')).toContain('carol is a person');
  service = await startTestService({
    repos: [],
    dataDir: folder.path,
    clock: () => nowMs,
    oauthTokenLifetime: 600,
    tokens: [
      { username: 'robot', token: 'robot-token', kind: 'serviceAccount' },
      { username: 'alice', token: 'admin-token' },
    ],
  });
});

afterAll(async () => {
  await service.stop();
  await folder.remove();
});

async function getToken(fields: Record<string, string>) {
  const body = {
    client_id: app.clientId,
    client_secret: app.clientSecret,
    grant_type: 'client_credentials',
    ...fields,
  };
  const response = await fetch(`${service.url}/.auth/idp/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(body),
  });
  return { status: response.status, reply: (await response.json()) as Record<string, unknown> };
}

/** Statuses of GraphQL, and of reading and writing by both generations. */
async function reach(authorization: string) {
  const headers = { Authorization: authorization, 'Content-Type': 'application/json', 'X-Requested-With': 'test 1' };
  const send = async (path: string, body: object) =>
    (await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  const write = { conversation: { questions: [{ input: [{ question: { text: 'x' } }] }] } };
  return {
    graphql: await send('/.api/graphql', { query: '{ currentUser { username } }' }),
    first: await send('/.api/deepsearch/v1', { question: 'x' }),
    read: await send('/api/deepsearch.v1.Service/ListConversationSummaries', {}),
    write: await send('/api/deepsearch.v1.Service/CreateConversation', write),
  };
}

describe('an app of a service account', () => {
  test.each([
    [undefined, { graphql: 200, first: 202, read: 200, write: 200 }],
    ['user:all', { graphql: 200, first: 202, read: 200, write: 200 }],
    ['externalapi:read', { graphql: 403, first: 403, read: 200, write: 403 }],
    ['externalapi:read externalapi:write', { graphql: 403, first: 403, read: 200, write: 200 }],
  ])('gets a token with the scope %s by client_credentials, which reaches %j', async (scope, expected) => {
    const { status, reply } = await getToken(scope === undefined ? {} : { scope });
    expect([status, reply]).toEqual([200, expect.objectContaining({ token_type: 'Bearer', expires_in: 600 })]);
    expect(reply).not.toHaveProperty('refresh_token');
    expect(await reach(`Bearer ${String(reply.access_token)}`)).toEqual(expected);
  });

  test('acts as the service account, until the token expires', async () => {
    const { reply } = await getToken({});
    const ask = () =>
      createCaller(service.url).call(
        'POST',
        '/.api/graphql',
        { query: '{ currentUser { username siteAdmin } }' },
        { Authorization: `Bearer ${String(reply.access_token)}` },
      );
    expect(await (await ask()).json()).toEqual({
      data: { currentUser: { username: 'ci', siteAdmin: false } },
    });
    nowMs += 601_000;
    expect((await ask()).status).toBe(401);
  });

  test.each([
    [{ client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ scope: 'site-admin:sudo' }, 400, 'invalid_scope'],
    [{ grant_type: 'authorization_code', code: 'x' }, 400, 'unauthorized_client'],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('is refused with %j', async (fields, status, error) => {
    const refused = await getToken(fields);
    expect([refused.status, refused.reply.error]).toEqual([status, error]);
  });

  test('has no page for people to sign in', async () => {
    const query = new URLSearchParams({ response_type: 'code', client_id: app.clientId, redirect_uri: 'https://x/' });
    expect((await fetch(`${service.url}/.auth/idp/oauth/authorize?${query}`)).status).toBe(400);
  });
});

test('a token of a service account on the command line is no site admin, also as the first one, and signs no one in', async () => {
  const robot = createCaller(service.url, 'robot-token');
  const query = '{ currentUser { username siteAdmin } }';
  expect(await robot.read('POST', '/.api/graphql', { query })).toEqual({
    data: { currentUser: { username: 'robot', siteAdmin: false } },
  });
  expect((await createPerson(service.url).signIn('robot-token')).response.status).toBe(403);
});

test('a token made with another one ends with it, and so does one that was made with that', async () => {
  const alice = createPerson(service.url);
  await alice.signIn('admin-token');
  const first = await alice.createToken({ note: 'first' });
  const later = createPerson(service.url);
  await later.signIn(first);
  const second = await later.createToken({ note: 'second' });
  expect((await reach(`token ${second}`)).graphql).toBe(200);
  const { text } = await alice.open('/settings/tokens');
  const id = /<td>first<\/td>.*?\/settings\/tokens\/(\d+)\/revoke/s.exec(text)?.[1];
  await alice.submit(`/settings/tokens/${id}/revoke`, { formToken: await alice.formToken() });
  for (const token of [first, second]) expect((await reach(`token ${token}`)).graphql).toBe(401);
});
