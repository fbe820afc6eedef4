import type { Batch } from './model.ts';
import type { Bags, PairTable } from './pair-table.ts';
import { type Random, shuffleFront } from './random.ts';

/** Shares of words that are left out, so that the model learns from the others. */
const DROPOUT = { sharedQuestionWord: 0.5, questionWord: 0.1, codeWord: 0.15 };
/** What a left out word of a question still weighs: no question becomes empty. */
const DROPPED_WEIGHT = 0.02;
/** Pairs of one repository are harder to tell apart; those of three keep a batch varied. */
const REPOSITORIES = 3;
/** Below 1: large repositories are chosen less often than their number of pairs says. */
const REPOSITORY_EXPONENT = 0.8;

/** Draws a batch, which the next call overwrites. */
export type DrawBatch = () => Batch;

/** Batches of pairs of few repositories, with words left out. The tables must not be empty. */
export function createBatches(
  tables: readonly PairTable[],
  size: number,
  vocabulary: number,
  random: Random,
): DrawBatch {
  const limits = tables.map(({ kinds }) => kinds.length ** REPOSITORY_EXPONENT);
  for (let i = 1; i < limits.length; i += 1) limits[i] = (limits[i] as number) + (limits[i - 1] as number);
  const orders = tables.map(({ kinds }) => Int32Array.from(kinds.keys()));
  const batch: Batch = {
    count: 0,
    questions: emptyBags(size, Math.max(...tables.map(({ questions }) => longest(questions)))),
    codes: emptyBags(size, Math.max(...tables.map(({ codes }) => longest(codes)))),
  };
  /** For each word the last pair whose code has it. */
  const inCode = new Int32Array(vocabulary).fill(-1);
  let pairs = 0;

  const add = ({ questions, codes }: PairTable, pair: number): void => {
    pairs += 1;
    const codeEnd = codes.starts[pair + 1] as number;
    for (let i = codes.starts[pair] as number; i < codeEnd; i += 1) inCode[codes.words[i] as number] = pairs;
    copyBag(questions, pair, batch.questions, batch.count, (word, weight) => {
      const share = inCode[word] === pairs ? DROPOUT.sharedQuestionWord : DROPOUT.questionWord;
      return random.uniform() < share ? DROPPED_WEIGHT : weight;
    });
    copyBag(codes, pair, batch.codes, batch.count, (_, weight) => (random.uniform() < DROPOUT.codeWord ? 0 : weight));
    batch.count += 1;
  };

  return () => {
    batch.count = 0;
    const drawn = new Set<number>();
    while (drawn.size < Math.min(REPOSITORIES, tables.length)) {
      const at = random.uniform() * (limits.at(-1) as number);
      const chosen = limits.findIndex((limit) => at < limit);
      if (drawn.has(chosen)) continue;
      drawn.add(chosen);
      const [table, order] = [tables[chosen] as PairTable, orders[chosen] as Int32Array];
      const most = Math.min(Math.floor(size / REPOSITORIES), order.length);
      // The similarities of a batch are computed in blocks of four.
      const count = most - (most % 4);
      shuffleFront(order, count, random);
      for (let j = 0; j < count; j += 1) add(table, order[j] as number);
    }
    return batch;
  };
}

/** Copies one bag behind the others, without the words whose weight becomes 0. */
function copyBag(from: Bags, bag: number, to: Bags, at: number, weigh: (word: number, weight: number) => number): void {
  let end = to.starts[at] as number;
  const last = from.starts[bag + 1] as number;
  for (let i = from.starts[bag] as number; i < last; i += 1) {
    const word = from.words[i] as number;
    const weight = weigh(word, from.weights[i] as number);
    if (weight === 0) continue;
    to.words[end] = word;
    to.weights[end] = weight;
    end += 1;
  }
  to.starts[at + 1] = end;
}

function emptyBags(count: number, longestBag: number): Bags {
  const most = count * longestBag;
  return { starts: new Int32Array(count + 1), words: new Int32Array(most), weights: new Float32Array(most) };
}

function longest({ starts }: Bags): number {
  return starts.reduce((most, start, i) => Math.max(most, start - (starts[i - 1] ?? 0)), 0);
}
