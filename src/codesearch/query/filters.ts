import { escapeRegExp } from '../escape.ts';
import { countOf, type SearchResult } from './results.ts';

const MOST = 20;

/** A filter that narrows a search to some of its results. */
export interface SearchFilter {
  value: string;
  label: string;
  kind: 'repo' | 'lang';
  /** Matches. */
  count: number;
  /** Whether there may be more matches. */
  limitHit: boolean;
}

/** Counts matches by repository and language, and suggests filters for the most frequent. */
export function createFilterCounter() {
  const counts = new Map<string, Omit<SearchFilter, 'limitHit'>>();

  function count(kind: SearchFilter['kind'], value: string, label: string, amount: number): void {
    const known = counts.get(value);
    if (known === undefined) counts.set(value, { value, label, kind, count: amount });
    else known.count += amount;
  }

  return {
    add(result: SearchResult): void {
      const amount = countOf(result);
      const name = result.repository;
      const revision = result.kind !== 'commit' && result.revision !== '' ? `@${result.revision}` : '';
      count('repo', `repo:^${escapeRegExp(name)}$${revision}`, `${name}${revision}`, amount);
      if (result.kind !== 'file' || result.language === '') return;
      const language = result.language.toLowerCase();
      count('lang', `lang:${language.includes(' ') ? `"${language}"` : language}`, `lang:${language}`, amount);
    },
    /** The filters, most frequent first. */
    entries: (limitHit: boolean): SearchFilter[] =>
      (['repo', 'lang'] as const).flatMap((kind) =>
        [...counts.values()]
          .filter((entry) => entry.kind === kind)
          .sort((a, b) => b.count - a.count)
          .slice(0, MOST)
          .map((entry) => ({ ...entry, limitHit })),
      ),
  };
}
