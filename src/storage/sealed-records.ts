import { isAppError } from '../core/errors.ts';
import type { RecordFormat } from '../core/record.ts';
import { Secret } from '../core/secret.ts';
import type { KeyRing } from './encryption.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { lost, retryLost } from './retry-lost.ts';

/** Records of one type without expiry, each encrypted as a whole and bound to its key. */
interface SealedRecords<T> {
  get(key: string): Promise<T | undefined>;
  /** Atomic read-modify-write. Stores nothing for the same object, and removes the record for undefined. */
  update(key: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined>;
  /** Stores a record in place of any other, also of one that can't be decrypted. */
  replace(key: string, record: T): Promise<void>;
}

/** What a change of keys did with stored records: how many it encrypted again, and how many it left. */
export interface Rotation {
  rotated: number;
  /** Already encrypted with the first key. */
  current: number;
  /** No key decrypts them. They were left as they are. */
  unreadable: number;
}

/**
 * Stores encrypted records on either engine. What the storage shows without the keys is that a record exists. Throws
 * `AppError` of kind `storage`, or `corrupt` for a record that no key decrypts.
 */
export function createSealedRecords<T>(kv: KeyValueStore, keyRing: KeyRing, format: RecordFormat<T>): SealedRecords<T> {
  return {
    async get(key) {
      const text = await kv.get(key);
      return text === undefined ? undefined : decode(key, text);
    },
    update: (key, change) =>
      retryLost(key, async () => {
        const text = await kv.get(key);
        const current = text === undefined ? undefined : decode(key, text);
        const next = change(current);
        if (next === current) return next;
        if (next === undefined) {
          return text === undefined || (await kv.compareAndDelete(key, text)) ? undefined : lost;
        }
        return (await kv.compareAndSet(key, text, encode(key, next))) ? next : lost;
      }),
    replace: (key, record) => kv.set(key, encode(key, record)),
  };

  function decode(key: string, text: string): T {
    return format.decode(key, keyRing.open(key, text));
  }

  function encode(key: string, record: T): string {
    const plain = JSON.stringify(record, revealed);
    // Throws for a record that could not be read back, so that the last good one stays stored.
    format.decode(key, plain);
    return keyRing.seal(key, plain);
  }
}

/**
 * Encrypts the records under `keys` with the first key. Leaves those that no key decrypts. Safe beside running apps and
 * when it is interrupted: each record is replaced only if it is still the one that was read. Throws `AppError` of kind
 * `storage`.
 */
export async function rotateSealed(kv: KeyValueStore, keyRing: KeyRing, keys: Iterable<string>): Promise<Rotation> {
  const rotation: Rotation = { rotated: 0, current: 0, unreadable: 0 };
  for (const key of keys) {
    const done = await rotate(kv, keyRing, key);
    if (done !== 'gone') rotation[done] += 1;
  }
  return rotation;
}

async function rotate(kv: KeyValueStore, keyRing: KeyRing, key: string): Promise<keyof Rotation | 'gone'> {
  return retryLost(key, async () => {
    const text = await kv.get(key);
    if (text === undefined) return 'gone';
    try {
      const plain = keyRing.open(key, text);
      if (keyRing.isCurrent(text)) return 'current';
      return (await kv.compareAndSet(key, text, keyRing.seal(key, plain))) ? 'rotated' : lost;
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      return 'unreadable';
    }
  });
}

/** A replacer for `JSON.stringify` that writes secrets. It is called with the object that holds the value. */
function revealed(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const held = this[name];
  return held instanceof Secret ? held.reveal() : value;
}
