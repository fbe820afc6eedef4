import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UpstreamQuestion } from '../../../src/core/ports.ts';
import { upstreamText } from '../../../src/core/question/prompt.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { openingOf } from '../../../src/render/markdown/opening.ts';
import { renderPreview } from '../../../src/render/preview.ts';
import { hostileOpenings } from '../../support/hostile/hostile-markdown.ts';

const url = 'https://search.example.com/deepsearch/0b7e9c1a-3d52-4f6e-9a10-c0ffee000001';

function asked(changes: Partial<UpstreamQuestion> = {}): UpstreamQuestion {
  return {
    id: 1,
    text: 'Where are retries configured?',
    state: 'completed',
    steps: 3,
    title: 'Payment retries',
    answer: 'In `retry.ts`.',
    sources: [{ url: 'https://search.example.com/a.ts', label: 'a.ts' }],
    followUps: [],
    ...changes,
  };
}

/** The texts of the preview's blocks, in order. */
function shown(...questions: UpstreamQuestion[]): string[] | undefined {
  const blocks = renderPreview({ questions }, url, undefined);
  if (blocks !== undefined) expect(slackProblems('chat.unfurl', { blocks })).toEqual([]);
  return blocks?.map(({ type, text }) => {
    expect(type).toBe('section');
    expect(text).toMatchObject({ type: 'mrkdwn', verbatim: true });
    return text?.text ?? '';
  });
}

describe('a preview', () => {
  it('has title, question, beginning of the answer, and a link', () => {
    expect(shown(asked())).toEqual([
      '*Payment retries*\n> Where are retries configured?',
      'In `retry.ts`.',
      `1 source · *<${url}|Open in Deep Search>*`,
    ]);
  });

  it('shows the first question that was answered, and counts the others', () => {
    const [head, , foot] = shown(asked({ text: 'first?', state: 'failed' }), asked({ sources: [] }), asked()) ?? [];
    expect(head).toContain('Where are retries configured?');
    expect(foot).toBe(`2 follow-ups · *<${url}|Open in Deep Search>*`);
  });

  it.each([
    ['there is no question', []],
    ['the question is still running', [asked({ state: 'processing' })]],
    ['the question failed', [asked({ state: 'failed' })]],
    ['the question was cancelled', [asked({ state: 'cancelled' })]],
    ['there is no answer', [asked({ answer: ' \n' })]],
  ])('does not exist where %s', (_why, questions) => {
    expect(shown(...questions)).toBeUndefined();
  });

  it('shows only the question of the asked text', () => {
    const context = { messages: 2, total: 2, files: 0, unreadable: 0, text: 'ada: what no one else should read' };
    const follows = { text: 'And before?', shareUrl: 'https://search.example.com/deepsearch/secret' };
    const text = upstreamText({ text: 'Where is it?', context, follows });
    expect(shown(asked({ text }))?.[0]).toBe('*Payment retries*\n> Where is it?');
  });

  it('may lack a title, a question and sources', () => {
    expect(shown(asked({ title: '', text: ' ', sources: [] }))).toEqual([
      'In `retry.ts`.',
      `*<${url}|Open in Deep Search>*`,
    ]);
  });

  it('pings no person, and lets no text escape from its place', () => {
    const hostile = '*<!channel>* @here <@U0ADA> <https://evil.example|x> &lt; `';
    const blocks = shown(asked({ title: hostile, text: hostile, answer: `${hostile}\n\n# @everyone` })) ?? [];
    for (const text of blocks.slice(0, 2)) {
      expect(text).not.toMatch(/<[!@#]/);
      expect(text).not.toMatch(/@(?:here|channel|everyone)/);
    }
    expect(blocks[0]).not.toContain('<http');
  });

  it('keeps Slack’s limits for any data of the service', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 5_000 }),
      fc.constantFrom(
        '&'.repeat(5_000),
        'a '.repeat(5_000),
        '<!channel>'.repeat(500),
        `[x](https://e.org/${'y'.repeat(2_900)})`,
      ),
    );
    fc.assert(
      fc.property(text, text, text, (title, question, answer) => {
        shown(asked({ title, text: question, answer }));
      }),
    );
  });

  it.each(examples())('of %s is complete', (_name, markdown) => {
    const [, opening = ''] = shown(asked({ answer: markdown })) ?? [];
    expect(opening).not.toBe('');
    // Fences are closed.
    expect(opening.split('```').length % 2).toBe(1);
  });
});

