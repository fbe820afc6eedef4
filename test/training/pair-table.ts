import { BM25F } from '../../src/codesearch/index/constants.ts';
import { SATURATION } from '../../src/codesearch/search/word-vectors.ts';
import { PAIR_KINDS, type Pair, type PairKind } from './pairs.ts';
import { type Random, shuffleFront } from './random.ts';

/** Sets of words with weights, one after the other. */
export interface Bags {
  /** Where each bag begins, and the end of the last one. */
  starts: Int32Array;
  words: Int32Array;
  weights: Float32Array;
}

/** The pairs of one repository. */
export interface PairTable {
  kinds: PairKind[];
  questions: Bags;
  codes: Bags;
}

type Bag = ReadonlyMap<number, number>;

/** So many pairs of each kind are taken from a repository, so that a large one doesn't outweigh the others. */
const PAIRS_MAX: Readonly<Record<PairKind, number>> = {
  comment: 6_000,
  innerComment: 4_500,
  commitMessage: 4_500,
  testName: 4_500,
  document: 3_000,
};

const WORDS = { questionFewest: 3, questionMost: 30, codeFewest: 5 };

/** A random choice of pairs, in random order by kind. Texts with the same terms are taken once, except messages of commits. */
export function samplePairs(pairs: readonly Pair[], random: Random): Pair[] {
  const seen = new Set<string>();
  return PAIR_KINDS.flatMap((kind) => {
    const all = pairs.filter((pair) => pair.kind === kind);
    shuffleFront(all, all.length, random);
    const taken: Pair[] = [];
    for (const pair of all) {
      if (taken.length === PAIRS_MAX[kind]) break;
      const key = pair.question.join(' ');
      if (kind === 'commitMessage' || !seen.has(key)) taken.push(pair);
      seen.add(key);
    }
    return taken;
  });
}

/** A table of terms: a question's in their order with weight 1, a code's with their counts, those of the index. */
export function createPairTable(pairs: readonly Pair[], idOf: (term: string) => number): PairTable {
  return {
    kinds: pairs.map(({ kind }) => kind),
    questions: createBags(pairs.map(({ question }) => new Map(question.map((term) => [idOf(term), 1])))),
    codes: createBags(pairs.map((pair) => countTerms(pair, idOf))),
  };
}

function countTerms({ path, symbol, comments, body }: Pair, idOf: (term: string) => number): Bag {
  const counts = new Map<number, number>();
  const add = (terms: Iterable<string>, count: number): void => {
    for (const term of terms) counts.set(idOf(term), (counts.get(idOf(term)) ?? 0) + count);
  };
  add(path, BM25F.path);
  add(new Set(symbol), BM25F.symbol);
  add(comments, BM25F.comment);
  add(body, BM25F.body);
  return counts;
}

/** Replaces terms by words of the vocabulary and counts by weights. Leaves out pairs with too few words. */
export function toWords({ kinds, questions, codes }: PairTable, wordOf: Int32Array): PairTable {
  const kept = kinds.flatMap((kind, i) => {
    const question = wordsOf(questions, i, wordOf).slice(0, WORDS.questionMost);
    const code = wordsOf(codes, i, wordOf);
    if (question.length < WORDS.questionFewest || code.length < WORDS.codeFewest) return [];
    const weighted = code.map(([word, count]): [number, number] => [word, count / (count + SATURATION)]);
    return [{ kind, question: new Map(question), code: new Map(weighted) }];
  });
  return {
    kinds: kept.map(({ kind }) => kind),
    questions: createBags(kept.map(({ question }) => question)),
    codes: createBags(kept.map(({ code }) => code)),
  };
}

function wordsOf({ starts, words, weights }: Bags, bag: number, wordOf: Int32Array): [word: number, weight: number][] {
  const found: [number, number][] = [];
  for (let i = starts[bag] ?? 0; i < (starts[bag + 1] ?? 0); i += 1) {
    const word = wordOf[words[i] ?? -1] ?? -1;
    if (word >= 0) found.push([word, weights[i] ?? 0]);
  }
  return found;
}

export function createBags(bags: readonly Bag[]): Bags {
  const starts = new Int32Array(bags.length + 1);
  for (const [i, { size }] of bags.entries()) starts[i + 1] = (starts[i] ?? 0) + size;
  const total = starts[bags.length] ?? 0;
  const words = new Int32Array(total);
  const weights = new Float32Array(total);
  let at = 0;
  for (const bag of bags) {
    for (const [word, weight] of bag) {
      words[at] = word;
      weights[at] = weight;
      at += 1;
    }
  }
  return { starts, words, weights };
}
