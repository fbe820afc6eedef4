import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isQuicklyParsed } from '../../../src/core/markdown-guard.ts';
import { layoutAnswer } from '../../../src/render/markdown/layout.ts';
import { parseAnswer } from '../../../src/render/markdown/parse.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { slackProblems } from '../../support/fake-slack/limits.ts';
import { answered } from './example.ts';
import { words } from './readable.ts';

/** Several times what it takes on a slow machine; what is refused here took from 3 s to minutes. */
const LONGEST_MS = 1_500;
const ROOM = { firstWeight: 200, lastWeight: 600, eachWeight: 170, blocks: 10 };

function expectQuick(markdown: string): void {
  const startedMs = performance.now();
  layoutAnswer(markdown, ROOM);
  expect(performance.now() - startedMs).toBeLessThan(LONGEST_MS);
}

const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i));

describe('an answer made to take long', () => {
  it.each<[string, string]>([
    ['nested emphasis', '*a '.repeat(500) + 'b* '.repeat(500)],
    ['a little nested emphasis', '*a '.repeat(150) + 'b* '.repeat(150)],
    ['emphasis of two kinds', '*a_'.repeat(8_000)],
    ['many stars', '*'.repeat(100_000)],
    ['lists in one line', `${'- '.repeat(5_000)}x`],
    ['numbered lists in one line', `${'1. '.repeat(3_000)}x`],
    ['quotations', `${'>'.repeat(100_000)}x`],
    ['lists in quotations in many lines', `${'> - '.repeat(50)}x\n`.repeat(200)],
    ['lists in lists', lines(400, (i) => `${' '.repeat(2 * i)}- a`).join('\n')],
    ['blank lines in deep lists', `${'- '.repeat(30)}x\n${'\n'.repeat(90_000)}`],
    ['footnotes in footnotes', '[^a]: '.repeat(10_000)],
    ['open brackets', '['.repeat(100_000)],
    ['open images', '!['.repeat(50_000)],
    ['nested images', `${'!['.repeat(3_000)}x${'](/y)'.repeat(3_000)}`],
    ['labels without end', '[a]('.repeat(25_000)],
    ['comments without end', `x ${'<!--'.repeat(20_000)}`],
    ['tags without end', '<a '.repeat(30_000)],
    ['backticks of all lengths', lines(400, (i) => `${'`'.repeat(i + 1)}a`).join('')],
    ['addresses without an at sign', `x ${'a.'.repeat(49_000)}`],
    ['an address that ends in punctuation', `http://a/${'!'.repeat(90_000)}a`],
    ['an address that ends in parentheses', `http://a/${'('.repeat(40_000)}${')'.repeat(50_000)}`],
    ['mail addresses', 'a@b.'.repeat(25_000)],
    [
      'a table of 2,000 columns',
      `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n${`|${'b|'.repeat(2_000)}\n`.repeat(10)}`,
    ],
    ['a table of 30,000 rows', `|a|\n|-|\n${'|b|\n'.repeat(30_000)}`],
    [
      'records of 1,000 rows',
      `|${'a|'.repeat(20)}\n|${'-|'.repeat(20)}\n${`|${'`b` **c**|'.repeat(20)}\n`.repeat(1_000)}`,
    ],
    ['2,000 diagrams', '```mermaid\ngraph TD; a-->b\n```\n\n'.repeat(2_000)],
    ['entities', '&amp;'.repeat(20_000)],
    ['100,000 lines', 'a\n'.repeat(100_000)],
    ['100,000 lines of code', `\`\`\`\n${'a\n'.repeat(100_000)}\`\`\``],
    ['a fence that is none', `\`\`\` \`\n${'*a_'.repeat(8_000)}`],
    ['a fence in a comment', `<!--\n\`\`\`\n-->\n\n${'*a_'.repeat(8_000)}\n\n\`\`\``],
    ['a fence in a list', `- \`\`\`\n\n${'*a_'.repeat(8_000)}\n\n\`\`\``],
    ['a heading that goes on', `${'a\n'.repeat(40_000)}===`],
    ['dashes', `-${'-'.repeat(90_000)}x`],
    [
      'a megabyte of ordinary Markdown',
      '## Title\n\nSome *text* with `code` and [link](/a/b).\n\n- x\n- y\n\n'.repeat(16_000),
    ],
    ['a megabyte of words', 'word '.repeat(200_000)],
    ['a megabyte of brackets', '<'.repeat(1_000_000)],
  ])('of %s does not', (_name, markdown) => {
    expectQuick(markdown);
  });

  it('of any repetition does not', () => {
    const piece = fc.constantFrom(
      ...['*', '**', '_', '`', '~~', '[', ']', '](/x)', '![', '(', ')', '<', '<a ', '<!--', '&amp;', '#', '|', '|-|'],
      ...['- ', '1. ', '> ', '[^a]: ', '[^a]', '\n', '\n\n', '    ', ' ', 'a', 'a@b.', 'www.', 'http://x/', '```\n'],
    );
    const run = fc
      .tuple(fc.string({ unit: piece, minLength: 1, maxLength: 3 }), fc.constantFrom(1, 30, 300, 3_000, 30_000))
      .map(([text, times]) => text.repeat(times));
    const hostile = fc.array(run, { minLength: 1, maxLength: 3 }).map((runs) => runs.join('').slice(0, 300_000));
    fc.assert(
      fc.property(hostile, (markdown) => expectQuick(markdown)),
      { numRuns: 30 },
    );
  });

  it('keeps every word of deeply nested emphasis', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), fc.constantFrom('*', '**', '~~', '_'), (depth, mark) => {
        const words = lines(depth, (i) => `w${i}z`);
        const markdown = `${words.map((word) => `${mark}${word} `).join('')}x${` y${mark}`.repeat(depth)}`;
        const startedMs = performance.now();
        const { parts } = layoutAnswer(markdown, ROOM);
        expect(performance.now() - startedMs).toBeLessThan(LONGEST_MS);
        for (const word of words) expect(parts.map((part) => part.words).join(' ')).toContain(word);
      }),
      { numRuns: 40 },
    );
  });

  it('is shown as it was written', () => {
    const markdown = `# Not a title\n\n${'- '.repeat(1_000)}x **bold**`;
    expect(isQuicklyParsed(markdown)).toBe(false);
    expect(parseAnswer(markdown).map((node) => node.type)).toEqual(['paragraph', 'paragraph']);
    expect(
      layoutAnswer(markdown, ROOM)
        .parts.map((part) => part.words)
        .join(' '),
    ).toContain('x **bold**');
  });
});

