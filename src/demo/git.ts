import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const timeoutMs = 10_000;
const mostOutputBytes = 64 * 1024 * 1024;

/** Standard output of a git command in a folder; undefined when git fails. Throws when git is not installed. */
export async function git(folder: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...args], { timeout: timeoutMs, maxBuffer: mostOutputBytes });
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw error;
    return undefined;
  }
}
