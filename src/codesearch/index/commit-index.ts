import type { Commit } from './commits.ts';
import { createTextIndex, MOST_QUERY_TERMS, type Numbered, statisticsOf, weigh } from './text-index.ts';
import { textTerms } from './words.ts';

export interface CommitHit {
  repository: string;
  commit: Commit;
  score: number;
}

interface Entry extends Numbered {
  commit: Commit;
}

/** Of a message; the rest is mostly lists and logs. */
const LONGEST_BODY = 2_000;
const MOST_HITS = 1_000;

/** A search index of the messages of one repository's newest commits. */
export function createCommitIndex(repository: string, commits: readonly Commit[]) {
  const search = createTextIndex<Entry>();
  for (const commit of commits) {
    const body = textTerms(commit.body.slice(0, LONGEST_BODY));
    search.add({ id: 0, commit }, weigh({ subject: textTerms(commit.subject), body }));
  }
  return {
    newest: (count: number): Commit[] => commits.slice(0, count),
    /** Commits whose message has any of the terms, best first. */
    find(terms: ReadonlyMap<string, number>): CommitHit[] {
      const heaviest = [...terms].sort((a, b) => b[1] - a[1]).slice(0, MOST_QUERY_TERMS);
      return search
        .find(
          heaviest.map(([term]) => term),
          heaviest.map(([, weight]) => weight),
          statisticsOf([search]),
        )
        .sort((a, b) => b.score - a.score || a.document.id - b.document.id)
        .slice(0, MOST_HITS)
        .map(({ document, score }) => ({ repository, commit: document.commit, score }));
    },
  };
}

export type CommitIndex = ReturnType<typeof createCommitIndex>;
