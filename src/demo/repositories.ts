import { statSync } from 'node:fs';
import { git } from './git.ts';

/** Describes the folders that are not usable repositories; empty when all are. */
export async function repositoryProblems(folders: readonly string[]): Promise<string[]> {
  try {
    const problems = await Promise.all(folders.map(problemOf));
    return problems.filter((problem) => problem !== undefined);
  } catch {
    return ['git is not installed, or not found in PATH: the demo needs it to read repositories'];
  }
}

async function problemOf(folder: string): Promise<string | undefined> {
  if (!isFolder(folder)) return `there is no folder ${folder} (--repo)`;
  if ((await git(folder, 'rev-parse', '--git-dir')) === undefined) return `${folder} is not a git repository (--repo)`;
  const head = await git(folder, 'rev-parse', '--verify', '--quiet', 'HEAD');
  return head === undefined ? `${folder} has no commit to search yet (--repo)` : undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
