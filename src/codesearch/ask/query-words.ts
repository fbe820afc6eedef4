import type { IndexView } from '../index/file-index.ts';
import { stem } from '../index/stem.ts';
import { MOST_QUERY_TERMS } from '../index/text-index.ts';
import { textTerms } from '../index/words.ts';
import type { Question } from './question/question.ts';

/** A word of the question as it is searched for. */
export interface QueryWord {
  word: string;
  /** Index terms that stand for it, each with its share of the weight: 1 for the word itself, less for a related one. */
  terms: ReadonlyMap<string, number>;
  /** How much a text with this word says about the question: the weight in the question times the rarity in the repositories. */
  weight: number;
  /** Whether the repositories have the word itself. */
  isKnown: boolean;
}

/** Shares of a word's weight for another form of it, and for a word of the thesaurus where the word itself is known or not. */
const FORM = 0.8;
const RELATED_OF_KNOWN = 0.5;
const RELATED = 0.7;

/** The words of a question with their weights, heaviest first. */
export function queryWords({ subjects }: Pick<Question, 'subjects'>, index: IndexView): QueryWord[] {
  const words = subjects.flatMap(({ word, stem: own, weight, related }): QueryWord[] => {
    const terms = new Map<string, number>();
    const isKnown = index.hasTerm(own);
    for (const other of related) if (index.hasTerm(other)) terms.set(other, isKnown ? RELATED_OF_KNOWN : RELATED);
    for (const form of formsOf(own)) if (index.hasTerm(form)) terms.set(form, FORM);
    if (isKnown) terms.set(own, 1);
    // A word that only says what kind of question it is need not be there.
    if (terms.size === 0 && weight < 0.5) return [];
    const rarity = isKnown || terms.size === 0 ? index.rarity([own]) : index.rarity([...terms.keys()]);
    return [{ word, terms, weight: weight * rarity, isKnown }];
  });
  return words.sort((a, b) => b.weight - a.weight).slice(0, MOST_QUERY_TERMS);
}

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

/** The share of the weight of all words that those found have. */
export function share(found: ReadonlyMap<number, number>, words: readonly QueryWord[]): number {
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  for (const [at, part] of found) sum += part * (words[at]?.weight ?? 0);
  return total === 0 ? 0 : sum / total;
}

/** Other stems of the same word, where Porter's algorithm leaves two: `linker` and `link`, `panick` and `panic`, `alias` (of `aliases`) and `alia`. */
function formsOf(own: string): string[] {
  const found = /^(\w{3,}?)(?:er|or|ment|ation|ion|abl|al)$/.exec(own)?.[1];
  const forms = found === undefined ? [] : [stem(found), stem(`${found}e`)];
  if (own.endsWith('ck')) forms.push(own.slice(0, -1));
  forms.push(`${own}s`, stem(own));
  return forms.filter((form) => form !== own && form.length > 2);
}
