import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/ports.ts';
import { within } from '../../core/timeout.ts';
import { type Names, toPlainText, unnamedIds } from '../content/incoming-text.ts';
import { mostNameLookups, mostNamesCached, nameCachedMs, namesPatienceMs } from '../settings.ts';
import type { Channel, Channels } from './channels.ts';
import type { UserGroups } from './user-groups.ts';
import type { Users } from './users.ts';

/** The name shown for a private channel, because readers of the text may not be in it. */
const privateName = 'private-channel';

interface Remembered {
  name: string | undefined;
  untilMs: number;
}

/** Reads Slack's text as people see it, with the names of people, channels and user groups that Slack tells in time. */
export function createReader(options: {
  people: Pick<Users, 'person'>;
  channels: Pick<Channels, 'channel'>;
  userGroups: UserGroups;
  botUserId: string;
  now: Clock;
}) {
  const { people, channels, userGroups, botUserId, now } = options;
  const remembered = new LRUCache<string, Remembered>({ max: mostNamesCached });

  return async function read(text: string): Promise<string> {
    const named = unnamedIds(text);
    const lookups = [
      ...named.users
        .filter((id) => id !== botUserId)
        .map((id) => () => remember(id, async () => (await people.person(id)).name)),
      ...named.channels.map((id) => () => remember(id, async () => nameOf(await channels.channel(id)))),
      ...named.groups.map((id) => () => remember(id, async () => (await userGroups()).get(id))),
    ].slice(0, mostNameLookups);
    if (lookups.length > 0) await within(Promise.all(lookups.map((lookUp) => lookUp())), namesPatienceMs);
    const name = (id: string): string | undefined => remembered.get(id)?.name;
    const names: Names = { user: name, channel: name, group: name };
    return toPlainText(text, names, botUserId);
  };

  /** A failed lookup is cached too, for a short time. The id is shown then. */
  async function remember(id: string, ask: () => Promise<string | undefined>): Promise<void> {
    if ((remembered.get(id)?.untilMs ?? 0) > now()) return;
    const name = await ask().catch(() => undefined);
    remembered.set(id, { name, untilMs: now() + (name === undefined ? namesPatienceMs : nameCachedMs) });
  }
}

function nameOf({ name, kind }: Channel): string | undefined {
  return name ?? (kind === 'unknown' ? undefined : privateName);
}
