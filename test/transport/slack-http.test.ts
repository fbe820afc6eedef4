import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { people } from '../../src/local-slack/people.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { eventually } from '../support/eventually.ts';
import { commandOf, mentionOf, pressOf } from '../support/local-slack/payloads.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { signingSecret, startHttpApp } from '../support/world/http-app.ts';

type Started = Awaited<ReturnType<typeof startHttpApp>>;

let slack: Started['slack'];
let service: Started['service'];
let configWith: Started['configWith'];
let metricsPort: number;
let stop: Started['stop'];
let url: string;

beforeAll(async () => {
  const started = await startHttpApp();
  ({ slack, service, configWith, metricsPort, stop } = started);
  url = `http://127.0.0.1:${started.port}/slack/events`;
});

afterAll(() => stop());

interface Sent {
  body: string;
  contentType: string;
  atSeconds?: number;
  secret?: string;
}

function post({
  body,
  contentType,
  atSeconds = Math.floor(Date.now() / 1000),
  secret = signingSecret,
}: Sent): Promise<Response> {
  const signature = createHmac('sha256', secret).update(`v0:${atSeconds}:${body}`).digest('hex');
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': contentType,
      'x-slack-request-timestamp': String(atSeconds),
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  });
}

const asJson = (payload: unknown): Sent => ({ body: JSON.stringify(payload), contentType: 'application/json' });
const asForm = (fields: Record<string, unknown>): Sent => ({
  body: new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString(),
  contentType: 'application/x-www-form-urlencoded',
});

