import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));

/** A running program, its output and its exit code. */
export interface Run {
  child: ChildProcess;
  /** Standard output and standard error so far. */
  output(): string;
  /** Resolves with the exit code or the signal, after the last output. */
  ended: Promise<number | NodeJS.Signals | null>;
  /** Kills the program if it still runs. */
  stop(): Promise<void>;
}

/** Runs a source file of the project (TypeScript or built JavaScript) with exactly this environment. */
export function runProgram(file: string, args: string[], environment: Record<string, string> = {}): Run {
  const loader = file.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
  return run(process.execPath, [...loader, file, ...args], environment, projectFolder);
}

/** Runs a command; the default folder is the project's. */
export function run(
  command: string,
  args: string[],
  environment: Record<string, string> = {},
  cwd: string = projectFolder,
): Run {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  return {
    child,
    output: () => output,
    ended,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
