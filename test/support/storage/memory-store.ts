import { type KeyValueStore, tooLate } from '../../../src/storage/key-value-store.ts';

export interface MemoryStore extends KeyValueStore {
  texts: Map<string, string>;
  lifetimesMs: Map<string, number | undefined>;
  sets: Map<string, Set<string>>;
  /** What was done, in order: the operation and its key. */
  done: string[];
}

/** A store in memory; `changes` replaces single operations. */
export function memoryStore(changes: Partial<KeyValueStore> = {}): MemoryStore {
  const texts = new Map<string, string>();
  const lifetimesMs = new Map<string, number | undefined>();
  const sets = new Map<string, Set<string>>();
  const done: string[] = [];
  const put = (key: string, value: string, ttlMs: number | undefined) => {
    texts.set(key, value);
    lifetimesMs.set(key, ttlMs);
    return true;
  };
  const members = (set: string) => sets.get(set) ?? new Set<string>();
  return {
    texts,
    lifetimesMs,
    sets,
    done,
    get: async (key) => texts.get(key),
    set: async (key, value, ttlMs) => void put(key, value, ttlMs),
    delete: async (key) => texts.delete(key),
    async setIfAbsent(key, value, ttlMs) {
      done.push(`set ${key}`);
      return !texts.has(key) && put(key, value, ttlMs);
    },
    async createListed(key, value, ttlMs, set, member, byMs = Number.POSITIVE_INFINITY) {
      const existing = texts.get(key);
      if (existing !== undefined) return existing;
      if (Date.now() > byMs) throw tooLate();
      done.push(`create ${key}`);
      put(key, value, ttlMs);
      sets.set(set, members(set).add(member));
      return undefined;
    },
    compareAndSet: async (key, expected, next, ttlMs) => texts.get(key) === expected && put(key, next, ttlMs),
    compareAndDelete: async (key, expected) => texts.get(key) === expected && texts.delete(key),
    async *keys(prefix) {
      for (const key of [...texts.keys()]) if (key.startsWith(prefix)) yield key;
    },
    async shortenLife(key, longestMs) {
      if (!texts.has(key) || (lifetimesMs.get(key) ?? Number.POSITIVE_INFINITY) <= longestMs) return false;
      lifetimesMs.set(key, longestMs);
      return true;
    },
    async addMember(set, member) {
      done.push(`list ${member}`);
      sets.set(set, members(set).add(member));
    },
    removeMember: async (set, member) => void members(set).delete(member),
    members: async (set) => [...members(set)],
    ping: async () => {},
    close: async () => {},
    ...changes,
  };
}
