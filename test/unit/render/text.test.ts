import { describe, expect, it } from 'vitest';
import {
  cut,
  escapeMrkdwn,
  graphemeEnd,
  inertCut,
  inertMrkdwn,
  niceEnd,
  oneLine,
  pieces,
  withinBytes,
} from '../../../src/render/text.ts';

const family = '👩‍👩‍👧‍👦';

describe('text that is written for mrkdwn', () => {
  it('has each of its control characters escaped once', () => {
    expect(escapeMrkdwn('<a> & <b> & &amp;')).toBe('&lt;a&gt; &amp; &lt;b&gt; &amp; &amp;amp;');
  });

  it('has a mark for the character that Slack refuses', () => {
    expect(escapeMrkdwn('a\0b')).toBe('a\ufffdb');
  });

  it('quotes nothing, wherever a line begins with the mark', () => {
    expect(inertMrkdwn('> a\n  > b\nc > d\n\n>>> e')).toBe(
      '\u200B&gt; a\n  \u200B&gt; b\nc &gt; d\n\n\u200B&gt;&gt;&gt; e',
    );
  });

  it('is one line without control characters where only one is shown', () => {
    expect(oneLine(' a \n\n b\t\u0000c\u0085d ')).toBe('a b c d');
  });
});

describe('the place to cut a text that is too long', () => {
  it.each([
    ['abc', 3, 3],
    ['abc', 4, 3],
    ['abcd', 3, 3],
    [`ab${family}`, 3, 2],
    [`ab${family}cd`, 2 + family.length, 2 + family.length],
    ['😀😀', 3, 2],
    ['😀😀', 1, 2],
    // The first and the last low surrogate that exist, and the next character after the surrogates.
    ['\u{10000}b', 1, 2],
    ['\u{103ff}b', 1, 2],
    ['a！', 1, 1],
    ['ab', 0, 1],
    ['', 5, 0],
  ])('is, for %j within %i, at %i', (text, limit, end) => {
    expect(graphemeEnd(text, limit)).toBe(end);
  });

  it('is between whole characters also deep inside, and where a cluster is longer than any real one', () => {
    const inside = `${'a'.repeat(1_000)}${family}${'b'.repeat(1_000)}`;
    expect(graphemeEnd(inside, 1_003)).toBe(1_000);
    // The middle of a surrogate pair is 64 characters before the limit.
    const pairs = `a${'😀'.repeat(200)}`;
    for (const limit of [130, 131, 132]) expect(graphemeEnd(pairs, limit) % 2).toBe(1);
    const stacked = `a${'\u0301'.repeat(500)}`;
    expect(graphemeEnd(stacked, 300)).toBe(300);
    const joined = `${'😀\u200D'.repeat(100)}😀`;
    for (const limit of [199, 200, 201]) {
      expect(joined.slice(0, graphemeEnd(joined, limit))).not.toMatch(/\p{Surrogate}/u);
    }
    expect([199, 200].map((limit) => graphemeEnd(joined, limit))).toEqual([198, 200]);
  });

  it.each([
    ['one line\nanother line', 12, 'one line\n'],
    ['one. two. three four', 12, 'one. two. '],
    ['one two. three four', 15, 'one two. '],
    ['see a.ts for more', 15, 'see a.ts for '],
    ['one (two!) three', 12, 'one (two!) '],
    ['これは。 あれは何ですか', 8, 'これは。 '],
    ['some words here', 12, 'some words '],
    ['some words here', 11, 'some words '],
    ['some words here', 10, 'some words'],
    ['a\nbbbbbbbbbbbbbbb', 10, 'a\nbbbbbbbb'],
    ['aaaa bbbbbbbbbbb', 10, 'aaaa bbbbb'],
    ['aaaaa bbbbbbbbbb', 10, 'aaaaa '],
    ['short', 10, 'short'],
    ['😀😀', 1, '😀'],
  ])('is found where people would end %j within %i', (text, limit, kept) => {
    expect(text.slice(0, niceEnd(text, limit))).toBe(kept);
  });
});

describe('a text that is cut', () => {
  it.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['some words here', 12, 'some words…'],
    ['a verylongword', 10, 'a verylon…'],
    ['some   words here', 9, 'some…'],
    ['abcd efghij', 9, 'abcd efg…'],
    ['abcd efghij', 8, 'abcd ef…'],
    ['abcde fghij', 9, 'abcde…'],
    [`abc${family}`, 6, 'abc…'],
  ])('becomes, from %j within %i, %j', (text, limit, short) => {
    expect(cut(text, limit)).toBe(short);
  });

  it('fits in its written form, and keeps as much as it can', () => {
    expect(inertCut('a & b', 9)).toBe('a &amp; b');
    expect(inertCut('a\n<b>\n c', 100)).toBe('a &lt;b&gt; c');
    for (const limit of [8, 20, 50, 200]) {
      const written = inertCut('&'.repeat(300), limit);
      expect(written.length).toBeLessThanOrEqual(limit);
      expect(written.length).toBeGreaterThan(limit - 12);
      expect(written).toMatch(/^(?:&amp;)*…$/);
    }
  });
});

describe('the pieces of a text', () => {
  it('end where people would end them, each as long as its written form may be', () => {
    const plain = (piece: string) => piece;
    expect(pieces('', 10, plain)).toEqual([]);
    expect(pieces('short', 10, plain)).toEqual(['short']);
    expect(pieces('one two three four', 10, plain)).toEqual(['one two ', 'three four']);
    expect(pieces('line one\nline two', 10, plain)).toEqual(['line one\n', 'line two']);
  });

  it('are shorter where their written form is longer, down to one character', () => {
    const twice = (piece: string) => piece + piece;
    expect(pieces('abcdefgh', 4, twice)).toEqual(['ab', 'cd', 'ef', 'gh']);
    expect(pieces('abc', 1, twice)).toEqual(['a', 'b', 'c']);
  });
});

describe('text within so many bytes', () => {
  it.each([
    ['a text that fits', 'aé€', 6, 'aé€'],
    ['a text that is one byte too long', 'aé€b', 6, 'aé…'],
    ['a character of two units', 'a👍bcd', 7, 'a…'],
    ['an entity', 'ab&amp;cd', 8, 'ab…'],
    ['the end of an entity', 'ab&amp;cdef', 10, 'ab&amp;…'],
  ])('cuts %s between characters', (_, text, bytes, expected) => {
    expect(withinBytes(text, bytes)).toBe(expected);
  });

  it('fits whatever the text is', () => {
    for (const unit of ['a', 'é', '€', '👍', '&lt;'])
      for (let bytes = 20; bytes < 30; bytes += 1)
        expect(new TextEncoder().encode(withinBytes(unit.repeat(40), bytes)).length).toBeLessThanOrEqual(bytes);
  });
});
