import { textTerms } from '../index/words.ts';
import { CONFIDENCE } from './constants.ts';
import type { QueryWord } from './query-terms.ts';

/** The share of a question's weight that a text covers. */
export function coverage(text: string, words: readonly QueryWord[]): number {
  return share(wordsIn(text, words), words);
}

/** The words that a text has, by their places in `words`, each with the share of the best term that stands for it. */
export function wordsIn(text: string, words: readonly QueryWord[]): Map<number, number> {
  const terms = new Set(textTerms(text));
  const found = new Map<number, number>();
  for (const [at, { terms: own }] of words.entries()) {
    let most = 0;
    for (const [term, part] of own) if (part > most && terms.has(term)) most = part;
    if (most > 0) found.set(at, most);
  }
  return found;
}

/**
 * How much of what the question is about a unit has. Square roots keep one rare word from deciding alone. A related word counts less
 * for a noun only. Words in the rest of the file and in its path count in part.
 */
export function confidence(
  found: ReadonlyMap<number, number>,
  words: readonly QueryWord[],
  inFile: ReadonlyMap<number, number> = new Map(),
): number {
  let total = 0;
  let sum = 0;
  for (const [at, { isNeeded, isNoun, weight }] of words.entries()) {
    if (!isNeeded) continue;
    total += Math.sqrt(weight);
    const [own, around] = [found, inFile].map((place) => {
      const part = place.get(at) ?? 0;
      return isNoun ? part : Math.ceil(part);
    });
    sum += Math.sqrt(weight) * Math.max(own ?? 0, CONFIDENCE.inFile * (around ?? 0));
  }
  return total === 0 ? share(found, words) : sum / total;
}

/** The share of the weight of all words that those found have. */
export function share(found: ReadonlyMap<number, number>, words: readonly QueryWord[]): number {
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  for (const [at, part] of found) sum += part * (words[at]?.weight ?? 0);
  return total === 0 ? 0 : sum / total;
}
