import { readdirSync, statSync } from 'node:fs';

/**
 * Finds another process that has a file open, by Linux's /proc. Sees the processes of this user (root: of everyone) in this
 * container. Returns `unknown` where there is no /proc.
 */
export function findUserOf(path: string): number | 'unknown' | undefined {
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
