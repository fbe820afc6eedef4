import type { Person } from './commits.ts';
import { GitError } from './git.ts';
import { isSafePath, resolveRevision } from './refs.ts';
import type { Repository } from './repository.ts';

/** Consecutive lines of a file that one commit wrote. */
export interface BlameRange {
  /** First and last line, from 1. */
  start: number;
  end: number;
  commit: string;
  author: Person;
  subject: string;
  /** Path of the file in that commit. */
  path: string;
}

/**
 * Who wrote the lines of a file, in the order of the lines; undefined when there is no such file at the revision.
 * `lines` limits the work to some lines; git reports lines after the end of the file as a failure.
 */
export async function blame(
  repository: Repository,
  revision: string,
  path: string,
  lines?: { start: number; end: number },
): Promise<BlameRange[] | undefined> {
  if (path === '' || !isSafePath(path)) return undefined;
  const commit = await resolveRevision(repository, revision);
  if (commit === undefined) return undefined;
  const range = lines === undefined ? [] : ['-L', `${Math.trunc(lines.start)},${Math.trunc(lines.end)}`];
  const output = await repository
    .git(['blame', '--incremental', '--no-textconv', ...range, commit, '--', path])
    .catch((error: unknown) => {
      if (error instanceof GitError && error.kind === 'failed') return undefined;
      throw error;
    });
  const ranges = output === undefined ? undefined : parseBlame(output.toString('utf8'));
  // Who asks for the lines often asks for their commits next.
  for (const { commit: found } of ranges ?? []) repository.knownCommits.set(found, true);
  return ranges;
}

/** Reads `blame --incremental`: a line "oid original final count", headers (a commit has them once), then "filename path". */
function parseBlame(output: string): BlameRange[] {
  const ranges: BlameRange[] = [];
  const known = new Map<string, { author: Person; subject: string }>();
  let headers = new Map<string, string>();
  let place: { commit: string; final: number; count: number } | undefined;
  for (const line of output.split('\n')) {
    if (place === undefined) {
      const [, commit = '', final, count] = /^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/.exec(line) ?? [];
      if (commit === '') continue;
      place = { commit, final: Number(final), count: Number(count) };
      headers = new Map();
      continue;
    }
    const space = line.indexOf(' ');
    const name = space < 0 ? line : line.slice(0, space);
    headers.set(name, space < 0 ? '' : line.slice(space + 1));
    if (name !== 'filename') continue;
    let details = known.get(place.commit);
    if (details === undefined) {
      const time = Number(headers.get('author-time') ?? 0);
      const zone = headers.get('author-tz') ?? '+0000';
      const author = {
        name: headers.get('author') ?? '',
        email: (headers.get('author-mail') ?? '').replace(/^<|>$/g, ''),
        date: isoDate(time, zone),
      };
      details = { author, subject: headers.get('summary') ?? '' };
      known.set(place.commit, details);
    }
    ranges.push({
      start: place.final,
      end: place.final + place.count - 1,
      commit: place.commit,
      author: details.author,
      subject: details.subject,
      path: unquotePath(headers.get('filename') ?? ''),
    });
    place = undefined;
  }
  return ranges.sort((a, b) => a.start - b.start);
}

/** ISO 8601 in the recorded time zone, like `%aI` of git. */
function isoDate(seconds: number, zone: string): string {
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = new Date((seconds + offset * 60) * 1_000);
  if (Number.isNaN(local.getTime())) return new Date(0).toISOString();
  return `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Reads a path that git may have put in quotes with C escapes, because it contains a line break or a quote. */
function unquotePath(path: string): string {
  if (!/^".*"$/s.test(path)) return path;
  const bytes: Buffer[] = [];
  for (const [, octal, escaped, plain] of path.slice(1, -1).matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Buffer.of(Number.parseInt(octal, 8)));
    else if (escaped !== undefined)
      bytes.push(Buffer.from(String.fromCharCode(ESCAPES[escaped] ?? escaped.charCodeAt(0))));
    else bytes.push(Buffer.from(plain ?? ''));
  }
  return Buffer.concat(bytes).toString('utf8');
}
