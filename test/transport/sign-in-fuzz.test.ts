import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInTicket } from '../../src/core/accounts/accounts.ts';
import { AppError } from '../../src/core/errors.ts';
import { createOperatorServer, type PageServer } from '../../src/observability/http-server.ts';
import { createSignIn, type SignIn } from '../../src/sign-in/sign-in.ts';
import { anyCharacter } from '../support/any-character.ts';
import { exchange, requestBytes, statusOf } from '../support/http-exchange.ts';
import { createMemoryRecords } from '../support/memory-records.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { runs } from '../support/runs.ts';

const origin = 'https://app.example';
const records = createMemoryRecords<SignInTicket>();
const { log, lines } = createRecordingLog();
let calls = 0;
let signIn: SignIn;
let server: PageServer;
let port: number;
/** A ticket that could go on. */
let open: string;
/** A state that could come back, in another browser. */
let state: string;

const refuse = () => {
  calls += 1;
  return Promise.reject(new AppError('refused', 'not here'));
};

beforeAll(async () => {
  signIn = createSignIn({
    publicUrl: origin,
    records,
    server: {
      authorizeUrl: (wanted) => `https://search.example/authorize?${new URLSearchParams({ state: wanted.state })}`,
      exchange: refuse,
      refresh: refuse,
    },
    usernameOf: refuse,
    storeConnected: refuse,
    createLimiter: () => ({ take: async () => 0, block: async () => {} }),
    now: Date.now,
    log,
  });
  server = createOperatorServer({ port: 0, host: '127.0.0.1', dependencies: [], farSides: [], mounts: signIn.mounts });
  port = await server.start();
  open = await newTicket();
  const begun = await exchange(port, beginning(await newTicket()));
  state = new URL(/^location: (.*)$/im.exec(begun)?.[1]?.trim() ?? '').searchParams.get('state') ?? '';
  expect(statusOf(begun)).toBe(303);
});

afterAll(() => server.stop());

async function newTicket(): Promise<string> {
  const url = new URL(await signIn.url({ teamId: 'T1', userId: 'UANA' }, 'Ana'));
  return url.searchParams.get('ticket') ?? '';
}

function beginning(ticket: string): Buffer {
  return requestBytes({
    target: '/accounts/start',
    headers: [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['origin', origin],
    ],
    body: new URLSearchParams({ ticket }).toString(),
  });
}

const script = '<script>alert(1)</script>"\'&';
const odd = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom('', '\0', script, '__proto__', '../../etc/passwd', 'x'.repeat(6_000), '%', '\r\nset-cookie: a=b'),
  fc.constantFrom(0, 1, 2, 3).map((kind) => {
    const [id = '', secret = ''] = (kind % 2 === 0 ? open : state).split('.');
    return kind < 2 ? `${id}.${'A'.repeat(43)}` : `${'0'.repeat(32)}.${secret}`;
  }),
);
const names = fc.constantFrom('ticket', 'state', 'code', 'error', '__proto__', 'error_description');
const fields = fc.array(fc.tuple(names, odd), { maxLength: 5 });
const header = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/);
const headers = fc.record(
  {
    origin: fc.constantFrom(origin, 'null', 'https://evil.example', `${origin}.evil.example`, 'https://APP.example'),
    'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'same-site', 'none', ''),
    'content-type': fc.oneof(fc.constant('application/x-www-form-urlencoded'), header),
    cookie: fc.oneof(
      header,
      fc.constantFrom(`__Host-deepsearch-sign-in=${'A'.repeat(43)}`, 'a=b;'.repeat(2_000), '=;='),
    ),
    'accept-language': fc.oneof(header, fc.constantFrom('de', '-', `${'a-'.repeat(2_000)}`, script)),
    'x-forwarded-host': fc.constant('evil.example'),
  },
  { requiredKeys: [] },
);
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS');
const paths = fc.constantFrom('/accounts/start', '/accounts/callback');

test('no request from elsewhere goes on with a sign-in, fails, or stores or asks anything', async () => {
  const before = JSON.stringify([...records.all]);
  await fc.assert(
    fc.asyncProperty(methods, paths, fields, fields, headers, async (method, path, query, form, given) => {
      const reply = await exchange(
        port,
        requestBytes({
          method,
          target: `${path}?${new URLSearchParams(query)}`,
          headers: Object.entries(given).map(([name, value]): [string, string] => [name, `${value}`]),
          body: method === 'POST' ? new URLSearchParams(form).toString() : '',
        }),
      );
      expect([400, 403, 405, 409, 410, 431]).toContain(statusOf(reply));
      expect(reply).not.toMatch(/<script|set-cookie|location:|evil\.example\//i);
    }),
    runs(150),
  );
  expect(JSON.stringify([...records.all])).toBe(before);
  expect(calls).toBe(0);
});

test('a sign-in that could go on does so after all that, once', async () => {
  expect(statusOf(await exchange(port, beginning(open)))).toBe(303);
  expect(statusOf(await exchange(port, beginning(open)))).toBe(403);
});

test('no line of the log has a ticket, a state or a text of a request', () => {
  const logged = JSON.stringify(lines);
  for (const secret of [open, state].map((text) => text.split('.')[1] ?? '')) expect(logged).not.toContain(secret);
  expect(logged).not.toContain('<script');
});
