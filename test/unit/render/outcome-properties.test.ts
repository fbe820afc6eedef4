import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import type { MessageFormat, RenderedMessage } from '../../../src/render/blocks.ts';
import { LIMITS } from '../../../src/render/limits.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { runs } from '../../support/runs.ts';
import { answered } from './example.ts';
import { fencesAreBalanced, readableAnswer, readableMarkdown, readableMrkdwn, squeeze, words } from './readable.ts';

const FORMATS: readonly MessageFormat[] = ['markdown', 'mrkdwn', 'plain'];
const FILLER = 'The retry policy reads its limits from the configuration of the service. ';
const PINGS = /<!(?:channel|here|everyone|subteam)|<@U123|(?<![\p{L}\p{N}_.+-])@(?:here|channel|everyone)\b/iu;

/** The part of the answer in each message, as written. */
function written(messages: RenderedMessage[], format: MessageFormat): string[] {
  return messages.map((message) => {
    if (format === 'plain') return message.text;
    return (message.blocks ?? [])
      .flatMap((block) => {
        if (block.type === 'markdown') return [block.text];
        return block.type === 'section' && format === 'mrkdwn' ? [block.text?.text ?? ''] : [];
      })
      .join('\n\n');
  });
}

function expectDeliverable(question: Question, limit = Number.POSITIVE_INFINITY): Record<MessageFormat, string[]> {
  const result = { markdown: [''], mrkdwn: [''], plain: [''] };
  const counts = FORMATS.map((format) => {
    const messages = renderOutcome(question, { format });
    for (const message of messages) {
      expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      expect(message.text.length).toBeLessThan(format === 'plain' ? 14_000 : LIMITS.postText + 1);
      expect(message.text).not.toBe('');
      expect(JSON.stringify(message).replaceAll('<@U0ASKER>', '')).not.toMatch(PINGS);
      for (const block of message.blocks ?? []) {
        if (block.type === 'markdown') expect(fencesAreBalanced(block.text)).toBe(true);
        if (block.type === 'section') expect((block.text?.text.match(/```/g) ?? []).length % 2).toBe(0);
      }
    }
    result[format] = written(messages, format);
    return messages.length;
  });
  expect(new Set(counts).size).toBe(1);
  expect(counts[0]).toBeLessThanOrEqual(limit);
  return result;
}

/** The smallest number of messages for a text of this length. One more is allowed. */
function fewest(length: number): number {
  return Math.ceil((length + 1_500) / 11_500);
}

/** A placeholder for a word. The words are numbered when the document is complete. */
const word = fc.constant('W');
const sentence = (max: number) => fc.array(word, { minLength: 1, maxLength: max }).map((all) => `${all.join(' ')}.`);

const decorated = fc
  .tuple(word, fc.constantFrom('**', '*', '~~', '`', ''), fc.boolean())
  .map(([inner, mark, link]) =>
    link ? `[${mark}${inner}${mark}](https://e.org/a_(b)?x=1&y=2)` : `${mark}${inner}${mark}`,
  );
const rich = fc.array(decorated, { minLength: 1, maxLength: 12 }).map((all) => all.join(' '));
const fenced = fc
  .tuple(fc.constantFrom('ts', '', 'c++', 'sh'), fc.array(sentence(6), { minLength: 1, maxLength: 40 }))
  .map(([language, lines]) => [`\`\`\`${language}`, ...lines, '```'].join('\n'));
const table = fc
  .array(fc.tuple(word, word, rich), { minLength: 1, maxLength: 30 })
  .map((rows) => ['| A | B | C |', '|---|:-:|--:|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'));
const list = fc
  .array(fc.tuple(rich, fc.array(sentence(5), { maxLength: 3 })), { minLength: 1, maxLength: 12 })
  .chain((items) =>
    fc.boolean().map((ordered) =>
      items
        .map(([text, nested], index) => {
          const marker = ordered ? `${index + 1}. ` : '- ';
          const indent = ' '.repeat(marker.length);
          return [`${marker}${text}`, ...nested.map((each) => `${indent}- ${each}`)].join('\n');
        })
        .join('\n'),
    ),
  );
const quoted = rich.map((text) => `> ${text}\n> <!channel> and <@U123> @here`);
const block = fc.oneof(
  sentence(200),
  rich,
  rich.map((text) => `## ${text}`),
  fenced,
  table,
  list,
  quoted,
  fc.constant('---'),
  sentence(8).map((text) => `<div class="x">\n${text}\n</div>`),
);
const documents = fc.array(block, { minLength: 1, maxLength: 30 }).map((blocks) => {
  let count = 0;
  return blocks.join('\n\n').replace(/W/g, () => {
    count += 1;
    return `w${count}z`;
  });
});

describe('an answer of generated Markdown', () => {
  it('fits every limit in every format, loses nothing and pings no person', () => {
    fc.assert(
      fc.property(documents, (markdown) => {
        const parts = expectDeliverable(answered({ markdown }));
        const expected = words(markdown);
        for (const format of FORMATS) expect(words(parts[format].join('\n'))).toEqual(expected);
      }),
      runs(40),
    );
  });

  it('shows any text at all as it was written', () => {
    const odd = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '*',
          '_',
          '`',
          '~',
          '[',
          ']',
          '(',
          ')',
          '<',
          '>',
          '&',
          '#',
          '|',
          '!',
          '\\',
          '-',
          '+',
          '1.',
          ' ',
          '\n',
          '\n\n',
        ),
        fc.constantFrom('a', 'b', '👩‍👩‍👧', 'é', '漢', '&lt;', ' https://e.org/ ', ':', '"'),
      ),
      maxLength: 60,
    });
    fc.assert(
      fc.property(odd, (markdown) => {
        // Links without a label and unused definitions are shown here, but not by Markdown.
        fc.pre(!/\]\s*[(:]/.test(markdown));
        const parts = expectDeliverable(answered({ markdown }), 1);
        const shown = readableMarkdown(parts.markdown.join('\n\n'));
        const written = readableAnswer(markdown);
        if (written === '') return;
        expect(withoutMarks(shown)).toBe(withoutMarks(written));
        // Marks in names and expressions (`2**10**3`) are shown although Markdown reads them as formatting.
        expect(shown.length).toBeGreaterThanOrEqual(written.length);
      }),
      runs(100),
    );
  });
});

function withoutMarks(text: string): string {
  return text.replace(/[*_~]/g, '');
}

/** Every possible end of an answer, with hostile and long content. */
const ends = fc
  .record({
    length: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 9_000, max: 13_500 }), fc.constant(300_000)),
    sources: fc.array(
      fc.record({
        url: fc.oneof(
          fc.webUrl(),
          fc.integer({ min: 1, max: 4_000 }).map((length) => `https://e.org/${'&'.repeat(length)}`),
        ),
        label: fc.oneof(fc.string({ maxLength: 300 }), fc.constant('<@U123> & | '.repeat(30))),
      }),
      { maxLength: 8 },
    ),
    followUps: fc.array(fc.oneof(fc.string({ maxLength: 300 }), fc.constant('<!channel> & '.repeat(40))), {
      maxLength: 5,
    }),
    used: fc.subarray([0, 1, 2, 3]),
    channelId: fc.constantFrom('C1', 'D1'),
    origin: fc.constantFrom('mention', 'shared'),
    offersMute: fc.boolean(),
    hasFile: fc.boolean(),
    share: fc.constantFrom('', 'x'.repeat(1_900), '&'.repeat(380)),
    used80: fc.boolean(),
    locale: fc.constantFrom('en-US', 'de-DE'),
  })
  .map((end) =>
    answered(
      {
        markdown: FILLER.repeat(Math.ceil(end.length / FILLER.length)).slice(0, end.length),
        sources: end.sources,
        followUps: end.followUps,
        ...(end.used80 ? { quota: { used: 90, limit: 100, resetAtMs: 1_700_000_000_000 } } : {}),
      },
      {
        place: { teamId: 'T1', channelId: end.channelId, threadTs: '1.1' },
        origin: end.origin,
        offersMute: end.offersMute,
        usedFollowUps: end.used.map((index) => ({ index, byUserId: 'U0ASKER' })),
        upstream: { steps: 0, shareUrl: `https://search.example.com/${end.share}` },
        delivery: { round: 0, posted: [], ...(end.hasFile ? { file: { state: 'attached' } } : {}) },
        locale: end.locale,
      },
    ),
  );

describe('below the text of an answer', () => {
  it('are at most five blocks with any content, and all of it fits Slack', () => {
    fc.assert(
      fc.property(ends, (question) => {
        for (const format of FORMATS) {
          for (const message of renderOutcome(question, { format })) {
            expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
            const types = (message.blocks ?? []).map(({ type }) => type);
            // The sources are the last section.
            const textEnd = format === 'markdown' ? types.lastIndexOf('markdown') : types.lastIndexOf('section') - 1;
            expect(types.length - 1 - textEnd).toBeLessThanOrEqual(5);
          }
        }
      }),
      runs(30),
    );
  });
});

describe.each([1, 2_999, 3_001, 11_999, 12_001, 60_000])('an answer of %i characters', (length) => {
  it.each([
    [
      'prose',
      FILLER.repeat(1_000)
        .slice(0, length - 1)
        .padEnd(length, 'x'),
    ],
    [
      'paragraphs',
      `${FILLER.repeat(6)}\n\n`
        .repeat(200)
        .slice(0, length - 1)
        .padEnd(length, 'x'),
    ],
    ['no space at all', 'x'.repeat(length)],
    [
      'emoji at every seam',
      '👩‍👩‍👧‍👦'
        .repeat(Math.ceil(length / 11))
        .slice(0, length - (length % 11))
        .padEnd(length, 'x'),
    ],
  ])('of %s uses as few messages as fit and keeps everything', (_name, markdown) => {
    expect(markdown).toHaveLength(length);
    const parts = expectDeliverable(answered({ markdown }), fewest(length));
    expect(readableMarkdown(parts.markdown.join('\n\n'))).toBe(squeeze(markdown));
  });
});

describe('an answer with one very long element', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `  const w${index}z = limits.get("${index}");`);

  it('divides a fence of 40,000 characters at lines and opens it again in its language', () => {
    const code = lines(1_200).join('\n').slice(0, 40_000);
    const markdown = `\`\`\`ts\n${code}\n\`\`\``;
    const parts = expectDeliverable(answered({ markdown }), fewest(40_000));
    for (const part of parts.markdown) expect(part).toMatch(/^```ts\n[\s\S]*\n```$/);
    expect(parts.markdown.map((part) => part.slice(6, -4)).join('\n')).toBe(code);
    expect(words(parts.mrkdwn.join('\n'))).toEqual(words(code));
  });

  it('divides a fence of one line of 40,000 characters', () => {
    const code = 'a<b&&c>d;'.repeat(4_445).slice(0, 40_000);
    const parts = expectDeliverable(answered({ markdown: `\`\`\`\n${code}\n\`\`\`` }));
    expect(parts.markdown.map((part) => part.replaceAll('```', '').trim()).join('')).toBe(code);
    expect(readableMrkdwn(parts.mrkdwn.join('').replaceAll('```', ''))).toContain(code.slice(0, 500));
  });

  it('divides a table between rows and repeats its header', () => {
    const rows = Array.from({ length: 400 }, (_, index) => `| w${index}z | file-${index}.ts | ${'x'.repeat(40)} |`);
    const markdown = ['| Name | File | Note |', '| --- | --- | --- |', ...rows].join('\n');
    const parts = expectDeliverable(answered({ markdown }));
    expect(parts.markdown.length).toBeGreaterThan(1);
    for (const part of parts.markdown.filter((each) => each !== ''))
      expect(part).toMatch(/^\| Name \| File \| Note \|\n\|/);
    for (const format of FORMATS) expect(words(parts[format].join('\n'))).toEqual(words(markdown));
  });

  it('continues the numbers in a list that is divided', () => {
    const items = Array.from({ length: 300 }, (_, index) => `${index + 1}. w${index}z ${FILLER}`);
    const parts = expectDeliverable(answered({ markdown: items.join('\n') }), fewest(items.join('\n').length));
    expect(parts.markdown.length).toBeGreaterThan(1);
    for (const format of FORMATS) {
      for (const index of [0, 50, 150, 299]) expect(parts[format].join('\n')).toContain(`${index + 1}. w${index}z`);
    }
  });

  it('keeps links with parentheses whole', () => {
    const links = Array.from({ length: 400 }, (_, index) => `[w${index}z](https://e.org/wiki/A_(${index})?q=1&r=2)`);
    const parts = expectDeliverable(answered({ markdown: links.join(' ') }));
    expect(parts.markdown.join('\n').match(/\[w\d+z\]\(https:\/\/e\.org\/wiki\/A_%28\d+%29\?q=1&r=2\)/g)).toHaveLength(
      400,
    );
    expect(parts.mrkdwn.join('\n').match(/<https:\/\/e\.org\/wiki\/A_\(\d+\)\?q=1&amp;r=2\|w\d+z>/g)).toHaveLength(400);
  });
});
