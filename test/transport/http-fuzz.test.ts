import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { FORMS } from '../../src/render/ids.ts';
import { eventually } from '../support/eventually.ts';
import { exchange, requestBytes, statusOf } from '../support/http-exchange.ts';
import { commandOf, mentionOf, nextTrigger, pressOf, userIn } from '../support/local-slack/payloads.ts';
import { runs } from '../support/runs.ts';
import { signingSecret, startHttpApp } from '../support/world/http-app.ts';

const eventsPath = '/slack/events';
const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

type Started = Awaited<ReturnType<typeof startHttpApp>>;

let slack: Started['slack'];
let service: Started['service'];
let port: number;
let metricsPort: number;
let audit: Started['audit'];
let stop: Started['stop'];

beforeAll(async () => {
  ({ slack, service, port, metricsPort, audit, stop } = await startHttpApp());
  // What the app does by itself after its start is done before anything is counted.
  expect(await ask('the first question?')).toBe(200);
});

afterAll(async () => {
  await stop();
  expect(slack.violations).toEqual([]);
});

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

function signatureOf(body: string | Buffer, atSeconds: number | string, secret = signingSecret): string {
  const signed = `v0:${atSeconds}:${Buffer.from(body).toString('utf8')}`;
  return `v0=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}

type Headers = [string, string][];

/** Another text of the same length. */
const xs = (text: string): string => 'x'.repeat(text.length);

function signed(body: string | Buffer, contentType: string, more: Headers = [], atSeconds = nowSeconds()): Buffer {
  const headers: Headers = [
    ['content-type', contentType],
    ['x-slack-request-timestamp', String(atSeconds)],
    ['x-slack-signature', signatureOf(body, atSeconds)],
    ...more,
  ];
  return requestBytes({ target: eventsPath, headers, body });
}

async function sent(bytes: Buffer, to = port): Promise<number | undefined> {
  return statusOf(await exchange(to, bytes));
}

const formOf = (fields: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

/** Asks a question as Slack would, and waits for its answer. Returns the status. */
async function ask(text: string): Promise<number | undefined> {
  const ts = slack.say('C0GENERAL', people.ada, text);
  const status = await sent(signed(JSON.stringify(mentionOf({ user: people.ada, text, ts })), json));
  await eventually(() => expect(slack.inThread(ts)).toHaveLength(2));
  await eventually(() => expect(audit.of('ended')).toHaveLength(service.questions().length));
  return status;
}

/** All that the app did for anyone: calls to Slack and to the service, messages, entries of the audit log. */
async function work(): Promise<unknown> {
  return {
    calls: slack.calls.length,
    responses: slack.responses.length,
    service: service.calls.length,
    questions: service.questions().length,
    noted: audit.lines.length,
  };
}

/** Runs what must do nothing, and shows with one more question that the app still works. */
async function doesNothing(attempt: () => Promise<unknown>): Promise<void> {
  const before = await work();
  await attempt();
  expect(await work()).toEqual(before);
  expect(await sent(requestBytes({ method: 'GET', target: '/livez' }))).toBe(200);
}

/** Genuine payloads, each with its content type. */
function genuine(): { body: string; contentType: string }[] {
  const by = { user: people.ada, channel: 'C0GENERAL', responseUrl: slack.responseUrl('fuzz') };
  const place = { messageTs: '1.1', actionId: 'deepsearch:cancel', value: `q${'0'.repeat(24)}` };
  const view = { id: 'V1', type: 'modal', callback_id: FORMS.ask, private_metadata: '', state: { values: {} } };
  const submission = { type: 'view_submission', user: userIn(people.ada), team: { id: team.id }, view };
  return [
    { body: JSON.stringify(mentionOf({ user: people.ada, text: 'forged?', ts: '7.7' })), contentType: json },
    { body: formOf(commandOf({ ...by, text: 'forged?' })), contentType: form },
    { body: formOf({ payload: JSON.stringify(pressOf({ ...by, ...place })) }), contentType: form },
    { body: formOf({ payload: JSON.stringify({ ...submission, trigger_id: nextTrigger() }) }), contentType: form },
    { body: JSON.stringify({ type: 'url_verification', challenge: 'abc' }), contentType: json },
  ];
}

const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND');
const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const value = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/);
const otherHeaders = fc.array(
  fc.oneof(
    fc.tuple(token, value),
    fc.constantFrom<[string, string]>(
      ['content-encoding', 'gzip'],
      ['expect', '100-continue'],
      ['x-slack-retry-num', 'NaN'],
      ['x-slack-retry-reason', '__proto__'],
      ['x-forwarded-for', '127.0.0.1'],
      ['transfer-encoding', 'gzip, chunked'],
      ['content-length', '-1'],
      ['cookie', 'a=b; '.repeat(500)],
      ['__proto__', 'x'],
    ),
  ),
  { maxLength: 4 },
);
const contentTypes = fc.oneof(
  fc.constantFrom(json, form, `${json}; charset=utf-7`, `${form}; charset=utf-16`, 'multipart/form-data', ''),
  value,
);
const bytes = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some));
const target = fc.oneof(
  fc.constant(eventsPath),
  fc
    .string({ unit: fc.constantFrom('a', '=', '&', '%', '%00', '..', '/', '?'), maxLength: 12 })
    .map((query) => `${eventsPath}?${query}`),
);

const refused = [400, 401, 404, 405, 413, 415, 417, 431, 501];

describe('requests without Slack’s signature', () => {
  test('are refused, and nothing is done for them, whatever they are signed with and contain', async () => {
    const at = fc.constantFrom(
      ...[0, -301, -3600, 301, 86_400, 1e9].map((seconds) => () => `${nowSeconds() + seconds}`),
      ...['', 'NaN', 'Infinity', '1e99', '0x7fffffff', '-1', '1.5', ' ', '9'.repeat(400)].map((text) => () => text),
    );
    const signature = fc.constantFrom<(body: string, at: string) => string>(
      () => '',
      () => `v0=${'0'.repeat(64)}`,
      () => 'v0=',
      () => `v0=${'0'.repeat(10_000)}`,
      (body, time) => signatureOf(body, time, 'another secret'),
      (body, time) => signatureOf(body, time, ''),
      (body, time) => signatureOf(`${body} `, time),
      (body) => signatureOf(body, nowSeconds() + 7),
      (body, time) => signatureOf(body, time).replace('v0', 'v1'),
      (body, time) => signatureOf(body, time).toUpperCase(),
      (body, time) => `${signatureOf(body, time)}=${signatureOf(body, time)}`,
    );
    const body = fc.oneof(
      fc.nat(4).map((which) => genuine()[which]),
      bytes.map((some) => ({ body: some.toString('latin1'), contentType: undefined })),
    );
    await doesNothing(() =>
      fc.assert(
        fc.asyncProperty(
          methods,
          target,
          body,
          contentTypes,
          at,
          signature,
          otherHeaders,
          fc.nat(3),
          async (...given) => {
            const [method, to, chosen, type, time, sign, headers, leftOut] = given;
            const { body: content = '', contentType = type } = chosen ?? {};
            const claimed: Headers = [
              ['x-slack-request-timestamp', time()],
              ['x-slack-signature', sign(content, time())],
            ];
            const status = await sent(
              requestBytes({
                method,
                target: to,
                headers: [['content-type', contentType], ...claimed.filter((_, i) => i + 1 !== leftOut), ...headers],
                body: content,
              }),
            );
            expect([...refused, undefined]).toContain(status);
          },
        ),
        runs(120),
      ),
    );
  });

  test('are refused if they are genuine but old, of the future, changed, or with two signatures', async () => {
    await doesNothing(async () => {
      for (const { body, contentType } of genuine()) {
        for (const seconds of [-3600, -320, 320, 3600]) {
          expect(await sent(signed(body, contentType, [], nowSeconds() + seconds))).toBe(401);
        }
        const changed = signed(body, contentType)
          .toString('utf8')
          .replace(/forged|cancel|values|\babc\b/, xs);
        expect(await sent(Buffer.from(changed))).toBe(401);
        expect(await sent(signed(body, contentType, [['x-slack-signature', signatureOf(body, nowSeconds())]]))).toBe(
          401,
        );
        expect(await sent(signed(body, contentType, [['x-slack-request-timestamp', `${nowSeconds()}`]]))).toBe(401);
      }
    });
  });

  test('may only be Slack’s check of the address, which carries nothing else', async () => {
    await doesNothing(async () => {
      const unsigned = (body: string, contentType: string) =>
        sent(requestBytes({ target: eventsPath, headers: [['content-type', contentType]], body }));
      expect(await unsigned('ssl_check=1&token=x', form)).toBe(200);
      const [, command, press] = genuine();
      expect(await unsigned(`ssl_check=1&${command?.body}`, form)).toBe(200);
      expect(await unsigned(`ssl_check=1&${press?.body}`, form)).toBe(413);
      expect(await unsigned('{"ssl_check":"1"}', json)).toBe(401);
      expect(await unsigned(`ssl_check=1&x=${'x'.repeat(2_000)}`, form)).toBe(413);
    });
  });
});

describe('signed requests that are none of Slack’s', () => {
  const odd = fc.oneof(
    bytes,
    fc.json().map((text) => Buffer.from(text)),
    fc
      .constantFrom(
        '',
        '{{',
        '"\\ud800"',
        '{"type":"\\ud800","event":{"type":"\\udfff"}}',
        '{"__proto__":{"type":"event_callback","event":{"type":"message"}}}',
        '{"event":{"type":"__proto__","channel":"__proto__","user":"constructor"}}',
        '{"type":"url_verification","challenge":{"a":1}}',
        `{"type":"url_verification","challenge":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
        `{"event":{"type":"message","a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}}`,
        '['.repeat(200_000),
        `payload=${'%7B'.repeat(10_000)}`,
        `${'a=1&'.repeat(20_000)}`,
        `payload=${encodeURIComponent('{"type":"block_actions","user":{"id":"\\u0000"},"actions":[{"action_id":"\\ud800"}]}')}`,
        `payload=${encodeURIComponent('{"type":"view_closed","user":{"id":"U0ADA"},"view":{}}')}`,
        'command=%2Fother&user_id=U0ADA&channel_id=C0GENERAL&text=x',
        'command=__proto__&user_id=constructor&channel_id=toString',
        `command=%2Fdeepsearch&user_id=U0ADA&channel_id=C0GENERAL&command=%2Fdeepsearch`,
        '\ufeff{"event":{"type":"message"}}',
        '\0',
      )
      .map((text) => Buffer.from(text)),
  );

  test('are refused or ignored: none fails, and nothing is done for them', async () => {
    await doesNothing(() =>
      fc.assert(
        fc.asyncProperty(
          odd,
          fc.constantFrom(json, form, `${form}; charset=utf-8`, 'text/plain'),
          async (body, type) => {
            const status = await sent(signed(body, type));
            expect([200, 400, 401, 404, 415]).toContain(status);
          },
        ),
        runs(100),
      ),
    );
  });

  test('are refused if a genuine body has another content type', async () => {
    await doesNothing(async () => {
      for (const { body, contentType } of genuine()) {
        for (const type of [
          'text/plain',
          'multipart/form-data',
          'application/xml',
          contentType === json ? form : json,
        ]) {
          expect([400, 415]).toContain(await sent(signed(body, type)));
        }
      }
    });
  });

  test('are refused if they are larger than any of Slack’s, however they announce their length', async () => {
    await doesNothing(async () => {
      const [mention] = genuine();
      const body = `${mention?.body}${' '.repeat(4 * 1024 * 1024)}`;
      // The connection may be cut before the reply is read.
      expect([413, undefined]).toContain(await sent(signed(body, json)));
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const at = nowSeconds();
      const headers: Headers = [
        ['content-type', json],
        ['x-slack-request-timestamp', `${at}`],
        ['x-slack-signature', signatureOf(body, at)],
        ['transfer-encoding', 'chunked'],
      ];
      expect([413, undefined]).toContain(await sent(requestBytes({ target: eventsPath, headers, body: chunks })));
    });
  });
});

