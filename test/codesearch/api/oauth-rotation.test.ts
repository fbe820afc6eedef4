import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { answerConsent, type RegisteredApp, registerOAuthApp } from '../support/oauth-app.ts';
import { createPerson, createPkce } from '../support/people.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const repository = createHarbourRepository();
const redirect_uri = 'https://app.example/callback';
const data = await createTempDir();
let service: Awaited<ReturnType<typeof startTestService>>;
let app: RegisteredApp;

beforeAll(async () => {
  service = await startTestService({ repos: [repository.path], dataDir: data.path });
  app = await registerOAuthApp(service.url, 'test-token', redirect_uri);
});

afterAll(async () => {
  await service.stop();
  repository.remove();
  await data.remove();
  expect(service.problems).toEqual([]);
});

interface Tokens {
  access_token: string;
  refresh_token: string;
}

async function send(fields: Record<string, string>): Promise<Tokens | number> {
  const body = new URLSearchParams({ client_id: app.clientId, client_secret: app.clientSecret, ...fields });
  const response = await fetch(`${service.url}/.auth/idp/oauth/token`, { method: 'POST', body });
  return response.ok ? ((await response.json()) as Tokens) : response.status;
}

async function first(): Promise<Tokens> {
  const alice = createPerson(service.url);
  await alice.signIn('test-token');
  const { verifier: code_verifier, challenge: code_challenge } = createPkce();
  const asked = { response_type: 'code', client_id: app.clientId, redirect_uri, code_challenge };
  const query = new URLSearchParams({ ...asked, code_challenge_method: 'S256' });
  const target = await answerConsent(alice, `${service.url}/.auth/idp/oauth/authorize?${query}`);
  const code = target.searchParams.get('code') ?? '';
  return expectTokens(await send({ grant_type: 'authorization_code', code, redirect_uri, code_verifier }));
}

const refresh = ({ refresh_token }: Tokens) => send({ grant_type: 'refresh_token', refresh_token });

async function refreshed(tokens: Tokens): Promise<Tokens> {
  return expectTokens(await refresh(tokens));
}

function expectTokens(reply: Tokens | number): Tokens {
  if (typeof reply === 'number') throw new Error(`refused with ${reply}`);
  return reply;
}

/** The status of a request with the access token. */
async function use({ access_token }: Tokens): Promise<number> {
  const headers = { Authorization: `Bearer ${access_token}` };
  return (await service.call('POST', '/.api/graphql', { query: '{ currentUser { username } }' }, headers)).status;
}

describe('a refresh token', () => {
  test('can be sent again by a client that lost the reply, also after a restart of the service', async () => {
    const before = await first();
    const lost = await refreshed(before);
    await service.stop();
    service = await startTestService({ repos: [repository.path], dataDir: data.path });
    const next = await refreshed(before);
    expect(next.refresh_token).not.toBe(lost.refresh_token);
    expect(await use(next)).toBe(200);
    expect(await use(await refreshed(next))).toBe(200);
  });

  test('is replaced by the first use of the new access token: sent after that, it ends the grant', async () => {
    const before = await first();
    const next = await refreshed(before);
    expect(await use(next)).toBe(200);
    expect(await refresh(before)).toBe(400);
    expect(await use(next)).toBe(401);
    expect(await refresh(next)).toBe(400);
  });

  test('is replaced by the first use of the new refresh token: sent after that, it ends the grant', async () => {
    const before = await first();
    const next = await refreshed(before);
    const last = await refreshed(next);
    expect(await refresh(before)).toBe(400);
    expect([await use(last), await refresh(last)]).toEqual([401, 400]);
  });

  test('sent twice at once gives two pairs, of which the one that is used first stays', async () => {
    const before = await first();
    const [one, other] = await Promise.all([refreshed(before), refreshed(before)]);
    expect(await use(one)).toBe(200);
    expect(await use(other)).toBe(401);
    expect(await use(one)).toBe(200);
    expect(await use(await refreshed(one))).toBe(200);
  });

  test('of a pair that was not used first ends the grant', async () => {
    const before = await first();
    const [stolen, own] = [await refreshed(before), await refreshed(before)];
    expect(await use(own)).toBe(200);
    expect(await refresh(stolen)).toBe(400);
    expect(await use(own)).toBe(401);
  });

  test('can be sent again many times, and the newest eight pairs are usable', async () => {
    const before = await first();
    const pairs: Tokens[] = [];
    for (let round = 0; round < 9; round++) pairs.push(await refreshed(before));
    const [oldest, second] = pairs;
    if (oldest === undefined || second === undefined) throw new Error('no pairs');
    expect([await use(oldest), await use(second)]).toEqual([401, 200]);
  });

  test('leaves the access token before it usable until that expires', async () => {
    const before = await first();
    const next = await refreshed(before);
    expect([await use(before), await use(next), await use(before)]).toEqual([200, 200, 200]);
  });
});
