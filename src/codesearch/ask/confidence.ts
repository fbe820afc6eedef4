import type { Definition, IndexedFile } from '../index/file-index.ts';
import type { Asked } from './draft.ts';
import type { Passage } from './rank.ts';
import { isTelling, type VerbatimHit } from './verbatim.ts';

/*
 * How surely a passage is the answer: independent signs must agree. Chosen on the part `tune` of the judgments, so that a sentence
 * without "I'm not sure" is wrong for at most three of a hundred questions.
 */

/** Least shares of the question that the words and the names must have. */
const WORDS = 0.75;
const NAME = 0.3;
/** How much better than the next file the best one must be. */
const LEAD = 1.12;
/*
 * Shares of the question's words. A question has nothing to do with the repositories if the best passage has fewer than FEWEST_WORDS of
 * them, if MOST_MISSING of them stand in no file, or if the passage has fewer than FEW_WORDS and MANY_MISSING stand in no file.
 */
const FEWEST_WORDS = 0.2;
const FEW_WORDS = 0.34;
const MANY_MISSING = 0.34;
const MOST_MISSING = 0.54;

/** Whether name, words and lead agree, or a text of the question stands there as it is written and nowhere else in code that runs. */
export function isSure(passages: readonly Passage[], { literals }: Pick<Asked, 'literals'>): boolean {
  const [best] = passages;
  if (best === undefined) return false;
  const next = passages.find(({ file }) => file !== best.file);
  const leads = next === undefined || best.score >= next.score * LEAD;
  const telling = literals.filter((literal) => literal.hits.length > 0 && isTelling(literal));
  if (telling.length === 0) return best.signs.words >= WORDS && best.signs.name >= NAME && leads;
  return telling.some(({ hits }) => {
    const own = hits.filter(({ file, line, isImport }) => isMain(file) && !isImport && !file.commentLines.has(line));
    const isHere = ({ file, line }: VerbatimHit): boolean =>
      file === best.file && best.start <= line && line <= best.end;
    return own.length > 0 && own.every(isHere);
  });
}

/** Whether a file is a part of the program or of its documents. */
function isMain({ role }: IndexedFile): boolean {
  return role === 'source' || role === 'config' || role === 'docs';
}

/** Whether a name can only mean one thing: all its definitions in the program are in one file. */
export function isOneThing(definitions: readonly Definition[]): boolean {
  return new Set(definitions.filter(({ file }) => isMain(file)).map(({ file }) => file)).size === 1;
}

/** Whether nothing that was found has to do with the question. */
export function isUnrelated({
  passages,
  words,
  targets,
  literals,
}: Omit<Asked, 'question' | 'investigation'>): boolean {
  if (targets.names.length > 0 || targets.files.length > 0) return false;
  if (literals.some((literal) => literal.hits.length > 0 && isTelling(literal))) return false;
  const [best] = passages;
  if (best === undefined) return true;

  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  const missing = words.reduce((sum, { terms, weight }) => sum + (terms.size === 0 ? weight : 0), 0);
  const isFar = best.signs.words < FEW_WORDS && missing >= total * MANY_MISSING;
  return isFar || best.signs.words < FEWEST_WORDS || missing >= total * MOST_MISSING;
}
