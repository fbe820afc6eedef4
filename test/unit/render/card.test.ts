import { describe, expect, it } from 'vitest';
import type { CardView } from '../../../src/core/ports.ts';
import type { Origin, Question } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import type { RenderedMessage } from '../../../src/render/blocks.ts';
import { renderCard } from '../../../src/render/card.ts';
import { ACTIONS, cardMarker, hasMarker } from '../../../src/render/ids.ts';
import { LIMITS } from '../../../src/render/limits.ts';
import { exampleQuestion, QUESTION_ID } from './example.ts';

const UNTIL = Date.UTC(2023, 10, 15, 15, 0);

const VIEWS: CardView[] = [
  { kind: 'queued', place: 2 },
  { kind: 'starting' },
  { kind: 'running', elapsedMs: 65_000, steps: 1, lastStep: 'Reading <src/a.ts> & @here' },
  { kind: 'running', elapsedMs: 41_000, steps: 5, expected: { fromMs: 20_000, toMs: 60_000 } },
  { kind: 'running', elapsedMs: 99_000, steps: 9, expected: { fromMs: 20_000, toMs: 60_000 }, isLate: true },
  { kind: 'unreachable' },
  { kind: 'limited' },
  { kind: 'cancelling' },
  { kind: 'parked', untilMs: UNTIL },
  { kind: 'answered', durationMs: 41_000, steps: 12 },
  { kind: 'cancelled', byUserId: 'U0BOB' },
  { kind: 'failed', durationMs: 3_000 },
  { kind: 'gaveUp', durationMs: 900_000 },
  { kind: 'shared' },
];

const confirmed: string[] = [];

function texts(message: RenderedMessage): string[] {
  return (message.blocks ?? []).flatMap((block) => {
    if (block.type === 'section') return [block.text?.text ?? ''];
    return block.type === 'context' ? block.elements.flatMap((each) => ('text' in each ? [each.text] : [])) : [];
  });
}

function buttons(message: RenderedMessage): string[] {
  return (message.blocks ?? []).flatMap((block) =>
    block.type === 'actions' ? block.elements.flatMap((each) => each.action_id ?? []) : [],
  );
}

