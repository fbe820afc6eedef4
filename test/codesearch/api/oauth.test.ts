import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPerson, createPkce, hiddenField, type Person } from '../support/people.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const repository = createHarbourRepository();
const REDIRECT = 'https://app.example/callback?from=search';
let service: Awaited<ReturnType<typeof startTestService>>;
let nowMs = Date.parse('2026-03-01T12:00:00Z');
let bob: Person;
let publicApp: { clientId: string };
let serverApp: { clientId: string; secret: string };

beforeAll(async () => {
  service = await startTestService({
    repos: [repository.path],
    tokens: [
      { username: 'alice', token: 'admin-token' },
      { username: 'bob', token: 'bob-token' },
    ],
    clock: () => nowMs,
    oauthTokenLifetime: 600,
  });
  const alice = createPerson(service.url);
  await alice.signIn('admin-token');
  publicApp = await register(alice, { redirectUris: `${REDIRECT}\nhttp://127.0.0.1/callback\nraycast://oauth` });
  serverApp = await register(alice, { redirectUris: REDIRECT, confidential: 'yes' });
  bob = createPerson(service.url);
  await bob.signIn('bob-token');
});

afterAll(async () => {
  await service.stop();
  repository.remove();
  expect(service.problems).toEqual([]);
});

async function register(alice: Person, fields: Record<string, string>): Promise<{ clientId: string; secret: string }> {
  const sent = { formToken: await alice.formToken(), name: 'An <app>', ...fields };
  const { text } = await alice.submit('/settings/oauth-apps', sent);
  const clientId = /id="client-id">([^<]+)</.exec(text)?.[1] ?? '';
  const secret = /id="client-secret">([^<]+)</.exec(text)?.[1] ?? '';
  expect(clientId).toMatch(/^[0-9a-f]{32}$/);
  expect(secret === '').toBe(fields.confidential === undefined);
  return { clientId, secret };
}

type Fields = Record<string, string | undefined>;

function query(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  );
}

/** The parameters of an authorization request; an undefined field is left out. */
function request(fields: Fields = {}): URLSearchParams {
  return query({
    response_type: 'code',
    client_id: publicApp.clientId,
    redirect_uri: REDIRECT,
    scope: 'user:all',
    state: 'a state & more',
    code_challenge_method: 'S256',
    ...fields,
  });
}

/** Sends the consent page's form; the parameters of the address that the browser is sent to. */
async function consent(parameters: URLSearchParams, decision = 'allow', person = bob): Promise<URL> {
  const { response, text } = await person.open(`/.auth/idp/oauth/authorize?${parameters}`);
  expect(response.status).toBe(200);
  const formToken = hiddenField(text, 'formToken');
  const answer = await person.submit('/.auth/idp/oauth/authorize', {
    ...Object.fromEntries(parameters),
    formToken,
    decision,
  });
  expect(answer.response.status).toBe(303);
  return new URL(answer.response.headers.get('location') ?? '');
}

async function codeFor(fields: Fields): Promise<string> {
  return (await consent(request(fields))).searchParams.get('code') ?? '';
}

interface TokenReply {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  error: string;
}

