import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';

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
  const root = openPrivate(directory, { maxDbs: 16, compression: false, encoding: 'json' });
  return {
    root,
    repaired,
    async close() {
      await root.flushed;
      await root.close();
    },
  };
}

/**
 * Opens the folder `index` of a data directory, for what can be made again from the repositories. A file that is cut or not
 * LMDB's is removed: LMDB ends the process when it reads one, at every start again.
 */
export function openIndexFolder(directory: string): RootDatabase<unknown, string> {
  const folder = join(directory, 'index');
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (!isWhole(join(folder, 'data.mdb'))) {
    for (const name of ['data.mdb', 'lock.mdb']) rmSync(join(folder, name), { force: true });
  }
  return openPrivate(folder, { maxDbs: 2, compression: true, encoding: 'msgpack' });
}

function openPrivate(path: string, options: Omit<RootDatabaseOptionsWithPath, 'path'>): RootDatabase<unknown, string> {
  const root = open<unknown, string>({ path, ...options });
  // LMDB creates its files by the umask of the process, so they are made private after it has opened them.
  makePrivate(path);
  return root;
}

/** The first bytes of LMDB's two descriptions of a file, and where their fields are, from there (mdb.c, `MDB_meta`). */
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe]);
const PAGE_SIZE_AT = 24;
const LAST_PAGE_AT = 120;
const DESCRIBED_BYTES = 128;
/** The descriptions begin the first two pages. */
const HEAD_BYTES = 2 * 65_536;

/** Whether a file has all pages that LMDB expects in it. One that is absent or empty is made by LMDB. */
function isWhole(path: string): boolean {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return true;
  const head = readHead(path);
  const first = head.indexOf(MAGIC);
  if (first < 0 || first + DESCRIBED_BYTES > head.length) return false;
  const pageSize = head.readUInt32LE(first + PAGE_SIZE_AT);
  const second = first + pageSize;
  if (second + DESCRIBED_BYTES > head.length || !head.subarray(second).subarray(0, MAGIC.length).equals(MAGIC))
    return false;
  const lastPages = [first, second].map((at) => Number(head.readBigUInt64LE(at + LAST_PAGE_AT)));
  return size >= (Math.max(...lastPages) + 1) * pageSize;
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** Symbolic links stay as they are: their target belongs to another folder. */
function makePrivate(directory: string): string[] {
  const paths = [directory, ...readdirSync(directory).map((name) => join(directory, name))];
  return paths.filter((path) => {
    const status = lstatSync(path);
    const mode = status.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE;
    if (!(status.isDirectory() || status.isFile()) || (status.mode & 0o077) === 0) return false;
    chmodSync(path, mode);
    return true;
  });
}
