import { execFile } from 'node:child_process';
import { LIMITS } from '../limits.ts';

/** A git command failed, timed out or wrote too much; the message is the first line of git's error. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly kind: GitFailure;
  /** Undefined when git did not end by itself. `git grep` exits with 1 when nothing matches. */
  readonly exitCode: number | undefined;

  constructor(message: string, options: { kind?: GitFailure; exitCode?: number | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = options.kind ?? 'failed';
    this.exitCode = options.exitCode;
  }
}

/** `failed`: git refused; `timeout`: it took too long; `tooMuch`: it wrote too much; `stopped`: the request ended; `busy`: too many requests wait for git. */
export type GitFailure = 'failed' | 'timeout' | 'tooMuch' | 'stopped' | 'busy';

export interface GitOptions {
  /** Written to standard input. */
  input?: string;
  timeoutMs?: number;
  /** Ends git after this much output and returns it, instead of the failure `tooMuch`. */
  firstBytes?: number;
  /** Ends git, beside the signal of the request's budget. */
  signal?: AbortSignal;
}

/** Runs git in one directory: without a shell, without prompts, with a time limit and an output limit. */
export type Git = (parameters: readonly string[], options?: GitOptions) => Promise<Buffer>;

const GLOBAL = ['--no-pager', '--no-optional-locks', '--literal-pathspecs', '-c', 'core.quotepath=off'];

export function createGit(directory: string): Git {
  return (parameters, options = {}) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        'git',
        [...GLOBAL, '-C', directory, ...parameters],
        {
          encoding: 'buffer',
          timeout: options.timeoutMs ?? LIMITS.gitTimeoutMs,
          killSignal: 'SIGKILL',
          maxBuffer: LIMITS.gitOutputBytes,
          windowsHide: true,
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        },
        (error, stdout, stderr) => {
          if (error === null) return resolve(stdout);
          const message = stderr.toString('utf8').trim().split('\n')[0] || error.message;
          const exitCode = typeof error.code === 'number' ? error.code : undefined;
          const kind = options.signal?.aborted === true ? 'stopped' : error.killed === true ? 'timeout' : 'failed';
          reject(new GitError(`git ${parameters[0] ?? ''}: ${message}`, { kind, exitCode, cause: error }));
        },
      );
      // git may exit before it has read all input; its exit code shows whether it failed.
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input ?? '');
    });
}

/** Like {@link Git}, but returns text, which is empty when the command fails. */
export async function gitText(git: Git, parameters: readonly string[], options?: GitOptions): Promise<string> {
  try {
    return (await git(parameters, options)).toString('utf8');
  } catch (error) {
    if (error instanceof GitError) return '';
    throw error;
  }
}
