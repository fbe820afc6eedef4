import { setImmediate as breathe } from 'node:timers/promises';
import { withoutBudget } from '../git/budget.ts';
import { GitError } from '../git/git.ts';
import { openRepository, type Repository, type TrackedFile } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import { type CommitIndex, createCommitIndex } from './commit-index.ts';
import { readRecentCommits } from './commits.ts';
import { createFileIndex, type FileIndex, type IndexedFile, type IndexView } from './file-index.ts';
import { createFileReader, type FileReader } from './file-reader.ts';
import { roleOf } from './roles.ts';

const FILES_PER_BREATH = 1_000;
/** Of a repository where git can't even read HEAD. */
const NO_FINGERPRINT = 'none';

interface RefreshOptions {
  /** How long to wait for files that are not read yet; default `LIMITS.readingWaitMs`. */
  waitMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** All repositories of the service, with one shared index. */
export interface Corpus {
  readonly repositories: readonly Repository[];
  /** Names that several repositories have; all but the first have got a number behind it. */
  readonly sharedNames: readonly string[];
  readonly index: IndexView;
  repository(name: string): Repository | undefined;
  /** False when git could not read it at the last refresh. */
  isReadable(name: string): boolean;
  commits(name: string): CommitIndex | undefined;
  /**
   * Updates the list of files of repositories whose HEAD or git index changed, with all changes before the call. Then waits until they
   * are read; the others are read in the background. Returns how many files changed, by repository. Ends early, without an error, with
   * the signal.
   */
  refresh(options?: RefreshOptions): Promise<Changes>;
  /** Reads files that are not read yet before the others. The index then has other objects for them. */
  readFirst(files: readonly IndexedFile[]): Promise<void>;
  /** Reads many files in one go, before they are needed. */
  preload(files: readonly IndexedFile[]): Promise<void>;
  /** Lines of an indexed file, each cut to `LIMITS.lineCharacters`; undefined for one that is not text. */
  lines(file: IndexedFile): Promise<string[] | undefined>;
}

/** A corpus as the service opens it. */
export interface OpenedCorpus extends Corpus {
  /**
   * Reads the listed files. Resolves when all are read, at the latest after `waitMs`. Throws {@link GitError} when git can't read one of
   * the repositories by then.
   */
  read(waitMs: number): Promise<void>;
  /** Resolves when everything that is listed now is read. */
  untilRead(): Promise<void>;
  /** Stops reading. */
  close(): Promise<void>;
}

/**
 * Opens the repositories and lists their files; throws `GitError` when a folder is not a repository. `onProblem` is called when git
 * later can't read one of them: it stays as it was, and the others are not held up.
 */
export async function openCorpus(
  paths: readonly string[],
  onProblem: (error: unknown) => void = () => {},
): Promise<OpenedCorpus> {
  const repositories: Repository[] = [];
  const sharedNames = new Set<string>();
  for (const path of paths) {
    const repository = await openRepository(path);
    let name = repository.name;
    for (let copy = 2; repositories.some((other) => other.name === name); copy += 1)
      name = `${repository.name}-${copy}`;
    if (name !== repository.name) sharedNames.add(repository.name);
    repositories.push({ ...repository, name });
  }
  const index = createFileIndex();
  const fingerprints = new Map<string, string>();
  /** Repositories to list again at the next refresh, also if they did not change: reading their files failed. */
  const toList = new Set<string>();
  const commits = new Map<string, { head: string | undefined; index: CommitIndex }>();
  /** What git refused to read, by repository: it is not read again before it changes. */
  const unreadable = new Map<string, string>();
  let listing: Promise<Changes> | undefined;
  /** Begins when the listing ends. */
  let nextListing: Promise<Changes> | undefined;
  /** What went wrong while the first files were read: the caller of `read` gets it. */
  let failures: { repository: Repository; error: GitError }[] | undefined = [];
  const reader = createFileReader(index, (error, repository) => {
    if (!(error instanceof GitError)) onProblem(error);
    else if (failures === undefined) void giveUp(repository, error);
    else failures.push({ repository, error });
    toList.add(repository.name);
  });

  /** A repository that git refuses to read is not read again before it changes. */
  async function giveUp(repository: Repository, error: GitError): Promise<void> {
    const fingerprint = await repository.fingerprint().catch(() => NO_FINGERPRINT);
    if (error.kind === 'failed') {
      // A repository that is gone fails at each refresh.
      if (unreadable.get(repository.name) === fingerprint) return;
      unreadable.set(repository.name, fingerprint);
    }
    onProblem(new GitError(`${repository.name}: ${error.message}`, { kind: error.kind, cause: error }));
  }

  async function refreshOne(repository: Repository): Promise<number> {
    // A failure during this refresh is for the next one.
    if (toList.delete(repository.name)) fingerprints.delete(repository.name);
    const fingerprint = await repository.fingerprint();
    const isKnown = fingerprints.get(repository.name) === fingerprint;
    if (unreadable.get(repository.name) === fingerprint) return 0;
    unreadable.delete(repository.name);
    if (isKnown) return 0;
    const first = await listAtHead(repository, fingerprint);
    const listed = first.after === fingerprint ? first : await listAtHead(repository, first.after);
    const { head } = listed;
    const known = commits.get(repository.name);
    if (known === undefined || known.head !== head) {
      const newest = head === undefined ? [] : await readRecentCommits(repository);
      commits.set(repository.name, { head, index: createCommitIndex(repository.name, newest) });
    }
    fingerprints.set(repository.name, listed.before);
    return first.changed + (listed === first ? 0 : listed.changed);
  }

  /** Lists the files and their commit. If HEAD or the index changes meanwhile, the files may be those of either, and get no commit. */
  async function listAtHead(repository: Repository, before: string) {
    const changed = await listFiles(repository, index, reader);
    const head = await repository.head();
    const staged = head === undefined ? undefined : await repository.stagedPaths(head);
    const after = await repository.fingerprint();
    const isOfHead = (path: string): boolean => after === before && staged?.has(path) === false;
    for (const file of index.filesOf(repository.name)) file.commit = isOfHead(file.path) ? head : undefined;
    return { before, after, changed, head };
  }

  async function listAll(): Promise<Changes> {
    const changes = new Map<string, number>();
    for (const repository of repositories) {
      const changed = await refreshOne(repository).catch(async (error: unknown) => {
        if (!(error instanceof GitError)) throw error;
        await giveUp(repository, error);
        return 0;
      });
      changes.set(repository.name, changed);
    }
    return changes;
  }

  /** Shared by all that wait for a listing that has not begun: one that runs may lack what changed since then. */
  function listShared(): Promise<Changes> {
    if (listing === undefined) {
      // Several requests wait for one listing: it must not end with the first of them.
      listing = withoutBudget(listAll).finally(() => {
        listing = undefined;
      });
      return listing;
    }
    nextListing ??= listing
      .catch(() => {})
      .then(() => {
        nextListing = undefined;
        return listShared();
      });
    return nextListing;
  }

  const corpus: OpenedCorpus = {
    repositories,
    sharedNames: [...sharedNames],
    index,
    repository: (name) => repositories.find((repository) => repository.name === name),
    isReadable: (name) => !unreadable.has(name),
    commits: (name) => commits.get(name)?.index,
    async refresh({ waitMs = LIMITS.readingWaitMs, signal } = {}) {
      const changed = await Promise.race([listShared(), ...(signal === undefined ? [] : [ended(signal)])]);
      await reader.read(waitMs, signal);
      return changed;
    },
    async read(waitMs) {
      await reader.read(waitMs);
      const [failed] = failures ?? [];
      failures = undefined;
      if (failed !== undefined) throw startError(failed.repository, failed.error);
    },
    async readFirst(files) {
      for (const repository of repositories) {
        const own = files.filter((file) => file.repository === repository.name && !file.isRead);
        if (own.length > 0) await reader.readFirst(repository, own);
      }
    },
    untilRead: () => reader.read(),
    close: () => reader.close(),
    async preload(files) {
      for (const repository of repositories) {
        const blobs = files.filter((file) => file.repository === repository.name).map(({ blob }) => blob);
        if (blobs.length > 1) await repository.blobs.texts(blobs);
      }
    },
    async lines(file) {
      const texts = await corpus.repository(file.repository)?.blobs.texts([file.blob]);
      return texts
        ?.get(file.blob)
        ?.split('\n')
        .map((line) => line.slice(0, LIMITS.lineCharacters));
    },
  };
  for (const repository of repositories) {
    await refreshOne(repository).catch((error: unknown) => {
      throw error instanceof GitError ? startError(repository, error) : error;
    });
  }
  return corpus;

  function startError(repository: Repository, cause: GitError): GitError {
    const path = paths[repositories.indexOf(repository)];
    return new GitError(`${path}: ${cause.message}`, { kind: cause.kind, cause });
  }
}

/** How many files changed, by repository. */
type Changes = ReadonlyMap<string, number>;

/** Resolves when the signal ends. */
function ended(signal: AbortSignal): Promise<Changes> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(new Map());
    signal.addEventListener('abort', () => resolve(new Map()), { once: true });
  });
}

/** Adds new and changed files to the index with their paths only, plans to read them, and removes deleted ones. Returns how many. */
async function listFiles(repository: Repository, index: FileIndex, reader: FileReader): Promise<number> {
  const tracked = await repository.files();
  const paths = new Set(tracked.map(({ path }) => path));
  let changed = 0;
  for (const { path } of [...index.filesOf(repository.name)]) {
    if (paths.has(path)) continue;
    index.remove(repository.name, path);
    changed += 1;
  }
  const toRead: TrackedFile[] = [];
  for (const { path, blob } of tracked) {
    const known = index.get(repository.name, path);
    if (known?.blob === blob && known.isRead) continue;
    toRead.push({ path, blob });
    if (known?.blob === blob) continue;
    const lines = { lineCount: 0, commentLines: [], importLines: [] };
    const nothing = { ...lines, symbols: [], units: [], trigrams: undefined, textLength: 0 };
    const place = { repository: repository.name, path, blob, commit: undefined };
    index.put(place, { role: roleOf(path), ...nothing }, false);
    changed += 1;
    if (changed % FILES_PER_BREATH === 0) await breathe();
  }
  await reader.plan(repository, toRead);
  return changed;
}
