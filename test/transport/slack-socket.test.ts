import { App } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogFields } from '../../src/core/ports.ts';
import { team } from '../../src/local-slack/people.ts';
import { createOutbound, type Outbound } from '../../src/service/outbound.ts';
import { createLibraryLogger, webClientOptions } from '../../src/slack/api/web-client.ts';
import { createSocketReceiver, type SlackReceiver } from '../../src/slack/receivers/socket-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { type SocketEnd, startSocketSlack } from '../support/fake-slack/socket-mode-server.ts';
import { commandOf, mentionOf } from '../support/local-slack/payloads.ts';
import { createRecordingLog } from '../support/recording-log.ts';

let slack: Awaited<ReturnType<typeof startSocketSlack>>;
let receiver: SlackReceiver;
let app: App;
let received: string[];
let refuses: boolean;
let onCommand: () => Promise<void>;
let lines: LogFields[];
let outbound: Outbound;

beforeEach(async () => {
  slack = await startSocketSlack();
  outbound = createOutbound({});
  const { log, lines: written } = createRecordingLog();
  lines = written;
  const logger = createLibraryLogger(log);
  const clientOptions = webClientOptions(slack.apiUrl, logger);
  // A slow machine may take a second for a new connection, which is no absence.
  const [steadyMs, absenceMs] = [300, 3_000];
  receiver = createSocketReceiver({
    appToken: team.appToken,
    clientOptions,
    outbound,
    logger,
    log,
    random: () => 0,
    steadyMs,
    absenceMs,
  });
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
  onCommand = async () => {};
  app.command('/deepsearch', async ({ ack }) => {
    await onCommand();
    await ack({ response_type: 'ephemeral', text: 'taken' });
  });
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

/** The receiver connected, and the connection is no new one any more. */
async function steady(): Promise<void> {
  await eventually(() => expect(slack.connections()).toBeGreaterThan(0));
  await eventually(() => expect(receiver.isConnected()).toBe(true));
  const steadyAtMs = performance.now() + 350;
  await eventually(() => expect(performance.now()).toBeGreaterThan(steadyAtMs));
}

const acknowledged = (): string[] => slack.acknowledged.map(({ envelopeId }) => envelopeId);

test.each(['refresh', 'sever'] as const)(
  'after a connection that lived, the next one is opened at once: %s',
  async (how) => {
    await steady();
    slack[how]();
    await eventually(() => expect(slack.connections()).toBe(2));
    await eventually(() => expect(receiver.isConnected()).toBe(true));
    const event = await slack.send('events_api', mention('still here'));
    await eventually(() => expect(acknowledged()).toContain(event));
    const reason = how === 'refresh' ? 'refresh_requested' : 'closed_1006';
    expect(lines).toContainEqual({ event: 'slack_disconnected', outcome: 'reconnecting', reason });
    expect(lines.filter(({ event: what }) => what === 'slack_library')).toEqual([]);
  },
);

test('what came before Slack asked for a new connection is acknowledged where it came', async () => {
  await steady();
  let goOn = (): void => {};
  let begun = false;
  onCommand = () => {
    begun = true;
    return new Promise((resolve) => {
      goOn = resolve;
    });
  };
  const command = await slack.send(
    'slash_commands',
    commandOf({ text: 'x', user: 'U0ADA', responseUrl: 'http://127.0.0.1:9/' }),
  );
  await eventually(() => expect(begun).toBe(true));
  slack.refresh();
  await eventually(() => expect(slack.connections()).toBe(2));
  expect(receiver.isConnected()).toBe(true);
  goOn();
  await eventually(() => expect(acknowledged()).toEqual([command]));
  await eventually(() => expect(slack.openNow()).toBe(1));
});

test('a command whose connection broke before its acknowledgement is not told as failed', async () => {
  await steady();
  let isDone = false;
  onCommand = async () => {
    slack.sever();
    await eventually(() => expect(slack.connections()).toBe(2));
    isDone = true;
  };
  await slack.send('slash_commands', commandOf({ text: 'x', user: 'U0ADA', responseUrl: 'http://127.0.0.1:9/' }));
  await eventually(() => expect(isDone).toBe(true));
  await eventually(() => expect(lines).toContainEqual({ event: 'slack_ack_failed', outcome: 'not_sent' }));
  expect(lines.filter(({ event }) => event === 'slack_event_failed')).toEqual([]);
});

const ends: [SocketEnd, string][] = [
  ['too_many_websockets', 'too_many_websockets'],
  ['link_disabled', 'link_disabled'],
  ['refresh_requested', 'refresh_requested'],
  [1000, 'closed_1000'],
  [1006, 'closed_1006'],
];
test.each(ends)('a server that ends each connection at once (%s) is tried less and less often', async (end, reason) => {
  await steady();
  slack.endAtOnce(end);
  slack.sever();
  await eventually(() => expect(lines.filter(({ outcome }) => outcome === 'flapping')).toHaveLength(2));
  expect(receiver.isConnected()).toBe(false);
  expect(lines.filter(({ outcome }) => outcome === 'flapping')).toEqual([
    { event: 'slack_disconnected', outcome: 'flapping', reason, failures: 1, waitMs: 500 },
    { event: 'slack_disconnected', outcome: 'flapping', reason, failures: 2, waitMs: 1_000 },
  ]);
  slack.endAtOnce(undefined);
  // The first connection that stays is not trusted before it lived for a while.
  await eventually(() => expect(slack.openNow()).toBe(1));
  await eventually(() => expect(receiver.isConnected()).toBe(true));
  expect(lines.filter(({ event: what }) => what === 'slack_library')).toEqual([]);
});

test('the connection is tried again after errors on which the client would give up', async () => {
  await steady();
  slack.refuse(
    { status: 500, body: 'down' },
    { status: 200, body: '{"ok": false, "error": "invalid_auth"}' },
    { status: 429, body: '', headers: { 'retry-after': '3' } },
  );
  slack.sever();
  await eventually(() => expect(slack.connections()).toBe(2));
  expect(slack.opened()).toBe(5);
  // One line for each try, and Slack's own wait is kept.
  expect(lines.filter(({ event }) => event !== 'slack_connected')).toEqual([
    { event: 'slack_disconnected', outcome: 'reconnecting', reason: 'closed_1006' },
    { event: 'slack_connection_failed', failures: 1, waitMs: 500 },
    { event: 'slack_connection_failed', failures: 2, waitMs: 1_000 },
    { event: 'slack_connection_failed', failures: 3, waitMs: 3_000 },
  ]);
});

test('only a connection that comes after a gap lets the app look for what it missed', async () => {
  let searches = 0;
  receiver.init({
    processEvent: async () => {},
    missed: () => {
      searches += 1;
    },
  });
  await steady();
  slack.refresh();
  await eventually(() => expect(slack.connections()).toBe(2));
  await steady();
  expect(searches).toBe(0);
  // The waits between these tries take longer than that together.
  slack.refuse(...Array.from({ length: 4 }, () => ({ status: 500, body: 'down' })));
  slack.sever();
  await eventually(() => expect(searches).toBe(1));
});
