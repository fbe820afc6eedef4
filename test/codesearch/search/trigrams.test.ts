import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayHave, trigramFilterOf, trigramsOf } from '../../../src/codesearch/index/trigrams.ts';
import { compilePattern } from '../../../src/codesearch/query/pattern.ts';

/** Texts with letters whose other capitals are letters of ASCII, or are not. */
const texts = fc.string({ unit: fc.constantFrom(...'abkKsSſ\u212aİßé😀_-( \n'), maxLength: 60 });
const expressions = [
  'abk',
  'ab+k',
  '(?:ab)+k?s',
  'a(b|k)s_-',
  '^abk$',
  'ab.k\\(',
  'a\\bbk',
  'kss{2,3}',
  '[aA]bks',
  'ſ\u212aab',
];

function patternOf(syntax: 'literal' | 'regexp', text: string, isCaseSensitive: boolean) {
  return compilePattern({ kind: 'pattern', syntax, text }, isCaseSensitive);
}

describe('the trigrams of a text', () => {
  it('hold those of each part of it, in any capitals', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, part, after) => {
        const trigrams = trigramsOf(part);
        const inCapitals = part.replace(/[a-z]/g, (letter) => letter.toUpperCase());
        for (const text of [part, inCapitals, part.toLowerCase()]) {
          expect(mayHave(trigramFilterOf(before + text + after), trigrams)).toBe(true);
        }
      }),
    );
  });

  it('and the needle hold what each pattern has that matches in it', () => {
    const patterns = [true, false].flatMap((isCaseSensitive) => [
      ...expressions.map((text) => patternOf('regexp', text, isCaseSensitive)),
      ...['abk', 'KsS', 'ſk_', 'a-(', 'Éab'].map((text) => patternOf('literal', text, isCaseSensitive)),
    ]);
    fc.assert(
      fc.property(texts, (text) => {
        const filter = trigramFilterOf(text);
        for (const pattern of patterns) {
          for (const line of text.split('\n').filter((each) => !pattern.matches(each).next().done)) {
            expect(pattern.test(line)).toBe(true);
            expect(pattern.mayBeIn(filter)).toBe(true);
            if (pattern.needle !== undefined) expect(line.search(pattern.needle)).toBeGreaterThanOrEqual(0);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('rarely hold those of another word', () => {
    const words = Array.from({ length: 2_000 }, (_, at) => `word${at}`);
    const filter = trigramFilterOf(words.slice(0, 1_000).join(' '));
    const passing = ['zeppelin', 'quagmire', 'rhubarb', 'xylophone', 'kingfisher'].filter((word) =>
      mayHave(filter, trigramsOf(word)),
    );
    expect(passing).toEqual([]);
  });

  it('of a short text hold everything', () => {
    expect(trigramsOf('ab')).toEqual([]);
    expect(mayHave(trigramFilterOf(''), trigramsOf('ab'))).toBe(true);
    expect(mayHave(trigramFilterOf(''), trigramsOf('abc'))).toBe(false);
  });

  it.each([
    ['load[A-Z]\\w+Items\\(', 'loadAllItems(', ['load', 'items(']],
    ['(retry|unlock)Hidden', 'unlockhidden', ['hidden', 'retry']],
    ['abc?def', 'abdef', ['abc']],
    ['a|bcdef', 'x', []],
    ['(?i)load', 'LOAD', []],
  ])('of the expression %s may be in %s, and not in a text without all that a match has', (source, text, parts) => {
    const pattern = patternOf('regexp', source, false);
    expect(pattern.mayBeIn(trigramFilterOf(text))).toBe(true);
    for (const part of parts) expect(pattern.mayBeIn(trigramFilterOf(part))).toBe(false);
  });

  it.each([
    ['regexp', 'load[A-Z]\\w+Items\\(', 'Items\\('],
    ['regexp', '(retry|unlock)Hid', 'retry|unlock'],
    ['regexp', 'a|bcdef', undefined],
    ['literal', 'größe+', undefined],
    ['literal', 'größere', 'ere'],
    ['literal', 'x'.repeat(500), 'x'.repeat(100)],
  ] as const)('of the %s %s have a part of ASCII as needle', (syntax, text, needle) => {
    expect(patternOf(syntax, text, false).needle?.source).toBe(needle);
  });
});
