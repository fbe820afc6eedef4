import { readFileSync } from 'node:fs';
import type { Log } from '../core/ports.ts';

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
