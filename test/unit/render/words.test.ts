import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFormats } from '../../../src/render/formats.ts';
import { cut, defuseWords, graphemeEnd, inertCut, pieces } from '../../../src/render/text.ts';
import { anyCharacter } from '../../support/any-character.ts';

const english = createFormats('en');
const german = createFormats('de');

describe('durations', () => {
  it.each([
    [0, 'less than 1 s', 'weniger als 1 s'],
    [499, 'less than 1 s', 'weniger als 1 s'],
    [1_000, '1 s', '1 s'],
    [41_400, '41 s', '41 s'],
    [59_600, '1 min', '1 min'],
    [125_000, '2 min 5 s', '2 min 5 s'],
    [3_600_000, '1 h', '1 h'],
    [3_780_000, '1 h 3 min', '1 h 3 min'],
    [3_600_000_000, '1,000 h', '1.000 h'],
  ])('of %i ms are written as "%s" and "%s"', (durationMs, inEnglish, inGerman) => {
    expect(english.duration(durationMs)).toBe(inEnglish);
    expect(german.duration(durationMs)).toBe(inGerman);
  });

  it.each([
    [20_000, 60_000, '20 to 60 s', '20 bis 60 s'],
    [1_000, 5_000, '1 to 5 s', '1 bis 5 s'],
    [20_000, 61_000, '20 s to 1 min 1 s', '20 s bis 1 min 1 s'],
    [70_000, 120_000, '1 min 10 s to 2 min', '1 min 10 s bis 2 min'],
    [120_000, 300_000, '2 to 5 min', '2 bis 5 min'],
    [1_800_000, 3_600_000, '30 min to 1 h', '30 min bis 1 h'],
    [90_000, 180_000, '1 min 30 s to 3 min', '1 min 30 s bis 3 min'],
    [60_000, 90_000, '1 min to 1 min 30 s', '1 min bis 1 min 30 s'],
    [3_600_000, 7_200_000, '1 h to 2 h', '1 h bis 2 h'],
    [5_000, 5_000, '5 s', '5 s'],
    [499, 1_000, 'up to 1 s', 'bis zu 1 s'],
    [100, 5_000, 'up to 5 s', 'bis zu 5 s'],
    [20_100, 20_300, '20 s', '20 s'],
    [0, 0, 'less than 1 s', 'weniger als 1 s'],
  ])('from %i to %i ms are written as "%s" and "%s"', (fromMs, toMs, inEnglish, inGerman) => {
    expect(english.durationRange(fromMs, toMs)).toBe(inEnglish);
    expect(german.durationRange(fromMs, toMs)).toBe(inGerman);
  });
});

describe('numbers and lists', () => {
  it('are written with the matching words and the reader’s number format', () => {
    const steps = { one: 'step', other: 'steps' };
    expect([0, 1, 2].map((count) => english.count(count, steps))).toEqual(['0 steps', '1 step', '2 steps']);
    expect(english.number(12_345.678)).toBe('12,345.68');
    expect(german.number(12_345.678)).toBe('12.345,68');
    expect(english.share(0.999)).toBe('99%');
    expect(createFormats('de-DE').share(0.29)).toBe('29\u00a0%');
    expect(english.list(['a', 'b', 'c'])).toBe('a, b, and c');
    expect(german.list(['a', 'b', 'c'])).toBe('a, b und c');
  });
});

describe('cutting a text', () => {
  it('keeps the limit and whole clusters, and says that something is missing', () => {
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

  it('never divides an emoji of several people', () => {
    const family = '👩‍👩‍👧‍👦';
    for (let limit = family.length; limit < 5 * family.length; limit += 1) {
      expect(graphemeEnd(family.repeat(5), limit) % family.length).toBe(0);
    }
  });

  it('loses nothing where it cuts into pieces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 500 }),
        fc.integer({ min: 20, max: 90 }),
        (text, limit) => {
          const write = (piece: string) => piece.replaceAll('a', '&amp;');
          const all = pieces(text, limit, write);
          expect(all.join('')).toBe(text);
          for (const piece of all) expect(write(piece).length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

describe('a broadcast word in plain text', () => {
  it.each([
    ['@here', '@\u200Bhere'],
    ['(@channel)', '(@\u200Bchannel)'],
    ['hi @Everyone!', 'hi @\u200BEveryone!'],
    ['me@here.com', 'me@here.com'],
    ['@hereafter', '@hereafter'],
  ])('is written from %s as %s', (text, defused) => {
    expect(defuseWords(text)).toBe(defused);
    expect(defuseWords(defuseWords(text))).toBe(defused);
  });
});
