import { existsSync } from 'node:fs';
import { type Database, open } from 'lmdb';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { codeOf, refuseForeignFile, storeFile } from './embedded-store.ts';
import { KEYS_PER_PAGE, type KeyValueStore } from './key-value-store.ts';
import { createLmdbEntries } from './lmdb-adapter.ts';

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
