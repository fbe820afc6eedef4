import { escapeRegExp } from '../escape.ts';
import { countOf, type SearchResult } from '../query/results.ts';

const MOST = 20;

/** Counts matches by repository and language, and suggests filters for the most frequent, for a `filters` event. */
export function createFilterCounter() {
  const counts = new Map<string, { value: string; label: string; kind: 'repo' | 'lang'; count: number }>();

  function count(kind: 'repo' | 'lang', value: string, label: string, amount: number): void {
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
    /** The entries of the event, most frequent first. */
    entries: (limitHit: boolean): unknown[] =>
      (['repo', 'lang'] as const).flatMap((kind) =>
        [...counts.values()]
          .filter((entry) => entry.kind === kind)
          .sort((a, b) => b.count - a.count)
          .slice(0, MOST)
          .map((entry) => ({ ...entry, limitHit, exhaustive: !limitHit })),
      ),
  };
}
