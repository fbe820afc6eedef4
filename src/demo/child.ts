import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DemoProblem } from './problem.ts';

/** Number of output lines shown when a process ends unexpectedly. */
const maxLastLines = 15;

/** Time after SIGTERM until a process is killed. */
const graceMs = 8_000;

export interface ChildSetup {
  /** The name people read, for example "The app". */
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  /** All output is appended to this file. */
  logFile: string;
}

/** A process started by the demo. */
export interface Child {
  name: string;
  pid: number | undefined;
  /** Resolves when the process has ended, with a description of how. Never rejects. */
  ended: Promise<string>;
  /** The last lines it wrote, oldest first. */
  lastLines(): string[];
  /**
   * Calls `read` with each line of standard output and resolves with its first defined result. Call it directly after
   * the start, because it misses earlier lines. Rejects with a `DemoProblem` when the process ends or `deadlineMs` pass
   * first.
   */
  firstLine<Value>(read: (line: string) => Value | undefined, deadlineMs: number): Promise<Value>;
  /** Sends SIGKILL, like a crash; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL if the process does not end in time; resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a process in a new process group, so that Ctrl-C in the terminal reaches only the demo, which then stops the
 * process. When the process or the demo ends, the rest of the group is killed.
 */
export function startChild({ name, command, args, env, cwd, logFile }: ChildSetup): Child {
  const log = createWriteStream(logFile, { flags: 'a' });
  log.on('error', () => undefined);
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const guard = startGuard(child.pid);
  const lastLines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  const keep = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > maxLastLines) lastLines.shift();
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

  return { name, pid: child.pid, ended, lastLines: () => [...lastLines], firstLine, kill, stop };

  function firstLine<Value>(read: (line: string) => Value | undefined, deadlineMs: number): Promise<Value> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        listeners.delete(listen);
      };
      const fail = (what: string): void => {
        finish();
        reject(new DemoProblem(describeEnd({ name, lastLines: () => lastLines }, what)));
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

/** Describes how a process failed, with the last lines it wrote. */
export function describeEnd({ name, lastLines }: Pick<Child, 'name' | 'lastLines'>, what: string): string {
  const lines = lastLines();
  const output =
    lines.length === 0 ? 'It wrote nothing.' : `Its last lines:\n${lines.map((line) => `  | ${line}`).join('\n')}`;
  return `${name} ${what}. ${output}`;
}

/**
 * Kills the group of a process when the demo ends, even by SIGKILL: the guard's standard input closes then. The programs
 * cannot do this themselves: one may hang while it writes to a closed pipe.
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
    // Unlike 'exit', 'close' is emitted after the last line was read.
    child.once('close', (code, signal) => {
      resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
    });
  });
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has already ended, or this system has no process groups.
  }
}
