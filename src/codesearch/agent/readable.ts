import type { SourceRecord } from '../ask/finding.ts';
import type { Repository } from '../git/repository.ts';
import type { Corpus } from '../index/corpus.ts';
import type { IndexedFile } from '../index/file-index.ts';
import { readableCorpus } from '../index/readable-corpus.ts';

/** What the asker may read, as the model's tools and the check of links see it: rights are looked up at every use. */
export interface Readable {
  repositories(): readonly Repository[];
  /**
   * A repository by its name or by the end of it; without a name, the only one. Undefined for every other name: one that may not
   * be read looks like one that does not exist.
   */
  repository(name: string | undefined): Repository | undefined;
  /** A tracked file; undefined for all other paths. */
  file(repository: string, path: string): IndexedFile | undefined;
  /** Remembers a file that the model got to see, as it is now: its links lead there also when the file changes meanwhile. */
  remember(file: IndexedFile): void;
  /** A file as the model saw it last; one that it did not see, or that did not change since, as it is now. */
  remembered(repository: string, path: string): IndexedFile | undefined;
  /** Paths of tracked files, in all of a repository or below a folder. */
  paths(repository: string, folder: string): string[];
  /** Lines of a file; undefined for one that is not text. */
  lines(file: IndexedFile): Promise<string[] | undefined>;
  /** Repositories whose contents the model got to see. */
  readonly seen: Set<string>;
  /** Parts of files that the model read, by their links. */
  readonly opened: Map<string, SourceRecord>;
}

export function createReadable(corpus: Corpus, canRead: (repository: string) => boolean): Readable {
  const own = (): Corpus => readableCorpus(corpus, canRead);
  const keyOf = (repository: string, path: string): string => `${repository}\0${path}`;
  const shown = new Map<string, IndexedFile>();
  return {
    seen: new Set(),
    opened: new Map(),
    repositories: () => own().repositories,
    repository(name) {
      const all = own().repositories;
      if (name === undefined) return all.length === 1 ? all[0] : undefined;
      const wanted = name.replace(/^\/+|\/+$/g, '').toLowerCase();
      const exact = all.find((one) => one.name.toLowerCase() === wanted);
      const ending = all.filter((one) => one.name.toLowerCase().endsWith(`/${wanted}`));
      return exact ?? (ending.length === 1 ? ending[0] : undefined);
    },
    file: (repository, path) => own().index.get(repository, path),
    remember(file) {
      shown.set(keyOf(file.repository, file.path), file);
    },
    remembered(repository, path) {
      const readable = own();
      const before = shown.get(keyOf(repository, path));
      const now = readable.index.get(repository, path);
      const hasChanged = before !== undefined && before.blob !== now?.blob;
      return hasChanged && readable.repository(repository) !== undefined ? before : now;
    },
    paths(repository, folder) {
      const prefix = folder === '' ? '' : `${folder}/`;
      return [...own().index.filesOf(repository)].map(({ path }) => path).filter((path) => path.startsWith(prefix));
    },
    async lines(file) {
      const lines = await own().lines(file);
      // What follows the last line break is no line.
      return lines?.at(-1) === '' ? lines.slice(0, -1) : lines;
    },
  };
}
