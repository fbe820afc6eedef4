import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../limits.ts';
import { createBlobs } from './blobs.ts';
import { createGit, type Git, GitError, gitText, operatorSafeDirectories } from './git.ts';
import { findPlaces, type Places } from './places.ts';
import { createRepositoryState, readShallow } from './repository-state.ts';

/** A regular file tracked by git; symbolic links and submodules are left out. */
export interface TrackedFile {
  path: string;
  /** Object id of its content in the index (or, in a bare repository, in HEAD). */
  blob: string;
}

/** One local git repository: its commits and staged changes, without unstaged edits. */
export interface Repository {
  /** `github.com/org/name` from the origin remote, or else the folder's name. */
  readonly name: string;
  readonly git: Git;
  /** Whether it has no index: then HEAD is what it tracks. */
  readonly bare: boolean;
  readonly blobs: ReturnType<typeof createBlobs>;
  /** Full ids of commits that git found. What an id names never changes. */
  readonly knownCommits: LRUCache<string, true>;
  /** Where its commits are read from. */
  places(): Promise<Places>;
  /** A string that changes when HEAD or the index changes. */
  fingerprint(): Promise<string>;
  /** Commit id of HEAD; undefined before the first commit. */
  head(): Promise<string | undefined>;
  /** In order of their paths. The list is kept until HEAD or the index changes. */
  files(): Promise<readonly TrackedFile[]>;
  /** Those of a commit. */
  filesAt(commit: string): Promise<readonly TrackedFile[]>;
  /** The oldest commits of a shallow clone: what they seem to add may be older, and by others. None in a whole clone. */
  boundary(): Promise<ReadonlySet<string>>;
  /** Paths whose staged content differs from this commit; none in a bare repository. */
  stagedPaths(commit: string): Promise<Set<string>>;
}

/** Opens a repository; throws {@link GitError} with a readable message when the folder is not a repository. */
export async function openRepository(path: string): Promise<Repository> {
  const folder = await realpath(path).catch(() => undefined);
  if (folder === undefined || !(await stat(folder)).isDirectory()) throw new GitError(`${path} is not a folder.`);
  const { bare, gitDirectory } = await findGitDirectory(path, folder);
  // Not `--show-toplevel`: the repository's configuration can set it to any folder.
  const root = bare ? folder : await findRoot(folder);
  const git = createGit({ folder: root, gitDirectory, bare });
  const origin = (await gitText(git, ['config', '--get', 'remote.origin.url'])).trim();

  const commonDirectory = await findCommonDirectory(gitDirectory);
  const state = createRepositoryState(gitDirectory, commonDirectory);

  let changes = 0;

  const knownCommits = new LRUCache<string, true>({ max: LIMITS.knownCommits });

  const head = keep(state.head, async () => {
    await mustBeThere(gitDirectory);
    const commit = (await gitText(git, ['rev-parse', '-q', '--verify', 'HEAD^{commit}'])).trim();
    if (commit !== '') {
      knownCommits.set(commit, true);
      return commit;
    }
    const named = (await gitText(git, ['rev-parse', '-q', '--verify', 'HEAD'])).trim();
    // Before the first commit, HEAD names a branch that does not exist.
    if (named === '' && (await gitText(git, ['symbolic-ref', '-q', 'HEAD'])) !== '') return undefined;
    throw new GitError('git rev-parse: the commit of HEAD is not there');
  });

  /** False in a bare repository and in a clone without checkout: then HEAD is what the repository tracks. */
  const hasIndex = async (): Promise<boolean> => !bare && (await isThere(join(gitDirectory, 'index')));
  const listState = async (): Promise<string | undefined> =>
    (await hasIndex()) ? await state.index() : await state.head();

  const most = { firstBytes: LIMITS.gitOutputBytes, timeoutMs: LIMITS.gitIndexTimeoutMs };
  const filesAt = async (commit: string): Promise<TrackedFile[]> =>
    parseListing(await git(['ls-tree', '-r', '-z', '--full-tree', commit], most));
  const files = keep(listState, async () => {
    if (await hasIndex()) return parseListing(await git(['ls-files', '-s', '-z'], most));
    const commit = await head();
    if (commit === undefined) return [];
    return filesAt(commit).catch(async (error: unknown) => {
      if (error instanceof GitError && error.kind === 'failed' && (await isPartialClone(git))) return [];
      throw error;
    });
  });
  const blobs = createBlobs(git);

  return {
    name: nameFromRemote(origin) ?? (basename(root).replace(/\.git$/, '') || 'repository'),
    git,
    bare,
    blobs,
    knownCommits,
    places: () => findPlaces(commonDirectory),
    head,
    async fingerprint() {
      const commit = (await head()) ?? '';
      if (!(await hasIndex())) return commit;
      // While the state is unknown, each fingerprint counts as a change.
      changes += 1;
      return `${commit} ${(await state.index()) ?? `change ${changes}`}`;
    },
    files,
    filesAt,
    boundary: () => readShallow(commonDirectory),
    async stagedPaths(commit) {
      if (!(await hasIndex())) return new Set();
      const parameters = [
        'diff-index',
        '--cached',
        '--no-ext-diff',
        '--no-textconv',
        '--no-renames',
        '--name-only',
        '-z',
      ];
      const listing = await git([...parameters, commit, '--'], { firstBytes: LIMITS.gitOutputBytes });
      return new Set(listing.toString('utf8').split('\0'));
    },
  };
}

