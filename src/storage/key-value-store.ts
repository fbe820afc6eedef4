import { setTimeout as wait } from 'node:timers/promises';
import type { DeserializedData } from 'keyv';
import { AppError } from '../core/errors.ts';
import { withTimeout } from '../core/pacing.ts';

/** How many keys one read of a listing takes. */
export const KEYS_PER_PAGE = 200;

/** What a store says that had to store something before a time that is over. */
export function tooLate(): AppError {
  return new AppError('storage', 'too late to be stored', { code: 'late' });
}

/**
 * The operations of both engines: texts under keys, atomic operations, and sets of names. Times to live are in
 * milliseconds; a value without one never expires. Every method throws only `AppError` of kind `storage`, within a
 * bounded time.
 */
export interface KeyValueStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /** Returns whether there was a value to delete. */
  delete(key: string): Promise<boolean>;
  /** Stores `value` if the key has no value. Returns whether it stored it. */
  setIfAbsent(key: string, value: string, ttlMs?: number): Promise<boolean>;
  /**
   * As `setIfAbsent`, and adds `member` to `set` in the same step, so that no crash leaves one without the other. Returns
   * the value that the key already has, or undefined if it stored `value`. After `byMs` (epoch milliseconds) the store itself
   * refuses to store: throws `AppError` of kind `storage` with the code `late`. So what was not stored by then never is.
   */
  createListed(
    key: string,
    value: string,
    ttlMs: number,
    set: string,
    member: string,
    byMs?: number,
  ): Promise<string | undefined>;
  /** Stores `next` if the key holds exactly the text `expected` (undefined: no value). Returns whether it stored it. */
  compareAndSet(key: string, expected: string | undefined, next: string, ttlMs?: number): Promise<boolean>;
  /** Deletes the key if it holds exactly the text `expected`. Returns whether it deleted it. */
  compareAndDelete(key: string, expected: string): Promise<boolean>;
  /**
   * All keys that begin with `prefix`, in no particular order, read in pages of {@link KEYS_PER_PAGE}. Yields each key
   * that exists all the time at least once, and possibly keys whose value has expired.
   */
  keys(prefix: string): AsyncIterable<string>;
  /** Makes a value expire in at most `longestMs`. A value that expires earlier stays as it is. Returns whether it changed. */
  shortenLife(key: string, longestMs: number): Promise<boolean>;
  addMember(set: string, member: string): Promise<void>;
  removeMember(set: string, member: string): Promise<void>;
  /** Returns all members, in no particular order. */
  members(set: string): Promise<string[]>;
  /** Throws when the store can't be used now. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** With the waits in between, a change loses against other writers for at most about two seconds. */
const ATTEMPTS = 100;
const LONGEST_WAIT_MS = 40;

/** What an attempt returns if another writer changed the record after it was read. */
export const lost = Symbol('lost');

/**
 * Repeats an attempt to read, change and store a record until no other writer comes in between. After the last attempt
 * returns or throws what `gaveUp` does. Default: throws `AppError` of kind `storage`.
 */
export async function retryLost<Result>(
  key: string,
  attempt: () => Promise<Result | typeof lost>,
  gaveUp: () => Result = () => {
    throw new AppError('storage', `Record ${key} could not be updated: ${ATTEMPTS} attempts lost to other writers`);
  },
): Promise<Result> {
  for (let count = 1; count <= ATTEMPTS; count++) {
    const result = await attempt();
    if (result !== lost) return result;
    await wait(Math.random() * Math.min(count, LONGEST_WAIT_MS));
  }
  return gaveUp();
}

/** Longest wait for one operation of either engine. A command or a button must be answered within Slack's 3 s. */
export const OPERATION_DEADLINE_MS = 2_000;

/** The result of `operation`, or `AppError` of kind `storage` with an unknown outcome after `deadlineMs`. */
export function withDeadline<T>(operation: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  return withTimeout(operation, deadlineMs, () => {
    throw new AppError('storage', `${what} did not finish within ${deadlineMs} ms`, { outcomeUnknown: true });
  });
}

/**
 * Makes Keyv store plain texts without its envelope. An atomic operation next to Keyv then compares and writes the same
 * text, and the engine's own tools can read it. The engine handles expiry.
 */
export const textSerialization = {
  serialize<Value>({ value }: DeserializedData<Value>): string {
    if (typeof value !== 'string') throw new TypeError('Only texts are stored');
    return value;
  },
  deserialize<Value>(text: string): DeserializedData<Value> {
    // Keyv lets its caller choose the value's type. Both instances in this app are Keyv<string>.
    return { value: text as Value };
  },
};
