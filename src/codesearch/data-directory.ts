import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** The LMDB environment of a data directory. */
export interface DataDirectory {
  root: RootDatabase<unknown, string>;
  /** Files and folders that other users of the machine could open, and can't any more. */
  repaired: string[];
  close(): Promise<void>;
}

/**
 * Opens a data directory, creating it if necessary, and makes it and its files readable only by their owner. Accounts
 * may be opened by a second process at the same time; conversations may not.
 */
export function openDataDirectory(directory: string): DataDirectory {
  mkdirSync(directory, { recursive: true, mode: PRIVATE_FOLDER });
  const repaired = makePrivate(directory);
  const root = open<unknown, string>({ path: directory, maxDbs: 16, compression: false, encoding: 'json' });
  // LMDB creates its files by the umask of the process, so they are made private after it has opened them.
  makePrivate(directory);
  return {
    root,
    repaired,
    async close() {
      await root.flushed;
      await root.close();
    },
  };
}

/** Symbolic links stay as they are: their target belongs to another folder. */
function makePrivate(directory: string): string[] {
  const paths = [directory, ...readdirSync(directory).map((name) => join(directory, name))];
  return paths.filter((path) => {
    // A running service may rename or remove a file meanwhile; it makes its own files private.
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return false;
    const mode = status.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE;
    if (!(status.isDirectory() || status.isFile()) || (status.mode & 0o077) === 0) return false;
    chmodSync(path, mode);
    return true;
  });
}
