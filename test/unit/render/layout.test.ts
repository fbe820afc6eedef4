import { describe, expect, it } from 'vitest';
import { layoutAnswer, type Surroundings } from '../../../src/render/markdown/layout.ts';

const NOTHING_AROUND: Surroundings = { firstWeight: 0, lastWeight: 0, eachWeight: 0, blocks: 0 };
const WEIGHT = 13_000;

function divided(markdown: string, around: Partial<Surroundings> = {}): string[] {
  return layoutAnswer(markdown, { ...NOTHING_AROUND, ...around }).parts.map((part) => part.markdown);
}

function table(rows: readonly string[]): string {
  return ['| h |', '|---|', ...rows.map((row) => `| ${row} |`)].join('\n');
}

describe('one message', () => {
  it.each<[string, number, (count: number) => string]>([
    // Each unit of 600 characters counts as two characters longer.
    ['characters of one word', 11_958, (count) => 'x'.repeat(count)],
    ['ampersands, which Slack counts as five each', 2_431, (count) => '&'.repeat(count)],
    ['rules, each of which makes two blocks', 24, (count) => '---\n'.repeat(count)],
    ['headings, each of which makes two blocks', 24, (count) => '# a\n\n'.repeat(count)],
    ['rows of a table besides its header', 98, (count) => table(Array.from({ length: count }, () => 'x'))],
    [
      'characters of a table besides its header',
      9_999,
      (count) => table([...Array.from({ length: 9 }, () => 'x'.repeat(1_000)), 'x'.repeat(count - 9_000)]),
    ],
  ])('takes up to that many %s: %i', (_what, most, make) => {
    expect(divided(make(most))).toHaveLength(1);
    expect(divided(make(most + 1))).toHaveLength(2);
  });

  it.each<[string, string, number]>([
    ['two paragraphs of one character, and two sections for them', 'a\n\nb', 2 * 3 + 2 * 130],
    ['two headings, and the blocks Slack makes of them', '# a\n\n# b', 2 * (3 + 2 + 130) + 130],
    ['code of two lines, and the blocks Slack makes of it', '```\na\nb\n```', 16 + 2 * 130],
  ])('has room for what surrounds the answer besides %s', (_what, markdown, taken) => {
    for (const place of ['firstWeight', 'lastWeight', 'eachWeight'] as const) {
      expect(divided(markdown, { [place]: WEIGHT - taken })).toHaveLength(1);
      expect(divided(markdown, { [place]: WEIGHT - taken + 1 })).toHaveLength(2);
    }
  });

  it.each([
    ['a', 49],
    ['# a', 47],
    ['# a\n\n# b', 45],
  ])('has room for other blocks besides %j: %i', (markdown, most) => {
    expect(divided(markdown, { blocks: most })).toHaveLength(1);
    expect(divided(markdown, { blocks: most + 1 })).toHaveLength(2);
  });
});

describe('an answer for which there is little room', () => {
  it('has a last part without a word of it where only what follows does not fit any more', () => {
    const { parts, isWhole } = layoutAnswer('a', { ...NOTHING_AROUND, lastWeight: WEIGHT - 262 });
    expect([parts.map((part) => part.words), isWhole]).toEqual([['a', ''], true]);
  });

  it('is text as it was written where a row of its table does not fit', () => {
    const row = 'word '.repeat(300).trim();
    expect(divided(table([row]))).toEqual([`| h |\n| --- |\n| ${row} |`]);
    const parts = divided(table([row]), { eachWeight: WEIGHT - 1_000 });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join(' ').match(/word/g)).toHaveLength(300);
    expect(parts[0]).toContain('|---|');
  });

  it('is not divided at all where there is no room', () => {
    expect(() => divided('a', { eachWeight: WEIGHT })).toThrow(RangeError);
  });

  describe('and that is longer than 20 messages', () => {
    const paragraphs = Array.from({ length: 200 }, (_, index) => `w${index}z ${'word '.repeat(20).trim()}.`);
    const shown = (lastWeight: number) =>
      layoutAnswer(paragraphs.join('\n\n'), { ...NOTHING_AROUND, eachWeight: WEIGHT - 1_000, lastWeight });
    const numbers = (words: string) => words.match(/w\d+z/g) ?? [];

    it.each([
      [0, 6],
      [300, 4],
      [600, 1],
    ])('ends with what fits into the last besides what weighs %i, which is %i paragraphs', (lastWeight, last) => {
      const { parts, isWhole } = shown(lastWeight);
      expect([parts.length, isWhole]).toEqual([20, false]);
      const counts = parts.map(({ words }) => numbers(words).length);
      expect(counts).toEqual([...Array.from({ length: 19 }, () => 6), last]);
      const all = numbers(parts.map(({ words }) => words).join(' '));
      expect(all).toEqual(all.map((_, index) => `w${index}z`));
    });

    it('ends with nothing of it where what follows leaves no room', () => {
      const { parts, isWhole } = shown(1_000);
      expect([parts.length, isWhole]).toEqual([20, false]);
      expect(parts.at(-1)).toEqual({ markdown: '', sections: [], words: '' });
    });
  });
});
