import { readFileSync } from 'node:fs';
import type { Database } from 'lmdb';
import { z } from 'zod';
import { AppError } from '../core/errors.ts';

/** The process that uses a data directory. The two optional fields exist on Linux only. */
const holderSchema = z.object({
  pid: z.number(),
  /** Changes at every boot. The same in all containers of one machine. */
  bootId: z.string().optional(),
  /** Start of the process, in ticks since boot. Distinguishes it from a later process with the same id. */
  startTicks: z.string().optional(),
});
type Holder = z.infer<typeof holderSchema>;

const LOCK_KEY = 'holder';

/**
 * Makes this process the only user of a data directory. Throws `AppError` of kind `storage` that names the other
 * process if there is one. Returns a function that releases the lock. A lock left by a killed process is taken over.
 *
 * The lock can't detect a second user in another PID namespace (two containers that share a volume each see only their
 * own processes) or on another machine (a network file system). Without /proc, a later process may have the id of a
 * killed holder; then the start is refused until that process ends. One process may open the same directory twice.
 */
export function lockDataDir(db: Database<Holder, string>, dataDir: string): () => void {
  const self = describeProcess(process.pid);
  const other = db.transactionSync(() => {
    const holder = db.get(LOCK_KEY);
    if (holder !== undefined && isAlive(holder)) return holder;
    db.putSync(LOCK_KEY, self);
    return undefined;
  });
  if (other !== undefined) throw inUse(dataDir, other.pid);

  return () => {
    db.transactionSync(() => {
      const holder = db.get(LOCK_KEY);
      if (holder?.pid === self.pid && holder.startTicks === self.startTicks) db.removeSync(LOCK_KEY);
    });
  };
}

/** Throws `AppError` of kind `storage` if what the lock of a data directory holds is a process that runs. */
export function refuseHolder(holder: unknown, dataDir: string): void {
  const { success, data } = holderSchema.safeParse(holder);
  if (success && isAlive(data)) throw inUse(dataDir, data.pid);
}

export function inUse(dataDir: string, pid: number): AppError {
  return new AppError(
    'storage',
    `The data directory ${dataDir} is in use by process ${pid}: stop that one first, or set another DATA_DIR`,
  );
}

function isAlive(holder: Holder): boolean {
  // In a container every start of the app gets the same id, usually 1. This process is alive, so the former holder is
  // not.
  if (holder.pid === process.pid) return false;
  const bootId = readBootId();
  if (holder.bootId !== undefined && bootId !== undefined && holder.bootId !== bootId) return false;
  if (holder.startTicks !== undefined && bootId !== undefined) {
    return readStartTicks(holder.pid) === holder.startTicks;
  }
  return isSignalable(holder.pid);
}

function describeProcess(pid: number): Holder {
  const bootId = readBootId();
  const startTicks = readStartTicks(pid);
  return { pid, ...(bootId !== undefined && { bootId }), ...(startTicks !== undefined && { startTicks }) };
}

function readBootId(): string | undefined {
  return readSystemFile('/proc/sys/kernel/random/boot_id')?.trim();
}

/**
 * Undefined when the process is gone, or was killed but not yet collected by its parent. Reads field 22 of
 * /proc/<pid>/stat. The fields are counted after the command's name, which may contain spaces (proc(5)).
 */
function readStartTicks(pid: number): string | undefined {
  const stat = readSystemFile(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

function readSystemFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
