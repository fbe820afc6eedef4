import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCount, formatDuration, formatNumber, formatShare } from '../../../src/render/numbers.ts';
import { SAY } from '../../../src/render/sentences.ts';
import { cut, defuseWords, graphemeEnd, inertCut, pieces } from '../../../src/render/text.ts';

describe('durations', () => {
  it.each([
    [0, 'less than 1 s'],
    [499, 'less than 1 s'],
    [1_000, '1 s'],
    [41_400, '41 s'],
    [59_600, '1 min'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [3_780_000, '1 h 3 min'],
  ])('of %i ms read %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });
});

describe('numbers', () => {
  it('have the words that fit them and the reader’s own marks', () => {
    const steps = { one: 'step', other: 'steps' };
    expect([0, 1, 2].map((count) => formatCount(count, steps))).toEqual(['0 steps', '1 step', '2 steps']);
    expect(formatNumber(12_345.678)).toBe('12,345.68');
    expect(formatNumber(12_345.678, 'de')).toBe('12.345,68');
    expect(formatShare(0.999)).toBe('99 %');
  });
});

describe('the sentences', () => {
  it('neither shout nor joke', () => {
    const written = Object.values(SAY)
      .map((sentence) => String(sentence))
      .join('\n')
      .replace(/!==?/g, '');
    expect(written).not.toMatch(/!|oops|sorry|just a bot/i);
  });
});

describe('cutting', () => {
  it('keeps within the limit, whole clusters, and says that something is missing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
        fc.integer({ min: 10, max: 80 }),
        (text, limit) => {
          const short = cut(text, limit);
          expect(short.length).toBeLessThanOrEqual(limit);
          expect(short).not.toMatch(/\p{Surrogate}/u);
          expect(short === text || short.endsWith('…')).toBe(true);
          expect(inertCut(text, limit).length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });

  it('never divides a family', () => {
    const family = '👩‍👩‍👧‍👦';
    for (let limit = family.length; limit < 5 * family.length; limit += 1) {
      expect(graphemeEnd(family.repeat(5), limit) % family.length).toBe(0);
    }
  });

  it('into pieces loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.integer({ min: 20, max: 90 }), (text, limit) => {
        const write = (piece: string) => piece.replaceAll('a', '&amp;');
        const all = pieces(text, limit, write);
        expect(all.join('')).toBe(text);
        for (const piece of all) expect(write(piece).length).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe('bare broadcast words', () => {
  it.each([
    ['@here', '@\u200Bhere'],
    ['(@channel)', '(@\u200Bchannel)'],
    ['hi @Everyone!', 'hi @\u200BEveryone!'],
    ['me@here.com', 'me@here.com'],
    ['@hereafter', '@hereafter'],
  ])('%s becomes %s', (text, defused) => {
    expect(defuseWords(text)).toBe(defused);
    expect(defuseWords(defuseWords(text))).toBe(defused);
  });
});