/** Reads a value, or returns the last one while the state is the same. A value is not kept when the state changed meanwhile. */
function keep<T>(stateOf: () => Promise<string | undefined>, read: () => Promise<T>): () => Promise<T> {
  let kept: { state: string; value: T } | undefined;
  return async () => {
    const state = await stateOf();
    if (state !== undefined && kept?.state === state) return kept.value;
    const value = await read();
    kept = state !== undefined && (await stateOf()) === state ? { state, value } : undefined;
    return value;
  };
}

/** A folder that was moved, deleted or unmounted is no repository without commits. */
async function mustBeThere(gitDirectory: string): Promise<void> {
  if (!(await isThere(join(gitDirectory, 'HEAD')))) throw new GitError('the repository is not there any more');
}

/** Whether git may lack folders of a commit because they were never fetched. */
async function isPartialClone(git: Git): Promise<boolean> {
  const settings = String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`;
  return (await gitText(git, ['config', '--get-regexp', settings])) !== '';
}

/** Where the branches are: of a further work tree, the git directory of the first one. */
async function findCommonDirectory(gitDirectory: string): Promise<string> {
  const named = await readFile(join(gitDirectory, 'commondir'), 'utf8').catch(() => '');
  return resolve(gitDirectory, named.trim());
}

async function findGitDirectory(path: string, folder: string): Promise<{ bare: boolean; gitDirectory: string }> {
  const ask = (trusted: readonly string[]): Promise<Buffer> =>
    createGit({ folder, trusted })(['rev-parse', '--is-bare-repository', '--absolute-git-dir']);
  const isOfOther = (error: unknown): boolean => error instanceof GitError && /dubious ownership/.test(error.message);
  const asked = await ask([])
    .catch(async (error: unknown) => {
      if (!isOfOther(error)) throw error;
      return ask(await operatorSafeDirectories());
    })
    .catch((error: unknown) => {
      const reason = error instanceof GitError ? error.message.replace(/^git rev-parse: (fatal: )?/, '') : 'git failed';
      throw new GitError(
        isOfOther(error)
          ? `${path} belongs to another user of this machine. To serve it, run: git config --global --add safe.directory ${folder}`
          : `${path} is not a git repository (${reason}).`,
        { cause: error },
      );
    });
  const [isBare, gitDirectory = ''] = asked.toString('utf8').trimEnd().split('\n');
  return { bare: isBare === 'true', gitDirectory };
}

/** The folder above (or at) the given one that has a `.git`; the folder itself when it is inside a git directory. */
async function findRoot(folder: string): Promise<string> {
  for (let current = folder; ; current = dirname(current)) {
    if (await stat(join(current, '.git')).catch(() => undefined)) return current;
    if (dirname(current) === current) return folder;
  }
}

/**
 * `host/org/name` of a remote address; undefined for a local path. Every address may contain a password, also one with `@`,
 * `/` or `?` in it: what stands before the last `@` is left out, and an address that could be read in two ways names nothing.
 */
export function nameFromRemote(address: string): string | undefined {
  const [, scheme, rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/is.exec(address) ?? [];
  if (scheme?.toLowerCase() === 'file') return undefined;
  const at = rest.lastIndexOf('@');
  const query = rest.search(/[?#]/);
  if (query >= 0 && query < at) return undefined;
  const place = rest.slice(at + 1, query < 0 ? undefined : query);
  const parts = (scheme === undefined ? SHORT_PLACE : PLACE).exec(place);
  const [, host = '', path = ''] = parts ?? [];
  const segments = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '-' && !segment.startsWith('.'))
    .map(decodeSegment);
  if (host === '' || segments.length === 0 || segments.includes(undefined)) return undefined;
  return [host.toLowerCase(), ...segments].join('/');
}

const PLACE = /^([\p{L}\p{N}.-]+|\[[\da-f:.]+\])(?::\d*)?\/(.+)$/iu;
/** `host.example:org/name`. Without a dot, a host could be a drive letter or a user with a password. */
const SHORT_PLACE = /^([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+):(?!\/\/)(.+)$/iu;

/** A part of a path, decoded; undefined when it contains signs that belong to an address inside the address. */
function decodeSegment(segment: string): string | undefined {
  try {
    const decoded = decodeURIComponent(segment);
    return /^[\p{L}\p{M}\p{N} ._~+!,'()-]+$/u.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Reads `ls-files -s -z` ("mode blob stage\tpath") and `ls-tree -z` ("mode type blob\tpath"). */
function parseListing(listing: Buffer): TrackedFile[] {
  const files = new Map<string, TrackedFile>();
  // Each entry ends with a NUL: what follows the last one is empty, or an entry that was cut.
  for (const entry of listing.toString('utf8').split('\0').slice(0, -1)) {
    const tab = entry.indexOf('\t');
    if (tab < 0 || !entry.startsWith('100')) continue;
    const blob = entry
      .slice(0, tab)
      .split(' ')
      .find((part) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(part));
    const path = entry.slice(tab + 1);
    if (blob !== undefined) files.set(path, { path, blob });
  }
  const sorted = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return sorted.slice(0, LIMITS.filesPerRepository);
}
