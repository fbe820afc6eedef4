import { createApp, type Overrides, type RunningApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { dmOf } from '../../../src/local-slack/channels.ts';
import type { SlackBlock, SlackMessage } from '../../../src/local-slack/messages.ts';
import { people, team } from '../../../src/local-slack/people.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import type { MemoryAccounts } from '../accounts/memory-accounts.ts';
import { eventually } from '../eventually.ts';
import { type FakeSlack, startFakeSlack } from '../fake-slack/fake-slack.ts';
import { createMemoryReceiver, type Delivery } from '../fake-slack/memory-receiver.ts';
import { buttonOf, commandOf, mentionOf, messageOf, type Spoken } from '../local-slack/payloads.ts';
import { createTempDir } from '../processes/temp-dir.ts';
import { channelTypeOf, createSurfaces } from './surfaces.ts';

/** Shorter than in production, so that tests are quick. */
export const fastLifecycle = { readEveryMs: 50, cardEditMs: 100, lateCallMs: 2_000 };

export interface WorldOptions {
  /** The code search service the app asks. */
  service: { url: string; token: string };
  settings?: Record<string, string>;
  lifecycle?: Overrides['settings'];
  /** People's accounts, instead of the app's own ones. */
  accounts?: MemoryAccounts;
  /** A Slack that another process of the app uses too. Default: a new one, which stops with the world. */
  slack?: FakeSlack;
  /** Gets every line of the log. */
  onLogLine?: (line: string) => void;
  /** Called when the app acknowledges an event. */
  onAcknowledged?: () => void;
}

/** Starts the whole app with a fake Slack; returns functions for the actions of people. */
export async function startWorld({
  service,
  settings = {},
  lifecycle,
  accounts,
  slack: shared,
  onLogLine,
  onAcknowledged,
}: WorldOptions) {
  const slack = shared ?? (await startFakeSlack());
  const data = await createTempDir();
  let receiver = createMemoryReceiver(onAcknowledged);
  let app: RunningApp | undefined;
  let port = 0;
  let metricsPort = 0;
  let scrapes = 0;
  const actions = createActions(slack, (body) => receiver.deliver(body));
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
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    stop: async () => {
      await stopApp();
      if (shared === undefined) await slack.stop();
      await data.remove();
    },
    deliver: (body: Record<string, unknown>): Promise<Delivery> => receiver.deliver(body),
    ...actions,
  };

  async function startApp(): Promise<void> {
    receiver = createMemoryReceiver(onAcknowledged);
    const config = parseConfig({
      SLACK_BOT_TOKEN: team.botToken,
      SLACK_SIGNING_SECRET: 'unused-with-a-memory-receiver',
      SLACK_API_URL: slack.url,
      SRC_ENDPOINT: service.url,
      SRC_ACCESS_TOKEN: service.token,
      DATA_DIR: data.path,
      PORT: '0',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      SHUTDOWN_SECONDS: '2',
      ...settings,
    });
    app = createApp(config, createLogger(config.LOG_LEVEL, onLogLine && { write: onLogLine }), {
      receiver,
      settings: { ...fastLifecycle, ...lifecycle },
      ...(accounts === undefined ? {} : { accounts: inMemory(accounts) }),
      // One second between scrapes, so that each one is computed.
      metricsClock: () => {
        scrapes += 1;
        return scrapes * 1_000;
      },
    });
    ({ port, metricsPort } = await app.start());
  }

  async function stopApp(): Promise<void> {
    await app?.stop();
    app = undefined;
  }
}

