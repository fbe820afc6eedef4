import { App } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutbound, type Outbound } from '../../src/deepsearch/outbound.ts';
import { createLibraryLogger } from '../../src/slack/api/library-logger.ts';
import { webClientOptions } from '../../src/slack/api/web-client.ts';
import { createSocketReceiver, type SlackReceiver } from '../../src/slack/receivers/socket-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { appToken, startSocketSlack } from '../support/fake-slack/socket-mode-server.ts';
import { commandOf, mentionOf } from '../support/payloads/payloads.ts';
import { createRecordingLog } from '../support/recording-log.ts';

let slack: Awaited<ReturnType<typeof startSocketSlack>>;
let receiver: SlackReceiver;
let app: App;
let received: string[];
let refuses: boolean;
let outbound: Outbound;

beforeEach(async () => {
  slack = await startSocketSlack();
  outbound = createOutbound({});
  const { log } = createRecordingLog();
  const logger = createLibraryLogger(log);
  const clientOptions = webClientOptions(slack.apiUrl, logger);
  receiver = createSocketReceiver({ appToken, clientOptions, outbound, logger, log });
  app = new App({
    receiver,
    logger,
    convoStore: false,
    ignoreSelf: false,
    authorize: async () => ({ botToken: 'xoxb-fake' }),
  });
  app.error(async (error) => {
    throw error.original ?? error;
  });
  received = [];
  refuses = false;
  app.event('app_mention', async ({ event }) => {
    received.push(event.text);
    if (refuses) throw new Error('the storage is down');
  });
  app.command('/deepsearch', async ({ ack }) => ack({ response_type: 'ephemeral', text: 'taken' }));
  await app.start();
});

afterEach(async () => {
  await app.stop();
  await outbound.close();
  await slack.stop();
});

const mention = (text: string) => mentionOf({ user: 'U0ADA', text, ts: '1.1' });

test('an event is acknowledged after its listener, and a command with the reply of the listener', async () => {
  const event = await slack.send('events_api', mention('hello'));
  await eventually(() => expect(slack.acknowledged.map(({ envelopeId }) => envelopeId)).toContain(event));
  expect(received).toEqual(['<@U0BOT> hello']);
  const command = await slack.send(
    'slash_commands',
    commandOf({ text: 'x', user: 'U0ADA', responseUrl: 'http://127.0.0.1:9/' }),
  );
  await eventually(() =>
    expect(slack.acknowledged).toContainEqual({
      envelopeId: command,
      payload: { response_type: 'ephemeral', text: 'taken' },
    }),
  );
});

test('an event whose listener failed is not acknowledged, so that Slack repeats it', async () => {
  refuses = true;
  const lost = await slack.send('events_api', mention('lost'));
  await eventually(() => expect(received).toHaveLength(1));
  refuses = false;
  const kept = await slack.send('events_api', mention('kept'));
  await eventually(() => expect(slack.acknowledged.map(({ envelopeId }) => envelopeId)).toContain(kept));
  expect(slack.acknowledged.map(({ envelopeId }) => envelopeId)).not.toContain(lost);
});

test('the connection survives frames and payloads that are not from Slack', async () => {
  for (const frame of ['null', '1', '[]', '{}', '{', '{"type":"events_api","payload":null}']) slack.sendFrame(frame);
  slack.sendFrame('{"type":"events_api","envelope_id":"e1","payload":{"event":null}}');
  const deep = `${'['.repeat(99_999)}${']'.repeat(99_999)}`;
  slack.sendFrame(`{"type":"events_api","envelope_id":"e2","payload":{"event":{"type":"message","blocks":${deep}}}}`);
  for (const payload of [null, 1, [], {}, { type: 'block_actions', actions: [null] }]) {
    const unreadable = await slack.send('interactive', payload);
    await eventually(() => expect(slack.acknowledged.map(({ envelopeId }) => envelopeId)).toContain(unreadable));
  }
  const kept = await slack.send('events_api', mention('still\0 here'));
  await eventually(() => expect(slack.acknowledged.map(({ envelopeId }) => envelopeId)).toContain(kept));
  expect(received).toEqual(['<@U0BOT> still\ufffd here']);
  expect(slack.connections()).toBe(1);
});

test('the connection is opened again when Slack asks for it or the connection breaks', async () => {
  await eventually(() => expect(receiver.isConnected()).toBe(true));
  slack.refresh();
  await eventually(() => expect(slack.connections()).toBe(2));
  await eventually(() => expect(receiver.isConnected()).toBe(true));
  slack.sever();
  await eventually(() => expect(slack.connections()).toBe(3));
  const event = await slack.send('events_api', mention('still here'));
  await eventually(() => expect(slack.acknowledged.map(({ envelopeId }) => envelopeId)).toContain(event));
});

test('the connection is tried again after errors on which the client would give up', async () => {
  await eventually(() => expect(receiver.isConnected()).toBe(true));
  slack.refuse(
    { status: 500, body: 'down' },
    { status: 200, body: '{"ok": false, "error": "invalid_auth"}' },
    { status: 429, body: '' },
  );
  slack.sever();
  await eventually(() => expect(slack.connections()).toBe(2));
  expect(slack.opened()).toBe(5);
});
