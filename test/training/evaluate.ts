import { createEncoded, encode } from './encoder.ts';
import { multiplyByTransposed } from './matrix.ts';
import type { Model } from './model.ts';
import { type Bags, createBags, type PairTable } from './pair-table.ts';
import { PAIR_KINDS, type PairKind } from './pairs.ts';

/** Of each repository and kind; fewer pairs are too easy to tell apart. */
const PAIRS = { fewest: 60, most: 600 };

/** Mean reciprocal ranks by kind: 1 when each question finds its own code first, among the code of one kind and repository. */
export type Ranks = Partial<Record<PairKind, number>>;

/** The mean over the repositories; without a kind of which none has enough pairs. */
export function evaluate(model: Model, tables: readonly PairTable[], pairs = PAIRS): Ranks {
  const ranks: Ranks = {};
  for (const kind of PAIR_KINDS) {
    const found = tables.flatMap((table) => {
      const all = [...table.kinds.keys()].filter((i) => table.kinds[i] === kind).slice(0, pairs.most);
      // Similarities are computed in blocks of four.
      const chosen = all.slice(0, all.length - (all.length % 4));
      return chosen.length < pairs.fewest ? [] : [meanReciprocalRank(model, table, chosen)];
    });
    if (found.length > 0) ranks[kind] = found.reduce((sum, rank) => sum + rank, 0) / found.length;
  }
  return ranks;
}

function meanReciprocalRank({ questions, codes }: Model, table: PairTable, pairs: readonly number[]): number {
  const count = pairs.length;
  const { dimensions } = questions;
  const question = createEncoded(count, dimensions);
  const code = createEncoded(count, dimensions);
  encode(questions, bagsOf(table.questions, pairs), count, question);
  encode(codes, bagsOf(table.codes, pairs), count, code);
  const similarities = new Float64Array(count ** 2);
  multiplyByTransposed(question.vectors, code.vectors, similarities, {
    rows: count,
    columns: count,
    depth: dimensions,
  });
  let sum = 0;
  for (let i = 0; i < count; i += 1) {
    const row = similarities.subarray(i * count, (i + 1) * count);
    const own = row[i] as number;
    sum += 1 / row.reduce((rank, each) => rank + (each >= own ? 1 : 0), 0);
  }
  return sum / count;
}

function bagsOf({ starts, words, weights }: Bags, chosen: readonly number[]): Bags {
  return createBags(
    chosen.map((bag) => {
      const [start, end] = [starts[bag] as number, starts[bag + 1] as number];
      return new Map(Array.from(words.subarray(start, end), (word, i) => [word, weights[start + i] as number]));
    }),
  );
}