function examples(): [string, string][] {
  const folder = new URL('../../fixtures/render/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]);
}

describe('the beginning of an answer', () => {
  const sentence = 'This is a sentence of some length. ';

  it('is all of a short answer', () => {
    expect(openingOf('One.\n\nTwo.', 600)).toBe('One.\n\nTwo.');
  });

  it('ends with a paragraph', () => {
    expect(openingOf(`${sentence.repeat(10)}\n\n${sentence.repeat(10)}`, 600)).toBe(`${sentence.repeat(10).trim()}\n…`);
  });

  it.each([
    ['with a paragraph that ends in the second half', 'aaaa bbbb c', 'aaaa bbbb c\n…'],
    ['further on where the last paragraph ends in the first half', 'aaaa bbbb.', 'aaaa bbbb.\n\n• Cc dd.\n…'],
  ])('ends %s', (_where, first, opening) => {
    expect(openingOf(`${first}\n\n- Cc dd.\n- Ee ff gg hh ii jj kk`, 20)).toBe(opening);
  });

  it('ends with a sentence of a long paragraph', () => {
    const opening = openingOf(sentence.repeat(100), 600);
    expect(opening).toMatch(/length\.\n…$/);
    expect(opening.length).toBeGreaterThan(300);
    expect(opening.length).toBeLessThanOrEqual(602);
  });

  it('ends with an item of a long list, and with a line of long code', () => {
    expect(openingOf(`- ${sentence}\n`.repeat(100), 600)).toMatch(/length\.\n…$/);
    expect(openingOf(`\`\`\`ts\n${'const a = 1;\n'.repeat(100)}\`\`\``, 600)).toMatch(/const a = 1;\n```\n…$/);
  });

  it('does not end with a heading, nor begin with the title', () => {
    const markdown = `# Retries\n\n${sentence.repeat(10)}\n\n## More\n\n${sentence.repeat(10)}`;
    expect(openingOf(markdown, 600, 'Retries')).toBe(`${sentence.repeat(10).trim()}\n…`);
    expect(openingOf('# Retries&nbsp;\n\nThree of them.', 600, ' Retries ')).toBe('Three of them.');
  });

  it('is nothing of an empty answer', () => {
    expect(openingOf('', 600, 'Retries')).toBe('');
  });

  it('is formatted though the whole answer is too long to be read', () => {
    expect(openingOf(`**Retries**\n\n${sentence.repeat(4_000)}`, 20)).toBe('*Retries*\n…');
  });

  it('says that more follows where all that was read is shown', () => {
    expect(openingOf(`Retries${' '.repeat(30_000)}\n\nThree of them.`, 600)).toBe('Retries\n…');
  });

  it('consists of words where nothing shorter can be cut off', () => {
    const row = `| ${'a'.repeat(400)} | ${'b'.repeat(400)} |`;
    expect(openingOf(`| x | y |\n|---|---|\n${row}`, 600)).toMatch(/…$/);
  });

  it.each([
    ['has its links where they and the mark that more follows take all the room', 3_000, /^<https.*\|x>\n…$/s],
    ['is words where they take more', 3_001, /^x x…$/],
  ])('%s', (_what, length, opening) => {
    const address = 'https://e.org/';
    const half = (length - '<|x> <|x>\n…'.length) / 2 - address.length;
    const links = [Math.floor(half), Math.ceil(half)].map((rest) => `[x](${address}${'y'.repeat(rest)})`);
    expect(openingOf(`${links.join(' ')}\n\n- a\n- b`, 4)).toMatch(opening);
  });

  it('counts what is read, not the addresses', () => {
    const link = `[main.ts](https://search.example.com/${'x'.repeat(150)})`;
    expect(openingOf(`${link} ${link} ${link} ${link}`, 600).split('|main.ts>')).toHaveLength(5);
  });

  it.each(hostileOpenings)('is found in %s', (_name, markdown) => {
    expect(openingOf(markdown, 600).length).toBeLessThanOrEqual(602);
  });
});
