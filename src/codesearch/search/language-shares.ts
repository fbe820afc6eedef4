import type { Investigation } from './investigation.ts';
import { languageOf } from './roles.ts';

/** Share of each language among the source files: people usually mean code in the main language. */
export function languageShares({ corpus }: Investigation): Map<string, number> {
  const counts = new Map<string, number>();
  let sum = 0;
  for (const { path, role } of corpus.index.all()) {
    if (role !== 'source') continue;
    const language = languageOf(path);
    counts.set(language, (counts.get(language) ?? 0) + 1);
    sum += 1;
  }
  return new Map([...counts].map(([language, amount]) => [language, amount / sum]));
}
