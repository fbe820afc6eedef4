import { spawnSync } from 'node:child_process';

/** Reads every key of an LMDB file. */
const READ_ALL = `
import { open } from ${JSON.stringify(import.meta.resolve('lmdb'))};
const root = open({ path: process.argv[1], maxDbs: 8, readOnly: true });
for (const name of root.getKeys()) for (const _ of root.openDB({ name, encoding: 'binary' }).getRange()) {}
`;

/** How a process ends that reads pages which a file does not have, or which are none. */
const crashes: readonly (NodeJS.Signals | null)[] = ['SIGBUS', 'SIGSEGV', 'SIGABRT'];

/** Longest time for it, in milliseconds. A file that takes longer counts as whole. */
const longestMs = 10 * 60_000;

/**
 * Whether LMDB's reading of a file would end this process with a signal, because the file was cut or its pages were
 * overwritten. Another process tries it, since nothing can catch that.
 */
export function endsReaders(path: string): boolean {
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', READ_ALL, path], {
    stdio: 'ignore',
    env: {},
    timeout: longestMs,
  });
  return crashes.includes(signal);
}
