import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { createOAuthClient, type OAuthOptions } from '../../src/service/oauth.ts';
import { hangUp, json, type Reply, silence, status, text } from '../support/fake-service/scripted-server.ts';
import { errorOf, openServer, SECRET } from './setup.ts';

const nowMs = 1_000_000;
const tokens = { access_token: 'access', token_type: 'Bearer', expires_in: 600, refresh_token: 'next' };

/** A client of a scripted authorization server; both end with the test. */
async function open(options: Partial<OAuthOptions> = {}) {
  const server = await openServer();
  const client = createOAuthClient({
    clientId: 'the app',
    authorizeUrl: `${server.origin}/authorize?tenant=acme`,
    tokenUrl: `${server.origin}/token?tenant=acme`,
    clock: () => nowMs,
    ...options,
  });
  onTestFinished(() => client.close());
  const refresh = () => client.refresh(new Secret('old'));
  return { server, client, refresh };
}

/** The tokens of a refresh that is answered with these fields beside a usable access token. */
async function refreshedWith(fields: Record<string, unknown>) {
  const { server, refresh } = await open();
  server.script(json({ ...tokens, ...fields }));
  return refresh();
}

test('the authorize address keeps its own query, and asks for a code with state and PKCE', async () => {
  const { client } = await open({ scopes: 'user:all offline_access' });
  const url = new URL(
    client.authorizeUrl({ state: 's&t', codeChallenge: 'c', redirectUri: 'https://app.example/accounts/callback' }),
  );
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: 'acme',
    response_type: 'code',
    client_id: 'the app',
    redirect_uri: 'https://app.example/accounts/callback',
    scope: 'user:all offline_access',
    state: 's&t',
    code_challenge: 'c',
    code_challenge_method: 'S256',
  });
});

test('an exchange of a public client sends the code, its verifier and the id', async () => {
  const { server, client } = await open();
  server.script(json(tokens));
  const redirectUri = 'https://app.example/callback';
  const issued = await client.exchange({ code: 'c', codeVerifier: 'v', redirectUri });
  expect([issued.accessToken.reveal(), issued.refreshToken?.reveal()]).toEqual(['access', 'next']);
  const [request] = server.requests;
  expect([request?.method, request?.url, request?.headers.authorization]).toEqual([
    'POST',
    '/token?tenant=acme',
    undefined,
  ]);
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: redirectUri,
    code_verifier: 'v',
    client_id: 'the app',
  });
});

test('a client with a secret sends both by HTTP Basic, each encoded as a form value', async () => {
  const { server, refresh } = await open({ clientSecret: 'a:b+c%ä' });
  server.script(json(tokens));
  await refresh();
  const [request] = server.requests;
  const sent = Buffer.from(request?.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
  expect(sent).toBe('the+app:a%3Ab%2Bc%25%C3%A4');
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'old',
  });
});

test('a token is refreshed a minute before it expires, or after four fifths of a short life', async () => {
  expect(await refreshedWith({})).toMatchObject({ expiresAtMs: nowMs + 600_000, refreshAtMs: nowMs + 540_000 });
  expect(await refreshedWith({ expires_in: 100 })).toMatchObject({ refreshAtMs: nowMs + 80_000 });
});

test.each([undefined, null, 0, -1, 'soon', '', {}, '-5'])(
  'a token with expires_in %j has no known expiry',
  async (expires_in) => {
    const issued = await refreshedWith({ expires_in });
    expect(issued).not.toHaveProperty('expiresAtMs');
    expect(issued).not.toHaveProperty('refreshAtMs');
  },
);

test.each([
  ['600', 600],
  [1e300, 365 * 24 * 60 * 60],
  [0.5, 0.5],
])('expires_in %j is read as %d seconds', async (expires_in, seconds) => {
  expect(await refreshedWith({ expires_in })).toMatchObject({ expiresAtMs: nowMs + seconds * 1_000 });
});

test.each([undefined, null, ''])('a reply with the refresh token %j has no new one', async (refresh_token) => {
  expect(await refreshedWith({ refresh_token })).not.toHaveProperty('refreshToken');
});

test.each([undefined, 'bearer', 'BEARER'])('the token type %j is that of a bearer token', async (token_type) => {
  expect((await refreshedWith({ token_type })).accessToken.reveal()).toBe('access');
});

