import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import { within } from '../../core/pacing.ts';
import type { Clock, Log } from '../../core/ports.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { type Names, toPlainText, unnamedIds } from '../content/incoming-text.ts';
import { mostNameLookups, mostNamesCached, nameCachedMs, namesPatienceMs, userGroupsCachedMs } from '../settings.ts';
import type { Channel, Channels } from './channels.ts';
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

const userGroup = z.object({ id: z.string(), handle: z.string().min(1) });

/** The handle of each user group of the workspace, by id. Throws `AppError` when asking Slack again later may help. */
type UserGroups = () => Promise<ReadonlyMap<string, string>>;

/**
 * Without the scope, and on plans without user groups, there are none: that is no failure, and their ids are shown. Both
 * answers are cached.
 */
export function createUserGroups({ slack, log }: { slack: SlackApi; log: Log }): UserGroups {
  const { teamId } = slack.identity;
  const cache = new LRUCache<string, ReadonlyMap<string, string>>({
    max: 1,
    ttl: userGroupsCachedMs,
    fetchMethod: () => list(),
  });

  return async () => (await cache.fetch('all')) ?? new Map();

  async function list(): Promise<ReadonlyMap<string, string>> {
    try {
      const args = teamId === undefined ? {} : { team_id: teamId };
      const { usergroups } = await slack.call('usergroups.list', args, { priority: 'private' });
      const known = (usergroups ?? []).flatMap((each) => userGroup.safeParse(each).data ?? []);
      return new Map(known.map(({ id, handle }) => [id, handle]));
    } catch (error) {
      if (!isAppError(error, 'unauthorized', 'undeliverable', 'notFound', 'refused')) throw error;
      log.debug({ event: 'user_groups_not_known', kind: error.kind });
      return new Map();
    }
  }
}
