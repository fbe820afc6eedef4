import type { Corpus } from './corpus.ts';
import type { FileIndex } from './file-index.ts';

/** Whether a reader may see a repository, by its name. */
export type CanRead = (repository: string) => boolean;

/**
 * The part of a corpus that a reader may see, and git can read. Everything else is absent, so that nothing written from it can name a
 * file, a definition or a commit of another repository.
 */
export function readableCorpus(corpus: Corpus, canRead: CanRead): Corpus {
  const repositories = corpus.repositories.filter(({ name }) => canRead(name) && corpus.isReadable(name));
  if (repositories.length === corpus.repositories.length) return corpus;
  const names = new Set(repositories.map(({ name }) => name));
  const index = readableIndex(corpus.index, (repository) => names.has(repository));
  return {
    ...corpus,
    repositories,
    index,
    repository: (name) => (names.has(name) ? corpus.repository(name) : undefined),
    commits: (name) => (names.has(name) ? corpus.commits(name) : undefined),
    preload: (files) => corpus.preload(files.filter(({ repository }) => names.has(repository))),
    lines: async (file) => (names.has(file.repository) ? corpus.lines(file) : undefined),
  };
}

function readableIndex(index: FileIndex, canRead: CanRead): FileIndex {
  return {
    ...index,
    get: (repository, path) => (canRead(repository) ? index.get(repository, path) : undefined),
    *all() {
      for (const file of index.all()) if (canRead(file.repository)) yield file;
    },
    size() {
      let size = 0;
      for (const file of index.all()) if (canRead(file.repository)) size += 1;
      return size;
    },
    unread() {
      let unread = 0;
      for (const file of index.all()) if (!file.isRead && canRead(file.repository)) unread += 1;
      return unread;
    },
    definitions: (name) => index.definitions(name).filter(({ file }) => canRead(file.repository)),
    findName: (name) => index.findName(name).filter(({ repository }) => canRead(repository)),
    filesWith: (terms) => index.filesWith(terms).filter(({ repository }) => canRead(repository)),
    hasTerm: (term) => index.filesWith([term]).some(({ repository }) => canRead(repository)),
    find: (terms, weights) => index.find(terms, weights).filter(({ document }) => canRead(document.file.repository)),
  };
}
