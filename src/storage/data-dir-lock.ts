import { readFileSync } from 'node:fs';
import type { Database } from 'lmdb';
import { AppError } from '../core/errors.ts';

/** Who uses a data directory. The two optional fields are known on Linux only. */
interface Holder {
  pid: number;
  /** Changes at every boot of the machine; the same in all containers on it. */
  bootId?: string;
  /** When the process started, in ticks since boot: tells it from a later process with the same id. */
  startTicks?: string;
}

const LOCK_KEY = 'holder';

/**
 * Makes this process the only user of a data directory, or throws `AppError` of kind `storage` naming the one that is.
 * Returns how to give it up. A lock left by a process that was killed is taken over.
 *
 * What it can't detect: a second user in another PID namespace (two containers sharing a volume: each sees only its own
 * processes) or on another machine (a network file system); and, where there is no /proc, a later process that got the
 * id of one that was killed, which refuses the start until that process ends. Two opens in one process are allowed.
 */
export function lockDataDir(db: Database<Holder, string>, dataDir: string): () => void {
  const self = describeProcess(process.pid);
  const other = db.transactionSync(() => {
    const holder = db.get(LOCK_KEY);
    if (holder !== undefined && isAlive(holder)) return holder;
    db.putSync(LOCK_KEY, self);
    return undefined;
  });
  if (other !== undefined) {
    throw new AppError(
      'storage',
      `The data directory ${dataDir} is in use by process ${other.pid}: stop that one first, or set another DATA_DIR`,
    );
  }

  return () => {
    db.transactionSync(() => {
      const holder = db.get(LOCK_KEY);
      if (holder?.pid === self.pid && holder.startTicks === self.startTicks) db.removeSync(LOCK_KEY);
    });
  };
}

function isAlive(holder: Holder): boolean {
  // In a container every start of the app has the same id, usually 1, and we are alive: the holder can't be.
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
 * Undefined when the process is gone, and when it was killed but not yet collected by its parent. Field 22 of
 * /proc/<pid>/stat; the fields are counted after the command's name, which may contain spaces (proc(5)).
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
    // EPERM: it exists, but belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
