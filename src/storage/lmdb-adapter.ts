import type { KeyvStoreAdapter, StoredData } from 'keyv';
import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../core/ports.ts';

interface Entry {
  value: unknown;
  expiresMs?: number;
}

/**
 * Values under keys with a time to live, over LMDB. `write` and `remove` are for use inside `transaction` only, whose
 * promise resolves once everything in it is on disk.
 */
export interface LmdbEntries {
  /** Undefined too when the time of the entry is over. */
  read(key: string): unknown;
  write(key: string, value: unknown, ttlMs: number | undefined): void;
  /** Whether there was a living entry. */
  remove(key: string): boolean;
  removeAll(prefix: string): void;
  transaction<T>(action: () => T): Promise<T>;
  /** Deletes at most `limit` entries whose time is over; returns how many it deleted. */
  sweep(limit: number): Promise<number>;
}

/** Entries in two databases of `env`: the values, and an index by expiry which makes sweeping cheap. */
export function createLmdbEntries(env: RootDatabase, clock: Clock): LmdbEntries {
  const entries: Database<Entry, string> = env.openDB({ name: 'entries' });
  const expiries: Database<true, [number, string]> = env.openDB({ name: 'expiries' });

  const isLiving = (entry: Entry | undefined): entry is Entry =>
    entry !== undefined && (entry.expiresMs === undefined || entry.expiresMs > clock());

  function drop(key: string, entry: Entry): void {
    if (entry.expiresMs !== undefined) expiries.removeSync([entry.expiresMs, key]);
    entries.removeSync(key);
  }

  function remove(key: string): boolean {
    const entry = entries.get(key);
    if (entry !== undefined) drop(key, entry);
    return isLiving(entry);
  }

  return {
    read(key) {
      const entry = entries.get(key);
      return isLiving(entry) ? entry.value : undefined;
    },

    write(key, value, ttlMs) {
      const old = entries.get(key);
      if (old?.expiresMs !== undefined) expiries.removeSync([old.expiresMs, key]);
      if (ttlMs === undefined) {
        entries.putSync(key, { value });
      } else {
        const expiresMs = clock() + ttlMs;
        entries.putSync(key, { value, expiresMs });
        expiries.putSync([expiresMs, key], true);
      }
    },

    remove,

    removeAll(prefix) {
      const found: string[] = [];
      for (const key of entries.getKeys({ start: prefix })) {
        if (!key.startsWith(prefix)) break;
        found.push(key);
      }
      found.forEach(remove);
    },

    transaction: (action) => entries.transaction(action),

    sweep: (limit) =>
      entries.transaction(() => {
        const expired = [...expiries.getKeys({ end: [clock(), ''], limit })];
        for (const [, key] of expired) remove(key);
        return expired.length;
      }),
  };
}

/**
 * The storage adapter Keyv asks for, over LMDB. It has no iterator: Keyv 5.6 iterates only over adapters it knows by
 * name, and open questions are found through their own index.
 */
export function createLmdbAdapter(entries: LmdbEntries): KeyvStoreAdapter {
  const adapter: KeyvStoreAdapter = {
    opts: {},
    async get<Value>(key: string) {
      // Keyv's type promises whatever its caller hopes for; what comes back is what `set` was given.
      return entries.read(key) as StoredData<Value> | undefined;
    },
    set: (key: string, value: unknown, ttl?: number) => entries.transaction(() => entries.write(key, value, ttl)),
    delete: (key) => entries.transaction(() => entries.remove(key)),
    async clear() {
      const prefix = adapter.namespace === undefined ? '' : `${adapter.namespace}:`;
      await entries.transaction(() => entries.removeAll(prefix));
    },
    // Keyv subscribes to `error`; nothing is ever emitted, because every failure is thrown.
    on: () => adapter,
  };
  return adapter;
}
