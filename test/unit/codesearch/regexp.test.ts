import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRegexp, WorkBudgetError } from '../../../src/codesearch/query/regexp/matcher.ts';
import { toPcre } from '../../../src/codesearch/query/regexp/pcre.ts';
import { parseRegexp, RegexpError } from '../../../src/codesearch/query/regexp/syntax.ts';

const plenty = () => ({ steps: 10_000_000 });

function find(source: string, text: string, ignoreCase = false): string | undefined {
  const found = compileRegexp(source, ignoreCase).exec(text, 0, plenty());
  return found === undefined ? undefined : text.slice(found.start, found.end);
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
    ['[[:constructor:]]', 'xo]', 'o]'],
    ['[[:toString:]]', 'xo]', 'o]'],
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
    ['', 'a', ''],
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
  ])('refuses %s as wrong', (source) => {
    expect(() => compileRegexp(source, false)).toThrow(RegexpError);
  });

  test.each(['a(?=b)', 'a(?!b)', '(?<=a)b', '(?<!a)b', '(a)\\1', 'a++', '(?>a)', '(?R)'])(
    'names what RE2 syntax does not have in %s',
    (source) => {
      expect(() => compileRegexp(source, false)).toThrow(expect.objectContaining({ kind: 'unsupported' }));
    },
  );

  test.each(['((a{1,255}){1,255}){1,255}', '('.repeat(200) + ')'.repeat(200), '(a{1000}){1000}'])(
    'refuses the expression %# because it is too large',
    (source) => {
      expect(() => compileRegexp(source, false)).toThrow(expect.objectContaining({ kind: 'tooLarge' }));
    },
  );

  test.each(['(a+)+$', '(a|a)*b', '(.*)(.*)(.*)(.*)x', '(a*)*b', '(\\w+\\s?)+:'])(
    'takes linear work for %s, which takes other engines exponential time',
    (source) => {
      const text = `${'a'.repeat(5_000)}!`;
      const budget = { steps: 1_000_000 };
      expect(compileRegexp(source, false).exec(text, 0, budget)).toBeUndefined();
    },
  );

  test.each([['(?:(?:a|a))??^(?:a|a)', ' a\na', 3]])(
    'finds what begins behind a place where the same assertion did not hold: %s',
    (source, text, start) => {
      expect(compileRegexp(source, false).exec(text, 0, plenty())?.start).toBe(start);
    },
  );

  test('stops when the budget is used up', () => {
    const regexp = compileRegexp('(a|b|c|d)*e', false);
    expect(() => regexp.exec('abcd'.repeat(1_000), 0, { steps: 500 })).toThrow(WorkBudgetError);
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
          // The built-in engine repeats an empty part in another way, which changes only where the match ends.
          const found = compileRegexp(source, false).exec(text, 0, plenty());
          expect(found === undefined).toBe(expected === null);
          if (found !== undefined) expect(found.start).toBe(expected?.index);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('never throws anything but its own error', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab()[]{}\\?*+|^$.,:<>=!-12Ppdwux😀') }), (source) => {
        try {
          toPcre(compileRegexp(source, true).node);
        } catch (error) {
          expect(error).toBeInstanceOf(RegexpError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('translating an expression for git', () => {
  test.each([
    ['a.', '(?:a(?:[\\x00-\\x09\\x0b-\\x7f]|[^\\x00-\\x7f]{1,4}))'],
    ['.*', '[^\\x0a]*'],
    ['.+?', '[^\\x0a]+?'],
    ['[^a]{2,}', '[^\\x61]{2,}'],
    ['(?s).*', '[\\s\\S]*'],
    ['\\d{1,3}', '[\\x30-\\x39]{1,3}'],
    ['(?:ab)?', '(?:(?:ab)){0,1}'],
    ['(?i)k', '[kK]'],
    ['\\.(ts|js)$', '(?:\\x2e(?:(?:ts)|(?:js))$)'],
    ['(?i)ä', '(?:ä|Ä)'],
  ])('writes %s as %s', (source, expected) => {
    expect(toPcre(parseRegexp(source, false)).replace(/^\(\*LIMIT_MATCH=\d+\)/, '')).toBe(expected);
  });
});
