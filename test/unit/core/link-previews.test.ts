import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../src/core/ports.ts';
import { createPreviewRule } from '../../../src/core/question/link-previews.ts';
import type { Question } from '../../../src/core/question/question.ts';
import type { ReaderChoices } from '../../../src/core/question/reader-choices.ts';
import { keptPrivateClaim } from '../../../src/core/question/readers.ts';
import { upstreamClaims } from '../../../src/core/question/upstream.ts';
import { mostQuestionsLookedUp } from '../../../src/core/settings.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

const place = { teamId: 'T1', channelId: 'C1' };
const agreed: ReaderChoices = { version: 1, threads: [{ channelId: 'C2', threadTs: '1.1' }], channels: ['C1'] };

function upstreamQuestion(id: number): Conversation['questions'][number] {
  return { id, text: 'q?', state: 'completed', steps: 1, answer: 'a', sources: [], followUps: [] };
}

const conversation: Conversation = { id: 7, createdMs: 900, questions: [upstreamQuestion(1), upstreamQuestion(2)] };

function ruleWith({
  question = questionWith({ access: 'own' }),
  choices,
  claimed = { id: 2 },
  isKeptPrivate = false,
  isForgotten = false,
}: {
  question?: Question;
  choices?: ReaderChoices;
  claimed?: { id?: number; ordinal?: number; text?: string | undefined };
  isKeptPrivate?: boolean;
  isForgotten?: boolean;
}) {
  const claims = new Map(upstreamClaims(7, claimed).map((claim) => [claim, question.id]));
  if (isKeptPrivate) claims.set(keptPrivateClaim(7), question.id);
  let lookUps = 0;
  const mayPreview = createPreviewRule({
    questions: { get: async (id) => (id === question.id && !isForgotten ? question : undefined) },
    claims: {
      ownerOf: async (key) => {
        lookUps += 1;
        return claims.get(key);
      },
    },
    readerChoices: { get: async (name) => (name === 'T1:U1' ? choices : undefined) },
    claimLifeMs: 1_000,
    now: () => 1_000,
  });
  return { mayPreview, lookUps: () => lookUps };
}

describe('a preview for a link that anyone can guess', () => {
  const one: Conversation = { id: 7, createdMs: 900, questions: [upstreamQuestion(2)] };
  const guessable = { isGuessable: true };
  const askedIn = (channelId: string, change: Partial<Question> = {}) =>
    ruleWith({ question: questionWith({ place: { teamId: 'T1', channelId, threadTs: '1.1' }, ...change }) }).mayPreview;

  it.each<[string, boolean, ReturnType<typeof askedIn>, string, Conversation]>([
    ['is shown where the conversation was asked', true, askedIn('C1'), 'U9', one],
    ['is not shown in another channel', false, askedIn('C2'), 'U9', one],
    ['is not shown for what was asked in direct messages', false, askedIn('D1'), 'U9', one],
    ['is shown if the asker posts it', true, askedIn('D1'), 'U1', one],
    [
      'is not shown for answers that went to the asker only',
      false,
      askedIn('C1', { answersPrivately: true }),
      'U9',
      one,
    ],
    ['is not shown if the app asked only a part of the conversation', false, askedIn('C1'), 'U9', conversation],
    ['is not shown if the app did not ask it', false, ruleWith({ claimed: { id: 99 } }).mayPreview, 'U9', one],
    [
      'is not shown if one of its answers is kept private',
      false,
      ruleWith({ question: questionWith({ place: { ...place, threadTs: '1.1' } }), isKeptPrivate: true }).mayPreview,
      'U1',
      one,
    ],
  ])('%s', async (_, isShown, mayPreview, userId, shown) => {
    expect(await mayPreview(shown, place, userId, guessable)).toBe(isShown);
  });
});

