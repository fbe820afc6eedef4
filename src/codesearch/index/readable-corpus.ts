import type { Corpus } from './corpus.ts';

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
  return {
    ...corpus,
    repositories,
    index: corpus.index.of(names),
    repository: (name) => (names.has(name) ? corpus.repository(name) : undefined),
    commits: (name) => (names.has(name) ? corpus.commits(name) : undefined),
    preload: (files) => corpus.preload(files.filter(({ repository }) => names.has(repository))),
    lines: async (file) => (names.has(file.repository) ? corpus.lines(file) : undefined),
  };
}
