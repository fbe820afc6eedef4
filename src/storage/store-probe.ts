import { spawnSync } from 'node:child_process';

/** Prints who has the lock of an LMDB file, then reads every key. */
const READ_ALL = `
import { writeSync } from 'node:fs';
import { open } from ${JSON.stringify(import.meta.resolve('lmdb'))};
const root = open({ path: process.argv[1], maxDbs: 8, readOnly: true });
writeSync(1, JSON.stringify(root.openDB({ name: 'lock' })?.get('holder') ?? null));
for (const name of [...root.getKeys()]) for (const _ of root.openDB({ name, encoding: 'binary' }).getRange()) {}
`;

/** How a process ends that reads pages which a file does not have, or which are none. If LMDB notices it, it throws instead. */
const crashes: readonly (NodeJS.Signals | null)[] = ['SIGBUS', 'SIGSEGV', 'SIGABRT'];

/** Longest time for it, in milliseconds. A file that takes longer counts as whole. */
const longestMs = 10 * 60_000;

/** More than what the lock holds, in bytes. */
const MOST_PRINTED = 4_096;

export interface Probed {
  /** Whether a process that reads the file ends with an error or a signal, because the file was cut or its pages were overwritten. */
  damaged: boolean;
  /** What the lock holds. Undefined if it can't be read, null if no process has the lock. */
  holder: unknown;
}

/** Reads a whole LMDB file in another process, since nothing can catch what reading a damaged one does. */
export function probeStore(path: string): Probed {
  const { status, signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', READ_ALL, path], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
    encoding: 'utf8',
    timeout: longestMs,
    maxBuffer: MOST_PRINTED,
  });
  return { damaged: status === 1 || crashes.includes(signal), holder: parsed(stdout) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
