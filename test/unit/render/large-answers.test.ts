import { describe, expect, it } from 'vitest';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { layoutAnswer, type Surroundings } from '../../../src/render/markdown/layout.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { answered } from './example.ts';
import { words } from './readable.ts';

const NOTHING_AROUND: Surroundings = { firstWeight: 0, lastWeight: 0, eachWeight: 0, blocks: 0 };

describe('a large answer', () => {
  it('ends after 6,000 lines', () => {
    const lines = 'a\n'.repeat(6_000);
    const isWhole = (markdown: string) => layoutAnswer(markdown, NOTHING_AROUND).isWhole;
    expect([isWhole(`${lines}a`), isWhole(lines.trim())]).toEqual([false, true]);
  });

  it('of a link label of 20,000 characters is divided, with every word', () => {
    const markdown = `[${'w1z '.repeat(5_000)}](https://e.org)`;
    const { parts } = layoutAnswer(markdown, { ...NOTHING_AROUND, eachWeight: 100 });
    expect(words(parts.map((part) => part.markdown).join('\n'))).toEqual(words(markdown));
  });

  it.each([1_000, 3_000, 9_000])(
    'of %i paragraphs is divided at the same places, whether its file exists or not',
    (paragraphs) => {
      const markdown = 'All of it is in the retry policy, which counts.\n\n'.repeat(paragraphs);
      const states = [undefined, 'intended', 'attached', 'refused'] as const;
      const shown = states.map((state) => {
        const delivery = { round: 0, posted: [], ...(state === undefined ? {} : { file: { intentMs: 1, state } }) };
        return renderOutcome(answered({ markdown }, { delivery }), { format: 'markdown' });
      });
      const [first] = shown;
      for (const messages of shown) {
        expect(messages.slice(0, -1)).toEqual(first?.slice(0, -1));
        for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      }
    },
  );
});