describe('a preview of a conversation', () => {
  it('that the app did not ask, or asked with its own account, is shown as before', async () => {
    expect(await ruleWith({ claimed: { id: 99 } }).mayPreview(conversation, place, 'U9')).toBe(true);
    expect(await ruleWith({ question: questionWith() }).mayPreview(conversation, place, 'U9')).toBe(true);
    expect(await ruleWith({ question: questionWith({ access: 'app' }) }).mayPreview(conversation, place, 'U9')).toBe(
      true,
    );
  });

  const appAsked = questionWith({ place: { teamId: 'T1', channelId: 'C1', threadTs: '1.1' } });
  const privately = questionWith({ ...appAsked, answersPrivately: true });

  it.each<[string, Parameters<typeof ruleWith>[0], { createdMs?: number | undefined }]>([
    ['whose record is gone', { question: appAsked, isForgotten: true }, {}],
    ['that is older than the claims', { claimed: { id: 99 } }, { createdMs: 0 }],
    ['of which the service does not say how old it is', { claimed: { id: 99 } }, { createdMs: undefined }],
    ['that was marked private while its question runs', { question: appAsked, isKeptPrivate: true }, {}],
    ['in a channel that answers privately', { question: privately }, {}],
  ])('%s is not shown, to no one', async (_, options, change) => {
    const { mayPreview } = ruleWith(options);
    const { createdMs, ...rest } = { ...conversation, ...change };
    const shown = createdMs === undefined ? rest : { ...rest, createdMs };
    for (const userId of ['U1', 'U9']) expect(await mayPreview(shown, place, userId)).toBe(false);
    expect(await mayPreview(shown, { ...place, channelId: 'D9' }, 'U9')).toBe(false);
  });

  it('that another workspace asked is shown in no channel and in no direct messages', async () => {
    const question = questionWith({ access: 'app', place: { teamId: 'T2', channelId: 'C1', threadTs: '1.1' } });
    const { mayPreview } = ruleWith({ question });
    for (const channelId of ['C1', 'D1']) {
      expect(await mayPreview(conversation, { ...place, channelId }, question.askerId)).toBe(false);
    }
  });

  it('that a person asked is recognized by the position of a question, where questions have no ids', async () => {
    const positions = conversation.questions.map(({ id: _, ...each }, ordinal) => ({ ...each, ordinal }));
    const { mayPreview } = ruleWith({ claimed: { ordinal: 1, text: positions[1]?.text } });
    expect(await mayPreview({ id: 7, createdMs: 900, questions: positions }, place, 'U1')).toBe(false);
    const { mayPreview: mayPreviewOther } = ruleWith({ claimed: { ordinal: 2, text: positions[1]?.text } });
    expect(await mayPreviewOther({ id: 7, createdMs: 900, questions: positions }, place, 'U1')).toBe(true);
  });

  it('that a person asked elsewhere is shown only for a link that this person posted', async () => {
    for (const channelId of ['D1', 'C3']) {
      const question = questionWith({ access: 'own', place: { teamId: 'T1', channelId, threadTs: '1.1' } });
      const { mayPreview } = ruleWith({ question, choices: agreed });
      expect(await mayPreview(conversation, place, question.askerId)).toBe(true);
      expect(await mayPreview(conversation, place, 'U9')).toBe(false);
    }
  });

  it('of a person is shown only where that person agreed to show their answers', async () => {
    expect(await ruleWith({}).mayPreview(conversation, place, 'U1')).toBe(false);
    const { mayPreview } = ruleWith({ choices: agreed });
    expect(await mayPreview(conversation, place, 'U1')).toBe(true);
    expect(await mayPreview(conversation, place, 'U9')).toBe(true);
    expect(await mayPreview(conversation, { ...place, channelId: 'C2' }, 'U1')).toBe(false);
    expect(await mayPreview(conversation, { ...place, channelId: 'C2', threadTs: '1.1' }, 'U1')).toBe(true);
    expect(await mayPreview(conversation, { ...place, teamId: 'T9' }, 'U1')).toBe(false);
  });

  it('is not shown where an answer of the conversation was kept private', async () => {
    const { mayPreview } = ruleWith({ choices: agreed, isKeptPrivate: true });
    expect(await mayPreview(conversation, place, 'U1')).toBe(false);
  });

  it('is shown in the direct messages of the person who asked, and in no one else’s', async () => {
    const { mayPreview } = ruleWith({ isKeptPrivate: true });
    const direct = { ...place, channelId: 'D1' };
    expect(await mayPreview(conversation, direct, 'U1')).toBe(true);
    expect(await mayPreview(conversation, direct, 'U9')).toBe(false);
  });

  it('looks up a bounded number of questions', async () => {
    const { mayPreview, lookUps } = ruleWith({ claimed: { id: 0 } });
    const many = Array.from({ length: 500 }, (_, index) => upstreamQuestion(index + 1));
    expect(await mayPreview({ id: 7, createdMs: 900, questions: many }, place, 'U1')).toBe(false);
    expect(lookUps()).toBe(mostQuestionsLookedUp);
  });
});
