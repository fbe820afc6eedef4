import { type Git, gitText } from '../git/git.ts';
import { LIMITS } from '../limits.ts';

export interface Commit {
  id: string;
  author: string;
  /** ISO date of authorship, `2024-05-01`. */
  date: string;
  subject: string;
  body: string;
}

const FORMAT = '--format=%H%x1f%an%x1f%as%x1f%s%x1f%b%x1e';

/** The newest commits reachable from HEAD that match the given options; none when git fails. */
export async function readCommits(
  git: Git,
  count: number,
  options: readonly string[] = [],
  timeoutMs = 5_000,
): Promise<Commit[]> {
  const output = await gitText(git, ['log', `--max-count=${count}`, FORMAT, ...options], { timeoutMs });
  return output.split('\x1e').flatMap((entry) => {
    const [id = '', author = '', date = '', subject = '', body = ''] = entry.trim().split('\x1f');
    return /^[0-9a-f]{40,64}$/.test(id) ? [{ id, author, date, subject, body: body.trim() }] : [];
  });
}

export function readRecentCommits(git: Git): Promise<Commit[]> {
  return readCommits(git, LIMITS.commitsIndexed, ['--no-merges'], 20_000);
}

/** The authors of a range of lines, most lines first. */
export async function blameAuthors(
  git: Git,
  path: string,
  from: number,
  to: number,
): Promise<{ author: string; lines: number }[]> {
  const output = await gitText(git, ['blame', '--line-porcelain', '-L', `${from},${to}`, 'HEAD', '--', path], {
    timeoutMs: 5_000,
  });
  return countAuthors(output.split('\n').flatMap((line) => (line.startsWith('author ') ? [line.slice(7)] : [])));
}

export function countAuthors(authors: readonly string[]): { author: string; lines: number }[] {
  const counts = new Map<string, number>();
  for (const author of authors) counts.set(author, (counts.get(author) ?? 0) + 1);
  return [...counts]
    .map(([author, lines]) => ({ author, lines }))
    .sort((a, b) => b.lines - a.lines || a.author.localeCompare(b.author));
}
