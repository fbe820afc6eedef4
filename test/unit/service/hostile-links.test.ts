import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { absoluteLinks } from '../../../src/service/links.ts';
import { hostileLinkMarkdown } from '../../support/hostile/hostile-markdown.ts';

const BASE = 'https://code.example.com';

/** Returns at all, where a careless reader takes minutes; `npm run bench` measures how long it takes. */
function expectUnharmed(markdown: string): void {
  const result = absoluteLinks(markdown, BASE);
  expect(result.replaceAll(BASE, '').replaceAll('/', '')).toBe(markdown.replaceAll(BASE, '').replaceAll('/', ''));
}

describe('Markdown that is made to take long', () => {
  test.each(hostileLinkMarkdown)('of %s keeps its words', (_name, hostile) => {
    expectUnharmed(`${hostile}\n\n[a](/x)`);
  });

  test('of any repetition keeps its words', () => {
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
      fc.property(hostile, (markdown) => expectUnharmed(`${markdown}\n\n[a](/x)`)),
      { numRuns: 40 },
    );
  });

  test('stays unchanged, with its links', () => {
    const markdown = `[a](/x)\n\n${'- '.repeat(1_000)}`;
    expect(absoluteLinks(markdown, BASE)).toBe(markdown);
  });

  test('differs from an ordinary answer of 60,000 characters, whose links are completed', () => {
    const markdown = `See [a](/x). ${'A plain sentence of an answer. '.repeat(2_000)}`;
    expect(absoluteLinks(markdown, BASE)).toContain(`(${BASE}/x)`);
  });
});