describe('a card', () => {
  it.each(VIEWS)('that shows $kind fits Slack, carries its marker, and has exactly one status sign', (view) => {
    for (const origin of ['mention', 'command'] as const) {
      const question = exampleQuestion({ origin });
      for (const format of ['markdown', 'mrkdwn', 'plain'] as const) {
        const message = renderCard(question, view, { format });
        for (const method of ['chat.postMessage', 'chat.update'])
          expect(slackProblems(method, { ...message })).toEqual([]);
        expect(hasMarker(message, cardMarker(question))).toBe(true);
        expect(format === 'plain' || hasMarker({ blocks: message.blocks }, cardMarker(question))).toBe(true);
        const shown = format === 'plain' ? message.text : texts(message).join('\n');
        expect(shown.match(/\p{Extended_Pictographic}/gu)).toHaveLength(1);
      }
    }
  });

  it('says what happens now', () => {
    const lines = VIEWS.map((view) => texts(renderCard(exampleQuestion(), view, { format: 'mrkdwn' })).join(' | '));
    expect(lines).toMatchInlineSnapshot(`
      [
        "🕓 Number 2 in line in this thread",
        "⏳ Starting",
        "⏳ Searching · 1 min 5 s · 1 step | Reading &lt;src/a.ts&gt; &amp; @​here",
        "⏳ Searching · 41 s · 5 steps · usually 20 to 60 s",
        "⏳ Searching · 1 min 39 s · 9 steps · taking longer than usual",
        "📡 Deep Search is not reachable, still trying",
        "📡 Deep Search is limiting requests, still trying",
        "⏹️ Cancelling",
        "⏸️ Deep Search quota used up. I'll ask it automatically at <!date^1700060400^{time}|15:00 UTC>",
        "✅ Answered in 41 s · 12 steps",
        "⏹️ Cancelled by <@U0BOB>",
        "⚠️ Failed after 3 s",
        "⌛ Still running after 15 min; I stopped watching",
        "✅ The answer is in the thread",
      ]
    `);
  });

  it('offers the button that can work, or none where no button can', () => {
    const offered = VIEWS.map((view) => [
      view.kind,
      ...buttons(renderCard(exampleQuestion(), view, { format: 'mrkdwn' })),
    ]);
    expect(offered).toEqual([
      ['queued', ACTIONS.cancel],
      ['starting', ACTIONS.cancel],
      ['running', ACTIONS.cancel],
      ['running', ACTIONS.cancel],
      ['running', ACTIONS.cancel],
      ['unreachable', ACTIONS.cancel],
      ['limited', ACTIONS.cancel],
      ['cancelling'],
      ['parked', ACTIONS.drop],
      ['answered'],
      ['cancelled', ACTIONS.tryAgain],
      ['failed'],
      ['gaveUp'],
      ['shared'],
    ]);
  });

  it.each<[string, Partial<Question>]>([
    ['was deleted or replaced', { cancel: { byUserId: 'U0BOB', atMs: 1, isFinal: true } }],
    ['was asked again', { askedAgain: { byUserId: '' } }],
    ['shows an answer again', { shares: { questionId: QUESTION_ID, withLink: false, confirmed } }],
    ['was forgotten', { text: '' }],
  ])('does not offer to ask a cancelled question again that %s', (_, change) => {
    const card = renderCard(exampleQuestion(change), { kind: 'cancelled' }, { format: 'mrkdwn' });
    expect(buttons(card)).toEqual([]);
  });

  it.each([
    ['en-US', 'Continue the previous conversation'],
    ['de-DE', 'Vorige Unterhaltung fortsetzen'],
  ])('offers to continue the previous conversation until it ends (%s)', (locale, label) => {
    const question = exampleQuestion({ locale, previous: 'c1' });
    const shown = VIEWS.filter((view) =>
      JSON.stringify(renderCard(question, view, { format: 'mrkdwn' })).includes(label),
    );
    const running = VIEWS.filter((view) =>
      [ACTIONS.cancel, ACTIONS.drop].some((id) =>
        buttons(renderCard(exampleQuestion(), view, { format: 'mrkdwn' })).includes(id),
      ),
    );
    expect(shown).toEqual(running);
  });

  it.each<[Origin, boolean]>([
    ['command', true],
    ['followUp', true],
    ['retry', true],
    ['shortcut', true],
    ['mention', false],
    ['reply', false],
    ['direct', false],
  ])('of a %s makes it %s that the question is restated, also when it is done', (origin, restates) => {
    for (const view of VIEWS) {
      const shown = texts(renderCard(exampleQuestion({ origin }), view, { format: 'mrkdwn' }))[0];
      const restated = '*<@U0ASKER> asked:*\n> Where are payment retries configured?';
      expect(shown === restated).toBe(restates);
    }
  });

  it('keeps a question of 10,000 characters readable in full', () => {
    const text = 'Where is it, and why? '.repeat(460).slice(0, 10_000);
    const message = renderCard(
      exampleQuestion({ origin: 'command', text }),
      { kind: 'starting' },
      { format: 'mrkdwn' },
    );
    expect(slackProblems('chat.update', { ...message })).toEqual([]);
    const shown = texts(message)
      .join('')
      .replace('*<@U0ASKER> asked:*', '')
      .replaceAll('\n> ', '')
      .replaceAll('> ', '');
    expect(shown.replaceAll(/\s/g, '')).toContain(text.replaceAll(/\s/g, ''));
  });

  it('shortens a question only where escaping would break a limit, and says so', () => {
    for (const text of [
      '<'.repeat(10_000),
      '👩‍👩‍👧‍👦'.repeat(900),
      '漢'.repeat(10_000),
      '\n'.repeat(10_000),
      `${'a\n'.repeat(5_000)}`,
    ]) {
      for (const format of ['mrkdwn', 'plain'] as const) {
        const message = renderCard(exampleQuestion({ origin: 'command', text }), { kind: 'starting' }, { format });
        expect(slackProblems('chat.update', { ...message })).toEqual([]);
      }
    }
    const message = renderCard(
      exampleQuestion({ origin: 'command', text: '<'.repeat(10_000) }),
      { kind: 'starting' },
      { format: 'mrkdwn' },
    );
    expect(texts(message).join('\n')).toMatch(/;…\n/);
  });

  it('is announced with as much of its question as notifications show', () => {
    const text = 'word '.repeat(2_000);
    const message = renderCard(
      exampleQuestion({ origin: 'command', text }),
      { kind: 'starting' },
      { format: 'mrkdwn' },
    );
    expect(message.text).toMatch(/^⏳ Starting · Asked: word .* word…$/);
    expect(message.text.length).toBeLessThanOrEqual(LIMITS.notificationText);
    expect(message.text.length).toBeGreaterThan(LIMITS.notificationText - 60);
  });

  it('pings no person but shows every character', () => {
    const text = 'Why does <!channel> or @here ping <@U123>?';
    const message = renderCard(
      exampleQuestion({ origin: 'command', text }),
      { kind: 'starting' },
      { format: 'mrkdwn' },
    );
    expect(texts(message)[0]).toBe(
      '*<@U0ASKER> asked:*\n> Why does &lt;!channel&gt; or @\u200Bhere ping &lt;@U123&gt;?',
    );
    expect(message.text).not.toMatch(/<!|<@|@here/);
  });

  it('shows the end of parking in the reader’s time zone', () => {
    const soon = renderCard(
      exampleQuestion({ acceptedMs: UNTIL - 3_600_000 }),
      { kind: 'parked', untilMs: UNTIL },
      { format: 'mrkdwn' },
    );
    expect(texts(soon)[0]).toContain(`<!date^${UNTIL / 1000}^{time}|15:00 UTC>`);
    const later = renderCard(
      exampleQuestion({ acceptedMs: UNTIL - 86_400_000 }),
      { kind: 'parked', untilMs: UNTIL },
      { format: 'mrkdwn' },
    );
    expect(texts(later)[0]).toContain(`<!date^${UNTIL / 1000}^{date_short_pretty} at {time}|2023-11-15 15:00 UTC>`);
  });

  it('is the same for the same view, and has a different block id for a different view', () => {
    const question = exampleQuestion();
    const at = (elapsedMs: number) =>
      renderCard(question, { kind: 'running', elapsedMs, steps: 3 }, { format: 'mrkdwn' });
    expect(at(5_000)).toEqual(at(5_000));
    const ids = [at(5_000), at(9_000)].map((message) => message.blocks?.[0]?.block_id);
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids[0]).toContain(QUESTION_ID);
  });
});
