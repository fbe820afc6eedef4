import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayHave, trigramFilterOf, trigramsOf } from '../../../src/codesearch/index/trigrams.ts';
import { compilePattern } from '../../../src/codesearch/query/pattern.ts';

const budget = () => ({ steps: 1_000_000 });
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
  const compiled = compilePattern({ kind: 'pattern', syntax, text }, isCaseSensitive);
  if ('problem' in compiled) throw new Error(compiled.problem.title);
  return compiled.pattern;
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

  it('hold those of each pattern that matches in it', () => {
    const patterns = [true, false].flatMap((isCaseSensitive) => [
      ...expressions.map((text) => patternOf('regexp', text, isCaseSensitive)),
      ...['abk', 'KsS', 'ſk_', 'a-(', 'Éab'].map((text) => patternOf('literal', text, isCaseSensitive)),
    ]);
    fc.assert(
      fc.property(texts, (text) => {
        const filter = trigramFilterOf(text);
        for (const pattern of patterns) {
          const isThere = text.split('\n').some((line) => pattern.test(line, budget()));
          if (isThere) expect(mayHave(filter, pattern.trigrams)).toBe(true);
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

  it('of an expression are those that each match has', () => {
    const trigramsOfRegexp = (text: string) => patternOf('regexp', text, false).trigrams;
    expect(trigramsOfRegexp('load[A-Z]\\w+Items\\(')).toEqual([...trigramsOf('load'), ...trigramsOf('items(')]);
    expect(trigramsOfRegexp('(retry|unlock)Hidden')).toEqual(trigramsOf('hidden'));
    expect(trigramsOfRegexp('abc?def')).toEqual(trigramsOf('def'));
    expect(trigramsOfRegexp('a|bcdef')).toEqual([]);
  });
});