const unusable: [string, Reply][] = [
  ['a page', text(`<p>${SECRET}`, 'text/html')],
  ['text', text(SECRET, 'text/plain')],
  ['nothing', text('', 'application/json')],
  ['a list', json([SECRET])],
  ['no access token', json({ refresh_token: SECRET })],
  ['an empty access token', json({ ...tokens, access_token: '' })],
  ['an access token that no header can carry', json({ ...tokens, access_token: `a\n${SECRET}` })],
  ['an access token that is too long', json({ ...tokens, access_token: 'x'.repeat(12_001) })],
  ['a number as refresh token', json({ ...tokens, refresh_token: 7 })],
  ['another type of token', json({ ...tokens, token_type: 'mac' })],
  ['an unknown error with the status 200', json({ error: SECRET })],
  ['more than 64 KiB', text('x'.repeat(65 * 1024), 'application/json')],
  [
    'a broken body',
    (response) => void response.writeHead(200, { 'content-length': '500' }).write('{"access', () => response.destroy()),
  ],
  ['a closed connection', hangUp],
  ['status 500', text(`<p>${SECRET}`, 'text/html', 500)],
  ['status 503 with an error code', json({ error: 'temporarily_unavailable' }, 503)],
  ['a server error with the status 400', json({ error: 'server_error' }, 400)],
];

test.each(unusable)('%s means that the outcome of a refresh is unknown', async (_, reply) => {
  const { server, refresh } = await open();
  server.script(reply);
  expect(await errorOf(refresh())).toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
  expect(server.requests).toHaveLength(1);
});

test('a server that does not reply in time leaves the outcome of a refresh unknown', async () => {
  const { server, refresh } = await open({ timeoutMs: 200 });
  server.script(silence);
  expect(await errorOf(refresh())).toMatchObject({ kind: 'unavailable', code: 'timeout', outcomeUnknown: true });
});

test('a server that replies byte by byte is given up at the same time limit', async () => {
  const { server, refresh } = await open({ timeoutMs: 200 });
  server.script((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  });
  expect(await errorOf(refresh())).toMatchObject({ kind: 'unavailable', code: 'timeout', outcomeUnknown: true });
});

test('a server that can not be reached has refreshed nothing', async () => {
  const { server, refresh } = await open();
  await server.close();
  expect(await errorOf(refresh())).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
});

test.each([
  ['invalid_grant', 400],
  ['invalid_grant', 401],
  ['invalid_grant', 200],
])('the error %s with the status %d means that the grant has ended', async (error, code) => {
  const { server, refresh } = await open();
  server.script(json({ error, error_description: SECRET }, code));
  expect(await errorOf(refresh())).toMatchObject({ kind: 'unauthorized', code: 'invalid_grant' });
});

test.each<[string, Reply, string | number]>([
  ['invalid_client', json({ error: 'invalid_client', error_description: SECRET }, 401), 'invalid_client'],
  ['unauthorized_client with the status 200', json({ error: 'unauthorized_client' }), 'unauthorized_client'],
  ['a page with the status 404', text(`<p>${SECRET}`, 'text/html', 404), 404],
  ['an unknown error', json({ error: SECRET }, 400), 400],
  ['401 without a body', status(401), 401],
  ['a redirect', status(302, { location: 'https://elsewhere.example/token' }), 302],
])('%s is a fault of the settings, not of the person’s account', async (_, reply, code) => {
  const { server, refresh } = await open();
  server.script(reply);
  expect(await errorOf(refresh())).toMatchObject({ kind: 'refused', code });
  expect(server.requests).toHaveLength(1);
});

test.each<[string, Reply]>([
  ['status 429', status(429, { 'retry-after': '7' })],
  ['slow_down', json({ error: 'slow_down' }, 400, { 'retry-after': '7' })],
])('%s says when to try again', async (_, reply) => {
  const { server, refresh } = await open();
  server.script(reply);
  expect(await errorOf(refresh())).toMatchObject({ kind: 'rateLimited', retryAfterMs: 7_000, outcomeUnknown: false });
});

test('a closed client sends nothing', async () => {
  const { server, client, refresh } = await open();
  await client.close();
  expect(await errorOf(refresh())).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  expect(server.requests).toEqual([]);
});
