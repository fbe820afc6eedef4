import type { CommitHit } from '../index/commit-index.ts';
import type { IndexedFile } from '../index/file-index.ts';
import { stem } from '../index/stem.ts';
import { COMMITS } from './constants.ts';
import { coverage } from './coverage.ts';
import type { Investigation } from './investigation.ts';
import type { QueryWord } from './query-terms.ts';

/** A commit whose message has words of the question. */
export interface CommitAbout extends CommitHit {
  /** The share of the question's weight that the message has. */
  covered: number;
}

/** Commits whose messages have any of the words, best first. */
export function commitsAbout(
  words: readonly QueryWord[],
  investigation: Investigation,
  most = Number.POSITIVE_INFINITY,
): CommitAbout[] {
  if (words.length === 0) return [];
  // Messages have words that no file has.
  const wanted = words.map((each) =>
    each.isKnown ? each : { ...each, terms: new Map([...each.terms, [stem(each.word), 1]]) },
  );
  const terms = new Map<string, number>();
  for (const { terms: own, weight } of wanted) {
    for (const [term, part] of own) terms.set(term, Math.max(terms.get(term) ?? 0, part * weight));
  }
  return investigation
    .findCommits(terms)
    .slice(0, most)
    .map((hit) => ({ ...hit, covered: coverage(`${hit.commit.subject}\n${hit.commit.body}`, wanted) }));
}

/**
 * How much the history says that a file has to do with the question, from 0 to 1: people describe a change in words that its code may not
 * have. A commit that changed many files says little of each.
 */
export async function worthByCommits(
  words: readonly QueryWord[],
  investigation: Investigation,
): Promise<ReadonlyMap<IndexedFile, number>> {
  const hits = commitsAbout(words, investigation, COMMITS.most);
  const best = hits[0]?.score ?? 1;
  const worth = new Map<IndexedFile, number>();
  for (const { hit, files, changed } of await investigation.filesOf(hits)) {
    if (changed > COMMITS.mostFiles) continue;
    const each = ((hit.score / best) * hit.covered) / Math.sqrt(changed);
    for (const file of files) worth.set(file, (worth.get(file) ?? 0) + each);
  }
  const most = Math.max(1, ...worth.values());
  return new Map([...worth].map(([file, own]) => [file, own / most]));
}
