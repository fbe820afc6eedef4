import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import type { ThreadPlace } from '../../core/question/question.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { membersPerPage, mostMemberPages } from '../settings.ts';
import type { Named, SlackAccessPolicy } from './policy.ts';
import type { Users } from './users.ts';

/**
 * What a conversation is to a person. `open`: each full member of the workspace may read it, and the person is one.
 * Guests and people from other organizations read only the conversations they are in. `hidden`: only its members see
 * it, and the app is not one of them.
 */
export type Membership = 'member' | 'open' | 'none' | 'hidden';

export interface Memberships {
  /** Whether a person may read a conversation. Throws `AppError` when Slack does not say. */
  of(userId: string, channelId: string): Promise<Membership>;
  /** Whether a person is in a channel. Errors as of `of`. */
  inChannel(userId: string, channelId: string): Promise<Exclude<Membership, 'open'>>;
}

/** What tells whether a person may have a thread read for a question in another place. */
interface ThreadAccess {
  memberships: Pick<Memberships, 'of'>;
  access: Pick<SlackAccessPolicy, 'admit'>;
}

/** Whether a person may read a thread and may ask in it. Throws `AppError` when Slack does not say. */
export async function mayReadThread(
  { memberships, access }: ThreadAccess,
  userId: string,
  place: ThreadPlace,
  named?: Named,
): Promise<boolean> {
  const [membership, admission] = await Promise.all([
    memberships.of(userId, place.channelId),
    access.admit(userId, place, named),
  ]);
  return (membership === 'open' || membership === 'member') && admission.may;
}

/** What is read of a conversation object. It counts as private unless Slack says that it is open. */
const conversation = z.object({
  is_im: z.boolean().default(false),
  is_mpim: z.boolean().default(false),
  is_private: z.boolean().default(true),
  user: z.string().optional(),
});

/**
 * Tells whether a person may use the conversation that their form names, because ids in forms come from the person's
 * client. Slack is asked each time: forms are few, and the answer must be recent.
 */
export function createMemberships({
  slack,
  people,
}: {
  slack: Pick<SlackApi, 'call'>;
  people: Pick<Users, 'person'>;
}): Memberships {
  return { of, inChannel };

  async function of(userId: string, channelId: string): Promise<Membership> {
    const reply = await visible(slack.call('conversations.info', { channel: channelId }, { priority: 'private' }));
    if (reply === undefined) return 'hidden';
    const parsed = conversation.safeParse(reply.channel);
    if (!parsed.success) return 'none';
    const { is_im: isIm, is_mpim: isMpim, is_private: isPrivate, user } = parsed.data;
    if (isIm && user !== undefined) return user === userId ? 'member' : 'none';
    if (isIm || isMpim || isPrivate) return inChannel(userId, channelId);
    const { kind } = await people.person(userId);
    return kind === 'member' ? 'open' : inChannel(userId, channelId);
  }

  async function inChannel(userId: string, channel: string): Promise<Exclude<Membership, 'open'>> {
    let cursor: string | undefined;
    for (let page = 0; page < mostMemberPages; page += 1) {
      const window = { channel, limit: membersPerPage, cursor };
      const reply = await visible(slack.call('conversations.members', window, { priority: 'private' }));
      if (reply === undefined) return 'hidden';
      if (reply.members?.includes(userId) === true) return 'member';
      cursor = reply.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) break;
    }
    return 'none';
  }
}

async function visible<Reply>(asking: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isAppError(error) && error.code === 'channel_not_found') return undefined;
    throw error;
  }
}