describe('what is read as Markdown', () => {
  it.each<[string, string]>([
    [
      '80,000 characters of prose',
      'The `RetryPolicy` in [retry.ts](/r/-/blob/src/retry.ts?L1-2) is *used* by it.\n\n'
        .repeat(1)
        .concat('A plain sentence of an answer that explains it. '.repeat(1_650)),
    ],
    ['a table of 100 rows', `| a | b | c |\n|---|---|---|\n${'| `x_y` | **b** | [c](/c) |\n'.repeat(100)}`],
    ['300 list items', '- `a_b` is *in* [c](/c)\n'.repeat(300)],
    ['a minified line of code', `\`\`\`js\n${'a<b&&c>d;'.repeat(4_000)}\n\`\`\``],
    ['500 lines of code', `\`\`\`c\n${'  *snake_case_name = other_name[i_1] * (b);\n'.repeat(500)}\`\`\``],
    ['lists three deep', '- a\n  - b\n    - c\n\n      text\n'.repeat(100)],
    ['quotations of many lines', '> quoted\n> text\n'.repeat(300)],
  ])('includes %s', (_name, markdown) => {
    expect(isQuicklyParsed(markdown)).toBe(true);
  });
});

describe('an answer longer than Slack can show', () => {
  const markdown = lines(30_000, (i) => `w${i}z and more words of this sentence.${i % 9 === 0 ? '\n\n' : ''}`).join(
    ' ',
  );

  it.each(['markdown', 'mrkdwn', 'plain'] as const)(
    'ends after 20 messages as %s, and says so with the link',
    (format) => {
      const messages = renderOutcome(answered({ markdown }), { format });
      expect(messages).toHaveLength(20);
      for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      const last = JSON.stringify(messages.at(-1));
      expect(last).toContain('longer than can be shown in Slack');
      expect(last).toContain('<https://search.example.com/deepsearch/abc|Open in Deep Search>');
      expect(JSON.stringify(messages.slice(0, -1))).not.toContain('longer than can be shown');
      const shown = words(JSON.stringify(messages.map((message) => message.blocks ?? message.text)));
      expect(shown.length).toBeGreaterThan(4_000);
      expect(shown).toEqual(lines(shown.length, (i) => `w${i}z`));
    },
  );

  it('says so without a link when there is none', () => {
    const messages = renderOutcome(answered({ markdown }, { upstream: { steps: 0 } }), { format: 'markdown' });
    expect(JSON.stringify(messages.at(-1))).toContain('it ends here');
  });
});

describe('dividing an answer again', () => {
  it('costs nothing for the answers that are posted at the same time', () => {
    const answers = lines(8, (i) => `${'A `word` and *more* of it.\n\n'.repeat(600)}${i}`);
    const first = answers.map((markdown) => layoutAnswer(markdown, ROOM));
    expect(answers.map((markdown) => layoutAnswer(markdown, ROOM)).every((each, i) => each === first[i])).toBe(true);
  });

  it('remembers the last fifty answers only', () => {
    const divided = (index: number) => layoutAnswer(`Answer ${index}.`, ROOM);
    const first = divided(0);
    for (let index = 1; index < 50; index += 1) divided(index);
    expect(divided(0)).toBe(first);
    for (let index = 50; index < 100; index += 1) divided(index);
    expect(divided(0)).not.toBe(first);
    expect(divided(99)).toBe(divided(99));
  });
});
