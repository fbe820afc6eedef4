import { escapeRegExp } from '../escape.ts';
import type { CommitHit } from '../index/commit-index.ts';
import { stem } from '../index/stem.ts';
import type { Asked } from './draft.ts';
import { coverage, type QueryWord } from './query-words.ts';

/** Shares of the question that a message has: to be close at all, and to be the one. */
export const CLOSE = 0.45;
export const CLEAR = 0.8;

/** A commit with the shares of the question that its message and its subject have, and whether it names the version that is asked for. */
interface CloseCommit extends CommitHit {
  covered: number;
  inSubject: number;
  isExact: boolean;
  worth: number;
}

/** Commits whose messages have at least this share of the question, best first. */
export function closestCommits({ words, question, investigation }: Asked, least: number): CloseCommit[] {
  if (words.length === 0 || question.subjects.every(({ weight }) => weight < 0.5)) return [];
  // Messages have words that no file has.
  const wanted = words.map(
    (word): QueryWord => (word.isKnown ? word : { ...word, terms: new Map([...word.terms, [stem(word.word), 1]]) }),
  );
  const terms = new Map(
    wanted.flatMap(({ terms: own, weight }) => [...own].map(([term, part]): [string, number] => [term, part * weight])),
  );
  const versions = question.text.match(/\d+(?:\.\d+)+/g) ?? [];
  return investigation
    .findCommits(terms)
    .map((hit) => {
      const { subject, body } = hit.commit;
      const inSubject = coverage(subject, wanted);
      const covered = coverage(`${subject}\n${body}`, wanted);
      const isExact = versions.some((version) => hasVersion(subject, version));
      return { ...hit, inSubject, covered, isExact, worth: covered + 0.5 * inSubject + (isExact ? 1 : 0) };
    })
    .filter(({ covered, isExact }) => covered >= least || (isExact && covered > CLOSE / 2))
    .filter(({ isExact }) => versions.length === 0 || isExact)
    .sort((a, b) => b.worth - a.worth);
}

/** Whether a text has this version, and not as a part of another one. */
function hasVersion(text: string, version: string): boolean {
  return new RegExp(`(?<![\\d.])${escapeRegExp(version)}(?!\\.?\\d)`).test(text);
}
