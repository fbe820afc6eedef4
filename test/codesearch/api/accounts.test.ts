import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPerson } from '../support/people.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { createCaller, startTestService } from '../support/service.ts';

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;
let nowMs = Date.parse('2026-03-01T12:00:00Z');

beforeAll(async () => {
  service = await startTestService({
    repos: [repository.path],
    tokens: [
      { username: 'alice', token: 'admin-token' },
      { username: 'bob', token: 'bob-token' },
      { username: 'carol', token: 'carol-token' },
    ],
    clock: () => nowMs,
  });
});

afterAll(async () => {
  await service.stop();
  repository.remove();
  expect(service.problems).toEqual([]);
});

/** Asks who the caller is; the status and the username or the message of the refusal. */
async function whoAmI(authorization: string): Promise<[number, string]> {
  const headers = { Authorization: authorization };
  const response = await service.call('POST', '/.api/graphql', { query: '{ currentUser { username } }' }, headers);
  const text = await response.text();
  const username = /"username":"([^"]+)"/.exec(text)?.[1];
  return [response.status, username ?? text];
}

async function signedIn(token: string) {
  const person = createPerson(service.url);
  const { response } = await person.signIn(token);
  expect(response.status).toBe(303);
  return person;
}

describe('spec 5: an access token', () => {
  test('is created in the settings, shown once, and works until it is revoked there', async () => {
    const bob = await signedIn('bob-token');
    const token = await bob.createToken({ note: 'for scripts <b>' });
    expect(token).toMatch(/^cst_[0-9a-f]{64}$/);
    expect(await whoAmI(`token ${token}`)).toEqual([200, 'bob']);
    const { text } = await bob.open('/settings/tokens');
    expect(text).toContain('for scripts &lt;b&gt;');
    expect(text).not.toContain(token);
    const id = /\/settings\/tokens\/(\d+)\/revoke/.exec(text)?.[1];
    const formToken = await bob.formToken();
    expect((await bob.submit(`/settings/tokens/${id}/revoke`, { formToken })).response.status).toBe(303);
    expect((await whoAmI(`token ${token}`))[0]).toBe(401);
    expect((await bob.submit(`/settings/tokens/${id}/revoke`, { formToken })).response.status).toBe(404);
  });

  test('is created at the address of the public service too', async () => {
    const bob = await signedIn('bob-token');
    const { response } = await bob.open('/user/settings/tokens');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/settings/tokens']);
    expect((await bob.open('/user/settings/other')).response.status).toBe(404);
  });

  test('is not revoked by another person', async () => {
    const [bob, carol] = [await signedIn('bob-token'), await signedIn('carol-token')];
    const token = await bob.createToken();
    const { text } = await bob.open('/settings/tokens');
    const id = /\/settings\/tokens\/(\d+)\/revoke/.exec(text)?.[1];
    const formToken = await carol.formToken();
    expect((await carol.submit(`/settings/tokens/${id}/revoke`, { formToken })).response.status).toBe(404);
    expect(await whoAmI(`token ${token}`)).toEqual([200, 'bob']);
  });

  test('is refused with 401 once it has expired, and the reply says so', async () => {
    const token = await (await signedIn('bob-token')).createToken({ days: '7' });
    nowMs += 7 * 24 * 3_600_000;
    const [status, text] = await whoAmI(`token ${token}`);
    expect([status, text]).toEqual([401, expect.stringContaining('expired')]);
  });

  test('with the scope externalapi:read alone reads through the second generation and nothing else', async () => {
    const token = await (await signedIn('bob-token')).createToken({ scope: 'externalapi:read' });
    expect((await whoAmI(`token ${token}`))[0]).toBe(403);
    expect((await createCaller(service.url, token).call('GET', '')).status).toBe(403);
    const call = (method: string, body: unknown) =>
      service.call('POST', `${service.url}/api/deepsearch.v1.Service/${method}`, body, {
        Authorization: `Bearer ${token}`,
      });
    expect((await call('ListConversationSummaries', {})).status).toBe(200);
    const conversation = { questions: [{ input: [{ question: { text: 'retry' } }] }] };
    expect((await call('CreateConversation', { conversation })).status).toBe(403);
  });

  test('shows when it was last used', async () => {
    const bob = await signedIn('bob-token');
    const token = await bob.createToken({ note: 'watched' });
    const rowOf = async () => /<tr><td>watched<.*?<\/tr>/.exec((await bob.open('/settings/tokens')).text)?.[0] ?? '';
    expect(await rowOf()).toContain('never');
    await whoAmI(`token ${token}`);
    await expect.poll(rowOf).not.toContain('never');
  });

  test.each([
    [{ scope: [] }, 'at least one scope'],
    [{ scope: 'repo:all' }, 'no scope of this name'],
    [{ scope: 'site-admin:sudo' }, 'site-admin:sudo'],
    [{ note: 'x'.repeat(201) }, 'at most 200 characters'],
    [{ days: '31' }, 'Choose when'],
  ])('is not created with %j', async (fields, problem) => {
    const bob = await signedIn('bob-token');
    const formToken = await bob.formToken();
    const sent = { formToken, scope: 'user:all', days: '30', ...fields };
    const { response, text } = await bob.submit('/settings/tokens', sent);
    expect(response.status).toBe(400);
    expect(text).toContain(problem);
    expect(text).not.toContain('created-token');
  });

  test('is refused with 400 when a field of its form has a NUL character', async () => {
    const bob = await signedIn('bob-token');
    const sent = { formToken: await bob.formToken(), scope: 'user:all', days: '30', note: 'a\0b' };
    expect((await bob.submit('/settings/tokens', sent)).response.status).toBe(400);
  });
});

