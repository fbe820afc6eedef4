import { z } from 'zod';
import { canRun, localSlackLayer, localSlackPath } from '../layers.ts';
import { blockSchema, type LocalView, usePageSocket } from './page.ts';

const messageSchema = z.object({
  ts: z.string(),
  channel: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  text: z.string().optional(),
  thread_ts: z.string().optional(),
  subtype: z.string().optional(),
  ephemeral_to: z.string().optional(),
  blocks: z.array(blockSchema).optional(),
});

/** A message as the local Slack stores it. */
export type LocalMessage = z.infer<typeof messageSchema>;

const messagesSchema = z.object({ messages: z.array(messageSchema) });
const postedSchema = z.object({ message: messageSchema });
const logSchema = z.object({
  log: z.array(
    z.object({ direction: z.string(), kind: z.string(), summary: z.string(), detail: z.unknown().optional() }),
  ),
});

export type SlackLogEntry = z.infer<typeof logSchema>['log'][number];

/** What people do in the local Slack, through its control API. */
export interface LocalSlack {
  url: string;
  /** Posts a message. Resolves when the app has acknowledged it, or when no app is connected. */
  post(message: { channel: string; user: string; text: string; threadTs?: string }): Promise<LocalMessage>;
  command(command: { channel: string; user: string; text: string }): Promise<void>;
  /** Presses the button with this label or action id; throws when the message has no such button. */
  press(message: LocalMessage, user: string, button: string): Promise<void>;
  /** Chooses the first option with this beginning from an overflow menu of the message; throws when there is none. */
  choose(message: LocalMessage, user: string, option: string): Promise<void>;
  /** Opens the app's Home tab. Resolves when the app has acknowledged it. */
  openHome(user: string): Promise<void>;
  /** The last published Home tab of a person. */
  home(user: string): Promise<LocalView | undefined>;
  /** Presses the button with this label on a Home tab; like the page, without channel and message. */
  pressInHome(user: string, button: string): Promise<void>;
  /** The topmost modal; all people share one stack. */
  modal(): Promise<LocalView | undefined>;
  /** Submits the topmost modal with a state by block id and action id; other fields are sent empty. */
  submit(user: string, values: Record<string, Record<string, unknown>>): Promise<void>;
  edit(message: LocalMessage, text: string): Promise<void>;
  /** A person posts a file. */
  upload(file: {
    channel: string;
    user: string;
    text: string;
    name: string;
    content: string;
    threadTs?: string;
  }): Promise<void>;
  messages(channel: string): Promise<LocalMessage[]>;
  /** All requests to and from the app, oldest first. */
  log(): Promise<SlackLogEntry[]>;
}

