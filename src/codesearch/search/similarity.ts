import { termsOfUnit } from '../index/analyze-file.ts';
import type { IndexedUnit } from '../index/file-index.ts';
import { textTerms } from '../index/words.ts';
import { STOP_WORDS } from './questions/vocabulary.ts';
import { cosine, wordVectors } from './word-vectors.ts';

/**
 * Compares units with a question by the vectors of their words, without the words that the search leaves out; `lines` are those of the
 * file. From -1 to 1; most units that have nothing to do with it are between -0.1 and 0.2.
 */
export function similarityTo(text: string): (unit: IndexedUnit, lines: readonly string[]) => number {
  const words = (text.match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  const question = wordVectors().ofQuestion(words.flatMap(textTerms));
  return (unit, lines) => {
    const terms = termsOfUnit(unit, textTerms(unit.file.path), lines, unit.file);
    return cosine(question, wordVectors().ofCode(terms));
  };
}
