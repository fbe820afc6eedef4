import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange, requestBytes, statusOf } from '../../support/http-exchange.ts';
import { runs } from '../../support/runs.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService, TOKEN } from '../support/service.ts';

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;
let port: number;

beforeAll(async () => {
  service = await startTestService({ repos: [repository.path], tokens: [{ username: 'alice', token: TOKEN }] });
  port = Number(new URL(service.url).port);
});

afterAll(async () => {
  await service.stop();
  repository.remove();
  expect(service.problems).toEqual([]);
});

/** Parts of addresses: known ones, and ones that a careless server would follow out of its folders. */
const parts = fc.oneof(
  fc.constantFrom(
    ...['.api', 'api', 'deepsearch', 'v1', 'graphql', 'search', 'stream', 'console', 'sign-in', 'sign-out', 'settings'],
    ...['tokens', 'oauth-apps', '.auth', 'idp', 'oauth', 'authorize', 'token', 'revoke', '-', 'blob', 'tree', 'raw'],
    ...['blame', 'commit', 'commits', 'compare', 'branches', 'tags', 'github.com', 'harbour-org', 'harbour', 'src'],
    ...['.well-known', 'oauth-authorization-server', '.assets', 'healthz', '__version', 'questions', 'cancel', '1'],
    ...[
      '..',
      '.',
      '%2e%2e',
      '%2f',
      '..%2f..%2fetc%2fpasswd',
      '%00',
      '%',
      '%ff',
      '%ed%a0%80',
      '\\..\\',
      '.git',
      'config',
    ],
    ...['__proto__', 'constructor', '@HEAD', '@--output=x', '@main..HEAD', '@{upstream}', '-n', '--help', 'HEAD:a'],
  ),
  fc.stringMatching(/^[!-"$->@-~]{1,20}$/),
);
const targets = fc
  .tuple(fc.array(parts, { maxLength: 7 }), fc.array(fc.tuple(parts, parts), { maxLength: 3 }))
  .map(([path, query]) => `/${path.join('/')}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`);
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE');
const header = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/);
const headers = fc.record(
  {
    authorization: fc.oneof(
      header,
      fc.constantFrom(`token ${TOKEN}`, 'token', 'Bearer cso_x', 'token-sudo user="alice"', `Basic ${'='.repeat(90)}`),
    ),
    'x-requested-with': fc.constant('fuzz 1.0'),
    'content-type': fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/html', 'a/b; c="'),
    'content-encoding': fc.constantFrom('gzip', 'br', 'identity'),
    accept: fc.constantFrom('text/html', 'text/event-stream', 'application/json', '*/*'),
    origin: fc.constantFrom('null', 'https://evil.example', 'http://127.0.0.1'),
    cookie: fc.oneof(header, fc.constant('session=x; session=y; __Host-session=z')),
    range: fc.constant('bytes=-1'),
  },
  { requiredKeys: [] },
);
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      '{"query":"{ __proto__ }"}',
      `{"question":${'['.repeat(20_000)}`,
      '{"question":"\\ud800\\u0000"}',
      'formToken=x&token=%00&returnTo=//evil.example&scope=user:all',
      'grant_type=refresh_token&refresh_token=csr_x&client_id=__proto__',
    )
    .map((text) => Buffer.from(text)),
);

test('no address, header or body makes the service fail inside, hang, or leave its repositories', async () => {
  await fc.assert(
    fc.asyncProperty(methods, targets, headers, bodies, async (method, target, given, body) => {
      const reply = await exchange(
        port,
        requestBytes({
          method,
          target,
          headers: Object.entries(given).map(([name, value]): [string, string] => [name, `${value}`]),
          body,
        }),
      );
      expect(statusOf(reply) ?? 400).toBeLessThan(500);
      expect(reply).not.toMatch(/root:x:0|repositoryformatversion|^location: (?:https?:)?\/\//im);
    }),
    runs(250),
  );
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});
