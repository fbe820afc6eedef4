import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isQuicklyParsed } from '../../../src/core/markdown-guard.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { layoutAnswer } from '../../../src/render/markdown/layout.ts';
import { parseAnswer } from '../../../src/render/markdown/parse.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { hostileAnswers } from '../../support/hostile/hostile-markdown.ts';
import { runs } from '../../support/runs.ts';
import { answered } from './example.ts';
import { words } from './readable.ts';

const ROOM = { firstWeight: 200, lastWeight: 600, eachWeight: 170, blocks: 10 };

/** The test ends in time only if the layout is fast: a careless one takes minutes. `npm run bench` measures it. */
function expectDivided(markdown: string): void {
  expect(layoutAnswer(markdown, ROOM).parts).not.toEqual([]);
}

const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i));

describe('an answer that is made to take long', () => {
  it.each(hostileAnswers)('of %s is still divided', (_name, markdown) => {
    expectDivided(markdown);
  });

  it('of any repetition is still divided', () => {
    const piece = fc.constantFrom(
      ...['*', '**', '_', '`', '~~', '[', ']', '](/x)', '![', '(', ')', '<', '<a ', '<!--', '&amp;', '#', '|', '|-|'],
      ...['- ', '1. ', '> ', '[^a]: ', '[^a]', '\n', '\n\n', '    ', ' ', 'a', 'a@b.', 'www.', 'http://x/', '```\n'],
    );
    const run = fc
      .tuple(fc.string({ unit: piece, minLength: 1, maxLength: 3 }), fc.constantFrom(1, 30, 300, 3_000, 30_000))
      .map(([text, times]) => text.repeat(times));
    const hostile = fc.array(run, { minLength: 1, maxLength: 3 }).map((runs) => runs.join('').slice(0, 300_000));
    fc.assert(
      fc.property(hostile, (markdown) => expectDivided(markdown)),
      runs(30),
    );
  });

  it('keeps every word of deeply nested emphasis', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), fc.constantFrom('*', '**', '~~', '_'), (depth, mark) => {
        const words = lines(depth, (i) => `w${i}z`);
        const markdown = `${words.map((word) => `${mark}${word} `).join('')}x${` y${mark}`.repeat(depth)}`;
        const { parts } = layoutAnswer(markdown, ROOM);
        for (const word of words) expect(parts.map((part) => part.words).join(' ')).toContain(word);
      }),
      runs(40),
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

describe('the text that is read as Markdown', () => {
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
    'ends after 20 messages in the form %s, and says so with the link',
    (format) => {
      const messages = renderOutcome(answered({ markdown }), { format });
      expect(messages).toHaveLength(20);
      for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      const last = JSON.stringify(messages.at(-1));
      expect(last).toContain('too long for Slack');
      expect(last).toContain('<https://search.example.com/deepsearch/abc|Open in Deep Search>');
      expect(JSON.stringify(messages.slice(0, -1))).not.toContain('too long for Slack');
      const shown = words(JSON.stringify(messages.map((message) => message.blocks ?? message.text)));
      expect(shown.length).toBeGreaterThan(4_000);
      expect(shown).toEqual(lines(shown.length, (i) => `w${i}z`));
    },
  );

  it('says so without a link when there is none', () => {
    const messages = renderOutcome(answered({ markdown }, { upstream: { steps: 0 } }), { format: 'markdown' });
    expect(JSON.stringify(messages.at(-1))).toContain('Only its beginning is shown');
  });
});
