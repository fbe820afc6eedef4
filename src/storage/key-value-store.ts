import { AppError } from '../core/errors.ts';

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
