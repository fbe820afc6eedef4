import { isCode, roleOf } from '../../src/codesearch/index/roles.ts';
import { textTerms } from '../../src/codesearch/index/words.ts';

/**
 * Where the text of a pair comes from: the comment of a definition, a comment within one, the message of a commit, the name of a
 * test, a paragraph of a document.
 */
export const PAIR_KINDS = ['comment', 'innerComment', 'commitMessage', 'testName', 'document'] as const;

export type PairKind = (typeof PAIR_KINDS)[number];

/** A text that stands for a question, and code that answers it, as index terms with duplicates. */
export interface Pair {
  kind: PairKind;
  question: string[];
  path: string[];
  symbol: string[];
  /** Other comments of the same definition. */
  comments: string[];
  body: string[];
}

const FEWEST = { question: 4, body: 5 };
const MOST = { question: 40, comments: 120, body: 250 };
const LONGEST_TERM = 29;

/** Copies of other projects, and of the packages that the benchmark of answers asks about. */
const COPIED = /node-gyp|grpc-js|\/deps\/|vendored|_vendor\//;

/** Whether pairs are made of a file, by its path. */
export function isSource(path: string): boolean {
  return isCode(path) && ['source', 'test', 'example'].includes(roleOf(path)) && !COPIED.test(path);
}

/** At most `most` of the files, from all folders. */
export function sampled(paths: readonly string[], most: number): string[] {
  const every = Math.ceil(paths.length / most);
  return paths.filter((_, i) => i % every === 0);
}

/** Index terms of a text without numbers and very long names. */
export function trainingTerms(text: string): string[] {
  return textTerms(text).filter((term) => term.length <= LONGEST_TERM && !/^\d+$/.test(term));
}

/** The pair, cut to what is trained on; nothing when a side has too few terms. */
export function cutPair(pair: Pair): Pair[] {
  if (pair.question.length < FEWEST.question || pair.body.length < FEWEST.body) return [];
  return [
    {
      ...pair,
      question: pair.question.slice(0, MOST.question),
      comments: pair.comments.slice(0, MOST.comments),
      body: pair.body.slice(0, MOST.body),
    },
  ];
}
