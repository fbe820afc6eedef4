import MiniSearch from 'minisearch';
import type { Commit } from './commits.ts';
import { indexText } from './words.ts';

export interface CommitHit {
  repository: string;
  commit: Commit;
  terms: string[];
  score: number;
}

interface Entry {
  id: number;
  subject: string;
  body: string;
}

/** A search index of the messages of one repository's newest commits. */
export function createCommitIndex(repository: string, commits: readonly Commit[]) {
  const search = new MiniSearch<Entry>({
    fields: ['subject', 'body'],
    tokenize: (text) => text.split(' '),
    processTerm: (term) => term || null,
  });
  search.addAll(
    commits.map((commit, id) => ({
      id,
      subject: indexText(commit.subject, 2),
      body: indexText(commit.body.slice(0, 2_000), 2),
    })),
  );
  return {
    newest: (count: number): Commit[] => commits.slice(0, count),
    find(terms: ReadonlyMap<string, number>): CommitHit[] {
      if (terms.size === 0) return [];
      const results = search.search([...terms.keys()].join(' '), {
        boost: { subject: 2 },
        boostTerm: (term) => terms.get(term) ?? 1,
      });
      return results.slice(0, 200).flatMap((result) => {
        const commit = commits[Number(result.id)];
        return commit === undefined ? [] : [{ repository, commit, terms: result.queryTerms, score: result.score }];
      });
    },
  };
}

export type CommitIndex = ReturnType<typeof createCommitIndex>;
