import { LIMITS } from '../limits.ts';
import { GitError, gitText } from './git.ts';
import type { Repository } from './repository.ts';

/** A branch or a tag. */
export interface Ref {
  /** `refs/heads/main`. */
  name: string;
  /** `main`. */
  displayName: string;
  /** Full id of the commit; of an annotated tag, the commit that it names. */
  target: string;
}

export interface RefPage {
  /** Newest first; at most `LIMITS.refsPerPage`. */
  refs: Ref[];
  hasNextPage: boolean;
}

/**
 * The full commit id of a branch, tag, commit id or a form like `HEAD~3`; undefined when there is none. Refuses whatever could
 * be an option, a range, a path (`main:file`), a search in messages (`:/text`) or an entry of the reflog.
 */
export async function resolveRevision(repository: Repository, revision: string): Promise<string | undefined> {
  if (!isSafeRevision(revision)) return undefined;
  if (revision === 'HEAD') return repository.head();
  const { knownCommits } = repository;
  if (knownCommits.has(revision)) return revision;
  const output = await gitText(repository.git, ['rev-parse', '-q', '--verify', `${revision}^{commit}`]);
  const oid = output.trim();
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(oid)) return undefined;
  knownCommits.set(oid, true);
  return oid;
}

/** Reads from a commit; undefined when the revision names none, also when a known one was pruned since. */
export async function atCommit<T>(
  repository: Repository,
  revision: string,
  read: (commit: string) => Promise<T>,
): Promise<T | undefined> {
  const commit = await resolveRevision(repository, revision);
  if (commit === undefined) return undefined;
  try {
    return await read(commit);
  } catch (error) {
    const mayBeGone = error instanceof GitError && error.kind === 'failed' && repository.knownCommits.delete(commit);
    if (mayBeGone && (await resolveRevision(repository, commit)) === undefined) return undefined;
    throw error;
  }
}

/** Whether a text can only name a commit: no option, range, path, pattern or reflog entry. */
export function isSafeRevision(revision: string): boolean {
  if (revision.length > LIMITS.revisionCharacters || revision.startsWith('-')) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses control characters in names too
  return /^[^\x00-\x20\x7f:?*[\\{}]+$/.test(revision) && !revision.includes('..') && !/^\^|\^[-!@]/.test(revision);
}

/** Whether a text can be the path of a tracked file or folder, from the repository's root; '' is the root. */
export function isSafePath(path: string): boolean {
  if (path === '') return true;
  if (path.length > LIMITS.pathCharacters || path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** The branch that HEAD names; undefined when HEAD names a commit. The branch may have no commit yet. */
export async function defaultBranch(repository: Repository): Promise<string | undefined> {
  return (await gitText(repository.git, ['symbolic-ref', '-q', '--short', 'HEAD'])).trim() || undefined;
}

/** Branches or tags with this text in the name, newest first. */
export async function listRefs(repository: Repository, kind: 'branch' | 'tag', query = ''): Promise<RefPage> {
  const fields = ['refname', 'objectname', 'objecttype', '*objectname', '*objecttype'];
  const output = await repository.git([
    'for-each-ref',
    '--sort=-creatordate',
    `--count=${LIMITS.refsRead}`,
    `--format=${fields.map((field) => `%(${field})`).join('%00')}`,
    kind === 'branch' ? 'refs/heads/' : 'refs/tags/',
  ]);
  const wanted = query.toLowerCase();
  const refs = output
    .toString('utf8')
    .split('\n')
    .flatMap(parseRef)
    .filter(({ displayName }) => displayName.toLowerCase().includes(wanted));
  return { refs: refs.slice(0, LIMITS.refsPerPage), hasNextPage: refs.length > LIMITS.refsPerPage };
}

/** Leaves out tags that name no commit, such as a tag of a file. */
function parseRef(line: string): Ref[] {
  const [name = '', oid = '', type, peeled = '', peeledType] = line.split('\0');
  const target = type === 'commit' ? oid : peeledType === 'commit' ? peeled : undefined;
  if (target === undefined) return [];
  return [{ name, displayName: name.replace(/^refs\/(?:heads|tags)\//, ''), target }];
}
