import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isAppError, isTransient } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { isBetweenTwo } from '../../core/question/question.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { Identity, SlackApi } from '../api/slack-api.ts';
import { channelCachedMs, mostChannelsCached } from '../settings.ts';
import { createBriefCache } from './brief-cache.ts';

/**
 * `direct`: direct messages between two; where the app can post, it is one of them. `internal`: only members and guests
 * of the workspace. `shared`: other organizations are in it, or invited. `hidden`: only its members see it, and the app
 * is not one of them. `unknown`: Slack does not say.
 */
export type ChannelKind = 'direct' | 'internal' | 'shared' | 'hidden' | 'unknown';

export interface Channel {
  id: string;
  kind: ChannelKind;
  /** Only for channels that everybody in the workspace may see. The names of others stay hidden from readers. */
  name?: string;
  /** Ids of other organizations or workspaces that are in the channel or invited, as far as Slack says. */
  organizationIds?: string[];
  /** Whether the app is in it. Absent if Slack does not say. */
  isMember?: boolean;
}

export interface Channels {
  /** Throws `AppError` when asking Slack again later may help. `sinceMs`: as in `AccessPolicy`. */
  channel(channelId: string, sinceMs?: number): Promise<Channel>;
  /** What is remembered of the channel. Slack is not asked. */
  known(channelId: string): Channel | undefined;
  /** Slack said with an event that other organizations are in this channel. */
  noteShared(channelId: string): void;
  /** Slack is asked about the channel the next time. */
  forget(channelId: string): void;
}

/**
 * When a flag is not a boolean, the whole object counts as unreadable, because the flag may be the one that matters.
 */
const flag = z.boolean().optional();
const ids = z.array(z.string()).catch([]);

/** What is read of a conversation object (docs.slack.dev/reference/objects/conversation-object). */
const conversationObject = z.object({
  id: z.string(),
  name: z.string().min(1).optional().catch(undefined),
  is_ext_shared: flag,
  is_pending_ext_shared: flag,
  is_private: flag,
  is_im: flag,
  is_mpim: flag,
  is_member: flag.catch(undefined),
  shared_team_ids: ids,
  connected_team_ids: ids,
  internal_team_ids: ids,
  pending_connected_team_ids: ids,
  pending_shared: ids,
});

/** The app's own workspace and organization. */
type Own = Partial<Pick<Identity, 'teamId' | 'enterpriseId' | 'isStandIn'>>;

/** Finds out what kind each channel is, by one `conversations.info` per channel and minute. */
export function createChannels(options: { slack: SlackApi; now: Clock; log: Log }): Channels {
  const { slack, now, log } = options;
  // A channel the app can't see is not cached: the app may be invited at any moment.
  const memory = createBriefCache<Channel>({
    keepMs: channelCachedMs,
    most: mostChannelsCached,
    now,
    load,
    keeps: ({ kind }) => kind === 'internal' || kind === 'shared',
  });
  const sharedUntilMs = new LRUCache<string, number>({ max: mostChannelsCached });

  return {
    async channel(id, sinceMs) {
      if (isBetweenTwo({ channelId: id })) return { id, kind: 'direct' };
      const channel = await memory.get(id, sinceMs);
      return (sharedUntilMs.get(id) ?? 0) > now() ? { ...channel, kind: 'shared' } : channel;
    },
    known: memory.known,
    noteShared(id) {
      sharedUntilMs.set(id, now() + channelCachedMs);
    },
    forget: (id) => memory.change(id, () => undefined),
  };

  async function load(id: string): Promise<Channel> {
    try {
      const reply = await slack.call('conversations.info', { channel: id }, { priority: 'private' });
      return readChannel(id, reply.channel, slack.identity);
    } catch (error) {
      if (!isAppError(error) || isTransient(error) || isTokenRefused(error)) throw error;
      if (error.code === 'channel_not_found') return { id, kind: 'hidden' };
      log.warn({ event: 'channel_not_known', channelId: id, kind: error.kind }, error);
      return { id, kind: 'unknown' };
    }
  }
}

/**
 * Reads a conversation object. For each channel Slack says whether other organizations are in it or invited.
 * (`is_shared` does not: it includes sharing within one organization.) When one of the two flags is missing, the kind
 * is `unknown`.
 */
export function readChannel(id: string, raw: unknown, own: Own = {}): Channel {
  const parsed = conversationObject.safeParse(raw);
  if (!parsed.success || parsed.data.id !== id) return { id, kind: 'unknown' };
  const { name, is_ext_shared: isShared, is_pending_ext_shared: isPending, is_member: isMember } = parsed.data;
  const kind = kindOf();
  return {
    id,
    kind,
    ...(name === undefined || !isOpen(parsed.data) ? {} : { name }),
    ...(kind === 'shared' ? { organizationIds: othersIn(parsed.data, own) } : {}),
    isMember,
  };

  function kindOf(): ChannelKind {
    if (isShared === true || isPending === true) return 'shared';
    return (isShared === false && isPending === false) || own.isStandIn === true ? 'internal' : 'unknown';
  }
}

/** Slack lists the app's own workspace too, and other workspaces of its organization. */
function othersIn(channel: z.infer<typeof conversationObject>, { teamId, enterpriseId }: Own): string[] {
  const own = new Set([teamId, enterpriseId, ...channel.internal_team_ids]);
  const named = [
    ...channel.shared_team_ids,
    ...channel.connected_team_ids,
    ...channel.pending_connected_team_ids,
    ...channel.pending_shared,
  ];
  return [...new Set(named)].filter((id) => !own.has(id));
}

/** A channel counts as private unless Slack says that it is open. */
function isOpen({ is_private: isPrivate, is_im: isIm, is_mpim: isMpim }: z.infer<typeof conversationObject>): boolean {
  return isPrivate === false && isIm !== true && isMpim !== true;
}