describe('spec 5: the scheme Bearer', () => {
  test('takes OAuth tokens only: an access token is refused with words', async () => {
    expect(await whoAmI('Bearer bob-token')).toEqual([401, expect.stringContaining('OAuth')]);
  });

  test('takes access tokens in the second generation of the conversation API', async () => {
    const headers = { Authorization: 'Bearer bob-token' };
    const path = `${service.url}/api/deepsearch.v1.Service/ListConversationSummaries`;
    expect((await service.call('POST', path, {}, headers)).status).toBe(200);
  });
});

describe('spec 5: the scheme token-sudo', () => {
  test.each([
    'token-sudo user="bob",token="admin-token"',
    'token-sudo token="admin-token",user="bob"',
    'Token-Sudo  user = "bob" ,  token = "admin-token" ',
    'token-sudo user=bob, token=admin-token',
    'token-sudo user="b\\ob",token="\\admin-token"',
    'token-sudo realm="x", user="bob", token="admin-token"',
  ])('lets a site admin act as the named user: %s', async (header) => {
    expect(await whoAmI(header)).toEqual([200, 'bob']);
  });

  test.each([
    ['token-sudo user="bob",token="wrong"', 401, 'not known'],
    ['token-sudo user="bob"', 401, 'not understood'],
    ['token-sudo user="bob" token="admin-token"', 401, 'not understood'],
    ['token-sudo user="bob",user="alice",token="admin-token"', 401, 'not understood'],
    ['token-sudo user="bob,token="admin-token"', 401, 'not understood'],
    ['token-sudo user="bob",token="bob-token"', 403, 'site-admin:sudo'],
    ['token-sudo user="dave",token="admin-token"', 403, 'does not exist'],
    ['token-sudo user="",token="admin-token"', 403, 'does not exist'],
    [`token-sudo user="${'x'.repeat(4_000)}",token="admin-token"`, 403, 'does not exist'],
  ])('is refused: %.70s', async (header, status, words) => {
    expect(await whoAmI(header)).toEqual([status, expect.stringContaining(words)]);
  });

  test('needs a token with the scope site-admin:sudo, which only a site admin can create', async () => {
    const alice = await signedIn('admin-token');
    const plain = await alice.createToken({ scope: 'user:all' });
    expect((await whoAmI(`token-sudo user="bob",token="${plain}"`))[0]).toBe(403);
    const sudo = await alice.createToken({ scope: 'site-admin:sudo' });
    expect(await whoAmI(`token-sudo user="bob",token="${sudo}"`)).toEqual([200, 'bob']);
    expect((await whoAmI(`token ${sudo}`))[0]).toBe(403);
  });

  test('is not passed on through a session that was opened with a lesser token', async () => {
    const alice = await signedIn('admin-token');
    const lesser = await signedIn(await alice.createToken({ scope: 'user:all' }));
    const sent = { formToken: await lesser.formToken(), scope: ['user:all', 'site-admin:sudo'], days: '7' };
    expect((await lesser.submit('/settings/tokens', sent)).response.status).toBe(400);
  });
});

