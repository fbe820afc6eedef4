import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Keyv } from 'keyv';
import { type Database, open, type RootDatabase } from 'lmdb';
import { AppError, isAppError } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { lockDataDir } from './data-dir-lock.ts';
import {
  KEYS_PER_PAGE,
  type KeyValueStore,
  OPERATION_DEADLINE_MS,
  textSerialization,
  tooLate,
  withDeadline,
} from './key-value-store.ts';
import { createLmdbAdapter, createLmdbEntries, type LmdbEntries } from './lmdb-adapter.ts';

/** Path of the store's data file. LMDB keeps a lock file next to it. */
export function storeFile(dataDir: string): string {
  return join(dataDir, 'store.mdb');
}

/**
 * LMDB allows 1,978 bytes, and the index by expiry needs a part of them. A longer key would leave its transaction half
 * done.
 */
const MAX_KEY_BYTES = 1_024;

/** Bytes in the first page of every LMDB file (`MDB_MAGIC` of its mdb.c, little-endian). */
const LMDB_MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe]);
const HEAD_BYTES = 64;

const PING_KEY = 'ds:ping';

const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_LIMIT = 500;
const CLOSE_DEADLINE_MS = 10_000;

/**
 * Opens the store in a local directory, for one process. Every write is on disk when its promise resolves, so it
 * survives kill -9 and a power cut. Throws `AppError` of kind `storage` when the directory can't be used or is already
 * in use.
 */
export function openEmbeddedStore(dataDir: string, clock: Clock, log: Log): KeyValueStore {
  return openEmbedded(dataDir, clock, log).store;
}

/** As {@link openEmbeddedStore}, with what the store is made of. The store closes it. */
export function openEmbedded(
  dataDir: string,
  clock: Clock,
  log: Log,
): { store: KeyValueStore; env: RootDatabase; entries: LmdbEntries } {
  const env = openEnvironment(dataDir);
  try {
    const unlock = lockDataDir(env.openDB({ name: 'lock' }), dataDir);
    const entries = createLmdbEntries(env, clock);
    return { store: createStore(env, entries, clock, log, unlock), env, entries };
  } catch (error) {
    void env.close();
    throw translate(error);
  }
}

/**
 * Opens the store of a directory for a program that reads and writes beside the app, without its lock. LMDB lets one
 * process write at a time, and every operation that compares is one transaction, so no write is lost. Never in the process
 * that has the store open: opening it again waits for a write, and that write waits for this thread. Throws `AppError` of
 * kind `storage` when there is no store; it never creates one.
 */
export function openEmbeddedStoreBeside(dataDir: string, clock: Clock, log: Log): KeyValueStore {
  if (!existsSync(storeFile(dataDir))) throw new AppError('storage', `There is no store of this app in ${dataDir}`);
  const env = openEnvironment(dataDir);
  return createStore(env, createLmdbEntries(env, clock), clock, log, () => {});
}

function createStore(
  env: RootDatabase,
  entries: LmdbEntries,
  clock: Clock,
  log: Log,
  unlock: () => void,
): KeyValueStore {
  const membership: Database<true, [string, string]> = env.openDB({ name: 'members' });
  const keyv = new Keyv<string>({
    store: createLmdbAdapter(entries),
    useKeyPrefix: false,
    throwOnErrors: true,
    ...textSerialization,
  });

  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function run<T>(name: string, operation: () => T | Promise<T>): Promise<T> {
    if (closing !== undefined) throw new AppError('storage', 'The embedded store is closed');
    const result = settle(operation);
    running.add(result);
    const forget = () => void running.delete(result);
    result.then(forget, forget);
    try {
      return await withDeadline(result, OPERATION_DEADLINE_MS, `Embedded store: ${name}`);
    } catch (error) {
      throw translate(error);
    }
  }

  async function sweep(): Promise<void> {
    try {
      while (closing === undefined) {
        const swept = await run('sweep', () => entries.sweep(SWEEP_LIMIT));
        if (swept < SWEEP_LIMIT) return;
      }
    } catch (error) {
      log.warn({ event: 'storage.sweep', outcome: 'failed' }, error);
    }
  }

  async function close(): Promise<void> {
    clearInterval(sweeper);
    await withDeadline(Promise.allSettled(running), CLOSE_DEADLINE_MS, 'Embedded store: pending writes');
    try {
      unlock();
    } finally {
      await withDeadline(env.close(), CLOSE_DEADLINE_MS, 'Embedded store: close');
    }
  }

  const sweeper = setInterval(sweep, SWEEP_INTERVAL_MS);
  // The sweep alone must not keep the process alive.
  sweeper.unref();

  return {
    get: (key) => run('get', () => keyv.get(key)),
    async set(key, value, ttlMs) {
      checkKey(key);
      await run('set', () => keyv.set(key, value, ttlMs));
    },
    delete: (key) => run('delete', () => keyv.delete(key)),

    // The next methods read and write Keyv's entries in one transaction, because Keyv has no atomic operation.
    async setIfAbsent(key, value, ttlMs) {
      checkKey(key);
      return run('setIfAbsent', () => entries.transaction(() => replace(key, undefined, value, ttlMs)));
    },
    async createListed(key, value, ttlMs, set, member, byMs = Number.POSITIVE_INFINITY) {
      checkKey(key);
      checkKey(set + member);
      return run('createListed', () =>
        entries.transaction(() => {
          const existing = entries.read(key);
          if (typeof existing === 'string') return existing;
          // The transaction may have waited behind others.
          if (clock() > byMs) throw tooLate();
          entries.write(key, value, ttlMs);
          membership.putSync([set, member], true);
          return undefined;
        }),
      );
    },
    async compareAndSet(key, expected, next, ttlMs) {
      checkKey(key);
      return run('compareAndSet', () => entries.transaction(() => replace(key, expected, next, ttlMs)));
    },
    compareAndDelete: (key, expected) =>
      run('compareAndDelete', () => entries.transaction(() => entries.read(key) === expected && entries.remove(key))),
    async *keys(prefix) {
      let page = await run('keys', () => entries.keys(prefix, undefined, KEYS_PER_PAGE));
      while (page.length > 0) {
        yield* page;
        const last = page.at(-1);
        page = await run('keys', () => entries.keys(prefix, last, KEYS_PER_PAGE));
      }
    },
    shortenLife: (key, longestMs) =>
      run('shortenLife', () => entries.transaction(() => entries.shortenLife(key, longestMs))),

    async addMember(set, member) {
      checkKey(set + member);
      await run('addMember', () => membership.put([set, member], true));
    },
    async removeMember(set, member) {
      await run('removeMember', () => membership.remove([set, member]));
    },
    members: (set) =>
      run('members', () => {
        const found: string[] = [];
        for (const [name, member] of membership.getKeys({ start: [set, ''] })) {
          if (name !== set) break;
          found.push(member);
        }
        return found;
      }),

    // Pings with a write, because a full or read-only disk still answers reads.
    ping: () => run('ping', () => entries.transaction(() => entries.write(PING_KEY, '', undefined))),
    close() {
      closing ??= close().catch((error: unknown) => {
        throw translate(error);
      });
      return closing;
    },
  };

  function replace(key: string, expected: string | undefined, next: string, ttlMs: number | undefined): boolean {
    if (entries.read(key) !== expected) return false;
    entries.write(key, next, ttlMs);
    return true;
  }
}

