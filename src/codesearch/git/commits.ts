import { LIMITS } from '../limits.ts';
import { GitError } from './git.ts';
import { atCommit, isSafePath } from './refs.ts';
import type { Repository } from './repository.ts';

/** An author or committer as the commit records it; not mapped by a `.mailmap` file. */
export interface Person {
  name: string;
  email: string;
  /** ISO 8601 with the recorded time zone, `2024-03-01T10:00:00+01:00`. */
  date: string;
}

export interface Commit {
  /** Full commit id. */
  oid: string;
  abbreviatedOID: string;
  /** First paragraph of the message in one line. */
  subject: string;
  /** The message after its first paragraph. */
  body: string;
  message: string;
  author: Person;
  committer: Person;
  /** Full ids; the first parent is the branch that was merged into. */
  parents: string[];
}

/** Which commits {@link log} returns; all conditions must hold. */
export interface LogOptions {
  /** A branch, tag, commit id or `HEAD~3`; default `HEAD`. */
  revision?: string | undefined;
  /** Leaves out commits that this revision reaches. */
  since?: string | undefined;
  /** Commits per page; default `LIMITS.commitsPerPage`, at most `LIMITS.commitsIndexed`. */
  first?: number | undefined;
  /** `endCursor` of the page before. */
  after?: string | undefined;
  /** Only commits that change this file or folder. */
  path?: string | undefined;
  /** Text in the author's name or mail address; not a pattern, capitals do not matter. */
  author?: string | undefined;
  /** Texts in the message, all of them; not patterns, capitals do not matter. */
  message?: readonly string[] | undefined;
  /** Committed after or before this date, in a form that git reads (`2024-03-01`, `2 weeks ago`). */
  committedAfter?: string | undefined;
  committedBefore?: string | undefined;
  withoutMerges?: boolean | undefined;
  /** Only commits that change how often this text occurs in a file; not a pattern. */
  changing?: string | undefined;
  /** Only commits that change these lines of the file `path`, which git follows back in time. */
  lines?: { start: number; end: number } | undefined;
  timeoutMs?: number | undefined;
}

export interface CommitPage {
  /** Newest first. */
  commits: Commit[];
  hasNextPage: boolean;
  /** For `after`; names the commit the list began at, so that pages fit together while the branch moves. */
  endCursor: string | undefined;
}

const FIELDS = ['%H', '%h', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%s', '%b', '%B'];
// A commit contains no NUL, so that no message can forge a field.
const FORMAT = `--format=tformat:${FIELDS.join('%x00')}%x00`;

/** Reads one commit; undefined when the revision names none. */
export async function readCommit(repository: Repository, revision: string): Promise<Commit | undefined> {
  return atCommit(repository, revision, async (oid) => {
    const parameters = ['log', '-z', '--no-textconv', '--no-ext-diff', '--max-count=1', FORMAT, oid];
    return parseCommits(await repository.git(parameters))[0];
  });
}

/** Lists commits; undefined when a revision names no commit. Throws {@link GitError} for a bad cursor or path. */
export async function log(repository: Repository, options: LogOptions = {}): Promise<CommitPage | undefined> {
  const cursor = options.after === undefined ? undefined : parseCursor(options.after);
  return atCommit(repository, cursor?.start ?? options.revision ?? 'HEAD', (start) =>
    options.since === undefined
      ? logFrom(repository, start, undefined, cursor?.skip ?? 0, options)
      : atCommit(repository, options.since, (since) => logFrom(repository, start, since, cursor?.skip ?? 0, options)),
  );
}

async function logFrom(
  repository: Repository,
  start: string,
  since: string | undefined,
  skip: number,
  options: LogOptions,
): Promise<CommitPage | undefined> {
  const first = Math.max(1, Math.min(options.first ?? LIMITS.commitsPerPage, LIMITS.commitsIndexed));
  if (options.path !== undefined && !isSafePath(options.path)) throw new GitError('The path is not valid.');
  const { path = '', lines } = options;
  const ofLines =
    lines === undefined || path === '' ? undefined : `-L${whole(lines.start)},${whole(lines.end)}:${path}`;
  const parameters = [
    'log',
    '-z',
    '--no-textconv',
    '--no-ext-diff',
    `--max-count=${first + 1}`,
    `--skip=${skip}`,
    FORMAT,
    ...(options.withoutMerges === true ? ['--no-merges'] : []),
    ...(options.changing === undefined ? [] : [`-S${options.changing}`]),
    ...(ofLines === undefined ? [] : ['--no-patch', ofLines]),
    '--fixed-strings',
    '--regexp-ignore-case',
    '--all-match',
    ...(options.author === undefined ? [] : [`--author=${options.author}`]),
    ...(options.message ?? []).map((text) => `--grep=${text}`),
    ...(options.committedAfter === undefined ? [] : [`--since=${options.committedAfter}`]),
    ...(options.committedBefore === undefined ? [] : [`--until=${options.committedBefore}`]),
    start,
    ...(since === undefined ? [] : [`^${since}`]),
    '--',
    ...(path === '' || ofLines !== undefined ? [] : [path]),
  ];
  const output = await repository.git(parameters, {
    firstBytes: LIMITS.gitOutputBytes,
    timeoutMs: options.timeoutMs ?? LIMITS.gitTimeoutMs,
  });
  const commits = parseCommits(output);
  const hasNextPage = commits.length > first;
  const page = commits.slice(0, first);
  return { commits: page, hasNextPage, endCursor: page.length === 0 ? undefined : `${start}-${skip + page.length}` };
}

function whole(line: number): number {
  return Math.max(1, Math.trunc(line));
}

function parseCursor(cursor: string): { start: string; skip: number } {
  const [, start, skip] = /^([0-9a-f]{40,64})-(\d{1,9})$/.exec(cursor) ?? [];
  if (start === undefined) throw new GitError('The cursor is not valid.');
  return { start, skip: Number(skip) };
}

function parseCommits(output: Buffer): Commit[] {
  const fields = output.toString('utf8').split('\0');
  const commits: Commit[] = [];
  // `-z` ends each entry with one more NUL.
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length + 1) {
    const [oid = '', abbreviatedOID = '', parents = '', ...rest] = fields.slice(at, at + FIELDS.length);
    const [name = '', email = '', date = '', byName = '', byEmail = '', byDate = ''] = rest;
    const [subject = '', body = '', message = ''] = rest.slice(6);
    commits.push({
      oid,
      abbreviatedOID,
      subject,
      body: body.trim(),
      message: message.trimEnd(),
      author: { name, email, date },
      committer: { name: byName, email: byEmail, date: byDate },
      parents: parents === '' ? [] : parents.split(' '),
    });
  }
  return commits;
}
