import { setImmediate as breathe } from 'node:timers/promises';
import { withoutBudget } from '../git/budget.ts';
import { GitError } from '../git/git.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { LIMITS } from '../limits.ts';
import { analyzeFile } from './analyze-file.ts';
import { type CommitIndex, createCommitIndex } from './commit-index.ts';
import { readRecentCommits } from './commits.ts';
import { createFileAnalyzer } from './file-analyzer.ts';
import { createFileIndex, type FileIndex, type IndexedFile } from './file-index.ts';

const FILES_PER_BREATH = 25;

/** All repositories of the service, with one shared index. */
export interface Corpus {
  readonly repositories: readonly Repository[];
  /** Names that several repositories have; all but the first have got a number behind it. */
  readonly sharedNames: readonly string[];
  readonly index: FileIndex;
  repository(name: string): Repository | undefined;
  /** False when git could not read it at the last refresh. */
  isReadable(name: string): boolean;
  commits(name: string): CommitIndex | undefined;
  /** Updates the index of repositories whose HEAD or git index changed; one refresh at a time. Returns the number of changed files. */
  refresh(): Promise<number>;
  /** Reads many files in one go, before they are needed. */
  preload(files: readonly IndexedFile[]): Promise<void>;
  /** Lines of an indexed file, each cut to `LIMITS.lineCharacters`; undefined for one that is not text. */
  lines(file: IndexedFile): Promise<string[] | undefined>;
}

/**
 * Opens and indexes the repositories; throws `GitError` when a folder is not a repository. `onProblem` is called when git later
 * can't read one of them: it stays as it was, and the others are not held up.
 */
export async function openCorpus(
  paths: readonly string[],
  onProblem: (error: unknown) => void = () => {},
): Promise<Corpus> {
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
  const commits = new Map<string, { head: string | undefined; index: CommitIndex }>();
  /** What git refused to read, by repository: it is not read again before it changes. */
  const unreadable = new Map<string, string>();
  let refreshing: Promise<number> | undefined;

  async function refreshOne(repository: Repository): Promise<number> {
    const fingerprint = await repository.fingerprint();
    const isKnown = fingerprints.get(repository.name) === fingerprint;
    if (unreadable.get(repository.name) === fingerprint) return 0;
    unreadable.delete(repository.name);
    if (isKnown) return 0;
    const changed = await updateFiles(repository, index);
    const head = await repository.head();
    const staged = head === undefined ? undefined : await repository.stagedPaths(head);
    for (const file of index.all()) {
      if (file.repository === repository.name) file.commit = staged?.has(file.path) === false ? head : undefined;
    }
    const known = commits.get(repository.name);
    if (known === undefined || known.head !== head) {
      const newest = head === undefined ? [] : await readRecentCommits(repository);
      commits.set(repository.name, { head, index: createCommitIndex(repository.name, newest) });
    }
    fingerprints.set(repository.name, fingerprint);
    return changed;
  }

  async function refreshAll(): Promise<number> {
    let changed = 0;
    for (const repository of repositories) {
      changed += await refreshOne(repository).catch(async (error: unknown) => {
        if (!(error instanceof GitError)) throw error;
        onProblem(new GitError(`${repository.name}: ${error.message}`, { kind: error.kind, cause: error }));
        if (error.kind === 'failed') unreadable.set(repository.name, await repository.fingerprint());
        return 0;
      });
    }
    return changed;
  }

  const corpus: Corpus = {
    repositories,
    sharedNames: [...sharedNames],
    index,
    repository: (name) => repositories.find((repository) => repository.name === name),
    isReadable: (name) => !unreadable.has(name),
    commits: (name) => commits.get(name)?.index,
    refresh() {
      // Several requests wait for one refresh: it must not end with the first of them.
      refreshing ??= withoutBudget(refreshAll).finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
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
  for (const [at, repository] of repositories.entries()) {
    await refreshOne(repository).catch((cause: unknown) => {
      throw cause instanceof GitError
        ? new GitError(`${paths[at]}: ${cause.message}`, { kind: cause.kind, cause })
        : cause;
    });
  }
  return corpus;
}

/** Indexes new and changed files and removes deleted ones; pauses regularly so that the server can reply. */
async function updateFiles(repository: Repository, index: FileIndex): Promise<number> {
  const tracked = new Map((await repository.files()).map((file) => [file.path, file.blob]));
  let changed = 0;
  for (const file of [...index.all()]) {
    if (file.repository === repository.name && !tracked.has(file.path)) {
      index.remove(repository.name, file.path);
      changed += 1;
    }
  }
  const pathsOf = new Map<string, string[]>();
  for (const [path, blob] of tracked) {
    if (index.get(repository.name, path)?.blob === blob) continue;
    const paths = pathsOf.get(blob);
    if (paths === undefined) pathsOf.set(blob, [path]);
    else paths.push(path);
  }
  const sizes = await repository.blobs.sizes([...pathsOf.keys()]);
  const readable = new Map([...sizes].filter(([, size]) => size <= LIMITS.fileBytes));
  const analyzer = createFileAnalyzer([...readable.values()].reduce((sum, size) => sum + size, 0));
  try {
    for await (const texts of repository.blobs.stream(readable)) {
      const files = [...texts].flatMap(([blob, text]) =>
        (pathsOf.get(blob) ?? []).splice(0, LIMITS.copiesAnalyzed).map((path) => ({ path, blob, text })),
      );
      for await (const [{ path, blob }, analyzed] of analyzer.analyze(files)) {
        index.put(repository.name, path, blob, analyzed);
        changed += 1;
        if (changed % FILES_PER_BREATH === 0) await breathe();
      }
    }
  } finally {
    await analyzer.close();
  }
  for (const [blob, paths] of pathsOf) {
    for (const path of paths) {
      index.put(repository.name, path, blob, await analyzeFile(path, undefined));
      changed += 1;
      if (changed % FILES_PER_BREATH === 0) await breathe();
    }
  }
  return changed;
}
