import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';

/** A group of tests that need a program that may not be installed. */
export interface Layer {
  tests: string;
  /** When this variable is 1 (in CI), a missing program is a failure. */
  requiredBy: 'REQUIRE_REDIS' | 'REQUIRE_BROWSER';
  /** Why the tests can't run on this machine and how to change that; undefined when they can run. */
  problem(): string | undefined;
}

export const redisBinary = 'redis-server';
/** The browser without a window starts twice as fast. */
export const browserPath =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? '/usr/bin/chromium';

export const redisLayer: Layer = {
  tests: 'tests on Redis',
  requiredBy: 'REQUIRE_REDIS',
  problem: () => {
    try {
      execFileSync(redisBinary, ['--version'], { stdio: 'ignore' });
      return undefined;
    } catch {
      return `${redisBinary} is not installed on this machine`;
    }
  },
};

export const browserLayer: Layer = {
  tests: 'tests in a browser',
  requiredBy: 'REQUIRE_BROWSER',
  problem: () => (existsSync(browserPath) ? undefined : `there is no browser at ${browserPath}`),
};

/** Whether the tests of a layer can run; throws when they can't but the environment requires them. */
export function canRun({ tests, requiredBy, problem }: Layer): boolean {
  const found = problem()?.split('\n', 1)[0]?.replace(/\.$/, '');
  if (found === undefined) return true;
  if (process.env[requiredBy] === '1') throw new Error(`${tests} can't run, and ${requiredBy}=1: ${found}`);
  noteSkipped(`${tests}: ${found}; ${requiredBy}=1 makes this a failure`);
  return false;
}

/** Prints a line about skipped tests once at the end of the run, not once per file (skipped-layers.ts). */
export function noteSkipped(line: string): void {
  const { SKIPPED_LAYERS_FILE: file } = process.env;
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}
