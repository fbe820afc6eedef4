import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attendanceType } from '../core/attendance.ts';
import { AppError, isAppError } from '../core/errors.ts';
import { asRestored } from '../core/lifecycle/sweep.ts';
import type { Clock, Log } from '../core/ports.ts';
import { type BackupManifest, digestOf, flush, readManifest, storageError } from './backup.ts';
import { inUse, refuseHolder } from './data-dir-lock.ts';
import { openEmbeddedStore, refuseForeignFile, storeFile } from './embedded-store.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createQuestionStore } from './repositories.ts';
import { probeStore } from './store-probe.ts';

/** Where the restored store is prepared, inside the data directory, so that a rename puts it in place. */
const PREPARING = 'restoring';
/** How many open questions are marked together. */
const MARKED_AT_ONCE = 100;

interface RestoreOptions {
  clock: Clock;
  log: Log;
  /** Whether a store that is there already is replaced. */
  replaces: boolean;
}

interface Restored {
  manifest: BackupManifest;
  /** Questions that were open when the backup was made. The app goes on with them. */
  open: number;
}

/**
 * Puts the store of a backup into a data directory on which no app runs. Checks the backup before it changes anything.
 * A process that is killed leaves the former store or the whole new one. Throws `AppError` of kind `storage`.
 */
export async function restoreStore(folder: string, dataDir: string, options: RestoreOptions): Promise<Restored> {
  const manifest = readManifest(folder);
  const preparing = join(dataDir, PREPARING);
  let current: KeyValueStore | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    current = await lockCurrent(dataDir, options);
    rmSync(preparing, { recursive: true, force: true });
    mkdirSync(preparing, { mode: 0o700 });
    await copyChecked(folder, preparing, manifest);
    const open = await markOpenQuestions(preparing, manifest, options);
    if (current === undefined && existsSync(storeFile(dataDir))) {
      if (!options.replaces) throw isThere(dataDir);
      refuseUsers(dataDir);
    }
    // LMDB's lock file belongs to the former store. A process that opened it finds the lock of this one and ends.
    rmSync(`${storeFile(dataDir)}-lock`, { force: true });
    renameSync(storeFile(preparing), storeFile(dataDir));
    flush(dataDir);
    return { manifest, open };
  } catch (error) {
    throw storageError(error, `The restore to ${dataDir} failed`);
  } finally {
    rmSync(preparing, { recursive: true, force: true });
    await current?.close();
  }
}

/** Holds the lock of the store that is there, if any. Throws if an app has it, or if it may not be replaced. */
async function lockCurrent(
  dataDir: string,
  { clock, log, replaces }: RestoreOptions,
): Promise<KeyValueStore | undefined> {
  if (!existsSync(storeFile(dataDir))) return undefined;
  if (replaces && isDamaged(dataDir)) {
    refuseUsers(dataDir);
    return undefined;
  }
  const store = openEmbeddedStore(dataDir, clock, log);
  if (replaces) return store;
  await store.close();
  throw isThere(dataDir);
}

function isThere(dataDir: string): AppError {
  return new AppError('storage', `There is a store in ${dataDir}: --replace replaces it, and it is gone then`);
}

/**
 * Whether opening the store would fail or end this process, so that its lock can't be taken. An app may run on it all the same,
 * since it reads only the pages it needs: throws if the lock says so, or if nothing here can tell.
 */
function isDamaged(dataDir: string): boolean {
  const file = storeFile(dataDir);
  try {
    refuseForeignFile(file);
  } catch (error) {
    if (isAppError(error)) return true;
    throw error;
  }
  const { damaged, holder } = probeStore(file);
  if (!damaged) return false;
  refuseHolder(holder, dataDir);
  if (holder === undefined && findUserOf(file) === 'unknown') {
    throw new AppError(
      'storage',
      `The store in ${dataDir} is damaged, and nothing here tells whether the app still runs on it: stop the app, move ${file} away, and restore without --replace`,
    );
  }
  return true;
}

/** Throws if another process has the store open, whose lock could not be taken. */
function refuseUsers(dataDir: string): void {
  const user = findUserOf(storeFile(dataDir));
  if (typeof user === 'number') throw inUse(dataDir, user);
}

async function copyChecked(folder: string, preparing: string, manifest: BackupManifest): Promise<void> {
  const file = storeFile(preparing);
  copyFileSync(storeFile(folder), file);
  chmodSync(file, 0o600);
  const { bytes, sha256 } = await digestOf(file);
  if (bytes === manifest.bytes && sha256 === manifest.sha256) return;
  throw new AppError(
    'storage',
    `The backup in ${folder} is damaged: its records are not those that its manifest names`,
  );
}

/** The app may have gone on with the open questions after the backup, so that it has to search before it repeats a call. */
async function markOpenQuestions(
  preparing: string,
  { createdMs: fromMs }: BackupManifest,
  { clock, log }: RestoreOptions,
): Promise<number> {
  const store = openEmbeddedStore(preparing, clock, log);
  try {
    const questions = createQuestionStore(store);
    const restored = { fromMs, toMs: clock() };
    const ids = await questions.openIds();
    for (let from = 0; from < ids.length; from += MARKED_AT_ONCE) {
      await Promise.all(ids.slice(from, from + MARKED_AT_ONCE).map(mark));
    }
    // The app may have asked what people wrote since the backup. If a search for missed messages began there, it would ask
    // all of that again; so it begins with the next start.
    for await (const key of store.keys(attendanceType.key(''))) await store.delete(key);
    return ids.length;

    async function mark(id: string): Promise<void> {
      try {
        await questions.update(id, (question) => asRestored(question, restored));
      } catch (error) {
        // A question that can't be read makes no calls either.
        if (!isAppError(error, 'corrupt')) throw error;
      }
    }
  } finally {
    await store.close();
    flush(storeFile(preparing));
  }
}

/**
 * Finds another process that has a file open, by Linux's /proc. Sees the processes of this user (root: of everyone) in this
 * container. Returns `unknown` where there is no /proc.
 */
function findUserOf(path: string): number | 'unknown' | undefined {
  const file = statSync(path);
  const processes = entriesOf('/proc').filter((name) => /^\d+$/.test(name));
  if (processes.length === 0) return 'unknown';
  const user = processes.find((pid) => Number(pid) !== process.pid && isOpenIn(pid));
  return user === undefined ? undefined : Number(user);

  function isOpenIn(pid: string): boolean {
    return entriesOf(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        const { dev, ino } = statSync(`/proc/${pid}/fd/${descriptor}`);
        return dev === file.dev && ino === file.ino;
      } catch {
        // Closed meanwhile.
        return false;
      }
    });
  }
}

/** Empty for what is gone, or belongs to another user. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
