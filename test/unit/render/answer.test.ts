import { describe, expect, it } from 'vitest';
import type { RenderedMessage } from '../../../src/render/blocks.ts';
import { LIMITS } from '../../../src/render/limits.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { answered } from './example.ts';

const markdown = { format: 'markdown' } as const;

/** The length of a message as Slack counts it: every text that is shown, and an allowance for each block. */
function weight(message: RenderedMessage | undefined): number {
  const blocks = message?.blocks ?? [];
  const texts = JSON.stringify(blocks).matchAll(/"text":"((?:[^"\\]|\\.)*)"/g);
  return [...texts].reduce((sum, [, text = '']) => sum + text.length, blocks.length * LIMITS.blockWeight);
}

function firstText(message: RenderedMessage | undefined): string | undefined {
  const [first] = message?.blocks ?? [];
  return first?.type === 'section' ? first.text?.text : undefined;
}

describe('the longest answer in one message', () => {
  it.each([
    ['a long title, sources and follow-ups', { title: 'A title. '.repeat(30), followUps: ['Why?', 'How?', 'Who?'] }],
    ['nothing else', { title: '', sources: [], followUps: [] }],
  ])('leaves room for %s, and not far more', (_what, answer) => {
    const render = (length: number) => renderOutcome(answered({ ...answer, markdown: 'x'.repeat(length) }), markdown);
    let [fits, tooLong] = [8_000, 13_000];
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2);
      if (render(middle).length === 1) fits = middle;
      else tooLong = middle;
    }
    const heaviest = weight(render(fits)[0]);
    expect(heaviest).toBeLessThanOrEqual(LIMITS.messageWeight);
    expect(heaviest).toBeGreaterThan(10_000);
  });
});

describe('the title of an answer', () => {
  it.each([
    ['is left out where the answer begins with it', ' Retries ', '#  Retries\n\nText.', '<@U0ASKER>'],
    ['stands above another heading', 'Retries', '# Limits\n\nText.', '<@U0ASKER> *Retries*'],
    ['stands above a paragraph that says the same', 'Retries', 'Retries', '<@U0ASKER> *Retries*'],
    ['has no mark that would end the bold', '2 * 3 *or* more', 'Text.', '<@U0ASKER> *2  3 or more*'],
  ])('%s', (_what, title, text, shown) => {
    expect(firstText(renderOutcome(answered({ title, markdown: text }), markdown)[0])).toBe(shown);
  });

  it.each([
    [
      'is left out where it repeats the question',
      'Where payment retries are configured',
      'Where are payment retries configured?',
      '',
    ],
    ['is left out where it is most of the question', '**Payment retries**', 'payment retries, where?', ''],
    ['stands where it says something else', 'Uses of nextDelay', 'Who calls nextDelay?', 'Uses of nextDelay'],
    [
      'stands where it is the summary of a long question',
      'Retries',
      `Retries? ${'Log. Line. '.repeat(100)}`,
      'Retries',
    ],
    ['stands where it names a small part of the question', 'Retries', 'Why do my retries of payments fail?', 'Retries'],
    ['is left out in another script', 'リトライ', 'リトライ?', ''],
  ])('%s', (_what, title, text, shown) => {
    const [first] = renderOutcome(answered({ title, markdown: 'Text.' }, { text }), markdown);
    expect(firstText(first)).toBe(shown === '' ? '<@U0ASKER>' : `<@U0ASKER> *${shown}*`);
  });

  it('needs no section where it is missing and there is no one to notify', () => {
    const shared = answered({ title: '' }, { origin: 'shared' });
    expect(renderOutcome(shared, markdown)[0]?.blocks?.[0]?.type).toBe('markdown');
  });
});
