import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { parseButtonValue } from '../../../src/render/ids.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { answered } from './example.ts';

type Rendered = ReturnType<typeof renderOutcome>;

function shownIn(messages: Rendered): string {
  return JSON.stringify(messages.at(-1)?.blocks);
}

function menus(messages: Rendered) {
  return (messages.at(-1)?.blocks ?? []).flatMap((block) =>
    block.type === 'actions' ? block.elements.flatMap((each) => (each.type === 'overflow' ? [each] : [])) : [],
  );
}

const suggestions = fc.array(
  fc.oneof(fc.string({ maxLength: 4_000 }), fc.constantFrom('<!channel> `x`', '<@U0EVIL> & co', '&'.repeat(4_000))),
  { maxLength: 6 },
);
const used: fc.Arbitrary<NonNullable<Question['usedFollowUps']>> = fc.array(
  fc.record({ index: fc.nat(5), byUserId: fc.constantFrom('U0BOB', 'U0ADA') }),
  { maxLength: 4 },
);

describe('the follow-ups under an answer', () => {
  it('change only their rows once they are asked, and fit Slack in every state', () => {
    const lengths = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 9_000, max: 13_500 }));
    fc.assert(
      fc.property(suggestions, used, lengths, fc.constantFrom('C1', 'D1'), (followUps, usedFollowUps, length, id) => {
        const markdown = 'some words '.repeat(2_000).slice(0, length);
        const place = { teamId: 'T1', channelId: id, threadTs: '1.1' };
        const fresh = answered({ markdown, followUps }, { place });
        for (const format of ['markdown', 'mrkdwn', 'plain'] as const) {
          const before = renderOutcome(fresh, { format });
          const after = renderOutcome({ ...fresh, usedFollowUps }, { format });
          expect(after).toHaveLength(before.length);
          expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
          const text = (messages: Rendered) =>
            messages.at(-1)?.blocks?.flatMap((block) => (block.type === 'markdown' ? [block.text] : []));
          expect(text(after)).toEqual(text(before));
          for (const message of after) {
            expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
            // Labels of buttons are plain text, in which Slack parses nothing.
            const parsed = (message.blocks ?? []).filter(({ type }) => type !== 'actions');
            expect(JSON.stringify([message.text, parsed])).not.toMatch(/<!channel>|<@U0EVIL>/);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('offer to edit and to ask privately, each with its follow-up', () => {
    const message = renderOutcome(answered(), { format: 'markdown' });
    const [menu, ...others] = menus(message);
    expect(others).toEqual([]);
    expect(menu?.options.map(({ text }) => text.text)).toEqual([
      'Edit or ask privately: How many retries are made?',
      'Edit or ask privately: Who calls it?',
    ]);
    expect(menu?.options.map(({ value }) => parseButtonValue(value))).toMatchObject([
      { index: 0, choice: 'edit' },
      { index: 1, choice: 'edit' },
    ]);
  });

  it('share their menu with the offer to take only mentions, which is there without them too', () => {
    const followUps = ['a', 'b', 'c', 'd'];
    const values = (question: Question) =>
      menus(renderOutcome(question, { format: 'mrkdwn' })).map(({ options }) =>
        options.map(({ value }) => parseButtonValue(value)),
      );
    const mute = { questionId: answered().id, choice: 'mute' };
    expect(values(answered({ followUps }, { offersMute: true }))).toMatchObject([
      [{ index: 0 }, { index: 1 }, { index: 2 }, mute],
    ]);
    expect(values(answered({ followUps: [] }, { offersMute: true }))).toEqual([[mute]]);
    expect(values(answered({ followUps: [] }))).toEqual([]);
  });

  it('in direct messages, where all is private, offer to edit only, and sharing', () => {
    const place = { teamId: 'T1', channelId: 'D1', threadTs: '1.1' };
    const shown = shownIn(renderOutcome(answered({}, { place }), { format: 'markdown' }));
    expect(shown).toContain('Edit first: Who calls it?');
    expect(shown).not.toContain('ask privately');
    expect(shown).toContain('Share…');
    expect(shownIn(renderOutcome(answered(), { format: 'markdown' }))).not.toContain('Share…');
  });

  it('give the message a different block id each time one is asked, which an edit needs', () => {
    const uses = [[], [{ index: 0, byUserId: 'U0BOB' }], [{ index: 0, byUserId: 'U0ADA' }]];
    const ids = uses.map((usedFollowUps) => {
      const blocks = renderOutcome(answered({}, { usedFollowUps }), { format: 'markdown' }).at(-1)?.blocks ?? [];
      return blocks.flatMap(({ block_id: id }) => id ?? []).join();
    });
    expect(new Set(ids).size).toBe(3);
  });

  it('name the person who asked', () => {
    const question = answered({}, { usedFollowUps: [{ index: 1, byUserId: 'U0BOB' }] });
    const shown = shownIn(renderOutcome(question, { format: 'markdown' }));
    expect(shown).toContain('<@U0BOB> asked: Who calls it?');
    expect(menus(renderOutcome(question, { format: 'markdown' }))[0]?.options).toHaveLength(1);
    const all = [0, 1].map((index) => ({ index, byUserId: 'U0BOB' }));
    const none = renderOutcome(answered({}, { usedFollowUps: all }), { format: 'markdown' });
    expect(menus(none)).toEqual([]);
    expect(shownIn(none)).toMatch(/asked: How many retries are made\?\\n<@U0BOB> asked: Who calls it\?/);
  });
});

describe('a shared answer', () => {
  it('mentions no person and offers neither sharing nor a vote', () => {
    const place = { teamId: 'T1', channelId: 'D1', threadTs: '1.1' };
    const [message] = renderOutcome(answered({ followUps: [] }, { origin: 'shared', place }), { format: 'markdown' });
    expect(JSON.stringify(message)).not.toMatch(/<@|Share…|feedback/);
    expect(JSON.stringify(message)).toContain('*Payment retries*');
  });
});
