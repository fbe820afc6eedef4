import type { Question, Thread } from '../core/question/question.ts';
import { CLAIM_LEAST_TTL_MS, CLAIM_TTL_MS, QUESTION_TTL_MS, type RecordType, THREAD_TTL_MS } from './records.ts';

/** How long records of one type are kept after their last write. */
export type Life<T> = Pick<RecordType<T>, 'ttlMs' | 'isInUse'>;

/** The life of a record that is written now: its type's, shortened to `retentionMs` unless it is in use. */
export function lifeOf<T>({ ttlMs, isInUse = () => false }: Life<T>, record: T, retentionMs: number): number {
  return isInUse(record) ? ttlMs : Math.min(ttlMs, retentionMs);
}

/** Questions. An offered one that is not confirmed at once is never asked, so it counts as closed. */
export const questionLife: Life<Question> = {
  ttlMs: QUESTION_TTL_MS,
  isInUse: ({ phase }) => phase !== 'closed' && phase !== 'offered',
};

export const threadLife: Life<Thread> = {
  ttlMs: THREAD_TTL_MS,
  isInUse: ({ queue }) => queue.length > 0,
};

/** How long a claim lasts if nothing is stored longer than `retentionMs`. */
export function claimLifeMs(retentionMs: number): number {
  return Math.max(Math.min(CLAIM_TTL_MS, retentionMs), CLAIM_LEAST_TTL_MS);
}