/**
 * LMDB reports the reason of a failed commit in a separate promise, `commitError`. The store must listen to that
 * promise: without a listener its rejection, for example on a full disk, would end the process.
 */
export async function settle<T>(operation: () => T | Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof Error && 'commitError' in error) await error.commitError;
    throw error;
  }
}

/** Opens the databases of a directory, which it creates. Throws `AppError` of kind `storage`. */
export function openEnvironment(dataDir: string): RootDatabase {
  const path = storeFile(dataDir);
  try {
    // The store contains questions and answers about private code, so only this user may read it.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    refuseForeignFile(path);
    const options = {
      path,
      maxDbs: 8,
      // Without overlapping sync, the promise of a write resolves after the flush to disk.
      overlappingSync: false,
      // With batching, the library starts each batch with its own write, whose failure can't be caught.
      eventTurnBatching: false,
      // Missing in lmdb 3.5's types, but read by its native part (env.cpp), which otherwise makes files readable for
      // all users.
      permissionsMode: 0o600,
    };
    return open(options);
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError('storage', `The data directory ${dataDir} can't be used`, { cause: error, code: codeOf(error) });
  }
}

/**
 * Throws for a file that is not LMDB's, because LMDB 3.5 crashes the process (segmentation fault) when it opens one.
 */
export function refuseForeignFile(path: string): void {
  const head = readHead(path);
  if (head.length === 0 || head.includes(LMDB_MAGIC)) return;
  throw new AppError('storage', `${path} is not a store of this app, or it is damaged: restore it or move it away`);
}

function readHead(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES)
    throw new AppError('storage', `A key of ${bytes} bytes is too long for the embedded store`);
}

export function translate(error: unknown): AppError {
  if (isAppError(error)) return error;
  return new AppError('storage', 'The embedded store refused an operation', { cause: error, code: codeOf(error) });
}

/** The code of an engine or file system error, for the log. */
export function codeOf(error: unknown): string | number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

/** What a program can read of a store beside the app. */
export type EmbeddedReader = Pick<KeyValueStore, 'get' | 'keys' | 'members' | 'close'>;

/**
 * Opens the store of a directory for reading, beside the one process that writes there and without its lock. LMDB
 * allows any number of readers; each sees what was committed when it began. Throws `AppError` of kind `storage` when
 * there is no store; it never creates one.
 */
export function openEmbeddedReader(dataDir: string, clock: Clock): EmbeddedReader {
  const path = storeFile(dataDir);
  if (!existsSync(path)) throw new AppError('storage', `There is no store of this app in ${dataDir}`);
  try {
    refuseForeignFile(path);
    const env = open({ path, maxDbs: 8, readOnly: true });
    const entries = createLmdbEntries(env, clock);
    const membership: Database<true, [string, string]> = env.openDB({ name: 'members' });
    return {
      async get(key) {
        const value = entries.read(key);
        return typeof value === 'string' ? value : undefined;
      },
      async *keys(prefix) {
        let page = entries.keys(prefix, undefined, KEYS_PER_PAGE);
        while (page.length > 0) {
          yield* page;
          page = entries.keys(prefix, page.at(-1), KEYS_PER_PAGE);
        }
      },
      async members(set) {
        const found: string[] = [];
        for (const [name, member] of membership.getKeys({ start: [set, ''] })) {
          if (name !== set) break;
          found.push(member);
        }
        return found;
      },
      close: () => env.close(),
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('storage', `The store in ${dataDir} can't be read`, { cause: error, code: codeOf(error) });
  }
}