describe('the pages for operators', () => {
  const paths = fc.oneof(
    fc.constantFrom(
      '/livez',
      '/readyz',
      '/metrics',
      '/',
      '//',
      '/%00',
      '/livez/../readyz',
      '*',
      'http://a.example/livez',
    ),
    fc.webPath().map((path) => `/${path}`),
  );

  test('answer GET and HEAD, refuse the rest, and do nothing', async () => {
    await doesNothing(() =>
      fc.assert(
        fc.asyncProperty(methods, paths, fc.webQueryParameters(), otherHeaders, bytes, async (...given) => {
          const [method, path, query, headers, body] = given;
          const wanted = requestBytes({ method, target: `${path}?${query}`, headers, body });
          for (const at of [port, metricsPort]) expect([200, ...refused, undefined]).toContain(await sent(wanted, at));
        }),
        runs(60),
      ),
    );
  });

  test('survive bytes that are no HTTP, and heads that are too long or never end', async () => {
    const heads = fc.oneof(
      bytes,
      fc
        .constantFrom(
          'GET /livez HTTP/9.9\r\n\r\n',
          'GET /livez HTTP/1.1\r\n\r\n',
          'GET  HTTP/1.1\r\nhost: a\r\n\r\n',
          'CONNECT a.example:443 HTTP/1.1\r\nhost: a\r\n\r\n',
          'GET /livez HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade, close\r\n\r\n',
          `GET /livez HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
          `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
          `GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${'a: b\r\n'.repeat(1_900)}\r\n`,
          'POST /slack/events HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
          'POST /slack/events HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx',
          'GET /livez HTTP/1.1\r\nhost: a\r\n\r\nGET /readyz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
        )
        .map((text) => Buffer.from(text)),
    );
    await doesNothing(() =>
      fc.assert(
        // Bytes after an end of the headers end what the server would wait for.
        fc.asyncProperty(heads, async (head) => {
          const closing = Buffer.concat([head, Buffer.from('\r\n\r\n\0\r\n\r\n')]);
          for (const at of [port, metricsPort]) {
            expect([200, ...refused, 505, undefined]).toContain(await sent(closing, at));
          }
        }),
        runs(60),
      ),
    );
  });
});

// The last one, because Slack's limits may delay cards of these questions.
test('a genuine request that is sent again asks nothing twice', async () => {
  const ts = slack.say('C0GENERAL', people.ada, 'once?');
  const mention = signed(JSON.stringify(mentionOf({ user: people.ada, text: 'once?', ts })), json);
  const command = signed(
    formOf(commandOf({ text: 'once by command?', user: people.ada, responseUrl: slack.responseUrl('again') })),
    form,
  );
  await Promise.all([mention, mention, command, command].map((bytes) => sent(bytes)));
  await eventually(() => expect(service.find('once?')).toHaveLength(1));
  await eventually(() => expect(service.find('once by command?')).toHaveLength(1));
  for (const bytes of [mention, command]) expect(await sent(bytes)).toBe(200);
  const later = slack.say('C0GENERAL', people.ada, 'after that?');
  const after = mentionOf({ user: people.ada, text: 'after that?', ts: later });
  expect(await sent(signed(JSON.stringify(after), json))).toBe(200);
  await eventually(() => expect(service.find('after that?')).toHaveLength(1));
  expect(service.find('once?')).toHaveLength(1);
  expect(service.find('once by command?')).toHaveLength(1);
});
