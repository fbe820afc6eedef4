import { execFile } from 'node:child_process';
import { LIMITS } from '../limits.ts';

/** A git command that failed, timed out or said too much; the message is git's own first line. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

export interface GitOptions {
  /** Written to standard input. */
  input?: string;
  timeoutMs?: number;
}

/** Runs git in one directory: never through a shell, never waiting for a person, and bounded in time and output. */
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
        },
        (error, stdout, stderr) => {
          if (error === null) return resolve(stdout);
          const said = stderr.toString('utf8').trim().split('\n')[0] || error.message;
          reject(new GitError(`git ${parameters[0] ?? ''}: ${said}`, { cause: error }));
        },
      );
      // git may end before it has read everything; its exit code tells the story.
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input ?? '');
    });
}

/** Like {@link Git}, as text; a command that fails counts as having said nothing. */
export async function gitText(git: Git, parameters: readonly string[], options?: GitOptions): Promise<string> {
  try {
    return (await git(parameters, options)).toString('utf8');
  } catch (error) {
    if (error instanceof GitError) return '';
    throw error;
  }
}
