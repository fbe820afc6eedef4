import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { QueryProblem } from '../../../src/codesearch/query/ast.ts';
import { compilePattern } from '../../../src/codesearch/query/pattern.ts';

const compile = (text: string, isCaseSensitive = true) =>
  compilePattern({ kind: 'pattern', syntax: 'regexp', text }, isCaseSensitive);

function find(source: string, text: string, ignoreCase = false): string | undefined {
  const [found] = compile(source, !ignoreCase).matches(text);
  return found === undefined ? undefined : text.slice(found.start, found.start + found.length);
}

describe('matching a regular expression in RE2 syntax', () => {
  test.each([
    ['a|ab', 'xab', 'a'],
    ['ab|a', 'xab', 'ab'],
    ['a+?', 'aaa', 'a'],
    ['a{2,3}', 'aaaa', 'aaa'],
    ['(?:ab){2}', 'ababab', 'abab'],
    ['a{,2}', 'a{,2}', 'a{,2}'],
    ['\\bfoo\\b', 'xfoo foo', 'foo'],
    ['^b', 'a\nb', 'b'],
    ['\\Ab', 'a\nb', undefined],
    ['a$', 'a\nb', 'a'],
    ['a\\z', 'a\nb', undefined],
    ['[^\\d\\s]+', '12 ab', 'ab'],
    ['[]x]+', 'a]x', ']x'],
    ['[a\\-z]+', 'm-a', '-a'],
    ['[[:alpha:]_]+', '1ab_', 'ab_'],
    ['\\p{Greek}+', 'abc λόγος', 'λόγος'],
    ['\\PL+', 'ab12', '12'],
    ['\\Qa.b\\E+', 'axb a.bb', 'a.bb'],
    ['\\x41\\x{42}\\t', 'AB\t', 'AB\t'],
    ['(?i)grace', 'GRACE', 'GRACE'],
    ['a(?i:b)c', 'aBc', 'aBc'],
    ['(?P<name>a)(?<other>b)', 'ab', 'ab'],
    ['(?s).+', 'a\nb', 'a\nb'],
    ['.', '😀', '😀'],
    ['😀{2}', '😀😀', '😀😀'],
  ])('%s in %j finds %j', (source, text, expected) => {
    expect(find(source, text)).toBe(expected);
  });

  test('ignores case in every letter when asked', () => {
    expect(find('straße', 'STRAßE', true)).toBe('STRAßE');
    expect(find('[ä-ö]', 'Ä', true)).toBe('Ä');
  });

  test.each([
    '(',
    ')',
    'a)',
    '[a',
    'a**',
    '*',
    'a{2,1}',
    'a{1001}',
    '\\',
    '\\y',
    '[z-a]',
    '(?z)',
    '\\p{Nothing}',
    '(?P<1',
    '\\x{110000}',
    '[[:constructor:]]',
  ])('refuses %s as wrong', (source) => {
    expect(() => compile(source)).toThrow(QueryProblem);
  });

  test.each(['a(?=b)', 'a(?!b)', '(?<=a)b', '(?<!a)b', '(a)\\1', 'a++', '(?>a)', '(?R)'])(
    'says what RE2 syntax does not have for %s',
    (source) => {
      expect(() => compile(source)).toThrow(
        expect.objectContaining({ description: expect.stringContaining('does not look ahead') }),
      );
    },
  );

  test.each([
    '((a{1,255}){1,255}){1,255}',
    '('.repeat(2_000) + ')'.repeat(2_000),
    '(a{1000}){1000}',
    '\\pL{1000}'.repeat(300),
    `(?:${'abcd'.repeat(900)}){300}`,
    'a'.repeat(LIMITS.regexpInstructions),
  ])('refuses the expression %# because it is too large', (source) => {
    expect(() => compile(source)).toThrow(expect.objectContaining({ kind: 'invalid-pattern' }));
  });

  test.each(['(a+)+$', '(a|a)*b', '(.*)(.*)(.*)(.*)x', '(a*)*b', '(\\w+\\s?)+:'])(
    'takes linear time for %s, which takes other engines exponential time',
    (source) => {
      expect([...compile(source).matches(`${'a'.repeat(5_000)}!`)]).toEqual([]);
    },
  );

  test.each([['(?:(?:a|a))??^(?:a|a)', ' a\na', 3]])(
    'finds what begins behind a place where the same assertion did not hold: %s',
    (source, text, start) => {
      expect([...compile(source).matches(text)][0]?.start).toBe(start);
    },
  );

  test('reads less of a text the larger the expression is', () => {
    const pattern = compile('(a|b|c|d){300}e');
    expect(pattern.mostCharacters).toBeLessThan(LIMITS.regexpStepsPerText / 300);
    const text = `${'a'.repeat(pattern.mostCharacters)}e`;
    expect(pattern.test(text)).toBe(false);
    expect(pattern.test(text.slice(1))).toBe(true);
  });

  const leaf = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\b', '^', '$', '\\.', ' ');
  const expression: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.tuple(tie('node'), tie('node')).map(([one, other]) => one + other),
      fc.tuple(tie('node'), tie('node')).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie('node'), fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{1,2}', '{2}'))
        .map(([one, sign]) => `(?:${one})${sign}`),
    ),
  })).node;

  test('finds what the built-in engine finds', () => {
    fc.assert(
      fc.property(
        expression,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', ' ', '\n'), maxLength: 12 }),
        (source, text) => {
          const expected = new RegExp(source, 'mu').exec(text);
          const pattern = compile(source);
          expect(pattern.test(text)).toBe(expected !== null);
          // The built-in engine repeats an empty part in another way, which changes only where the match ends.
          const [found] = pattern.matches(text);
          if (found === undefined || expected === null) return;
          expect(found.start).toBeGreaterThanOrEqual(expected.index);
          const mayBeEmpty = /[*?^$]|\\b/.test(source);
          if (!mayBeEmpty) expect(found.start).toBe(expected.index);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('never throws anything but its own error', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab()[]{}\\?*+|^$.,:<>=!-12Ppdwux😀\ud800') }), (source) => {
        try {
          compile(source, false);
        } catch (error) {
          expect(error).toBeInstanceOf(QueryProblem);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
