import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, constants, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Check, errorCode, type Finding, type Says } from '../../core/doctor.ts';
import type { Log } from '../../core/ports.ts';

const mebibyte = 1024 ** 2;
const lowBytes = 1024 * mebibyte;
const fullBytes = 64 * mebibyte;
/** A disk that is full often still takes a file without content. */
const written = Buffer.alloc(16 * 1024, 'doctor ');
const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Free bytes for this user on the disk of a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

const freeOnDisk: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/**
 * Whether `DATA_DIR` can be written, and how much room its disk has. Writes a small file there and deletes it. Does not
 * create the folder: it would belong to the user of the doctor.
 */
export function createDiskCheck(dataDir: string, freeBytes: FreeBytes = freeOnDisk): Check {
  return { name: 'disk', run };

  async function run(say: Says): Promise<Finding[]> {
    const folder = resolve(dataDir);
    const found = await existing(folder);
    const bytes = await freeBytes(found).catch(() => undefined);
    const free = bytes === undefined ? 'no room' : sizeOf(bytes);
    try {
      if (found === folder) await tryWriting(folder);
      else await access(found, constants.W_OK | constants.X_OK);
    } catch (error) {
      const code = errorCode(error);
      return [fullCodes.has(code) ? say('diskFull', { free }) : say('diskNotWritable', { code })];
    }
    if (bytes !== undefined && bytes < fullBytes) return [say('diskFull', { free })];
    if (bytes !== undefined && bytes < lowBytes) return [say('diskLow', { free })];
    const room = bytes === undefined ? 'enough room' : free;
    return [say('diskFine', { free: room })];
  }
}

async function tryWriting(folder: string): Promise<void> {
  const file = join(folder, `.doctor-${randomBytes(6).toString('hex')}`);
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.write(written);
    await handle.sync();
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

/** The folder, or the nearest one above it that exists. */
async function existing(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : existing(dirname(folder));
}

function sizeOf(bytes: number): string {
  return bytes < lowBytes ? `${Math.floor(bytes / mebibyte)} MiB` : `${Math.floor(bytes / lowBytes)} GiB`;
}

/** Some hundred sockets are open at once when many people ask, and each costs a file descriptor, as files do. */
const enough = 1_024;

/** The limit of files that this process may open, if it is too low. Only Linux tells it. */
export function fewOpenFiles(limits = () => readFileSync('/proc/self/limits', 'utf8')): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits()) ?? [];
    return soft !== undefined && Number(soft) < enough ? Number(soft) : undefined;
  } catch {
    return undefined;
  }
}

/** At the limit, connections fail one by one, and nothing says why. */
export function noteFewFiles(log: Log, limit = fewOpenFiles()): void {
  if (limit === undefined) return;
  log.warn({ event: 'few_open_files', limit, needed: enough, mend: 'start the app after "ulimit -n 4096"' });
}
