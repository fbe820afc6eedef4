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
 * for a noun only.
 */
export function confidence(found: ReadonlyMap<number, number>, words: readonly QueryWord[]): number {
  return shareOfNeeded(found, words, ({ weight }) => Math.sqrt(weight), partOf);
}

/**
 * Whether a unit can be the answer, as far as words tell: the share of the specific words of the question that it has. Words that only
 * other units have count in part: people describe one thing in many ways, but the rare word of a question is missing everywhere when
 * the repositories have nothing to do with it.
 */
export function answerability(found: ReadonlyMap<number, number>, words: readonly QueryWord[]): number {
  return shareOfNeeded(
    found,
    words,
    ({ specificity }) => specificity,
    (word, part) => Math.max(partOf(word, part), word.terms.size > 0 ? CONFIDENCE.elsewhere : 0),
  );
}

/** The weighted share of the needed words; of all words, where none is needed. */
function shareOfNeeded(
  found: ReadonlyMap<number, number>,
  words: readonly QueryWord[],
  weightOf: (word: QueryWord) => number,
  shareOf: (word: QueryWord, found: number | undefined) => number,
): number {
  let [sum, total] = [0, 0];
  for (const [at, word] of words.entries()) {
    if (!word.isNeeded) continue;
    sum += weightOf(word) * shareOf(word, found.get(at));
    total += weightOf(word);
  }
  return total === 0 ? share(found, words) : sum / total;
}

function partOf({ isNoun }: QueryWord, found = 0): number {
  return isNoun ? found : Math.ceil(found);
}

/** The share of the weight of all words that those found have. */
export function share(found: ReadonlyMap<number, number>, words: readonly QueryWord[]): number {
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  for (const [at, part] of found) sum += part * (words[at]?.weight ?? 0);
  return total === 0 ? 0 : sum / total;
}
