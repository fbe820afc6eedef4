import { z } from 'zod';
import { isAppError, isTransient } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { isBetweenTwo } from '../../core/question/question.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { Identity } from '../api/identity.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { createBriefCache } from './brief-cache.ts';

/** How long it is remembered what a channel is, and of how many. */
const rememberMs = 60_000;
const mostRemembered = 2_000;

/**
 * `direct`: between two, and where the app can post, itself and one person. `internal`: only the workspace's members and
 * guests. `shared`: other organizations are in it, or invited. `hidden`: Slack shows it to nobody who is not in it, and
 * the app is not. `unknown`: Slack does not say.
 */
export type ChannelKind = 'direct' | 'internal' | 'shared' | 'hidden' | 'unknown';

export interface Channel {
  id: string;
  kind: ChannelKind;
  /** Of a channel that everybody in the workspace may see only: others' names are not for whoever reads a text. */
  name?: string;
  /** Ids of the other organizations or workspaces that are in it or invited, as far as Slack tells them. */
  organizationIds?: string[];
}

export interface Channels {
  /** Throws `AppError` where asking Slack again later may help. */
  channel(channelId: string): Promise<Channel>;
  /** Slack said with an event that other organizations are in this channel. */
  noteShared(channelId: string): void;
}

/** A flag that is no flag makes the whole object unreadable: what it hides may be what matters. */
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
  shared_team_ids: ids,
  connected_team_ids: ids,
  internal_team_ids: ids,
  pending_connected_team_ids: ids,
  pending_shared: ids,
});

/** Whose app it is. */
type Own = Partial<Pick<Identity, 'teamId' | 'enterpriseId' | 'isStandIn'>>;

/** What channels are, one `conversations.info` each, remembered for a minute. */
export function createChannels(options: { slack: SlackApi; now: Clock; log: Log }): Channels {
  const { slack, now, log } = options;
  // A channel the app can't see is asked for anew each time: the next moment it may have been invited, and then see who is there.
  const memory = createBriefCache<Channel>({
    keepMs: rememberMs,
    most: mostRemembered,
    now,
    load,
    keeps: ({ kind }) => kind === 'internal' || kind === 'shared',
  });
  const sharedUntilMs = new Map<string, number>();

  return {
    async channel(id) {
      if (isBetweenTwo({ channelId: id })) return { id, kind: 'direct' };
      const channel = await memory.get(id);
      return (sharedUntilMs.get(id) ?? 0) > now() ? { ...channel, kind: 'shared' } : channel;
    },
    noteShared(id) {
      const nowMs = now();
      if (sharedUntilMs.size >= mostRemembered) {
        for (const [other, untilMs] of sharedUntilMs) if (untilMs <= nowMs) sharedUntilMs.delete(other);
      }
      if (sharedUntilMs.size < mostRemembered) sharedUntilMs.set(id, nowMs + rememberMs);
    },
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
 * Reads a conversation object. Slack says of every channel whether others are in it or invited (`is_shared` says neither:
 * it includes sharing within one organization). Where it leaves one of the two out, the channel is not known.
 */
export function readChannel(id: string, raw: unknown, own: Own = {}): Channel {
  const parsed = conversationObject.safeParse(raw);
  if (!parsed.success || parsed.data.id !== id) return { id, kind: 'unknown' };
  const { name, is_ext_shared: isShared, is_pending_ext_shared: isPending } = parsed.data;
  const kind = kindOf();
  return {
    id,
    kind,
    ...(name === undefined || !isOpen(parsed.data) ? {} : { name }),
    ...(kind === 'shared' ? { organizationIds: othersIn(parsed.data, own) } : {}),
  };

  function kindOf(): ChannelKind {
    if (isShared === true || isPending === true) return 'shared';
    return (isShared === false && isPending === false) || own.isStandIn === true ? 'internal' : 'unknown';
  }
}

/** Slack names the app's own workspace among those of a shared channel, and other workspaces of its organization. */
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

/** Where Slack does not say that a channel is open, it is taken for private. */
function isOpen({ is_private: isPrivate, is_im: isIm, is_mpim: isMpim }: z.infer<typeof conversationObject>): boolean {
  return isPrivate === false && isIm !== true && isMpim !== true;
}
