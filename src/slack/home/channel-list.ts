import { z } from 'zod';
import type { Person } from '../../core/accounts/accounts.ts';
import { isAppError } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { within } from '../../core/timeout.ts';
import type { ShownChannel } from '../../render/channel-list.ts';
import { createBriefCache } from '../access/brief-cache.ts';
import type { ChosenRules } from '../access/channel-rules.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { channelListCachedMs, channelListPatienceMs, channelsListed, mostChannelLists } from '../settings.ts';

/** What is read of a list of conversations. Others than channels are left out. */
const listed = z.object({
  channels: z.array(
    z.object({
      id: z.string().regex(/^[CG][A-Z0-9]{1,29}$/),
      name: z.string().default(''),
      is_private: z.boolean().default(true),
      is_im: z.boolean().optional(),
      is_mpim: z.boolean().optional(),
    }),
  ),
});

interface ListedChannel {
  id: string;
  name: string;
}

/** The name under which the app's public channels are cached. No person has it. */
const everyones = '';

/**
 * The channels of the app that a person may see: public ones, and private ones that both are in. Each list is one call
 * of `users.conversations` and is cached for a minute. Only full members may be told the public ones, so this is for
 * people who may see Home. Undefined if Slack or the storage does not answer in time.
 */
export function createChannelList(options: {
  slack: Pick<SlackApi, 'call'>;
  chosen: ChosenRules;
  now: Clock;
  log: Log;
}): (person: Person) => Promise<ShownChannel[] | undefined> {
  const { slack, chosen, now, log } = options;
  const lists = createBriefCache({ keepMs: channelListCachedMs, most: mostChannelLists, now, load });

  return async function channelsOf({ teamId, userId }) {
    try {
      return await within(rows(teamId, userId), channelListPatienceMs);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'channels_not_listed', kind: error.kind });
      return undefined;
    }
  };

  async function rows(teamId: string, userId: string): Promise<ShownChannel[]> {
    const [open, own] = await Promise.all([lists.get(everyones), lists.get(userId)]);
    const channels = [...open, ...own].toSorted((one, other) => one.name.localeCompare(other.name));
    return Promise.all(
      channels.map(async ({ id }) => {
        const rules = await chosen.of({ teamId, channelId: id });
        return { id, rules: rules === undefined ? 'usual' : rules.isOn ? 'own' : 'off' };
      }),
    );
  }

  /** With `user`, Slack returns only the private channels that the app is in too. */
  async function load(userId: string): Promise<ListedChannel[]> {
    const isPrivate = userId !== everyones;
    const reply = await slack.call(
      'users.conversations',
      {
        types: isPrivate ? 'private_channel' : 'public_channel',
        exclude_archived: true,
        limit: channelsListed,
        ...(isPrivate ? { user: userId } : {}),
      },
      { priority: 'edit' },
    );
    const parsed = listed.safeParse(reply);
    if (!parsed.success) return [];
    return parsed.data.channels.filter(
      (each) => each.is_private === isPrivate && each.is_im !== true && each.is_mpim !== true,
    );
  }
}
