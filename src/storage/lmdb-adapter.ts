import type { KeyvStoreAdapter, StoredData } from 'keyv';
import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../core/ports.ts';

interface Entry {
  value: unknown;
  expiresMs?: number;
}

/** An entry with its key. Without `expiresMs` it has no end. */
export interface KeyedEntry extends Entry {
  key: string;
}

/**
 * Values under keys with a time to live, in LMDB. Call `write` and `remove` only inside `transaction`, whose promise
 * resolves when all its changes are on disk.
 */
export interface LmdbEntries {
  /** Also undefined when the entry has expired. */
  read(key: string): unknown;
  write(key: string, value: unknown, ttlMs: number | undefined): void;
  /** As `write`, with the time at which the entry ends. */
  put(entry: KeyedEntry): void;
  /** As `read`, with the time at which the entry ends. */
  find(key: string): KeyedEntry | undefined;
  /** The entries that have not expired, after the key `after`, in order. */
  living(after?: string): Iterable<KeyedEntry>;
  /** Returns whether there was an entry that had not expired. */
  remove(key: string): boolean;
  removeAll(prefix: string): void;
  /** At most `limit` keys that begin with `prefix` and come after the key `after`, in order. Expired ones too. */
  keys(prefix: string, after: string | undefined, limit: number): string[];
  /** Makes an entry expire in at most `longestMs`. Returns whether it changed. Only inside `transaction`. */
  shortenLife(key: string, longestMs: number): boolean;
  transaction<T>(action: () => T): Promise<T>;
  /** Deletes at most `limit` expired entries. Returns how many it deleted. */
  sweep(limit: number): Promise<number>;
}

/** Creates the entries in two databases of `env`: the values, and an index by expiry that makes sweeping cheap. */
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

  function put({ key, ...entry }: KeyedEntry): void {
    const old = entries.get(key);
    if (old?.expiresMs !== undefined) expiries.removeSync([old.expiresMs, key]);
    entries.putSync(key, entry);
    if (entry.expiresMs !== undefined) expiries.putSync([entry.expiresMs, key], true);
  }

  return {
    read(key) {
      const entry = entries.get(key);
      return isLiving(entry) ? entry.value : undefined;
    },

    write(key, value, ttlMs) {
      put({ key, value, ...(ttlMs === undefined ? {} : { expiresMs: clock() + ttlMs }) });
    },

    put,

    find(key) {
      const entry = entries.get(key);
      return isLiving(entry) ? { key, ...entry } : undefined;
    },

    *living(after) {
      const range = after === undefined ? {} : { start: after, exclusiveStart: true };
      for (const { key, value: entry } of entries.getRange(range)) if (isLiving(entry)) yield { key, ...entry };
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

    keys(prefix, after, limit) {
      const found: string[] = [];
      for (const key of entries.getKeys({ start: after ?? prefix })) {
        if (!key.startsWith(prefix) || found.length === limit) break;
        if (key !== after) found.push(key);
      }
      return found;
    },

    shortenLife(key, longestMs) {
      const entry = entries.get(key);
      const expiresMs = clock() + longestMs;
      if (!isLiving(entry) || (entry.expiresMs !== undefined && entry.expiresMs <= expiresMs)) return false;
      if (entry.expiresMs !== undefined) expiries.removeSync([entry.expiresMs, key]);
      entries.putSync(key, { ...entry, expiresMs });
      expiries.putSync([expiresMs, key], true);
      return true;
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
 * Keyv's storage adapter for LMDB. It has no iterator: Keyv 5.6 iterates only over adapters that it knows by name, and
 * open questions have their own index.
 */
export function createLmdbAdapter(entries: LmdbEntries): KeyvStoreAdapter {
  const adapter: KeyvStoreAdapter = {
    opts: {},
    async get<Value>(key: string) {
      // Keyv's type parameter is the caller's claim. The value is the one that `set` received.
      return entries.read(key) as StoredData<Value> | undefined;
    },
    set: (key: string, value: unknown, ttl?: number) => entries.transaction(() => entries.write(key, value, ttl)),
    delete: (key) => entries.transaction(() => entries.remove(key)),
    async clear() {
      const prefix = adapter.namespace === undefined ? '' : `${adapter.namespace}:`;
      await entries.transaction(() => entries.removeAll(prefix));
    },
    // Keyv subscribes to `error`. The adapter emits no events, because it throws every failure.
    on: () => adapter,
  };
  return adapter;
}