/** Creates a client of the control API of a running local Slack. */
export function createLocalSlack(url: string): LocalSlack {
  return {
    url,
    post: async ({ threadTs, ...message }) => {
      const body = threadTs === undefined ? message : { ...message, thread_ts: threadTs };
      return postedSchema.parse(await send('message', body)).message;
    },
    command: async (command) => {
      await send('command', { ...command, command: '/deepsearch' });
    },
    press: async (message, user, button) => {
      const found = buttonsOf(message).find(({ label, actionId }) => label === button || actionId === button);
      if (found === undefined) throw new Error(`no button "${button}" on: ${textOf(message)}`);
      const action = {
        type: 'button',
        action_id: found.actionId,
        block_id: found.blockId,
        value: found.value,
        text: { type: 'plain_text', text: found.label },
      };
      await send('interact', { channel: message.channel, messageTs: message.ts, user, action });
    },
    choose: async (message, user, option) => {
      const found = optionsOf(message).find(({ label }) => label.startsWith(option));
      if (found === undefined) throw new Error(`no option "${option}" on: ${textOf(message)}`);
      const { actionId, blockId, selected } = found;
      const action = { type: 'overflow', action_id: actionId, block_id: blockId, selected_option: selected };
      await send('interact', { channel: message.channel, messageTs: message.ts, user, action });
    },
    openHome: async (user) => {
      await send('open-home', { user });
    },
    home: async (user) => {
      const { homeViews, apps } = await usePageSocket(url);
      return homeViews[user]?.[apps[0]?.appId ?? ''];
    },
    pressInHome: async (user, button) => {
      const { homeViews, apps } = await usePageSocket(url);
      const appId = apps[0]?.appId ?? '';
      const found = buttonsOf({ blocks: homeViews[user]?.[appId]?.blocks }).find(({ label }) => label === button);
      if (found === undefined) throw new Error(`no button "${button}" on the Home tab of ${user}`);
      const action = { type: 'button', action_id: found.actionId, block_id: found.blockId, value: found.value };
      await usePageSocket(url, { t: 'block_action', channel: '', messageTs: '', user, action, appId });
    },
    modal: async () => (await usePageSocket(url)).modalStack.at(-1),
    submit: async (user, values) => {
      await usePageSocket(url, { t: 'view_submit', user, values });
    },
    edit: async ({ channel, ts, user }, text) => {
      await send('edit-message', { channel, ts, user, text });
    },
    upload: async ({ channel, user, text, name, content, threadTs }) => {
      const form = new FormData();
      for (const [field, value] of Object.entries({ channel, user, text })) form.append(field, value);
      if (threadTs !== undefined) form.append('thread_ts', threadTs);
      form.append('file', new Blob([content]), name);
      const response = await fetch(`${url}/_control/upload`, {
        method: 'POST',
        body: form,
        signal: AbortSignal.timeout(20_000),
      });
      if (!response.ok) throw new Error(`upload: ${response.status} ${await response.text()}`);
    },
    messages: async (channel) => messagesSchema.parse(await receive(`messages/${channel}`)).messages,
    log: async () => logSchema.parse(await receive('log')).log,
  };

  async function send(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${url}/_control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async function receive(path: string): Promise<unknown> {
    const response = await fetch(`${url}/_control/${path}`, { signal: AbortSignal.timeout(20_000) });
    return response.json();
  }
}

/** The text people read in a message: the text of its blocks, or its text when it has no blocks. */
export function textOf(message: Pick<LocalMessage, 'text' | 'blocks'>): string {
  return message.blocks?.length ? textsIn(message.blocks).join('\n') : (message.text ?? '');
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'text' && typeof inner === 'string' ? [inner] : textsIn(inner),
  );
}

export interface LocalButton {
  label: string;
  actionId: string;
  blockId: string | undefined;
  value: string | undefined;
  url: string | undefined;
}

/** The buttons of a message, a modal or a Home tab, in order. */
export function buttonsOf(shown: { blocks?: LocalMessage['blocks'] | undefined }): LocalButton[] {
  return (shown.blocks ?? []).flatMap((block) =>
    elementsOf(block).flatMap((element) =>
      element.type === 'button' && element.action_id !== undefined
        ? [
            {
              label: textsIn(element)[0] ?? '',
              actionId: element.action_id,
              blockId: block.block_id,
              value: element.value,
              url: element.url,
            },
          ]
        : [],
    ),
  );
}

interface LocalOption {
  label: string;
  actionId: string | undefined;
  blockId: string | undefined;
  selected: unknown;
}

/** The options of a message's overflow menus. */
function optionsOf(message: LocalMessage): LocalOption[] {
  return (message.blocks ?? []).flatMap((block) =>
    elementsOf(block)
      .filter(({ type }) => type === 'overflow')
      .flatMap(({ action_id: actionId, options = [] }) =>
        options.map((option) => ({ label: option.text.text, actionId, blockId: block.block_id, selected: option })),
      ),
  );
}

function elementsOf({ elements = [], accessory }: NonNullable<LocalMessage['blocks']>[number]) {
  return accessory === undefined ? elements : [...elements, accessory];
}

/** Addresses of all links in a message, in order; decodes `&amp;` like Slack's clients. */
export function linksOf(message: LocalMessage): string[] {
  const written = [...textOf(message).matchAll(/<(https?:[^|>]+)(?:\|[^>]*)?>/g)].map(([, url = '']) => url);
  const behindButtons = buttonsOf(message).flatMap(({ url }) => (url === undefined ? [] : [url]));
  return [...written, ...behindButtons].map((url) => url.replaceAll('&amp;', '&'));
}

/** Path of the local Slack's program; without one, throws when `REQUIRE_BROWSER=1` (CI), or else returns undefined. */
export function localSlackProgram(): string | undefined {
  return canRun(localSlackLayer) ? localSlackPath() : undefined;
}
