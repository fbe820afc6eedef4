import { dayMs, type RecordType } from '../core/record.ts';

/** Key of the set with the ids of all questions that are not closed. */
export const OPEN_QUESTIONS_KEY = 'ds:open-questions';

/** Key of the set with the names of all votes. */
export const VOTES_KEY = 'ds:votes';

export const claimPrefix = 'ds:claim:';

/** How long a claim lasts. The thing it guards (a delivery, a button) must not come again later than this. */
const claimTtlMs = 90 * dayMs;
/**
 * How long a claim lasts at least, if `RETENTION_DAYS` is shorter. Slack repeats a delivery for at most 24 hours (its
 * "delayed events"), and a question searches its conversation at the service for at most as long (`PATIENCE_SECONDS`).
 */
const claimLeastTtlMs = 2 * dayMs;

/** How long a claim lasts if nothing is stored longer than `retentionMs`. */
export function claimLifeMs(retentionMs: number): number {
  return Math.max(Math.min(claimTtlMs, retentionMs), claimLeastTtlMs);
}

/** The life of a record that is written now: its type's, shortened to `retentionMs` unless it is in use. */
export function lifeOf<T>({ ttlMs, isInUse = () => false }: RecordType<T>, record: T, retentionMs: number): number {
  return isInUse(record) ? ttlMs : Math.min(ttlMs, retentionMs);
}
