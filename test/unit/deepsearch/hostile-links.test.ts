import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { absoluteLinks } from '../../../src/deepsearch/links.ts';

const BASE = 'https://code.example.com';
/** Several times what it takes on a slow machine. */
const LONGEST_MS = 1_500;

function expectQuick(markdown: string): void {
  const startedMs = performance.now();
  const result = absoluteLinks(markdown, BASE);
  expect(performance.now() - startedMs).toBeLessThan(LONGEST_MS);
  expect(result.replaceAll(BASE, '').replaceAll('/', '')).toBe(markdown.replaceAll(BASE, '').replaceAll('/', ''));
}

describe('Markdown made to take long', () => {
  test.each<[string, string]>([
    ['nested emphasis', '*a '.repeat(20_000) + 'b* '.repeat(20_000)],
    ['emphasis of two kinds', '_a*'.repeat(8_000)],
    ['lists in one line', '- '.repeat(5_000)],
    ['quotations', '>'.repeat(50_000)],
    ['lists in lists', Array.from({ length: 400 }, (_, i) => `${' '.repeat(2 * i)}- a`).join('\n')],
    ['open brackets', '['.repeat(90_000)],
    ['nested links', `${'['.repeat(5_000)}x${'](/y)'.repeat(5_000)}`],
    ['comments without end', `x ${'<!--'.repeat(20_000)}`],
    ['a megabyte of ordinary Markdown', '## Title\n\nSome *text* and [link](/a/b).\n\n- x\n- y\n\n'.repeat(18_000)],
  ])('%s', (_name, hostile) => {
    expectQuick(`${hostile}\n\n[a](/x)`);
  });

  test('any repetition', () => {
    const piece = fc.constantFrom(
      '*',
      '_',
      '`',
      '[',
      ']',
      '](/x)',
      '![',
      '<',
      '<!--',
      '|',
      '- ',
      '> ',
      '\n',
      ' ',
      'a',
      '.',
    );
    const hostile = fc
      .tuple(fc.string({ unit: piece, minLength: 1, maxLength: 4 }), fc.constantFrom(300, 3_000, 20_000))
      .map(([text, times]) => text.repeat(times));
    fc.assert(
      fc.property(hostile, (markdown) => expectQuick(`${markdown}\n\n[a](/x)`)),
      { numRuns: 40 },
    );
  });

  test('stays as it is', () => {
    const markdown = `[a](/x)\n\n${'- '.repeat(1_000)}`;
    expect(absoluteLinks(markdown, BASE)).toBe(markdown);
  });

  test('an ordinary answer of 60,000 characters does not', () => {
    const markdown = `See [a](/x). ${'A plain sentence of an answer. '.repeat(2_000)}`;
    expect(absoluteLinks(markdown, BASE)).toContain(`(${BASE}/x)`);
  });
});
