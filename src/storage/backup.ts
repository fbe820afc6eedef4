import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Database, open, type RootDatabase } from 'lmdb';
import { z } from 'zod';
import { AppError, isAppError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { isMoved } from './contents.ts';
import { codeOf, openEnvironment, refuseForeignFile, storeFile } from './embedded-store.ts';
import { createLmdbEntries, type LmdbEntries } from './lmdb-adapter.ts';
import { countKind, type RecordCounts } from './record-kinds.ts';
import { refuseClosed } from './store-use.ts';

/** Written last: a folder without it is no backup. */
const MANIFEST_FILE = 'manifest.json';
/** Where a backup is made before it is whole. */
const UNFINISHED = 'unfinished';

const manifestSchema = z.object({
  /** How the backup is laid out. */
  format: z.literal(1),
  /** The version of the app that made it. */
  version: z.string(),
  /** No record of the backup is older than this: it was noted before the copy began. */
  createdMs: z.number(),
  bytes: z.number(),
  /** Of the file with the records, in lower-case hex digits. */
  sha256: z.string(),
  /** Records by kind: the word after `ds:` in their keys, names of sets too. */
  counts: z.record(z.string(), z.number()),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

/**
 * Copies the store of a data directory into an empty or new folder, while the app may write. The copy is what LMDB had
 * committed at one moment, without what it deleted and without the lock. Secrets stay encrypted. Throws `AppError` of kind
 * `storage`, and then leaves no manifest.
 */
export async function backUpStore(
  dataDir: string,
  folder: string,
  { version, clock }: { version: string; clock: Clock },
): Promise<BackupManifest> {
  const path = storeFile(dataDir);
  if (!existsSync(path)) throw new AppError('storage', `There is no store of this app in ${dataDir}`);
  refuseForeignFile(path);
  const isNew = !existsSync(folder);
  if (!isNew && listFolder(folder).length > 0) {
    throw new AppError('storage', `${folder} is not empty: name a new folder for each backup`);
  }
  const unfinished = join(folder, UNFINISHED);
  try {
    mkdirSync(unfinished, { recursive: true, mode: 0o700 });
    if (isNew) chmodSync(folder, 0o700);
    const createdMs = clock();
    await copyStore(path, storeFile(unfinished));
    const counts = await settleCopy(unfinished, clock);
    const { bytes, sha256 } = await digestOf(storeFile(unfinished));
    const manifest: BackupManifest = { format: 1, version, createdMs, bytes, sha256, counts };
    const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
    writeFileSync(join(unfinished, MANIFEST_FILE), text, { mode: 0o600 });
    for (const file of [storeFile(unfinished), join(unfinished, MANIFEST_FILE)]) flush(file);
    renameSync(storeFile(unfinished), storeFile(folder));
    renameSync(join(unfinished, MANIFEST_FILE), join(folder, MANIFEST_FILE));
    rmSync(unfinished, { recursive: true });
    flush(folder);
    return manifest;
  } catch (error) {
    rmSync(join(folder, MANIFEST_FILE), { force: true });
    for (const made of isNew ? [folder] : [unfinished, storeFile(folder)]) {
      rmSync(made, { recursive: true, force: true });
    }
    throw storageError(error, `The backup to ${folder} failed`);
  }
}

/** Reads what a backup says about itself. Throws `AppError` of kind `storage` for a folder that is not a whole backup. */
export function readManifest(folder: string): BackupManifest {
  const notWhole = `${folder} is not a whole backup`;
  let text: string;
  try {
    text = readFileSync(join(folder, MANIFEST_FILE), 'utf8');
  } catch (error) {
    throw new AppError('storage', `${notWhole}: it has no readable ${MANIFEST_FILE}`, { code: codeOf(error) });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('storage', `${notWhole}: its ${MANIFEST_FILE} is not JSON`);
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) {
    throw new AppError(
      'storage',
      `${notWhole}: its ${MANIFEST_FILE} is damaged, or from a version with another format`,
    );
  }
  return parsed.data;
}

/** Size and SHA-256 of a file. */
export async function digestOf(path: string): Promise<Pick<BackupManifest, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { bytes: statSync(path).size, sha256: hash.digest('hex') };
}

/** Makes a file, or the names in a folder, survive a power cut. */
export function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function storageError(error: unknown, what: string): AppError {
  if (isAppError(error)) return error;
  const code = codeOf(error);
  return new AppError('storage', code === undefined ? what : `${what} (${code})`, { cause: error, code });
}

/** LMDB's own copy of one snapshot. It needs the folder closed to others, because it makes a file that all may read. */
async function copyStore(from: string, to: string): Promise<void> {
  const env = open({ path: from, maxDbs: 8, readOnly: true });
  try {
    await env.backup(to, true);
    chmodSync(to, 0o600);
  } finally {
    await env.close();
  }
}

/** Removes the lock of the process that writes, and counts the records: so every backup has been opened and read. */
async function settleCopy(folder: string, clock: Clock): Promise<RecordCounts> {
  const env = openEnvironment(folder);
  try {
    const lock: Database<unknown, string> = env.openDB({ name: 'lock' });
    lock.clearSync();
    const entries = createLmdbEntries(env, clock);
    await refuseClosed({ get: async (key) => textOf(entries.read(key)) });
    return countRecords(env, entries);
  } finally {
    await env.close();
    rmSync(`${storeFile(folder)}-lock`, { force: true });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function countRecords(env: RootDatabase, entries: LmdbEntries): RecordCounts {
  const counts: RecordCounts = {};
  for (const { key } of entries.living()) if (isMoved(key)) countKind(counts, key);
  const members: Database<true, [string, string]> = env.openDB({ name: 'members' });
  for (const [set] of members.getKeys()) countKind(counts, set);
  return counts;
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new AppError('storage', `${folder} is not a folder that can be read`, { code: codeOf(error) });
  }
}
