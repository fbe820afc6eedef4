import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppContext } from '../../src/app/context.ts';
import { createInstalling } from '../../src/app/workspaces.ts';
import { parseConfig } from '../../src/config.ts';
import type { Installation } from '../../src/core/workspaces/installations.ts';
import { createOperatorServer, type PageServer } from '../../src/observability/http-server.ts';
import { createOutbound } from '../../src/service/outbound.ts';
import { anyCharacter } from '../support/any-character.ts';
import { type InstallingSlack, slackApp, startInstallingSlack } from '../support/fake-slack/installing-slack.ts';
import { exchange, requestBytes, statusOf } from '../support/http-exchange.ts';
import { only } from '../support/only.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { runs } from '../support/runs.ts';

const publicUrl = 'https://app.example';
const installations = new Map<string, Installation>();
const { log, lines } = createRecordingLog();
let slack: InstallingSlack;
let outbound: ReturnType<typeof createOutbound>;
let server: PageServer;
let port: number;
/** A state that could come back, with its cookie, in another browser. */
let state: string;

beforeAll(async () => {
  slack = await startInstallingSlack();
  await slack.add('T0ONE');
  const config = parseConfig({
    SLACK_CLIENT_ID: slackApp.clientId,
    SLACK_CLIENT_SECRET: slackApp.clientSecret,
    SLACK_WORKSPACES: 'T0ONE',
    SLACK_SIGNING_SECRET: 'a-signing-secret',
    SLACK_API_URL: slack.url,
    PUBLIC_URL: publicUrl,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    SRC_ENDPOINT: 'https://search.example',
    SRC_ACCESS_TOKEN: 'unused',
  });
  outbound = createOutbound({});
  const mounts = createInstalling(
    only<AppContext>({
      config,
      storage: only({
        installations: {
          get: async (id) => installations.get(id),
          update: async () => undefined,
          replace: async (installation) => void installations.set(installation.workspaceId, installation),
          ids: async () => [...installations.keys()],
        },
      }),
      createLimiter: () => ({ take: async () => 0, block: async () => {} }),
      outbound,
      now: Date.now,
      log,
    }),
  );
  server = createOperatorServer({ port: 0, host: '127.0.0.1', dependencies: [], farSides: [], mounts });
  port = await server.start();
  ({ state } = await begin());
});

afterAll(async () => {
  await server.stop();
  await outbound.close();
  expect(slack.violations()).toEqual([]);
  await slack.stop();
});

/** What a browser gets at the install address. */
async function begin(): Promise<{ location: URL; state: string; cookie: string }> {
  const begun = await exchange(port, requestBytes({ method: 'GET', target: '/slack/install' }));
  expect(statusOf(begun)).toBe(302);
  const location = new URL(headerOf(begun, 'location'));
  const [cookie = ''] = headerOf(begun, 'set-cookie').split(';');
  return { location, state: location.searchParams.get('state') ?? '', cookie };
}

/** The browser comes back from Slack. */
function comeBack(location: URL, cookie: string): Promise<string> {
  const { pathname, search } = slack.grant(location, 'T0ONE');
  return exchange(port, requestBytes({ method: 'GET', target: pathname + search, headers: [['cookie', cookie]] }));
}

function headerOf(reply: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(reply)?.[1]?.trim() ?? '';
}

