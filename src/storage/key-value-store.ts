/**
 * What both engines offer: texts under keys, two atomic operations, sets of names. Times to live are in milliseconds;
 * without one a value stays. Every method throws `AppError` of kind `storage` only, within a bounded time.
 */
export interface KeyValueStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** Stores `value` unless the key has one; whether it did. */
  setIfAbsent(key: string, value: string, ttlMs?: number): Promise<boolean>;
  /** Stores `next` only while the key holds exactly the text `expected` (undefined: nothing); whether it did. */
  compareAndSet(key: string, expected: string | undefined, next: string, ttlMs?: number): Promise<boolean>;
  addMember(set: string, member: string): Promise<void>;
  removeMember(set: string, member: string): Promise<void>;
  /** All members, in no particular order. */
  members(set: string): Promise<string[]>;
  /** Throws when the store can't be used at the moment. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
