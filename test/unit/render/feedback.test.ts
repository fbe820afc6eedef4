import { describe, expect, it } from 'vitest';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { FORMAT_LADDER } from '../../../src/render/blocks.ts';
import { FEEDBACK_REASONS, renderFeedbackForm } from '../../../src/render/feedback.ts';
import { parseButtonValue } from '../../../src/render/ids.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { answered, ended, QUESTION_ID } from './example.ts';

/** The values of all buttons in a message. */
function values(blocks: unknown): string[] {
  return [...JSON.stringify(blocks ?? []).matchAll(/"value":"([^"]*)"/g)].map(([, value = '']) => value);
}

const votes = (message: { blocks?: unknown } | undefined): string[] =>
  values(message?.blocks).filter((value) => parseButtonValue(value)?.verdict !== undefined);

const both = [`${QUESTION_ID}:up`, `${QUESTION_ID}:down`];

describe('feedback buttons', () => {
  it.each(FORMAT_LADDER)('appear on the last message of an answer only, where the format has buttons: %s', (format) => {
    const markdown = 'One line of the answer.\n\n'.repeat(1_000);
    const messages = renderOutcome(answered({ markdown }), { format });
    expect(messages.length).toBeGreaterThan(1);
    expect(votes(messages.at(-1))).toEqual(format === 'plain' ? [] : both);
    for (const message of messages.slice(0, -1)) expect(votes(message)).toEqual([]);
    for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
  });

  it('are the native ones of Slack with native Markdown, and plain ones otherwise', () => {
    const types = (format: 'markdown' | 'mrkdwn') => renderOutcome(answered(), { format }).at(-1)?.blocks?.at(-1)?.type;
    expect([types('markdown'), types('mrkdwn')]).toEqual(['context_actions', 'actions']);
  });

  it.each(['markdown', 'mrkdwn'] as const)('appear neither on shared answers nor on other ends: %s', (format) => {
    expect(votes(renderOutcome(answered({}, { origin: 'shared' }), { format }).at(-1))).toEqual([]);
    const failure = { kind: 'failed', failure: { cause: 'internal' } } as const;
    expect(votes(renderOutcome(ended(failure), { format }).at(-1))).toEqual([]);
  });

  it.each([`${QUESTION_ID}:left`, `${QUESTION_ID}:UP`, `${QUESTION_ID}.1:up`, `${QUESTION_ID}:up:down`, ':up'])(
    'have no meaning with a value that the app did not write: %s',
    (raw) => {
      expect(parseButtonValue(raw)).toBeUndefined();
    },
  );
});

describe('the form behind the feedback buttons', () => {
  it.each(['en-US', 'de-DE'])('fits Slack and offers every reason in %s', (locale) => {
    const view = renderFeedbackForm(QUESTION_ID, locale);
    expect(slackProblems('views.open', { view })).toEqual([]);
    expect(values(view.blocks)).toEqual([...FEEDBACK_REASONS]);
  });
});
