import type { Person } from '../accounts/accounts.ts';
import type { Records } from '../ports.ts';
import { mostStoredPerDay } from '../settings.ts';
import { type DayCount, dayOf } from './daily-caps.ts';

/** What is bounded: refused requests, edits that add a mention of the app, verbs. */
export type BoundedKind = keyof typeof mostStoredPerDay;

/**
 * Bounds what one person's deliveries leave in the storage in a day (UTC), also of people who may not ask. Throws
 * `AppError` of kind `storage` or `corrupt`.
 */
export interface DailyStorage {
  /** Counts something that is about to be stored, once per id. False if the person stored as much as allowed that day. */
  take(kind: BoundedKind, person: Person, id: string, atMs: number): Promise<boolean>;
  /** Whether a person stored as much as allowed on that day. */
  isFull(kind: BoundedKind, person: Person, atMs: number): Promise<boolean>;
}

export function createDailyStorage(counts: Records<DayCount>, bounds = mostStoredPerDay): DailyStorage {
  return {
    async take(kind, person, id, atMs) {
      const { questionIds } = await counts.update(
        nameOf(kind, person, atMs),
        (current = { version: 1, questionIds: [] }) =>
          current.questionIds.includes(id) || current.questionIds.length >= bounds[kind]
            ? current
            : { ...current, questionIds: [...current.questionIds, id] },
      );
      return questionIds.includes(id);
    },
    async isFull(kind, person, atMs) {
      return ((await counts.get(nameOf(kind, person, atMs)))?.questionIds.length ?? 0) >= bounds[kind];
    },
  };
}

/** Beside the counts of the daily caps, so that `forget` finds them by the person's name too. */
function nameOf(kind: BoundedKind, { teamId, userId }: Person, atMs: number): string {
  return `${teamId}:${userId}:${dayOf(atMs)}:${kind}`;
}
