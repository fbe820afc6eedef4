import type { TimedTexts } from './timed-texts.ts';

/**
 * The operations of both engines: texts under keys, two atomic operations, and sets of names. Times to live are in
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
  /** Stores `next` if the key holds exactly the text `expected` (undefined: no value). Returns whether it stored it. */
  compareAndSet(key: string, expected: string | undefined, next: string, ttlMs?: number): Promise<boolean>;
  addMember(set: string, member: string): Promise<void>;
  removeMember(set: string, member: string): Promise<void>;
  /** Returns all members, in no particular order. */
  members(set: string): Promise<string[]>;
  /** Throws when the store can't be used now. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A store with texts in order of time beside the keys. */
export interface EngineStore extends KeyValueStore {
  timed: TimedTexts;
}
