import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import { afterEach, expect, test } from 'vitest';
import { startLocalSlack } from '../../src/local-slack/local-slack.ts';
import { readManifest } from '../../src/local-slack/manifest.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { runProgram } from '../support/processes/run.ts';

const { ada } = people;
const manifest = readManifest(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startedProgram(): Promise<{ url: string; output: () => string }> {
  const program = runProgram(await builtProgram('src/local-slack/main.ts'), ['--manifest', 'manifest.yml']);
  ends.push(program.stop);
  const [line = ''] = await eventually(() => {
    const lines = program.output().split('\n');
    if (lines.length < 2) throw new Error(program.output());
    return lines;
  });
  const ready = JSON.parse(line) as { event: string; url: string };
  expect(ready).toMatchObject({ event: 'ready', botToken: team.botToken, appToken: team.appToken });
  return { url: ready.url, output: program.output };
}

async function act(url: string, name: string, by: object): Promise<{ status: number; body: unknown }> {
  const body = JSON.stringify(by);
  const reply = await fetch(`${url}/act/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: reply.status, body: await reply.json() };
}

test('the program: an app of Bolt connects, gets a mention and posts; what Slack does not allow is printed', async () => {
  const { url, output } = await startedProgram();
  const app = new App({
    token: team.botToken,
    appToken: team.appToken,
    socketMode: true,
    clientOptions: { slackApiUrl: `${url}/api/` },
  });
  app.event('app_mention', async ({ event: { channel, ts, text }, client }) => {
    const quiet = { unfurl_links: false, unfurl_media: false };
    await client.chat.postMessage({ channel, thread_ts: ts, text: `You said: ${text}`, ...quiet });
    await client.chat.postMessage({ channel, thread_ts: ts, text: 'with previews' });
  });
  app.command('/deepsearch', ({ ack, command }) => ack(`You asked: ${command.text}`));
  await app.start();
  ends.push(() => app.stop());

  const posted = await act(url, 'post', { person: ada, channel: 'C0GENERAL', text: '@deepsearch hello' });
  const { message } = posted.body as { message: { ts: string } };
  await eventually(async () => {
    const thread = await (await fetch(`${url}/see/thread/${ada}/C0GENERAL/${message.ts}`)).text();
    expect(thread).toContain(`You said: <@${team.botUserId}> hello`);
  });
  await act(url, 'post', { person: ada, channel: 'C0GENERAL', text: '/deepsearch where?' });
  expect(await (await fetch(`${url}/see/timeline/${ada}/C0GENERAL`)).text()).toContain('You asked: where?');
  expect(await act(url, 'post', { person: ada, channel: 'C0NONE', text: 'hi' })).toMatchObject({ status: 400 });
  await eventually(() => expect(output()).toContain('chat.postMessage lets links unfurl'));
});

test('only programs on this machine may act', async () => {
  const { url, stop } = await startLocalSlack({ manifest });
  ends.push(stop);
  const { host } = new URL(url);
  const statusWith = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(`${url}/act/post`, { method: 'POST', headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      sent.on('error', reject).end(JSON.stringify({ person: ada, channel: 'C0GENERAL', text: 'hi' }));
    });
  const json = { 'content-type': 'application/json' };
  expect(await statusWith({ host: 'evil.example', ...json })).toBe(403);
  expect(await statusWith({ host, ...json, origin: 'https://evil.example' })).toBe(403);
  expect(await statusWith({ host, 'content-type': 'text/plain' })).toBe(403);
  expect(await statusWith({ host, ...json })).toBe(200);
});

test('signed requests carry events and interactions, and a failed event is repeated with its reason', async () => {
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const receiver = createServer(async (received, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of received) chunks.push(Buffer.from(chunk));
    requests.push({ headers: received.headers, body: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(requests.length === 1 ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => receiver.close(resolve)));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/slack/events`;
  const local = await startLocalSlack({ manifest, events: { url, signingSecret: 'secret' } });
  ends.push(local.stop);

  await local.act.post({ person: ada, channel: 'C0GENERAL', text: 'hello' });
  await eventually(() => expect(requests).toHaveLength(2));
  const [first, second] = requests;
  expect(second?.body).toBe(first?.body);
  expect(second?.headers).toMatchObject({ 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_error' });
  await local.act.globalShortcut({ person: ada, callbackId: 'deepsearch:ask' });
  for (const { headers, body } of requests) {
    const base = `v0:${String(headers['x-slack-request-timestamp'])}:${body}`;
    expect(headers['x-slack-signature']).toBe(`v0=${createHmac('sha256', 'secret').update(base).digest('hex')}`);
  }
  const payload = new URLSearchParams(requests.at(-1)?.body).get('payload') ?? '';
  expect(JSON.parse(payload)).toMatchObject({ type: 'shortcut', user: { id: ada, name: 'ada' } });
});

test('without an app, people see that nothing answers; with rate limits, a second post in a second is refused', async () => {
  const local = await startLocalSlack({ manifest, rateLimits: true });
  ends.push(local.stop);
  const by = { person: ada, channel: 'C0GENERAL' };
  expect(await local.act.post({ ...by, text: '/deepsearch a' })).toMatchObject({ problem: expect.any(String) });
  const post = () =>
    fetch(`${local.url}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.botToken}` },
      body: new URLSearchParams({ channel: 'C0GENERAL', text: 'hi', unfurl_links: 'false', unfurl_media: 'false' }),
    });
  expect((await post()).status).toBe(200);
  const second = await post();
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
});
