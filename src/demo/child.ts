import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DemoProblem } from './problem.ts';

/** How much of what a process wrote is shown when it ends by itself. */
const keptLines = 15;

/** A process that has not ended so long after it was asked to is ended at once. */
const graceMs = 8_000;

export interface ChildSetup {
  /** What people call it: "the app". */
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** Everything it writes is appended here. */
  logFile: string;
}

/** A process started by the demo. */
export interface Child {
  name: string;
  pid: number | undefined;
  /** Resolves with how it ended, in words, once it is gone. Never rejects. */
  ended: Promise<string>;
  /** The last lines it wrote, oldest first. */
  lastLines(): string[];
  /**
   * What `read` makes of the first line of standard output for which it makes something. Lines written before the call
   * count only where the call follows the start at once. Rejects with a `DemoProblem` when the process ends or
   * `deadlineMs` pass first.
   */
  firstLine<Value>(read: (line: string) => Value | undefined, deadlineMs: number): Promise<Value>;
  /** Sends SIGKILL, as a crash would; resolves when it is gone. */
  kill(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL when that does not help; resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a process in a group of its own, so that a Ctrl-C in the terminal reaches the demo only, which then stops it. What
 * is left of the group is ended when the process ends, and all of it when the demo does.
 */
export function startChild({ name, command, args, env, cwd, logFile }: ChildSetup): Child {
  const log = createWriteStream(logFile, { flags: 'a' });
  log.on('error', () => undefined);
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const guard = startGuard(child.pid);
  const kept: string[] = [];
  const listeners = new Set<(line: string) => void>();
  const keep = (line: string): void => {
    kept.push(line);
    if (kept.length > keptLines) kept.shift();
    log.write(`${line}\n`);
  };
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    keep(line);
    for (const listener of listeners) listener(line);
  });
  createInterface({ input: child.stderr }).on('line', keep);
  const ended = whenEnded(child).then(async (ending) => {
    log.end();
    await guard.stop();
    return ending;
  });

  return { name, pid: child.pid, ended, lastLines: () => [...kept], firstLine, kill, stop };

  function firstLine<Value>(read: (line: string) => Value | undefined, deadlineMs: number): Promise<Value> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        listeners.delete(listen);
      };
      const fail = (what: string): void => {
        finish();
        reject(new DemoProblem(describeEnd({ name, lastLines: () => kept }, what)));
      };
      const listen = (line: string): void => {
        const value = read(line);
        if (value === undefined) return;
        finish();
        resolve(value);
      };
      const timer = setTimeout(() => fail(`was not ready after ${deadlineMs / 1000} s`), deadlineMs);
      listeners.add(listen);
      void ended.then(fail);
    });
  }

  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }

  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  }
}

/** What to tell about a process that did not do its part, with its own last words. */
export function describeEnd({ name, lastLines }: Pick<Child, 'name' | 'lastLines'>, what: string): string {
  const lines = lastLines();
  const said =
    lines.length === 0 ? 'It wrote nothing.' : `Its last lines:\n${lines.map((line) => `  | ${line}`).join('\n')}`;
  return `${name} ${what}. ${said}`;
}

/**
 * Kills the group of a process when the demo is gone, also when it was killed itself: the guard's standard input ends then.
 * Programs can't be left to notice that by themselves: one may be stuck in writing to a reader that is gone.
 */
function startGuard(leader: number | undefined): { stop(): Promise<void> } {
  if (leader === undefined || process.platform === 'win32') return { stop: () => Promise.resolve() };
  const script = 'read -r _; kill -s KILL -- "-$1"';
  const guard = spawn('/bin/sh', ['-c', script, 'sh', String(leader)], {
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => {
    guard.once('error', () => resolve());
    guard.once('exit', () => resolve());
  });
  guard.stdin.on('error', () => undefined);
  return {
    stop: () => {
      guard.kill('SIGKILL');
      return gone;
    },
  };
}

function whenEnded(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(`could not be started (${error.message})`);
    });
    child.once('exit', () => endGroup(child.pid));
    // Unlike 'exit', 'close' comes after the last line was read.
    child.once('close', (code, signal) => {
      resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
    });
  });
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing is left of it, or this system has no groups.
  }
}
