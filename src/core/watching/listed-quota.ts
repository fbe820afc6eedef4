import { isAppError } from '../errors.ts';
import type { Conversation } from '../ports.ts';
import type { Question, Quota } from '../question/question.ts';
import { findUpstream, isUnderWay } from '../question/upstream.ts';
import { quotaLifeMs, quotaPatienceMs } from '../settings.ts';
import { within } from '../timeout.ts';

/** What is known of an account's quota. */
export interface KnownQuota {
  /** As a read told it last: lists leave it out. */
  quota: Quota | undefined;
  /** Until when it is not read again. */
  quotaUntilMs: number;
}

/**
 * A conversation from a list, with the account's quota if the question has ended: lists leave the quota out. `read` is
 * asked for it when the known quota is old, and always when a limit stopped the question, because only the quota tells
 * when that limit ends. Throws the errors of such a read only after a limit.
 */
export async function withQuota(
  listed: Conversation,
  question: Question,
  watched: KnownQuota,
  read: () => Promise<Conversation | undefined>,
  nowMs: number,
): Promise<Conversation | undefined> {
  const upstream = findUpstream(listed, question);
  if ((upstream && isUnderWay(upstream)) || listed.quota !== undefined) return listed;
  const isLimited = upstream?.error?.cause === 'limited' && upstream.error.retryAtMs === undefined;
  if (isLimited) return read();
  if (nowMs >= watched.quotaUntilMs) {
    // Questions that end at the same time need one read.
    watched.quotaUntilMs = nowMs + quotaLifeMs;
    try {
      const conversation = await within(read(), quotaPatienceMs);
      watched.quota = conversation?.quota;
      if (conversation !== undefined) return conversation;
    } catch (failure) {
      if (!isAppError(failure)) throw failure;
      watched.quota = undefined;
    }
  }
  return watched.quota === undefined ? listed : { ...listed, quota: watched.quota };
}