describe('the receiver of signed requests', () => {
  test('accepts events, commands and buttons', async () => {
    const ts = slack.say('C0GENERAL', people.ada, 'by event?');
    expect((await post(asJson(mentionOf({ user: people.ada, text: 'by event?', ts })))).status).toBe(200);
    await eventually(() => expect(slack.inThread(ts)).toHaveLength(2));
    const command = await post(
      asForm(commandOf({ text: 'by command?', user: people.ada, responseUrl: slack.responseUrl('1') })),
    );
    expect(command.status).toBe(200);
    expect(await command.text()).toBe('');
    await eventually(() => expect(service.find('by command?')).toHaveLength(1));
    const help = await post(asForm(commandOf({ text: 'help', user: people.ada, responseUrl: slack.responseUrl('1') })));
    expect(await help.json()).toMatchObject({ response_type: 'ephemeral' });
    const press = pressOf({
      actionId: 'deepsearch:cancel',
      value: 'q000000000000000000000000',
      user: people.ada,
      channel: 'C0GENERAL',
      messageTs: ts,
      responseUrl: slack.responseUrl('press'),
    });
    expect((await post(asForm({ payload: JSON.stringify(press) }))).status).toBe(200);
    await eventually(() => expect(slack.responses).toHaveLength(1));
  });

  test('answers the challenge of the address check', async () => {
    const answer = await post(asJson({ type: 'url_verification', challenge: 'abc', token: 'x' }));
    expect(await answer.text()).toContain('abc');
  });

  test.each([
    ['another secret', { secret: 'another' }],
    ['an old timestamp', { atSeconds: Math.floor(Date.now() / 1000) - 600 }],
    ['a timestamp of the future', { atSeconds: Math.floor(Date.now() / 1000) + 600 }],
  ])('refuses a request with %s', async (_name, more) => {
    const forged = mentionOf({ user: people.ada, text: 'forged?', ts: '7.7' });
    expect((await post({ ...asJson(forged), ...more })).status).toBe(401);
    expect(service.find('forged?')).toEqual([]);
  });

  test.each([
    ['null', 'null'],
    ['a number', '1'],
    ['a text', '"null"'],
    ['a list', '[null]'],
    ['an empty object', '{}'],
    ['an event that is null', '{"type":"event_callback","event":null}'],
    ['an event that is a text', '{"type":"event_callback","event":"message"}'],
    ['an event in a channel that is null', '{"event":{"type":"message","channel":null}}'],
    ['an event by a person who is null', '{"event":{"type":"message","user":null}}'],
    ['an authorization that is null', '{"event":{"type":"message"},"authorizations":[null]}'],
    ['an event nested too deep', `{"event":{"type":"message","blocks":${'['.repeat(99_999)}${']'.repeat(99_999)}}}`],
    ['a step of a workflow', '{"event":{"type":"function_executed"}}'],
    ['a press without a button', '{"type":"block_actions","user":{"id":"U0ADA"},"actions":[]}'],
    ['a button without a person', '{"type":"block_actions","actions":[{"action_id":"deepsearch:cancel"}]}'],
    ['a form that is null', '{"type":"view_submission","user":{"id":"U0ADA"},"view":null}'],
    ['prototype keys', '{"__proto__":{"event":{"type":"message"}},"constructor":{"command":"/deepsearch"}}'],
  ])('refuses %s in its body, and the process continues', async (_, body) => {
    expect((await post({ body, contentType: 'application/json' })).status).toBe(400);
    expect((await post(asForm({ payload: body }))).status).toBe(400);
    expect((await fetch(url.replace('/slack/events', '/livez'))).status).toBe(200);
  });

  test('accepts a payload with prototype keys as any other', async () => {
    const ts = slack.say('C0GENERAL', people.ada, 'by prototype?');
    const mention = JSON.stringify(mentionOf({ user: people.ada, text: 'by prototype?', ts }));
    const body = mention.replace('{', '{"__proto__":{"event":null},"constructor":null,"toString":1,');
    expect((await post({ body, contentType: 'application/json' })).status).toBe(200);
    await eventually(() => expect(service.find('by prototype?')).toHaveLength(1));
    for (const value of ['__proto__', 'constructor', 'toString', 'q\u0000']) {
      const place = { user: people.ada, channel: 'C0GENERAL', messageTs: ts, responseUrl: slack.responseUrl('press') };
      const press = pressOf({ actionId: 'deepsearch:cancel', value, ...place });
      expect((await post(asForm({ payload: JSON.stringify(press) }))).status).toBe(200);
    }
  });

  test('accepts a NUL in a question, and sends it neither to the service nor to Slack', async () => {
    const ts = slack.say('C0GENERAL', people.ada, 'by NUL\0?');
    expect((await post(asJson(mentionOf({ user: people.ada, text: 'by NUL\0?', ts })))).status).toBe(200);
    await eventually(() => expect(service.find('by NUL\ufffd?')).toHaveLength(1));
    const responseUrl = slack.responseUrl('1');
    const command = await post(asForm(commandOf({ text: 'NUL\0 by command?', user: people.ada, responseUrl })));
    expect(command.status).toBe(200);
    await eventually(() => expect(service.find('NUL\ufffd by command?')).toHaveLength(1));
    expect(slack.violations).toEqual([]);
  });

  test('refuses a request that is too large or not a POST', async () => {
    expect((await post({ body: `"${'x'.repeat(4 * 1024 * 1024)}"`, contentType: 'application/json' })).status).toBe(
      413,
    );
    expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBe(405);
  });

  test('refuses nonsense without a failure', async () => {
    expect((await post({ body: '{{', contentType: 'application/json' })).status).toBeGreaterThanOrEqual(400);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: 'x' })).status).toBe(401);
    expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(415);
    expect((await fetch(url)).status).toBeGreaterThanOrEqual(400);
    expect((await fetch(url.replace('/slack/events', '/livez'))).status).toBe(200);
  });
});

describe('the metrics', () => {
  test('are on a separate port, not on the one that Slack reaches', async () => {
    expect((await fetch(new URL('/metrics', url))).status).toBe(404);
    const scrape = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(await scrape.text()).toContain('deepsearch_slack_open_questions');
    expect((await fetch(`http://127.0.0.1:${metricsPort}/slack/events`, { method: 'POST' })).status).toBe(404);
  });

  test('keep the app from starting where their port is taken, and the app says so and frees its resources', async () => {
    const folder = await createTempDir();
    const taken = configWith({ DATA_DIR: folder.path, METRICS_PORT: String(metricsPort) });
    await expect(createApp(taken, createLogger('silent')).start()).rejects.toThrow(
      `METRICS_PORT: port ${metricsPort} on 127.0.0.1 is taken`,
    );
    const again = createApp(configWith({ DATA_DIR: folder.path }), createLogger('silent'));
    await again.start();
    await again.stop();
    await folder.remove();
  });
});
