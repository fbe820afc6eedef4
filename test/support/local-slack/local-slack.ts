import { z } from 'zod';

/** Conversations in the local Slack (src/local-slack/seed.ts). */
export const places = {
  general: 'C0GENERAL',
  payments: 'C0PAYMENTS',
  /** Public, without the app. */
  design: 'C0DESIGN',
  /** Private, without the app: for the app it does not exist. */
  leads: 'C0LEADS',
  /** Ada's direct messages with the app. */
  adasDirect: 'D0ADA',
};

const optionSchema = z.looseObject({ text: z.object({ text: z.string() }), value: z.string() });

const elementSchema = z.looseObject({
  type: z.string(),
  action_id: z.string().optional(),
  value: z.string().optional(),
  url: z.string().optional(),
  options: z.array(optionSchema).optional(),
});

/** A block as the app sent it. */
export const blockSchema = z.looseObject({
  type: z.string(),
  block_id: z.string().optional(),
  elements: z.array(elementSchema).optional(),
  accessory: elementSchema.optional(),
});

const messageSchema = z.object({
  ts: z.string(),
  channel: z.string(),
  user: z.string(),
  bot_id: z.string().optional(),
  text: z.string(),
  thread_ts: z.string().optional(),
  subtype: z.string().optional(),
  /** The one person who sees it. */
  privateTo: z.string().optional(),
  blocks: z.array(blockSchema).optional(),
  edits: z.number(),
});

/** A message as the local Slack has it. */
export type LocalMessage = z.infer<typeof messageSchema>;

const viewSchema = z.looseObject({ id: z.string(), blocks: z.array(blockSchema) });

/** A modal. */
export type LocalView = z.infer<typeof viewSchema>;

/** What people do in the local Slack and see there, without its page. */
export interface LocalSlack {
  url: string;
  /** Posts what a person types. Resolves when the app has acknowledged it. */
  post(message: { channel: string; user: string; text: string; threadTs?: string }): Promise<LocalMessage>;
  command(command: { channel: string; user: string; text: string }): Promise<void>;
  /** Types another command, which leaves no message. */
  typed(command: { channel: string; user: string; text: string }): Promise<void>;
  /** Presses the button with this label or action id; throws when the message has no such button. */
  press(message: LocalMessage, user: string, button: string): Promise<void>;
  /** Chooses the first option with this beginning from an overflow menu of the message; throws when there is none. */
  choose(message: LocalMessage, user: string, option: string): Promise<void>;
  /** The topmost modal of a person. */
  modal(user: string): Promise<LocalView | undefined>;
  /** Submits the topmost modal with input by block id; other fields keep their initial value. */
  submit(user: string, entered: Record<string, string>): Promise<void>;
  /** All messages of a channel with those in threads and everyone's private ones, oldest first. */
  messages(channel: string): Promise<LocalMessage[]>;
  /** What the app did that Slack does not allow. */
  violations(): Promise<string[]>;
}

/** Creates a client of a running local Slack (src/local-slack/control.ts). */
export function createLocalSlack(url: string): LocalSlack {
  const modal = async (user: string) =>
    z
      .array(viewSchema)
      .parse(await see('modalsOf', user))
      .at(-1);
  return {
    url,
    post: async ({ user: person, ...message }) => {
      const posted = await act('post', { person, ...message });
      return z.object({ message: messageSchema }).parse(posted).message;
    },
    command: async ({ user: person, channel, text }) => {
      await act('post', { person, channel, text: `/deepsearch ${text}` });
    },
    typed: async ({ user: person, ...command }) => {
      await act('post', { person, ...command });
    },
    press: async (message, user, button) => {
      const found = buttonsOf(message).find(({ label, actionId }) => label === button || actionId === button);
      if (found === undefined) throw new Error(`no button "${button}" on: ${textOf(message)}`);
      await use(message, user, found);
    },
    choose: async (message, user, option) => {
      const found = optionsOf(message).find(({ label }) => label.startsWith(option));
      if (found === undefined) throw new Error(`no option "${option}" on: ${textOf(message)}`);
      await use(message, user, found);
    },
    modal,
    submit: async (person, entered) => {
      await act('submit', { person, view: (await modal(person))?.id, entered });
    },
    messages: async (channel) => z.array(messageSchema).parse(await see('everything', channel)),
    violations: async () => z.array(z.string()).parse(await see('violations')),
  };

  async function use(
    { channel, ts }: LocalMessage,
    person: string,
    { blockId, actionId, choice }: { blockId: string | undefined; actionId: string | undefined; choice?: string },
  ): Promise<void> {
    await act('use', {
      person,
      place: { channel, ts },
      blockId,
      actionId,
      ...(choice === undefined ? {} : { choice }),
    });
  }

  function act(name: string, by: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    return read(`act/${name}`, { method: 'POST', headers, body: JSON.stringify(by) });
  }

  function see(...what: string[]): Promise<unknown> {
    return read(`see/${what.join('/')}`);
  }

  async function read(path: string, request: RequestInit = {}): Promise<unknown> {
    const response = await fetch(`${url}/${path}`, { ...request, signal: AbortSignal.timeout(20_000) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }
}

/** The text people read in a message: the text of its blocks, or its text when it has no blocks. */
export function textOf(message: { text?: string | undefined; blocks?: LocalMessage['blocks'] }): string {
  return message.blocks?.length ? textsIn(message.blocks).join('\n') : (message.text ?? '');
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'text' && typeof inner === 'string' ? [inner] : textsIn(inner),
  );
}

interface LocalButton {
  label: string;
  actionId: string;
  blockId: string | undefined;
  url: string | undefined;
}

/** The buttons of a message or a modal, in order. */
export function buttonsOf(shown: { blocks?: LocalMessage['blocks'] }): LocalButton[] {
  return (shown.blocks ?? []).flatMap((block) =>
    elementsOf(block).flatMap((element) =>
      element.type === 'button' && element.action_id !== undefined
        ? [
            {
              label: textsIn(element)[0] ?? '',
              actionId: element.action_id,
              blockId: block.block_id,
              url: element.url,
            },
          ]
        : [],
    ),
  );
}

/** The options of a message's overflow menus. */
function optionsOf(message: LocalMessage) {
  return (message.blocks ?? []).flatMap((block) =>
    elementsOf(block)
      .filter(({ type }) => type === 'overflow')
      .flatMap(({ action_id: actionId, options = [] }) =>
        options.map(({ text, value }) => ({ label: text.text, actionId, blockId: block.block_id, choice: value })),
      ),
  );
}

function elementsOf({ elements = [], accessory }: NonNullable<LocalMessage['blocks']>[number]) {
  return accessory === undefined ? elements : [...elements, accessory];
}

/** Addresses of all links in a message, in order; decodes `&amp;` like Slack's clients. */
export function linksOf(message: LocalMessage): string[] {
  const written = [...textOf(message).matchAll(/<(https?:[^|>]+)(?:\|[^>]*)?>|\]\((https?:[^)\s]+)\)/g)];
  return [...written.map(([, slack, markdown]) => slack ?? markdown ?? ''), ...urlsIn(message.blocks)].map((url) =>
    url.replaceAll('&amp;', '&'),
  );
}

/** The addresses of buttons and of links in rich text. */
function urlsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(urlsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'url' && typeof inner === 'string' ? [inner] : urlsIn(inner),
  );
}
