import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The settings of the machine, of its user and of the folder the program runs in would change the output; a partial clone must not download. */
const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
};
const OUTPUT_BYTES_MAX = 2 ** 29;

/** One commit of a repository, for reading. */
export interface Snapshot {
  /** Paths of all files, in git's order. */
  files(): string[];
  /** The text of each file; leaves out those that are larger or that a partial clone lacks. */
  texts(paths: readonly string[], bytesMax: number): AsyncGenerator<{ path: string; text: string }>;
  /** The lines of `git log` from this commit on. Ends early, without an error, where a partial or damaged clone has gaps. */
  log(...parameters: string[]): AsyncIterable<string>;
}

/** The newest commit of the branch that HEAD names. The folder is a git directory or has one. */
export function openSnapshot(folder: string): Snapshot {
  const own = join(resolve(folder), '.git');
  const directory = existsSync(own) ? own : resolve(folder);
  const place = ['--git-dir', directory, '-c', 'safe.directory=*', '-c', 'core.attributesFile=/dev/null'];
  const options = { cwd: directory, env: ENVIRONMENT, maxBuffer: OUTPUT_BYTES_MAX };
  const git = (parameters: string[]): Buffer => execFileSync('git', [...place, ...parameters], options);
  const start = (parameters: string[]): ChildProcessByStdio<null, Readable, null> =>
    spawn('git', [...place, ...parameters], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  const commit = git(['rev-parse', '--verify', 'HEAD^{commit}']).toString().trim();
  const entries = (): { path: string; id: string; bytes: number }[] =>
    git(['ls-tree', '-r', '-l', '-z', commit])
      .toString()
      .split('\0')
      .flatMap((line) => {
        const [, id, size, path] = /^\d+ blob ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(line) ?? [];
        return id === undefined || path === undefined ? [] : [{ id, path, bytes: Number(size) }];
      });
  return {
    files: () => entries().map(({ path }) => path),
    async *texts(paths, bytesMax) {
      const wanted = new Set(paths);
      // Git writes BAD as the size of a file that a partial clone lacks.
      const present = entries().filter(({ path, bytes }) => wanted.has(path) && bytes <= bytesMax);
      for (let i = 0; i < present.length; i += BATCH) {
        const batch = present.slice(i, i + BATCH);
        const input = batch.map(({ id }) => `${id}\n`).join('');
        const output = execFileSync('git', [...place, 'cat-file', '--batch'], { ...options, input });
        let at = 0;
        for (const { path, bytes } of batch) {
          const from = output.indexOf('\n', at) + 1;
          yield { path, text: output.toString('utf8', from, from + bytes) };
          at = from + bytes + 1;
        }
      }
    },
    log: (...parameters) =>
      createInterface({ input: start(['log', ...parameters, commit]).stdout, crlfDelay: Number.POSITIVE_INFINITY }),
  };
}

/** Files that are in memory at once. */
const BATCH = 200;
