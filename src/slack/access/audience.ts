import { AppError, isAppError, isTransient } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { isBetweenTwo } from '../../core/question/question.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import {
  audienceCheckedAgainMs,
  directoryPatienceMs,
  fewPeopleLookups,
  membersCachedMs,
  membersPerPage,
  mostMemberListsCached,
  mostMemberPages,
  mostPeopleLookups,
  mostReadersNamed,
} from '../settings.ts';
import { createBriefCache } from './brief-cache.ts';
import type { Channels } from './channels.ts';
import type { Directory, SlackUser, Users } from './users.ts';

/** What a reader of the channel is. */
type Standing = Pick<SlackUser, 'userId' | 'kind' | 'organizationId'>;

/** Slack's ids of a place's readers who are not full members, and of the other organizations there. */
interface ReaderIds {
  guests: string[];
  outsiders: string[];
  organizations: string[];
}

/** Who sees what is said in a channel. Apps are not counted. */
export interface Audience {
  /** Full members of the workspace. */
  members: number;
  guests: number;
  /** People of other organizations. */
  outsiders: number;
  /** Other organizations. At least one when the channel is shared, even before any of their members joins. */
  organizations: number;
  /**
   * False when Slack does not tell all members of the channel, or what one of them is. The counts are incomplete then.
   */
  isKnown: boolean;
  /** It is not known because more people are in the channel than the app can check. */
  isTooLarge?: boolean;
  /** The ids of all who are not full members. Absent when unknown, or when there are too many. */
  ids?: ReaderIds;
}

export interface Audiences {
  /** Throws `AppError` when asking Slack again later may help. `sinceMs`: as in `AccessPolicy`. */
  of(channelId: string, sinceMs?: number): Promise<Audience>;
  /** Slack is asked about the channel's members the next time. */
  forget(channelId: string): void;
}

const nobodyElse = { guests: 0, outsiders: 0, organizations: 0, isKnown: true };
const justOne: Audience = { ...nobodyElse, members: 1, ids: { guests: [], outsiders: [], organizations: [] } };
const unknownAudience: Audience = { members: 0, guests: 0, outsiders: 0, organizations: 0, isKnown: false };
const tooLargeAudience: Audience = { ...unknownAudience, isTooLarge: true };

/** Whether only full members of the workspace see what is said there. */
export function isInsidersOnly({ guests, outsiders, organizations, isKnown }: Audience): boolean {
  return isKnown && guests === 0 && outsiders === 0 && organizations === 0;
}

/** Who is in which channel, remembered for a minute. */
export function createAudiences(options: {
  slack: SlackApi;
  people: Pick<Users, 'person'>;
  channels: Channels;
  directory: Directory;
  log: Log;
  now: Clock;
}): Audiences {
  const { slack, people, channels, directory, log, now } = options;
  const memory = createBriefCache<Audience>({
    keepMs: membersCachedMs,
    most: mostMemberListsCached,
    now,
    load: count,
    // Reading too large a channel takes many calls, and does not end better a moment later.
    keeps: ({ isKnown, isTooLarge = false }) => isKnown || isTooLarge,
  });

  return {
    async of(channelId, sinceMs) {
      if (isBetweenTwo({ channelId })) return justOne;
      const [channel, audience] = await Promise.all([
        channels.channel(channelId, sinceMs),
        memory.get(channelId, sinceMs),
      ]);
      const { ids, ...counts } = audience;
      if (channel.kind === 'unknown' || channel.kind === 'hidden') return { ...counts, isKnown: false };
      return channel.kind === 'shared' ? withOrganizations(audience, channel.organizationIds ?? []) : audience;
    },
    forget: (channelId) => memory.change(channelId, () => undefined),
  };

  async function count(channelId: string): Promise<Audience> {
    try {
      const userIds = await membersOf(channelId);
      if (userIds === undefined) return unknownAudience;
      const standings = userIds === 'tooMany' ? undefined : await standingsOf(userIds);
      if (standings !== undefined) return tally(standings);
      log.warn({ event: 'channel_too_large', channelId });
      return tooLargeAudience;
    } catch (error) {
      if (!isAppError(error) || isTransient(error) || isTokenRefused(error)) throw error;
      if (error.code !== 'channel_not_found')
        log.warn({ event: 'audience_not_known', channelId, kind: error.kind }, error);
      return unknownAudience;
    }
  }

  /** Ids of everybody in a channel but the app. `tooMany`: to be read. Undefined when Slack does not say. */
  async function membersOf(channel: string): Promise<string[] | 'tooMany' | undefined> {
    const userIds: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostMemberPages; page += 1) {
      const window = { channel, limit: membersPerPage, cursor };
      const reply = await slack.call('conversations.members', window, { priority: 'private' });
      if (!Array.isArray(reply.members)) return undefined;
      userIds.push(...reply.members.filter((userId) => userId !== slack.identity.botUserId));
      cursor = reply.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return userIds;
    }
    return 'tooMany';
  }

  /** Undefined when too many people would have to be looked up one by one. */
  async function standingsOf(userIds: string[]): Promise<Standing[] | undefined> {
    const unlisted = () => userIds.filter((userId) => directory.find(userId) === undefined);
    if (unlisted().length > fewPeopleLookups) await directory.settled(directoryPatienceMs);
    const strangers = unlisted();
    if (strangers.length > mostPeopleLookups) {
      if (directory.state() !== 'reading') return undefined;
      throw new AppError('unavailable', 'users.list: not read yet', { retryAfterMs: audienceCheckedAgainMs });
    }
    const lookedUp = new Map(await Promise.all(strangers.map(async (id) => [id, await lookUp(id)] as const)));
    return userIds.map((id) => directory.find(id) ?? lookedUp.get(id) ?? { userId: id, kind: 'unknown' });
  }

  async function lookUp(userId: string): Promise<Standing> {
    try {
      return await people.person(userId);
    } catch (error) {
      if (!isAppError(error) || isTransient(error) || isTokenRefused(error)) throw error;
      return { userId, kind: 'unknown' };
    }
  }
}

function tally(standings: Standing[]): Audience {
  const count = (kind: Standing['kind']): number => standings.filter((each) => each.kind === kind).length;
  const idsOf = (kind: Standing['kind']): string[] =>
    standings.filter((each) => each.kind === kind).map(({ userId }) => userId);
  const outsiders = standings.filter(({ kind }) => kind === 'outsider');
  const organizations = new Set(outsiders.map(({ organizationId }) => organizationId));
  const counts = {
    members: count('member'),
    guests: count('guest'),
    outsiders: outsiders.length,
    organizations: organizations.size,
    isKnown: count('unknown') === 0,
  };
  if (!counts.isKnown) return counts;
  const named = [...organizations].filter((id) => id !== undefined);
  return withIds(counts, { guests: idsOf('guest'), outsiders: idsOf('outsider'), organizations: named });
}

/** An organization counts before its first member joins, because its members can join and read. */
function withOrganizations(audience: Audience, organizationIds: readonly string[]): Audience {
  const { ids, ...counts } = audience;
  const organizations = [...new Set([...(ids?.organizations ?? []), ...organizationIds])];
  const known = { ...counts, organizations: Math.max(1, counts.organizations, organizations.length) };
  // Without an id, an organization that is invited now looks like one that was there when the readers were confirmed.
  return ids === undefined || organizations.length === 0 ? known : withIds(known, { ...ids, organizations });
}

function withIds(counts: Audience, ids: ReaderIds): Audience {
  const named = ids.guests.length + ids.outsiders.length + ids.organizations.length;
  return named > mostReadersNamed ? counts : { ...counts, ids };
}