describe('signing in', () => {
  test('sets a cookie that scripts can’t read and other sites don’t send', async () => {
    const person = createPerson(service.url);
    const { response } = await person.signIn('bob-token', '/settings/tokens');
    expect(response.headers.get('location')).toBe('/settings/tokens');
    expect(response.headers.get('set-cookie')).toMatch(
      /^codesearch_session=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect((await person.open('/settings/tokens')).response.status).toBe(200);
  });

  test('needs a known token with the scope user:all, and says what is wrong', async () => {
    const person = createPerson(service.url);
    expect((await person.signIn('wrong')).response.status).toBe(401);
    const lesser = await (await signedIn('bob-token')).createToken({ scope: 'externalapi:read' });
    const { response, text } = await person.signIn(lesser);
    expect([response.status, text]).toEqual([403, expect.stringContaining('user:all')]);
    expect(person.cookies.size).toBe(0);
  });

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example',
    'javascript:alert(1)',
    '',
  ])('never leads to another site: %j', async (returnTo) => {
    const { response } = await createPerson(service.url).signIn('bob-token', returnTo);
    expect(response.headers.get('location')).toBe('/');
    const { text } = await createPerson(service.url).open(`/sign-in?${new URLSearchParams({ returnTo })}`);
    expect(text).toContain('name="returnTo" value="/"');
  });

  test('begins a session with a new cookie and ends the earlier one, so that no cookie can be planted', async () => {
    const person = createPerson(service.url);
    person.cookies.set('codesearch_session', 'a'.repeat(64));
    await person.signIn('bob-token');
    const first = person.cookies.get('codesearch_session') ?? '';
    expect(first).not.toBe('a'.repeat(64));
    await person.signIn('bob-token');
    const thief = createPerson(service.url);
    thief.cookies.set('codesearch_session', first);
    expect((await thief.open('/settings/tokens')).response.status).toBe(303);
  });

  test('lasts twelve hours at most, and no longer than the token that was used', async () => {
    const bob = await signedIn('bob-token');
    const byToken = await signedIn(await bob.createToken());
    const { text } = await bob.open('/settings/tokens');
    const ids = [...text.matchAll(/\/settings\/tokens\/(\d+)\/revoke/g)].map(([, id]) => id);
    const formToken = await bob.formToken();
    await bob.submit(`/settings/tokens/${ids.at(-1)}/revoke`, { formToken });
    expect((await byToken.open('/settings/tokens')).response.status).toBe(303);
    expect((await bob.open('/settings/tokens')).response.status).toBe(200);
    nowMs += 12 * 3_600_000;
    expect((await bob.open('/settings/tokens')).response.status).toBe(303);
  });

  test('ends with sign-out', async () => {
    const bob = await signedIn('bob-token');
    const cookie = bob.cookies.get('codesearch_session') ?? '';
    expect((await bob.submit('/sign-out', {})).response.status).toBe(303);
    expect(bob.cookies.size).toBe(0);
    bob.cookies.set('codesearch_session', cookie);
    expect((await bob.open('/settings/tokens')).response.headers.get('location')).toBe(
      '/sign-in?returnTo=%2Fsettings%2Ftokens',
    );
  });
});

describe('a form', () => {
  test.each([
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'null' }],
    [{ Origin: '' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
  ])('of another site is refused: %j', async (headers: Record<string, string>) => {
    const bob = await signedIn('bob-token');
    const formToken = await bob.formToken();
    const sent = { formToken, scope: 'user:all', days: '30' };
    expect((await bob.submit('/settings/tokens', sent, headers)).response.status).toBe(403);
    expect((await bob.submit('/sign-out', {}, headers)).response.status).toBe(403);
    expect((await createPerson(service.url).submit('/sign-in', { token: 'bob-token' }, headers)).response.status).toBe(
      403,
    );
  });

  test('needs the form token of its own session', async () => {
    const [bob, carol] = [await signedIn('bob-token'), await signedIn('carol-token')];
    for (const formToken of ['', 'x', await carol.formToken()]) {
      const sent = { formToken, scope: 'user:all', days: '30' };
      expect((await bob.submit('/settings/tokens', sent)).response.status).toBe(403);
    }
  });

  test('of another content type is refused with 415, and a huge one with 413', async () => {
    const bob = await signedIn('bob-token');
    const headers = { Origin: service.url, 'Content-Type': 'text/plain' };
    expect((await bob.open('/settings/tokens', { method: 'POST', body: 'a=b', headers })).response.status).toBe(415);
    const sent = { formToken: await bob.formToken(), note: 'x'.repeat(30_000) };
    expect((await bob.submit('/settings/tokens', sent)).response.status).toBe(413);
  });
});

describe('a session', () => {
  test('is never accepted by an API', async () => {
    const bob = await signedIn('bob-token');
    const headers = { 'X-Requested-With': 'page 1', Origin: service.url, 'Content-Type': 'application/json' };
    for (const path of [
      '/.api/deepsearch/v1',
      '/api/deepsearch.v1.Service/ListConversationSummaries',
      '/.api/graphql',
    ]) {
      const { response } = await bob.open(path, { method: 'POST', body: '{"question":"x"}', headers });
      expect([path, response.status]).toEqual([path, 401]);
    }
  });
});

describe('spec 5: the commands and pages of OAuth apps', () => {
  test('are for site admins only', async () => {
    const bob = await signedIn('bob-token');
    expect((await bob.open('/settings/oauth-apps')).response.status).toBe(403);
    const sent = { formToken: await bob.formToken(), name: 'x', redirectUris: 'https://app.example/' };
    expect((await bob.submit('/settings/oauth-apps', sent)).response.status).toBe(403);
  });

  test.each([
    'http://app.example/',
    'javascript:alert(1)',
    'https://app.example/#x',
    '/relative',
    'https://u:p@app.example/',
    '',
  ])('refuse the redirect address %j', async (redirectUris) => {
    const alice = await signedIn('admin-token');
    const sent = { formToken: await alice.formToken(), name: 'x', redirectUris };
    expect((await alice.submit('/settings/oauth-apps', sent)).response.status).toBe(400);
  });
});
