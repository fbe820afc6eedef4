import { createApp, type RunningApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { eventually } from './eventually.ts';
import { type FakeBlock, type FakeMessage, people, startFakeSlack, team } from './fake-slack.ts';
import { createMemoryReceiver, type Delivery } from './memory-receiver.ts';
import { commandOf, mentionOf, messageOf, pressOf, type Spoken } from './payloads.ts';
import { createTempDir } from './temp-dir.ts';

export interface WorldOptions {
  /** The code search service the app asks. */
  service: { url: string; token: string };
  settings?: Record<string, string>;
}

/** The whole app, everything real but Slack, and short ways to do what people do. */
export async function startWorld({ service, settings = {} }: WorldOptions) {
  const slack = await startFakeSlack();
  const data = await createTempDir();
  let receiver = createMemoryReceiver();
  let app: RunningApp | undefined;
  let port = 0;
  let responses = 0;
  await startApp();

  return {
    slack,
    startApp,
    stopApp,
    restart: async () => {
      await stopApp();
      await startApp();
    },
    readyz: async () => fetch(`http://127.0.0.1:${port}/readyz`),
    metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    stop: async () => {
      await stopApp();
      await slack.stop();
      await data.remove();
    },
    deliver: (body: Record<string, unknown>): Promise<Delivery> => receiver.deliver(body),
    command,
    mention,
    reply,
    direct,
    press,
    card,
    answersIn,
    texts,
  };

  async function startApp(): Promise<void> {
    receiver = createMemoryReceiver();
    const config = parseConfig({
      SLACK_BOT_TOKEN: team.botToken,
      SLACK_SIGNING_SECRET: 'unused-with-a-memory-receiver',
      SLACK_API_URL: slack.url,
      SRC_ENDPOINT: service.url,
      SRC_ACCESS_TOKEN: service.token,
      DATA_DIR: data.path,
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      POLL_FIRST_MS: '50',
      POLL_MIN_MS: '50',
      POLL_MAX_MS: '100',
      CARD_EDIT_MS: '100',
      SHUTDOWN_SECONDS: '2',
      ...settings,
    });
    app = createApp(config, createLogger(config.LOG_LEVEL), { receiver });
    ({ port } = await app.start());
  }

  async function stopApp(): Promise<void> {
    await app?.stop();
    app = undefined;
  }

  function responseUrl(): string {
    responses += 1;
    return slack.responseUrl(String(responses));
  }

  function command(
    text: string,
    options: { user?: string; channel?: string; triggerId?: string } = {},
  ): Promise<Delivery> {
    return receiver.deliver(commandOf({ text, user: people.ada, responseUrl: responseUrl(), ...options }));
  }

  /** A mention at the root of a channel, or in a thread. Returns the message's timestamp. */
  async function mention(text: string, options: Partial<Spoken> = {}): Promise<string> {
    const spoken = speak(text, options);
    await receiver.deliver(mentionOf(spoken));
    return spoken.ts;
  }

  /** A plain reply in a thread. Returns the message's timestamp. */
  async function reply(threadTs: string, text: string, options: Partial<Spoken> = {}): Promise<string> {
    const spoken = speak(text, { ...options, threadTs });
    await receiver.deliver(messageOf(spoken));
    return spoken.ts;
  }

  async function direct(text: string, options: Partial<Spoken> = {}): Promise<string> {
    const spoken = speak(text, { channel: 'D0ADA', channelType: 'im', ...options });
    await receiver.deliver(messageOf(spoken));
    return spoken.ts;
  }

  function speak(text: string, options: Partial<Spoken>): Spoken {
    const { channel = 'C0GENERAL', user = people.ada, threadTs } = options;
    const ts = options.ts ?? slack.say(channel, user, text, threadTs);
    return { ...options, channel, user, text, ts };
  }

  /** Presses the button with this label on the newest message that has it. */
  async function press(label: string, options: { user?: string; threadTs?: string } = {}): Promise<Delivery> {
    const found = await eventually(() => {
      const hit = slack.messages
        .toReversed()
        .filter(({ thread_ts: threadTs }) => options.threadTs === undefined || threadTs === options.threadTs)
        .flatMap((message) => buttonsOf(message.blocks).map((button) => ({ message, button })))
        .find(({ button }) => button.label === label);
      if (hit === undefined) throw new Error(`no button "${label}" in:\n${texts(slack.messages).join('\n')}`);
      return hit;
    });
    return receiver.deliver(
      pressOf({
        actionId: found.button.actionId,
        value: found.button.value,
        user: options.user ?? people.ada,
        channel: found.message.channel,
        messageTs: found.message.ts,
        threadTs: found.message.thread_ts,
        responseUrl: responseUrl(),
      }),
    );
  }

  /** The card in a thread: the app's first message there. */
  function card(threadTs: string): FakeMessage | undefined {
    return slack.inThread(threadTs).find(({ bot_id: botId }) => botId !== undefined);
  }

  /** The app's messages in a thread that mention someone at their beginning, which answers and failures do. */
  function answersIn(threadTs: string): FakeMessage[] {
    return slack.inThread(threadTs).filter((message) => message.bot_id !== undefined && isEnd(message));
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** An end carries a part marker (`ds:<id>:<round>:<part>`), a card does not. */
function isEnd(message: FakeMessage): boolean {
  return (message.blocks ?? []).some(({ block_id: id }) => id !== undefined && /^ds:q[0-9a-f]{24}:\d+:\d+/.test(id));
}

export function buttonsOf(blocks: FakeBlock[] = []): { label: string; actionId: string; value: string | undefined }[] {
  return blocks.flatMap(({ elements = [] }) =>
    elements
      .filter(({ type }) => type === 'button')
      .map(({ action_id: actionId = '', value, text }) => ({ label: textOf(text), actionId, value })),
  );
}

/** All text people see of a message, its blocks included. */
export function visibleText(message: { text: string; blocks?: FakeBlock[] }): string {
  if (message.blocks === undefined) return message.text;
  return message.blocks.map(({ text, elements = [] }) => [text, ...elements].map(textOf).join(' ')).join('\n');
}

export function texts(messages: FakeMessage[]): string[] {
  return messages.map((message) => `${message.thread_ts ?? message.ts} ${message.user}: ${visibleText(message)}`);
}

function textOf(node: unknown): string {
  if (typeof node === 'string') return node;
  if (typeof node !== 'object' || node === null) return '';
  return 'text' in node ? textOf(node.text) : '';
}
