import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { type MemoryStore, memoryStore } from './memory-store.ts';

/** A store in memory whose values end with their lives, by a clock of the test. */
export function expiringStore(now: () => number): MemoryStore {
  const untilMs = new Map<string, number>();
  const inner = memoryStore();

  function live(key: string): void {
    if ((untilMs.get(key) ?? Number.POSITIVE_INFINITY) > now()) return;
    inner.texts.delete(key);
    untilMs.delete(key);
  }

  function noteLife(key: string, ttlMs: number | undefined): void {
    untilMs.set(key, now() + (ttlMs ?? Number.POSITIVE_INFINITY));
  }

  const expiring: Partial<KeyValueStore> = {
    get(key) {
      live(key);
      return inner.get(key);
    },
    async set(key, value, ttlMs) {
      await inner.set(key, value, ttlMs);
      noteLife(key, ttlMs);
    },
    async setIfAbsent(key, value, ttlMs) {
      live(key);
      const isStored = await inner.setIfAbsent(key, value, ttlMs);
      if (isStored) noteLife(key, ttlMs);
      return isStored;
    },
    async compareAndSet(key, expected, next, ttlMs) {
      live(key);
      const isStored = await inner.compareAndSet(key, expected, next, ttlMs);
      if (isStored) noteLife(key, ttlMs);
      return isStored;
    },
    compareAndDelete(key, expected) {
      live(key);
      return inner.compareAndDelete(key, expected);
    },
  };
  return { ...inner, ...expiring };
}
