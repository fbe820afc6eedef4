import type { WebClient } from '@slack/web-api';
import type { Clock } from '../core/ports.ts';
import { type Names, toPlainText, unnamedIds } from './incoming-text.ts';
import type { Through } from './through.ts';

/** How long a name is remembered, how many are, and how long a question waits for names before ids must do. */
const rememberMs = 60 * 60 * 1000;
const mostRemembered = 5_000;
const patienceMs = 800;

/** Most names looked up for one text; a text that names more people keeps the ids of the rest. */
const mostLookups = 20;

interface Remembered {
  name: string | undefined;
  untilMs: number;
}

/** Reads Slack's text as people see it, with the names of people and channels where Slack tells them in time. */
export function createReader(options: { client: WebClient; through: Through; botUserId: string; now: Clock }) {
  const { client, through, botUserId, now } = options;
  const remembered = new Map<string, Remembered>();

  return async function read(text: string): Promise<string> {
    const { users, channels } = unnamedIds(text);
    const lookups = [
      ...users.filter((id) => id !== botUserId).map((id) => remember(id, () => userName(id))),
      ...channels.map((id) => remember(id, () => channelName(id))),
    ].slice(0, mostLookups);
    if (lookups.length > 0) await atMost(Promise.all(lookups), patienceMs);
    const name = (id: string): string | undefined => remembered.get(id)?.name;
    const names: Names = { user: name, channel: name };
    return toPlainText(text, names, botUserId);
  };

  /** A failed look-up is remembered too, briefly: the id is shown then. */
  async function remember(id: string, ask: () => Promise<string | undefined>): Promise<void> {
    if ((remembered.get(id)?.untilMs ?? 0) > now()) return;
    const name = await ask().catch(() => undefined);
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(id, { name, untilMs: now() + (name === undefined ? patienceMs : rememberMs) });
  }

  async function userName(user: string): Promise<string | undefined> {
    const { user: found } = await through('users.info', 'private', () => client.users.info({ user }));
    return found?.profile?.display_name || found?.real_name || found?.name;
  }

  async function channelName(channel: string): Promise<string | undefined> {
    const { channel: found } = await through('conversations.info', 'private', () =>
      client.conversations.info({ channel }),
    );
    return found?.name;
  }
}

async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
