import type { Asked } from './draft.ts';
import type { Passage } from './rank.ts';
import { isTelling } from './verbatim.ts';

/*
 * How surely a passage is the answer: three independent signs must agree. Chosen on the part `tune` of the judgments, so that a
 * sentence without "I'm not sure" is wrong for at most three of a hundred questions.
 */

/** From which on the words of the question are there, and the names have their part of them. */
const WORDS = 0.75;
const NAME = 0.3;
/** How much better than the next file the best one must be. */
const LEAD = 1.12;
/** Shares of the question: what the best passage has at least, and what no file has, so that the repositories have nothing to do with it. */
const FEWEST_WORDS = 0.2;
const FEW_WORDS = 0.34;
const MANY_MISSING = 0.34;
const MOST_MISSING = 0.54;

/** Whether name, words and lead agree, or a text stands there as it is written. */
export function isSure(passages: readonly Passage[], { literals }: Pick<Asked, 'literals'>): boolean {
  const [best] = passages;
  if (best === undefined) return false;
  const next = passages.find(({ file }) => file !== best.file);
  const leads = next === undefined || best.score >= next.score * LEAD;
  const isVerbatim =
    best.signs.verbatim >= 0.5 && literals.some((literal) => literal.hits.length > 0 && isTelling(literal));
  if (isVerbatim) return leads || best.signs.words >= WORDS;
  return best.signs.words >= WORDS && best.signs.name >= NAME && leads;
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
