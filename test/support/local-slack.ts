import { z } from 'zod';
import { findLocalSlack } from '../../src/demo/local-slack.ts';
import { DemoProblem } from '../../src/demo/problem.ts';

const elementSchema = z.looseObject({
  type: z.string(),
  action_id: z.string().optional(),
  value: z.string().optional(),
  url: z.string().optional(),
});

/** A block as the app sent it. */
export const blockSchema = z.looseObject({
  type: z.string(),
  block_id: z.string().optional(),
  elements: z.array(elementSchema).optional(),
});

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

/** A message as the local Slack keeps it. */
export type LocalMessage = z.infer<typeof messageSchema>;

const messagesSchema = z.object({ messages: z.array(messageSchema) });
const postedSchema = z.object({ message: messageSchema });
const logSchema = z.object({
  log: z.array(
    z.object({ direction: z.string(), kind: z.string(), summary: z.string(), detail: z.unknown().optional() }),
  ),
});

export type SlackLogEntry = z.infer<typeof logSchema>['log'][number];

/** A person in the local Slack, acting through its control API. */
export interface LocalSlack {
  url: string;
  /** Resolves when the app has acknowledged it, or nobody listens. */
  post(message: { channel: string; user: string; text: string; threadTs?: string }): Promise<LocalMessage>;
  command(command: { channel: string; user: string; text: string }): Promise<void>;
  /** Presses the button with this label or action id; throws when the message has none. */
  press(message: LocalMessage, user: string, button: string): Promise<void>;
  messages(channel: string): Promise<LocalMessage[]>;
  /** Everything that went to and from the app, oldest first. */
  log(): Promise<SlackLogEntry[]>;
}

/** Speaks to the control API of a running local Slack. */
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

/** Everything people can read in a message: the text of its blocks, or its text when it has none. */
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

/** The buttons of a message, in order. */
export function buttonsOf(message: LocalMessage): LocalButton[] {
  return (message.blocks ?? []).flatMap((block) =>
    (block.elements ?? []).flatMap((element) =>
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

/** Addresses of all links in a message, in order; `&amp;` is read back as Slack's clients do. */
export function linksOf(message: LocalMessage): string[] {
  const written = [...textOf(message).matchAll(/<(https?:[^|>]+)(?:\|[^>]*)?>/g)].map(([, url = '']) => url);
  const behindButtons = buttonsOf(message).flatMap(({ url }) => (url === undefined ? [] : [url]));
  return [...written, ...behindButtons].map((url) => url.replaceAll('&amp;', '&'));
}

/** Path of the local Slack's program; where there is none says so loudly, or throws with `REQUIRE_BROWSER=1` (CI). */
export function localSlackProgram(): string | undefined {
  try {
    return findLocalSlack(process.env.LOCAL_SLACK_BIN || undefined);
  } catch (error) {
    if (!(error instanceof DemoProblem)) throw error;
    if (process.env.REQUIRE_BROWSER === '1')
      throw new Error(`${error.message} And REQUIRE_BROWSER=1.`, { cause: error });
    process.stderr.write(`\n*** NO LOCAL SLACK: END-TO-END TESTS ARE SKIPPED ***\n${error.message}\n\n`);
    return undefined;
  }
}
