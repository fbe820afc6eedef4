import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { z } from 'zod';
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
   * Resolves with the first line of standard output that is JSON of this form. Call it directly after the start, because
   * it misses earlier lines. Rejects with a `DemoProblem` when the process ends or `deadlineMs` pass first.
   */
  firstLine<Value>(form: z.ZodType<Value>, deadlineMs: number): Promise<Value>;
  /** Sends SIGKILL, like a crash; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM (on Windows, which has none, this ends it at once), and SIGKILL if the process does not end in time; resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a process apart from the terminal, so that Ctrl-C there reaches only the demo, which then stops the process. When
 * the demo ends, even by a kill, the process is killed.
 */
export function startChild({ name, command, args, env, cwd, logFile }: ChildSetup): Child {
  const log = createWriteStream(logFile, { flags: 'a' });
  log.on('error', () => undefined);
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  tellGuard('+', child.pid);
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
  const ended = whenEnded(child).then((ending) => {
    log.end();
    tellGuard('-', child.pid);
    return ending;
  });

  return { name, pid: child.pid, ended, lastLines: () => [...lastLines], firstLine, kill, stop };

  function firstLine<Value>(form: z.ZodType<Value>, deadlineMs: number): Promise<Value> {
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
        const { data } = form.safeParse(parsed(line));
        if (data === undefined) return;
        finish();
        resolve(data);
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
 * A process that ends the children when the demo ends, even by a kill: its standard input closes then. The programs cannot
 * do this themselves: one may hang while it writes to a closed pipe.
 */
const guardScript = `
  const ids = new Set();
  require('node:readline').createInterface({ input: process.stdin })
    .on('line', (line) => (line[0] === '+' ? ids.add(+line.slice(1)) : ids.delete(+line.slice(1))))
    .on('close', () => { for (const id of ids) try { process.kill(id, 'SIGKILL'); } catch {} });
`;
let guard: ChildProcess | undefined;

/** Tells the guard of a child (`+`), or that it has ended (`-`). */
function tellGuard(sign: '+' | '-', id: number | undefined): void {
  if (id === undefined) return;
  guard ??= spawnGuard();
  guard.stdin?.write(`${sign}${id}\n`);
}

/** Resolves when the guard has ended, with the children that still run. */
export async function endGuard(): Promise<void> {
  const ending = guard;
  guard = undefined;
  // If the guard has ended by itself, no event comes any more.
  if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
  ending.ref();
  await new Promise((resolve) => {
    for (const event of ['error', 'exit']) ending.once(event, resolve);
    ending.stdin?.end();
  });
}

function spawnGuard(): ChildProcess {
  const child = spawn(process.execPath, ['--eval', guardScript], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (const emitter of [child, child.stdin]) emitter.on('error', () => undefined);
  // It must not keep this process running.
  child.unref();
  return child;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function whenEnded(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(`could not be started (${error.message})`);
    });
    // Unlike 'exit', 'close' is emitted after the last line was read.
    child.once('close', (code, signal) => {
      resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
    });
  });
}