function inMemory({ accounts, onChanged }: MemoryAccounts): NonNullable<Overrides['accounts']> {
  return (changes) => {
    onChanged(changes.changed);
    return accounts;
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** What people do in a workspace. `deliver` sends a payload to the app, `responseUrlOf` makes the URL of a response. */
export function createActions(
  slack: FakeSlack,
  deliver: (body: Record<string, unknown>) => Promise<Delivery>,
  responseUrlOf: (name: string) => string = slack.responseUrl,
) {
  let responses = 0;
  const surfaces = createSurfaces({ slack, deliver, responseUrl });

  return {
    command,
    learnLanguage,
    mention,
    reply,
    direct,
    press,
    card,
    answersIn,
    answered,
    toldTo,
    texts,
    ...surfaces,
  };

  /** Creates a response URL for a person and a place, so that tests know what each person sees. */
  function responseUrl(of: { user: string; channel: string; threadTs?: string | undefined }): string {
    responses += 1;
    const { user, channel, threadTs } = of;
    const query = new URLSearchParams({ user, channel, ...(threadTs === undefined ? {} : { thread_ts: threadTs }) });
    return responseUrlOf(`${responses}?${query}`);
  }

  function command(
    text: string,
    options: { user?: string; channel?: string; triggerId?: string } = {},
  ): Promise<Delivery> {
    const { user = people.ada, channel = 'C0GENERAL' } = options;
    return deliver(commandOf({ text, user, responseUrl: responseUrl({ user, channel }), ...options }));
  }

  /** Waits until the app knows a person's language: it waits only briefly for it, then uses English. */
  async function learnLanguage(user: string): Promise<void> {
    await eventually(async () => {
      const { response } = await command('help', { user });
      if (!JSON.stringify(response).includes('Stell eine Frage')) throw new Error('still in English');
    });
  }

  /** A mention at the root of a channel, or in a thread. Returns the message's timestamp. */
  async function mention(text: string, options: Partial<Spoken> = {}): Promise<string> {
    const spoken = speak(`<@${team.botUserId}> ${text}`.trim(), options);
    await deliver(mentionOf({ ...spoken, text }));
    return spoken.ts;
  }

  /** A plain reply in a thread. Returns the message's timestamp. */
  async function reply(threadTs: string, text: string, options: Partial<Spoken> = {}): Promise<string> {
    const spoken = speak(text, { ...options, threadTs });
    await deliver(messageOf(spoken));
    return spoken.ts;
  }

  async function direct(text: string, options: Partial<Spoken> = {}): Promise<string> {
    const spoken = speak(text, { channel: dmOf(options.user ?? people.ada), ...options });
    await deliver(messageOf(spoken));
    return spoken.ts;
  }

  function speak(text: string, options: Partial<Spoken>): Spoken {
    const { channel = 'C0GENERAL', user = people.ada, threadTs } = options;
    const ts = options.ts ?? slack.say(channel, user, text, threadTs);
    return { channelType: channelTypeOf(slack, channel), ...options, channel, user, text, ts };
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
    const { message, button } = found;
    const { user = people.ada } = options;
    const { channel, thread_ts: threadTs } = message;
    return deliver(
      buttonOf({
        actionId: button.actionId,
        blockId: button.blockId,
        user,
        place: { message, responseUrl: responseUrl({ user, channel, threadTs }) },
        label,
        ...(button.value === undefined ? {} : { value: button.value }),
      }),
    );
  }

  /** The card in a thread: the app's first message there. */
  function card(threadTs: string): SlackMessage | undefined {
    return slack.inThread(threadTs).find(({ bot_id: botId }) => botId !== undefined);
  }

  /** The app's answers and failures in a thread. */
  function answersIn(threadTs: string): SlackMessage[] {
    return slack.inThread(threadTs).filter((message) => message.bot_id !== undefined && isEnd(message));
  }

  /** Waits until a thread has this many answers and failures, and returns them. */
  function answered(threadTs: string, count = 1): Promise<SlackMessage[]> {
    return eventually(() => {
      const answers = answersIn(threadTs);
      if (answers.length !== count)
        throw new Error(`${answers.length} answers in:\n${texts(slack.messages).join('\n')}`);
      return answers;
    });
  }

  /** All that only this person sees, as text. */
  function toldTo(user: string): string {
    return surfaces.ephemeralsTo(user).map(visibleText).join('\n');
  }
}

/** Whether a message is an answer or a failure: it has a part marker (`ds:<id>:<round>:<part>`), which a card has not. */
function isEnd(message: SlackMessage): boolean {
  return (message.blocks ?? []).some(({ block_id: id }) => id !== undefined && /^ds:q[0-9a-f]{24}:\d+:\d+/.test(id));
}

export function buttonsOf(
  blocks: SlackBlock[] = [],
): { label: string; actionId: string; blockId: string; value: string | undefined }[] {
  return blocks.flatMap(({ elements = [], accessory, block_id: blockId = 'block' }) =>
    [...elements, ...(accessory === undefined ? [] : [accessory])]
      .filter(({ type }) => type === 'button')
      .map(({ action_id: actionId = '', value, text }) => ({ label: textOf(text), actionId, blockId, value })),
  );
}

/** All text people see in a message, a modal or a Home tab, with closed menus. */
export function visibleText(shown: { text?: string; title?: unknown; blocks?: SlackBlock[] }): string {
  if (shown.blocks === undefined) return shown.text ?? '';
  const title = shown.title === undefined ? [] : [textOf(shown.title)];
  return [...title, ...shown.blocks.map(blockText)].join('\n');
}

function blockText({ label, text, elements = [], accessory, element }: SlackBlock): string {
  const typed = element?.initial_value;
  return [label, text, ...elements, accessory, element, typed]
    .map(textOf)
    .filter((each) => each !== '')
    .join(' ');
}

export function texts(messages: SlackMessage[]): string[] {
  return messages.map((message) => `${message.thread_ts ?? message.ts} ${message.user}: ${visibleText(message)}`);
}

function textOf(node: unknown): string {
  if (typeof node === 'string') return node;
  if (typeof node !== 'object' || node === null) return '';
  return 'text' in node ? textOf(node.text) : '';
}
