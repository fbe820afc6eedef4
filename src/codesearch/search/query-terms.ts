import type { FileIndex } from '../index/file-index.ts';
import { stem } from '../index/stem.ts';
import { MOST_QUERY_TERMS } from '../index/text-index.ts';
import { CONFIDENCE, SPECIFICITY, WEIGHTS } from './constants.ts';
import { partsOfSpeech } from './questions/parts-of-speech.ts';
import type { Question } from './questions/question.ts';
import { zipfOf } from './questions/speech.ts';
import { wordVectors } from './word-vectors.ts';

/** A word of the question as it is searched for. */
export interface QueryWord {
  word: string;
  /** Index terms that stand for it, each with its share of the weight: 1 for the word itself, less for a related one. */
  terms: ReadonlyMap<string, number>;
  /** How much a unit with this word says about the question: rare in the repositories and in everyday English is much. */
  weight: number;
  /** Whether the repositories have the word itself. */
  isKnown: boolean;
  /** Whether it says what an answer is about. Words that describe, and those of a longer phrase, can be said in too many ways. */
  isNeeded: boolean;
  /** What its absence says, in any repository: much where people say it rarely, and code about such a thing has the word. */
  specificity: number;
  /** A thing has few names, but the same deed has many verbs. */
  isNoun: boolean;
}

/** The words of a question with their weights, heaviest first. */
export function queryWords({ subjects, text }: Question, index: FileIndex): QueryWord[] {
  const parts = partsOfSpeech(text);
  const inPhrases = new Set(subjects.flatMap(({ word }) => (word.includes(' ') ? word.split(' ') : [])));
  const words = subjects.flatMap(({ word, stem: own, weight, related }): QueryWord[] => {
    const terms = new Map<string, number>();
    const isKnown = index.hasTerm(own);
    const share = isKnown ? WEIGHTS.relatedOfKnown : WEIGHTS.related;
    for (const other of related) if (index.hasTerm(other)) terms.set(other, share);
    for (const form of formsOf(own)) if (index.hasTerm(form)) terms.set(form, WEIGHTS.form);
    if (isKnown) terms.set(own, 1);
    // A word that only says what kind of question it is need not be there.
    if (terms.size === 0 && weight < 0.5) return [];
    const rarity = isKnown || terms.size === 0 ? index.rarity([own]) : index.rarity([...terms.keys()]);
    const part = parts.get(word);
    const isNeeded = !inPhrases.has(word) && !/^(?:ADJ|ADV|NUM)$/.test(part ?? '');
    const isNoun = part === 'NOUN' || part === 'PROPN';
    const full = weight * rarityOf(word) * partWeight(part) * rarity;
    return [{ word, terms, weight: full, isKnown, isNeeded, specificity: specificityOf(word, own), isNoun }];
  });
  return words.sort((a, b) => b.weight - a.weight).slice(0, MOST_QUERY_TERMS);
}

/** The words of a question that weigh much and that no indexed text has. */
export function absentWords(words: readonly QueryWord[], { subjects }: Pick<Question, 'subjects'>): QueryWord[] {
  const strong = new Set(subjects.filter(({ weight }) => weight >= 0.5).map(({ word }) => word));
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  return words.filter(
    ({ word, terms, weight }) => strong.has(word) && terms.size === 0 && weight >= total * CONFIDENCE.absent,
  );
}

/** From 1 for a word that people do not say to {@link WEIGHTS}.commonest for the most common ones. */
function rarityOf(word: string): number {
  const { rareZipf, commonZipf, commonest } = WEIGHTS;
  const common = (Math.max(...baseFormsOf(word).map(zipfOf)) - rareZipf) / (commonZipf - rareZipf);
  return Math.max(commonest, Math.min(1, 1 - common));
}

/** The rarity of a word in everyday English, or of the rarest of a phrase, times how surprising code about it is that lacks it: −log(1 − repetition). */
function specificityOf(word: string, own: string): number {
  const { rareZipf, commonZipf, least, phrase, unknown, mostRepeated } = SPECIFICITY;
  const zipf = Math.min(...word.split(' ').map(zipfOf));
  const rarity = (commonZipf - zipf) / (commonZipf - rareZipf);
  const repeated = wordVectors().repetitionOf(own) ?? (word.includes(' ') ? phrase : unknown);
  return Math.min(1, Math.max(least, rarity)) ** 2 * -Math.log(1 - Math.min(mostRepeated, repeated));
}

/** What a question is about is mostly said by its nouns; the same deed has many verbs. */
function partWeight(part: string | undefined): number {
  if (part === 'VERB' || part === 'ADV') return WEIGHTS.verb;
  return part === 'ADJ' ? WEIGHTS.adjective : 1;
}

/** Other stems of the same word, where Porter's algorithm leaves two: `linker` and `link`, `panick` and `panic`, `alias` (of `aliases`) and `alia`. */
function formsOf(own: string): string[] {
  const found = /^(\w{3,}?)(?:er|or|ment|ation|ion|abl|al)$/.exec(own)?.[1];
  const forms = found === undefined ? [] : [stem(found), stem(`${found}e`)];
  if (own.endsWith('ck')) forms.push(own.slice(0, -1));
  forms.push(`${own}s`, stem(own));
  return forms.filter((form) => form !== own && form.length > 2);
}

/** A word and the words it may be a form of. */
function baseFormsOf(word: string): string[] {
  const bare = word.toLowerCase();
  const cut = /^(\w{3,}?)(?:e?s|e?d|ing)$/.exec(bare)?.[1];
  return cut === undefined ? [bare] : [bare, cut, `${cut}e`];
}
