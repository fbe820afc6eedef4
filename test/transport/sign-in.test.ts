import { connect as connectSocket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type AuthorizationServer,
  type Credential,
  type Person,
  type SignInTicket,
  signInLifeMs,
} from '../../src/core/accounts/accounts.ts';
import { AppError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { createOperatorServer } from '../../src/observability/http-server.ts';
import { createLimiters } from '../../src/rate-limits/limiters.ts';
import { createSignIn } from '../../src/sign-in/sign-in.ts';
import { codeChallengeOf } from '../../src/sign-in/tickets.ts';
import { createPerson, hiddenField } from '../codesearch/support/people.ts';
import { createMemoryRecords } from '../support/memory-records.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const ana = { teamId: 'T1', userId: 'UANA' };
const publicUrl = 'https://app.example/deepsearch';
const origin = 'https://app.example';
const cookie = '__Host-deepsearch-sign-in';

/** A copy of the app with the pages, and what it stored. Several copies may share `shared`. */
async function open(choose: { server?: Partial<AuthorizationServer>; usernameOf?: () => Promise<string> } = {}) {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  const records = createMemoryRecords<SignInTicket>();
  const { log, lines } = createRecordingLog();
  const stored: { person: Person; username: string; credential: Credential }[] = [];
  const exchanges: { code: string; codeVerifier: string; redirectUri: string }[] = [];
  const server: AuthorizationServer = {
    authorizeUrl: ({ state, codeChallenge, redirectUri }) =>
      `https://search.example/authorize?${new URLSearchParams({ state, codeChallenge, redirectUri })}`,
    async exchange(request) {
      exchanges.push(request);
      return { accessToken: new Secret('access'), refreshToken: new Secret('refresh') };
    },
    refresh: () => Promise.reject(new AppError('refused', 'not here')),
    ...choose.server,
  };

  async function startCopy() {
    const signIn = createSignIn({
      publicUrl,
      records,
      server,
      usernameOf: choose.usernameOf ?? (async () => 'bob'),
      storeConnected: async (person, connected) => void stored.push({ person, ...connected }),
      createLimiter: createLimiters({ log }),
      now: () => nowMs,
      log,
    });
    const http = createOperatorServer({
      port: 0,
      host: '127.0.0.1',
      dependencies: [],
      farSides: [],
      mounts: signIn.mounts,
    });
    const port = await http.start();
    onTestFinished(() => http.stop());
    return { signIn, port, base: `http://127.0.0.1:${port}` };
  }

  const { signIn, port, base } = await startCopy();

  function openBrowser(at = base) {
    const person = createPerson(at);
    const pathOf = (url: string) => url.replace(origin, '');
    return {
      cookies: person.cookies,
      open: (url: string, headers: Record<string, string> = {}) => person.open(pathOf(url), { headers }),
      post: (fields: Record<string, string>, headers: Record<string, string> = {}) =>
        person.submit('/deepsearch/accounts/start', fields, { Origin: origin, ...headers }),
      /** Opens the page, presses its button, and returns the address at the service. */
      async begin(url: string): Promise<URL> {
        const { text } = await person.open(pathOf(url));
        const { response } = await this.post({ ticket: hiddenField(text, 'ticket') });
        expect(response.status).toBe(303);
        return new URL(response.headers.get('location') ?? '');
      },
      /** Comes back from the service. */
      comeBack: (target: URL, fields: Record<string, string> = { code: 'the code' }) =>
        person.open(
          `/deepsearch/accounts/callback?${new URLSearchParams({ state: target.searchParams.get('state') ?? '', ...fields })}`,
        ),
    };
  }

  return {
    startCopy,
    openBrowser,
    port,
    records,
    stored,
    exchanges,
    lines,
    url: (name = 'Ana Example', locale?: string) => signIn.url(ana, name, locale),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

function heading(text: string): string {
  return /<h1>([^<]*)</.exec(text)?.[1] ?? text;
}

describe('a sign-in', () => {
  test('names the person, sends them to the service with PKCE, and stores the account', async () => {
    const { url, openBrowser, stored, exchanges, lines } = await open();
    const browser = openBrowser();
    const { response, text } = await browser.open(await url());
    expect(response.status).toBe(200);
    expect(text).toContain('Ana Example (Slack) wants to ask with your account at search.example.');
    expect(text).toContain('Did someone send you this link, or is that not you? Then close this page');
    expect(browser.cookies.size).toBe(0);
    const target = await browser.begin(await url());
    expect(target.searchParams.get('redirectUri')).toBe('https://app.example/deepsearch/accounts/callback');
    const done = await browser.comeBack(target);
    expect([done.response.status, heading(done.text)]).toEqual([200, 'Connected as bob']);
    expect(done.text).toContain('href="slack://open?team=T1"');
    expect(stored).toMatchObject([{ person: ana, username: 'bob', credential: { kind: 'oauth' } }]);
    expect(exchanges).toMatchObject([{ code: 'the code', redirectUri: target.searchParams.get('redirectUri') }]);
    const { codeVerifier = '' } = exchanges[0] ?? {};
    expect(codeChallengeOf(codeVerifier)).toBe(target.searchParams.get('codeChallenge'));
    expect(browser.cookies.size).toBe(0);
    expect(JSON.stringify(lines)).not.toContain('the code');
  });

  test('can be begun at one copy of the app and finished at another', async () => {
    const { url, openBrowser, startCopy, stored } = await open();
    const first = openBrowser();
    const target = await first.begin(await url());
    const second = openBrowser((await startCopy()).base);
    for (const [name, value] of first.cookies) second.cookies.set(name, value);
    expect(heading((await second.comeBack(target)).text)).toBe('Connected as bob');
    expect(stored).toHaveLength(1);
  });

  test('can be begun again in the same browser until it is finished', async () => {
    const { url, openBrowser, stored } = await open();
    const [browser, address] = [openBrowser(), await url()];
    const early = await browser.begin(address);
    const target = await browser.begin(address);
    const stale = await browser.comeBack(early);
    expect([stale.response.status, heading(stale.text)]).toEqual([409, 'This link was already used']);
    expect(heading((await browser.comeBack(target)).text)).toBe('Connected as bob');
    expect(stored).toHaveLength(1);
  });

  test('stores nothing that helps to finish it', async () => {
    const { url, openBrowser, records, exchanges } = await open();
    const [browser, address] = [openBrowser(), await url()];
    const target = await browser.begin(address);
    const kept = JSON.stringify([...records.all.values()]);
    await browser.comeBack(target);
    const { codeVerifier = 'none' } = exchanges[0] ?? {};
    const secrets = [
      new URL(address).searchParams.get('ticket')?.split('.')[1],
      target.searchParams.get('state')?.split('.')[1],
      codeVerifier,
    ];
    for (const secret of secrets) expect(kept).not.toContain(secret);
  });

  test('speaks the language of the person in Slack, and of the browser where no person is known', async () => {
    const { url, openBrowser } = await open();
    const browser = openBrowser();
    const { text } = await browser.open(await url('Ana', 'de-DE'));
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('Ana (Slack) möchte mit deinem Konto bei search.example fragen.');
    const unknown = await browser.open('/deepsearch/accounts/start?ticket=x', { 'accept-language': 'de-CH, fr' });
    expect(heading(unknown.text)).toBe('Diese Adresse ist nicht vollständig');
  });

  test('shows a name as text, without characters that could imitate the page', async () => {
    const { url, openBrowser } = await open();
    const { text } = await openBrowser().open(await url(`<b>"Ana"\n\u202e&${'x'.repeat(100)}`));
    expect(text).toContain('&#60;b&#62;&#34;Ana&#34; &#38;xxx');
    expect(text).toContain('x… (Slack)');
    expect(text).not.toContain('\u202e');
  });
});

describe('the pages', () => {
  test('are bound to themselves: no frames, scripts, caches or referrers', async () => {
    const { url, openBrowser } = await open();
    const browser = openBrowser();
    const start = await browser.open(await url());
    const other = await browser.open('/deepsearch/accounts/callback?state=x');
    for (const { response } of [start, other]) {
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    // With a form the browser has to name its origin, which `no-referrer` would hide.
    expect(start.response.headers.get('referrer-policy')).toBe('same-origin');
    expect(other.response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(start.text).not.toMatch(/<script|style="|onclick/);
  });

  test('set a cookie that only this host and no script can read', async () => {
    const { url, openBrowser } = await open();
    const browser = openBrowser();
    const { text } = await browser.open(await url());
    const { response } = await browser.post({ ticket: hiddenField(text, 'ticket') });
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-deepsearch-sign-in=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('answer HEAD without a body, and refuse other methods', async () => {
    const { openBrowser, url, port } = await open();
    const address = (await url()).replace(origin, `http://127.0.0.1:${port}`);
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const put = await fetch(address, { method: 'PUT', body: 'x' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await openBrowser().open('/deepsearch/accounts/other')).response.status).toBe(404);
    expect((await openBrowser().open('/accounts/start')).response.status).toBe(404);
  });
});

describe('a sign-in does not go on', () => {
  test('after ten minutes, at any step', async () => {
    const { url, openBrowser, pass, stored } = await open();
    const [browser, address, late] = [openBrowser(), await url(), await url()];
    const target = await browser.begin(address);
    const { text } = await browser.open(late);
    pass(signInLifeMs);
    const steps = [
      await browser.open(late),
      await browser.post({ ticket: hiddenField(text, 'ticket') }),
      await browser.comeBack(target),
    ];
    for (const step of steps) {
      expect([step.response.status, heading(step.text)]).toEqual([410, 'This link has expired']);
    }
    expect(stored).toEqual([]);
  });

  test('in another browser once it was begun, which a sent link would be', async () => {
    const { url, openBrowser, stored, exchanges } = await open();
    const [browser, address] = [openBrowser(), await url()];
    const target = await browser.begin(address);
    const other = openBrowser();
    other.cookies.set(cookie, 'x'.repeat(43));
    const without = openBrowser();
    const ticket = new URL(address).searchParams.get('ticket') ?? '';
    for (const step of [
      await other.open(address),
      await other.post({ ticket }),
      await other.comeBack(target),
      await without.open(address),
      await without.post({ ticket }),
      await without.comeBack(target),
    ]) {
      expect([step.response.status, heading(step.text)]).toEqual([403, 'This sign-in belongs to another browser']);
    }
    expect([stored, exchanges]).toEqual([[], []]);
    expect(heading((await browser.comeBack(target)).text)).toBe('Connected as bob');
  });

  test('twice with one state, even at once, and not after the account is connected', async () => {
    const { url, openBrowser, stored, exchanges } = await open();
    const [browser, address] = [openBrowser(), await url()];
    const target = await browser.begin(address);
    const cookies = new Map(browser.cookies);
    const replies = await Promise.all([browser.comeBack(target), browser.comeBack(target)]);
    expect(replies.map(({ response }) => response.status).sort()).toEqual([200, 409]);
    // The last page loaded again: its cookie is removed.
    expect(browser.cookies.get(cookie) ?? '').toBe('');
    expect(heading((await browser.comeBack(target)).text)).toBe('This link was already used');
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.comeBack(target)).response.status).toBe(409);
    expect(heading((await browser.open(address)).text)).toBe('This link was already used');
    expect([stored.length, exchanges.length]).toEqual([1, 1]);
  });

  test.each([
    ['a form of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a form of another origin', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }],
    ['a form of a hidden origin', { Origin: 'null' }],
    ['a form of a neighbor', { 'Sec-Fetch-Site': 'same-site' }],
  ])('with %s', async (_, headers) => {
    const { url, openBrowser, records } = await open();
    const ticket = new URL(await url()).searchParams.get('ticket') ?? '';
    const { response, text } = await openBrowser().post({ ticket }, headers);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null]);
    expect(text).toContain('https://app.example/deepsearch');
    expect([...records.all.values()]).not.toContainEqual(expect.objectContaining({ browserDigest: expect.anything() }));
  });

  test('with a ticket or state that is wrong, unknown or incomplete', async () => {
    const { url, openBrowser } = await open();
    const browser = openBrowser();
    const ticket = new URL(await url()).searchParams.get('ticket') ?? '';
    const [id = ''] = ticket.split('.');
    const statuses: number[] = [];
    for (const text of ['', 'x', id, `${id}.${'x'.repeat(43)}`, `${'0'.repeat(32)}.${'x'.repeat(43)}`, `${ticket}x`]) {
      statuses.push((await browser.open(`/deepsearch/accounts/start?ticket=${text}`)).response.status);
      statuses.push((await browser.post({ ticket: text })).response.status);
      statuses.push((await browser.open(`/deepsearch/accounts/callback?code=c&state=${text}`)).response.status);
    }
    expect(new Set(statuses)).toEqual(new Set([400, 403, 410]));
  });

  test('with a form that is too large, or none', async () => {
    const { openBrowser, port } = await open();
    expect((await openBrowser().post({ ticket: 'x'.repeat(5_000) })).response.status).toBe(400);
    const text = await fetch(`http://127.0.0.1:${port}/deepsearch/accounts/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: '{"ticket":"x"}',
    });
    expect(text.status).toBe(400);
  });

  test('if the person comes too often with one link', async () => {
    const { url, openBrowser } = await open();
    const [browser, address] = [openBrowser(), await url()];
    const statuses = new Set<number>();
    for (let round = 0; round < 41; round++) statuses.add((await browser.open(address)).response.status);
    expect(statuses).toEqual(new Set([200, 429]));
    expect((await browser.open(await url())).response.status).toBe(200);
  });
});

describe('the service or the storage', () => {
  test.each([
    ['access_denied', 200, 'Not connected'],
    ['server_error', 502, 'Deep Search does not answer'],
    ['invalid_scope', 502, 'The sign-in was refused'],
  ])('may answer %s, and nothing is stored', async (error, status, title) => {
    const { url, openBrowser, stored, exchanges } = await open();
    const browser = openBrowser();
    const { response, text } = await browser.comeBack(await browser.begin(await url()), { error });
    expect([response.status, heading(text)]).toEqual([status, title]);
    expect([stored, exchanges]).toEqual([[], []]);
  });

  test('may send no code', async () => {
    const { url, openBrowser } = await open();
    const browser = openBrowser();
    expect((await browser.comeBack(await browser.begin(await url()), {})).response.status).toBe(400);
  });

  test.each([
    ['unauthorized', 410, 'This link has expired'],
    ['refused', 502, 'The sign-in was refused'],
    ['unavailable', 502, 'Deep Search does not answer'],
    ['rateLimited', 502, 'Deep Search does not answer'],
  ] as const)('may fail to exchange the code as %s', async (kind, status, title) => {
    const { url, openBrowser, stored } = await open({
      server: { exchange: () => Promise.reject(new AppError(kind, 'no')) },
    });
    const browser = openBrowser();
    const { response, text } = await browser.comeBack(await browser.begin(await url('Ana', 'en-US')));
    expect([response.status, heading(text)]).toEqual([status, title]);
    expect(stored).toEqual([]);
  });

  test('may not know whose token it is', async () => {
    const { url, openBrowser, stored } = await open({
      usernameOf: () => Promise.reject(new AppError('unauthorized', 'no user')),
    });
    const browser = openBrowser();
    const { text } = await browser.comeBack(await browser.begin(await url()));
    expect(heading(text)).toBe('The sign-in was refused');
    expect(stored).toEqual([]);
  });

  test('may be down', async () => {
    const { url, openBrowser, records } = await open();
    const address = await url();
    records.get = () => Promise.reject(new AppError('storage', 'down'));
    const { response, text } = await openBrowser().open(address);
    expect([response.status, heading(text)]).toEqual([503, 'This app can not store anything right now']);
  });
});

test('a browser that goes away during its form leaves the pages working', async () => {
  const { url, openBrowser, port } = await open();
  const socket = connectSocket(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const head = [
    'POST /deepsearch/accounts/start HTTP/1.1',
    'host: app.example',
    `origin: ${origin}`,
    'content-type: application/x-www-form-urlencoded',
    'content-length: 100',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\nticket=`);
  socket.destroy();
  const browser = openBrowser();
  expect(heading((await browser.comeBack(await browser.begin(await url()))).text)).toBe('Connected as bob');
});