async function post(
  endpoint: 'token' | 'revoke',
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: TokenReply }> {
  const response = await fetch(`${service.url}/.auth/idp/oauth/${endpoint}`, {
    method: 'POST',
    body: query(fields),
    headers,
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

const exchange = (fields: Fields, headers?: Record<string, string>) =>
  post(
    'token',
    { grant_type: 'authorization_code', client_id: publicApp.clientId, redirect_uri: REDIRECT, ...fields },
    headers,
  );

const refresh = (refresh_token: string, fields: Fields = {}) =>
  post('token', { grant_type: 'refresh_token', client_id: publicApp.clientId, refresh_token, ...fields });

async function tokens(): Promise<TokenReply> {
  const { verifier, challenge } = createPkce();
  const { status, body } = await exchange({
    code: await codeFor({ code_challenge: challenge }),
    code_verifier: verifier,
  });
  expect(status).toBe(200);
  return body;
}

/** The status of a GraphQL request with a bearer token. */
async function use(token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  return (await service.call('POST', '/.api/graphql', { query: '{ currentUser { username } }' }, headers)).status;
}

describe('spec 5: an OAuth app', () => {
  test('gets a code with the state, exchanges it by PKCE, and acts for the user until the token expires', async () => {
    const { verifier, challenge } = createPkce();
    const target = await consent(request({ code_challenge: challenge }));
    expect(target.origin + target.pathname).toBe('https://app.example/callback');
    expect(target.searchParams.get('from')).toBe('search');
    expect(target.searchParams.get('state')).toBe('a state & more');
    const code = target.searchParams.get('code') ?? '';
    const { status, body } = await exchange({ code, code_verifier: verifier });
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^cso_/),
      refresh_token: expect.stringMatching(/^csr_/),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'user:all',
    });
    const headers = { Authorization: `Bearer ${body.access_token}` };
    const asked = { query: '{ currentUser { username } }' };
    expect(await (await service.call('POST', '/.api/graphql', asked, headers)).json()).toEqual({
      data: { currentUser: { username: 'bob' } },
    });
    expect((await service.call('GET', '', undefined, headers)).status).toBe(200);
    expect((await service.call('GET', '', undefined, { Authorization: `token ${body.access_token}` })).status).toBe(
      401,
    );
    nowMs += 600_000;
    expect(await use(body.access_token)).toBe(401);
  });

  test('renews its tokens with a refresh token, timed by expires_in, and gets a new one each time', async () => {
    const first = await tokens();
    nowMs += 600_000;
    const second = await refresh(first.refresh_token);
    expect(second).toMatchObject({ status: 200, body: { expires_in: 600, token_type: 'Bearer', scope: 'user:all' } });
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect([await use(first.access_token), await use(second.body.access_token)]).toEqual([401, 200]);
    expect((await refresh(second.body.refresh_token)).status).toBe(200);
  });

  test('that sends a code again loses what the code gave', async () => {
    const { verifier, challenge } = createPkce();
    const code = await codeFor({ code_challenge: challenge });
    const { body } = await exchange({ code, code_verifier: verifier });
    expect(await use(body.access_token)).toBe(200);
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await use(body.access_token)).toBe(401);
  });

  test('needs the verifier of its challenge, and a wrong one uses the code up', async () => {
    const { verifier, challenge } = createPkce();
    for (const code_verifier of [createPkce().verifier, challenge, undefined]) {
      const code = await codeFor({ code_challenge: challenge });
      const refused = await exchange({ code, code_verifier });
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect((await exchange({ code, code_verifier: verifier })).status).toBe(400);
    }
  });

  test('needs the redirect address of its request, and a code that is younger than two minutes', async () => {
    const { verifier, challenge } = createPkce();
    const code = await codeFor({ code_challenge: challenge });
    const elsewhere = { code, code_verifier: verifier, redirect_uri: 'https://app.example/other' };
    expect((await exchange(elsewhere)).status).toBe(400);
    const late = await codeFor({ code_challenge: challenge });
    nowMs += 120_000;
    expect(await exchange({ code: late, code_verifier: verifier })).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  test('can’t exchange the code or the refresh token of another app', async () => {
    const { verifier, challenge } = createPkce();
    const other = { client_id: serverApp.clientId, client_secret: serverApp.secret };
    const code = await codeFor({ code_challenge: challenge });
    expect(await exchange({ code, code_verifier: verifier, ...other })).toMatchObject({
      body: { error: 'invalid_grant' },
    });
    expect(await refresh((await tokens()).refresh_token, other)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  test('that keeps a secret must send it, in the body or by HTTP Basic, and may leave PKCE out', async () => {
    const ask = () => codeFor({ client_id: serverApp.clientId, code_challenge_method: undefined });
    const own = { client_id: serverApp.clientId };
    expect((await exchange({ ...own, code: await ask(), client_secret: serverApp.secret })).status).toBe(200);
    const basic = `Basic ${Buffer.from(`${serverApp.clientId}:${serverApp.secret}`).toString('base64')}`;
    expect((await exchange({ code: await ask(), client_id: undefined }, { Authorization: basic })).status).toBe(200);
    for (const client_secret of [undefined, 'wrong', publicApp.clientId]) {
      const refused = await exchange({ ...own, code: await ask(), client_secret });
      expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
    const { verifier } = createPkce();
    const bypass = await exchange({ ...own, code: await ask(), code_verifier: verifier });
    expect(bypass).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('on the person’s machine may use any port of its loopback address, or a scheme of its own', async () => {
    const { challenge } = createPkce();
    for (const redirect_uri of ['http://127.0.0.1:53682/callback', 'raycast://oauth']) {
      const parameters = request({ redirect_uri, code_challenge: challenge });
      const { response } = await bob.open(`/.auth/idp/oauth/authorize?${parameters}`);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain(redirect_uri.startsWith('http') ? 'http://127.0.0.1:53682' : 'raycast:');
      expect((await consent(parameters)).href.startsWith(redirect_uri)).toBe(true);
    }
  });

  test('may ask for offline_access too, as public clients do', async () => {
    const { verifier, challenge } = createPkce();
    const code = await codeFor({ code_challenge: challenge, scope: 'user:all offline_access' });
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject({
      body: { scope: 'user:all offline_access' },
    });
  });
});

describe('an authorization request', () => {
  test.each([
    [{ client_id: 'unknown' }],
    [{ client_id: '' }],
    [{ client_id: 'x'.repeat(3_000) }],
    [{ redirect_uri: 'https://evil.example/' }],
    [{ redirect_uri: 'https://app.example/callback' }],
    [{ redirect_uri: 'https://app.example/callback?from=search/../x' }],
    [{ redirect_uri: 'http://127.0.0.1:80@evil.example/callback' }],
    [{ redirect_uri: undefined }],
  ])('of an unknown app or with an unknown redirect address is not answered there: %.80j', async (fields: Fields) => {
    const parameters = request({ code_challenge: createPkce().challenge, ...fields });
    const { response } = await bob.open(`/.auth/idp/oauth/authorize?${parameters}`);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    [{ scope: 'user:all repo:all' }, 'invalid_scope'],
    [{ scope: 'site-admin:sudo' }, 'invalid_scope'],
    [{ scope: 'offline_access' }, 'invalid_scope'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
  ])('with %j is answered with the error %s and the state', async (fields: Fields, error) => {
    const parameters = request({ code_challenge: createPkce().challenge, ...fields });
    const { response } = await bob.open(`/.auth/idp/oauth/authorize?${parameters}`);
    const target = new URL(response.headers.get('location') ?? '');
    expect(target.origin).toBe('https://app.example');
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ error, state: 'a state & more' });
  });

  test('that repeats a parameter or has a NUL character is refused with 400', async () => {
    const { challenge } = createPkce();
    const parameters = request({ code_challenge: challenge });
    for (const more of ['&scope=user:all', '&state=%00']) {
      const { response } = await bob.open(`/.auth/idp/oauth/authorize?${parameters}${more}`);
      expect(response.status).toBe(400);
    }
  });

  test('asks a person who is not signed in to sign in first, and then goes on', async () => {
    const person = createPerson(service.url);
    const path = `/.auth/idp/oauth/authorize?${request({ code_challenge: createPkce().challenge })}`;
    const { response } = await person.open(path);
    const signIn = new URL(response.headers.get('location') ?? '', service.url);
    expect(signIn.pathname).toBe('/sign-in');
    const { text } = await person.open(signIn.href);
    expect(text).toContain('name="returnTo" value="/.auth/idp/oauth/authorize?');
    const after = await person.signIn('bob-token', signIn.searchParams.get('returnTo') ?? '');
    expect(after.response.headers.get('location')).toBe(path);
  });

  test('that the person declines is answered with access_denied', async () => {
    const target = await consent(request({ code_challenge: createPkce().challenge }), 'deny');
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ error: 'access_denied', state: 'a state & more' });
    expect(target.searchParams.has('code')).toBe(false);
  });

  test('is not allowed by a form without the form token or of another site', async () => {
    const fields = { ...Object.fromEntries(request({ code_challenge: createPkce().challenge })), decision: 'allow' };
    expect((await bob.submit('/.auth/idp/oauth/authorize', fields)).response.status).toBe(403);
    const own = { ...fields, formToken: await bob.formToken() };
    const foreign = { Origin: 'https://app.example' };
    expect((await bob.submit('/.auth/idp/oauth/authorize', own, foreign)).response.status).toBe(403);
  });

  test('names the app in escaped HTML', async () => {
    const { text } = await bob.open(
      `/.auth/idp/oauth/authorize?${request({ code_challenge: createPkce().challenge })}`,
    );
    expect(text).toContain('An &lt;app&gt;');
  });
});

describe('ending a grant', () => {
  test('is possible for the app: a refresh token takes all tokens with it, an access token only itself', async () => {
    const first = await tokens();
    const own = { client_id: publicApp.clientId };
    expect((await post('revoke', { ...own, token: first.access_token })).status).toBe(200);
    expect(await use(first.access_token)).toBe(401);
    const second = (await refresh(first.refresh_token)).body;
    expect((await post('revoke', { ...own, token: second.refresh_token })).status).toBe(200);
    expect(await use(second.access_token)).toBe(401);
    expect((await post('revoke', { ...own, token: 'unknown' })).status).toBe(200);
  });

  test('is refused to another app and to one without its secret', async () => {
    const { access_token } = await tokens();
    const other = { client_id: serverApp.clientId, client_secret: serverApp.secret };
    expect((await post('revoke', { ...other, token: access_token })).status).toBe(200);
    expect(await use(access_token)).toBe(200);
    expect((await post('revoke', { client_id: serverApp.clientId, token: access_token })).status).toBe(401);
  });

  test('happens when the token ends with which the person had signed in', async () => {
    const made = await bob.submit('/settings/tokens', {
      formToken: await bob.formToken(),
      scope: 'user:all',
      note: 'stolen',
      days: '0',
    });
    const token = /cst_[0-9a-f]+/.exec(made.text)?.[0] ?? '';
    const thief = createPerson(service.url);
    await thief.signIn(token);
    const { verifier, challenge } = createPkce();
    const code = async () =>
      (await consent(request({ code_challenge: challenge }), 'allow', thief)).searchParams.get('code') ?? '';
    const { body } = await exchange({ code: await code(), code_verifier: verifier });
    const unused = await code();
    expect(await use(body.access_token)).toBe(200);
    const { text } = await bob.open('/settings/tokens');
    const id = [...text.matchAll(/\/settings\/tokens\/([0-9]+)\/revoke/g)].at(-1)?.[1];
    await bob.submit(`/settings/tokens/${id}/revoke`, { formToken: await bob.formToken() });
    expect(await use(body.access_token)).toBe(401);
    expect((await refresh(body.refresh_token)).status).toBe(400);
    expect((await exchange({ code: unused, code_verifier: verifier })).status).toBe(400);
  });

  test('is possible for the person, in the settings', async () => {
    const { access_token } = await tokens();
    const { text } = await bob.open('/settings/tokens');
    const formToken = await bob.formToken();
    for (const [, id] of text.matchAll(/\/settings\/authorizations\/([0-9a-f]+)\/revoke/g)) {
      expect((await bob.submit(`/settings/authorizations/${id}/revoke`, { formToken })).response.status).toBe(303);
    }
    expect(await use(access_token)).toBe(401);
  });
});

test('the token endpoint refuses other methods, content types and grants as OAuth says', async () => {
  const address = `${service.url}/.auth/idp/oauth/token`;
  expect((await fetch(address)).status).toBe(405);
  expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(415);
  for (const grant_type of ['password', 'urn:ietf:params:oauth:grant-type:device_code']) {
    const { status, body } = await post('token', { grant_type, client_id: publicApp.clientId });
    expect([grant_type, status, body.error]).toEqual([grant_type, 400, 'unsupported_grant_type']);
  }
});

test('the metadata names the endpoints and what they support', async () => {
  const metadata = await (await fetch(`${service.url}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).toMatchObject({
    issuer: service.url,
    authorization_endpoint: `${service.url}/.auth/idp/oauth/authorize`,
    token_endpoint: `${service.url}/.auth/idp/oauth/token`,
    revocation_endpoint: `${service.url}/.auth/idp/oauth/revoke`,
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
});
