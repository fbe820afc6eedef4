import { type BlameRange, blame } from '../git/blame.ts';
import { type LogOptions, log } from '../git/commits.ts';
import { GitError } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import type { IndexedFile } from './file-index.ts';

/** What answers say about a commit. */
export interface Commit {
  id: string;
  author: string;
  /** ISO date of authorship, `2024-05-01`. */
  date: string;
  subject: string;
  body: string;
  /** It is among the oldest commits of a shallow clone: what it seems to change may be older, and by others. */
  isBoundary: boolean;
}

/** The newest commits reachable from HEAD that match the given options; none when git fails or takes longer than 5 seconds. */
export async function readCommits(repository: Repository, options: LogOptions): Promise<Commit[]> {
  const page = await orNothing(log(repository, { timeoutMs: LIMITS.historyTimeoutMs, ...options }));
  const boundary = await repository.boundary();
  return (page?.commits ?? []).map(({ oid, author, subject, body }) => ({
    id: oid,
    author: author.name,
    date: author.date.slice(0, 10),
    subject,
    body,
    isBoundary: boundary.has(oid),
  }));
}

/** For their messages, which are those of each commit itself, also without older history. */
export async function readRecentCommits(repository: Repository): Promise<Commit[]> {
  const options = { first: LIMITS.commitsIndexed, withoutMerges: true, timeoutMs: LIMITS.gitTimeoutMs };
  return (await readCommits(repository, options)).map((commit) => ({ ...commit, isBoundary: false }));
}

/** The newest commit that wrote one of these lines; undefined for a file with staged changes. */
export async function lastChange(
  repository: Repository,
  file: FileAtCommit,
  start: number,
  end: number,
): Promise<Commit | undefined> {
  const ranges = await blameLines(repository, file, start, end);
  const boundary = await repository.boundary();
  const [newest] = ranges.toSorted(
    (a, b) =>
      Number(boundary.has(a.commit)) - Number(boundary.has(b.commit)) || (a.author.date < b.author.date ? 1 : -1),
  );
  if (newest === undefined) return undefined;
  const [commit] = await readCommits(repository, { revision: newest.commit, first: 1 });
  return commit;
}

/** The lines of the index are those of its commit only: HEAD may have moved, and staged changes have no commit. */
type FileAtCommit = Pick<IndexedFile, 'path' | 'commit'>;

async function blameLines(
  repository: Repository,
  { path, commit }: FileAtCommit,
  start: number,
  end: number,
): Promise<BlameRange[]> {
  if (commit === undefined) return [];
  return (await orNothing(blame(repository, commit, path, { start, end }))) ?? [];
}

/** An answer is better without its history than not given; only the end of the question ends it. */
async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof GitError && error.kind !== 'stopped') return undefined;
    throw error;
  }
}

/** How many of these commits each author made, most first. */
export function countAuthors(commits: readonly Commit[]): [author: string, amount: number][] {
  const counts = new Map<string, number>();
  for (const { author } of commits) counts.set(author, (counts.get(author) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
