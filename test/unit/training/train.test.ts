import { describe, expect, it } from 'vitest';
import { evaluate, type Ranks } from '../../training/evaluate.ts';
import { createPairTable, samplePairs, toWords } from '../../training/pair-table.ts';
import { PAIR_KINDS, type Pair } from '../../training/pairs.ts';
import { createRandom } from '../../training/random.ts';
import { train } from '../../training/train.ts';
import { TermCounts } from '../../training/vocabulary.ts';

const THINGS = Array.from({ length: 40 }, (_, i) => `thing${i}`);
/** Questions and code say the same in other words. */
const [ASKED, WRITTEN] = [(thing: string) => `asked-${thing}`, (thing: string) => `written-${thing}`];

/** Pairs about three of the things each. */
function createPairs(count: number, seed: number): Pair[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (): Pair => {
    const things = Array.from({ length: 4 }, () => THINGS[random.below(THINGS.length)] ?? '');
    return {
      kind: 'comment',
      question: things.map(ASKED),
      path: [],
      symbol: things.slice(0, 1).map(WRITTEN),
      comments: [],
      body: [...things.map(WRITTEN), 'return', 'if'],
    };
  });
}

function trainOn(pairs: Pair[], heldOut: Pair[], steps: number) {
  const counts = new TermCounts();
  counts.add(pairs);
  const { vocabulary, wordOf } = counts.choose(100, { pairs: 1, repositories: 1 });
  const tableOf = (some: Pair[]) =>
    toWords(
      createPairTable(some, (term) => counts.idOf(term)),
      wordOf,
    );
  const ranks: Ranks[] = [];
  const repositories = [0, 1, 2].map((each) => tableOf(pairs.filter((_, place) => place % 3 === each)));
  const model = train(vocabulary, repositories, {
    steps,
    dimensions: 16,
    batch: 96,
    random: createRandom(1),
    report: ({ model: now }) => ranks.push(evaluate(now, [tableOf(heldOut)], { fewest: 10, most: 60 })),
  });
  return { model, ranks, vocabulary };
}

describe('training', () => {
  it('finds the code of questions that it has not seen, whose words the code does not have', () => {
    const { ranks } = trainOn(createPairs(400, 1), createPairs(60, 2), 200);
    expect(ranks[0]?.comment).toBeLessThan(0.3);
    expect(ranks.at(-1)?.comment).toBeGreaterThan(0.9);
  });

  it('gives the same model each time', () => {
    const [first, second] = [1, 2].map(() => trainOn(createPairs(100, 1), [], 5).model);
    expect(first?.codes.vectors).toEqual(second?.codes.vectors);
  });
});

describe('the vocabulary', () => {
  it('says how surely code has a word of its text: as the mean of repositories, beside four with a quarter', () => {
    const [pair] = createPairs(1, 1);
    if (pair === undefined) throw new Error('no pair');
    const counts = new TermCounts();
    const said = { ...pair, question: ['gzip', 'gzip'] };
    counts.add([{ ...said, body: ['gzip'] }]);
    counts.add([
      { ...said, body: [] },
      { ...said, path: ['gzip'], body: [] },
      { ...said, body: [] },
      { ...said, body: [] },
    ]);
    const { vocabulary } = counts.choose(1, { pairs: 5, repositories: 2 });
    expect(vocabulary.words).toEqual(['gzip']);
    expect(vocabulary.repetition[0]).toBeCloseTo((1 + 0.25 + 4 * 0.25) / (2 + 4));
  });

  it('has frequent terms first, and none of too few pairs or repositories', () => {
    const [pair] = createPairs(1, 1);
    const counts = new TermCounts();
    if (pair === undefined) throw new Error('no pair');
    const body = ['often', 'often', 'a'];
    counts.add([{ ...pair, question: ['rare'], symbol: [], body }]);
    counts.add([
      { ...pair, question: ['twice'], symbol: [], body: [...body, 'here'] },
      { ...pair, question: ['twice'], symbol: [], body: [...body, 'here'] },
    ]);
    const { vocabulary, wordOf } = counts.choose(10, { pairs: 2, repositories: 1 });
    expect(vocabulary.words).toEqual(['often', 'here', 'twice']);
    expect(vocabulary.idf[1]).toBeCloseTo(Math.log(3 / 2));
    expect(wordOf[counts.idOf('often')]).toBe(0);
    expect(wordOf[counts.idOf('rare')]).toBe(-1);
    expect(counts.choose(10, { pairs: 2, repositories: 2 }).vocabulary.words).toEqual(['often']);
    expect(counts.choose(1, { pairs: 2, repositories: 1 }).vocabulary.words).toEqual(['often']);
  });
});

describe('a sample of pairs', () => {
  it('has each comment once, all commits, and kinds in order', () => {
    const [pair] = createPairs(1, 1);
    if (pair === undefined) throw new Error('no pair');
    const all = [...PAIR_KINDS, ...PAIR_KINDS].toReversed().map((kind) => ({ ...pair, kind }));
    const kinds = samplePairs(all, createRandom(1)).map(({ kind }) => kind);
    expect(kinds).toEqual(['comment', 'commitMessage', 'commitMessage']);
  });
});