const script = '<script>alert(1)</script>"\'&';
const odd = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom(
    '',
    '\0',
    script,
    '__proto__',
    'x'.repeat(6_000),
    '%',
    '\r\nset-cookie: a=b',
    'access_denied',
    'a.b.c',
  ),
  fc
    .constantFrom(
      () => state,
      () => `${state}x`,
      () => `${state.split('.').slice(0, 2).join('.')}.`,
      // A state without a signature.
      () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${state.split('.')[1]}.`,
    )
    .map((text) => text()),
);
const names = fc.constantFrom('code', 'state', 'error', 'error_description', '__proto__', 'team');
const fields = fc.array(fc.tuple(names, odd), { maxLength: 5 });
const header = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/);
const headers = fc.record(
  {
    cookie: fc.oneof(
      header,
      fc.constantFrom(
        'slack-app-oauth-state',
        'slack-app-oauth-state=',
        'slack-app-oauth-state=x',
        '=;=',
        'a=b;'.repeat(2_000),
      ),
    ),
    'accept-language': fc.oneof(header, fc.constantFrom('de', '-', script)),
    'x-forwarded-host': fc.constant('evil.example'),
    'x-forwarded-proto': fc.constant('https'),
    'x-http-method-override': fc.constant('GET'),
    host: fc.constantFrom('evil.example', '', '[', 'a b', `a.example\u0001`, '127.0.0.1:99999'),
  },
  { requiredKeys: [] },
);
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS');
const target = (path: string, query: [string, string][]) => `${path}?${new URLSearchParams(query)}`;

test('no request to the redirect address from elsewhere installs, fails, or shows what it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(methods, fields, headers, async (method, query, given) => {
      const reply = await exchange(
        port,
        requestBytes({
          method,
          target: target('/slack/oauth_redirect', query),
          headers: Object.entries(given).map(([name, value]): [string, string] => [name, `${value}`]),
        }),
      );
      expect([200, 400, 405, 431], reply).toContain(statusOf(reply));
      // The page is in the browser's language.
      if (statusOf(reply) === 200) expect(reply).toMatch(/Not installed|Nicht installiert/);
      expect(reply).not.toMatch(/<script|location:|evil\.example/i);
      if (/^content-type: text\/html/im.test(reply)) {
        expect(reply).toMatch(/content-security-policy: default-src 'none'/i);
        expect(reply).toMatch(/x-content-type-options: nosniff/i);
      }
    }),
    runs(120),
  );
  expect(slack.tokens()).toEqual([]);
  expect(installations.size).toBe(0);
});

test('no request to the install address leads anywhere but to Slack, with the scopes and the address of the settings', async () => {
  await fc.assert(
    fc.asyncProperty(methods, fields, headers, async (method, query, given) => {
      const reply = await exchange(
        port,
        requestBytes({
          method,
          target: target('/slack/install', query),
          headers: Object.entries(given).map(([name, value]): [string, string] => [name, `${value}`]),
        }),
      );
      expect([302, 400, 405, 431], reply).toContain(statusOf(reply));
      expect(reply).not.toMatch(/<script|evil\.example/i);
      if (statusOf(reply) !== 302) return;
      const location = new URL(headerOf(reply, 'location'));
      expect(location.origin).toBe(new URL(slack.url).origin);
      expect(location.searchParams.get('redirect_uri')).toBe(`${publicUrl}/slack/oauth_redirect`);
      expect(location.searchParams.has('team')).toBe(false);
      expect(reply).toMatch(/^set-cookie: [^;]*; Secure; HttpOnly; Path=\//im);
    }),
    runs(120),
  );
});

test('a state finishes one installation in its browser only, and its code no second one', async () => {
  const one = await begin();
  const other = await begin();
  expect(statusOf(await comeBack(one.location, other.cookie))).toBe(400);
  expect(installations.size).toBe(0);
  const { pathname, search } = slack.grant(one.location, 'T0ONE');
  const back = requestBytes({ method: 'GET', target: pathname + search, headers: [['cookie', one.cookie]] });
  const installed = await exchange(port, back);
  expect(statusOf(installed)).toBe(200);
  expect(headerOf(installed, 'set-cookie')).toContain('slack-app-oauth-state=deleted');
  expect(statusOf(await exchange(port, back))).toBe(502);
  expect(slack.tokens()).toHaveLength(1);
});

test('no line of the log has a state, a code or a text of a request', () => {
  const logged = JSON.stringify(lines);
  for (const secret of [state, 'code-1', '<script', slackApp.clientSecret, ...slack.tokens()]) {
    expect(logged).not.toContain(secret);
  }
});
