import { expect, test } from 'vitest';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { renderCard } from '../../../src/render/card.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

function shown(
  follows: { text: string; shareUrl?: string } | undefined,
  locale = 'en-US',
  format = 'markdown' as const,
) {
  const question = questionWith({ origin: 'followUp', locale, ...(follows === undefined ? {} : { follows }) });
  const message = renderCard(question, { kind: 'starting' }, { format });
  expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
  return JSON.stringify(message.blocks);
}

test('a question that continues from another names that question and its place', () => {
  const follows = { text: 'Where is\n<main>?', shareUrl: 'https://search.example.com/deepsearch/abc' };
  const link = '<https://search.example.com/deepsearch/abc|Where is &lt;main&gt;?>';
  expect(shown(follows)).toContain(`Continues from: “${link}”`);
  expect(shown(follows, 'de-DE')).toContain(`Knüpft an: „${link}“`);
  expect(shown(undefined)).not.toContain('Continues from');
});

test.each([[undefined], [`https://search.example.com/${'x'.repeat(2_000)}`]])(
  'a card shows the beginning of a long earlier question, as inert text, without a link to %s',
  (shareUrl) => {
    const text = shown({
      text: `<!channel> @here ${'word '.repeat(100)}`,
      ...(shareUrl === undefined ? {} : { shareUrl }),
    });
    expect(text).toContain('…”');
    expect(text).not.toMatch(/<!channel>|@here|https:/);
    const quoted = /“(.*?)”/.exec(text)?.[1] ?? '';
    expect(quoted.length).toBeLessThanOrEqual(150);
  },
);

test('a plain card shows the earlier question as well', () => {
  const question = questionWith({ origin: 'followUp', follows: { text: 'Where?' } });
  expect(renderCard(question, { kind: 'starting' }, { format: 'plain' }).text).toContain('Continues from: “Where?”');
});
