import { describe, expect, it } from 'vitest';
import { findEarlier, withAsked } from '../../../src/core/question/conversations.ts';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import { type ConversationId, newThread, type Question } from '../../../src/core/question/question.ts';
import { earlierQuestionsRoom, mostAskedKnown, mostEarlierQuestions } from '../../../src/core/settings.ts';
import { buttonUser, createCoreHarness, failing, thread } from '../../support/lifecycle/core-harness.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

const own = questionWith({ id: 'own', text: 'and for v2?' });

/** The earlier questions that `own` refers to, after these questions in conversation 7, with the test's changes. */
function earlierOf(...asked: Partial<Question>[]) {
  const records = asked.map((change, index) =>
    questionWith({ id: `q${index}`, upstream: { steps: 0, conversationId: 7 }, ...change }),
  );
  const known = { ...newThread(thread, true), asked: [...records.map(({ id }) => id), own.id] };
  const get = async (id: string) => records.find((each) => each.id === id);
  return findEarlier({ get }, own, known, 7);
}

describe('what a question carries on from', () => {
  it('is the questions before it in its conversation, oldest first, with the newest link to that', async () => {
    const linked = (shareUrl: string) => ({ steps: 0, conversationId: 7, shareUrl });
    expect(
      await earlierOf(
        { text: 'Where?', upstream: linked('https://code.example/1') },
        { text: 'Why?', upstream: linked('https://code.example/2') },
        { text: 'When?' },
      ),
    ).toEqual({ text: 'When?', before: ['Where?', 'Why?'], shareUrl: 'https://code.example/2' });
    expect(await earlierOf({ text: 'Where?' })).toEqual({ text: 'Where?' });
  });

  it('has no link that the readers of its card may not follow', async () => {
    const access = 'own' as const;
    const upstream = { steps: 0, conversationId: 7, shareUrl: 'https://code.example/1' };
    const open = { ...upstream, isLinkOpen: true };
    expect(await earlierOf({ text: 'Where?', access, upstream })).toEqual({ text: 'Where?' });
    expect(await earlierOf({ text: 'Where?', access, upstream: open })).toMatchObject({ shareUrl: upstream.shareUrl });
    expect(
      await earlierOf(
        { text: 'Where?', access, upstream: open },
        { text: 'Why?', access, upstream: { steps: 0, conversationId: 7 }, answersPrivately: true },
      ),
    ).toEqual({ text: 'Why?', before: ['Where?'] });
  });

  it.each<[string, Partial<Question>]>([
    ['was asked in another conversation', { upstream: { steps: 0, conversationId: 8 } }],
    ['was not asked', { upstream: { steps: 0 } }],
    ['was cancelled', { outcome: { kind: 'cancelled' } }],
    ['was the same', { text: own.text }],
    ['was about the thread alone', { text: threadQuestion }],
    ['is not kept any more', { text: '' }],
    ['is gone', { id: 'gone' }],
  ])('is no question that %s', async (_, change) => {
    const { id = 'q0', ...more } = change;
    const found = id === 'gone' ? earlierOf() : earlierOf({ text: 'Where?', ...more });
    expect(await found).toBeUndefined();
  });

  it('names a question once that was asked again', async () => {
    expect(await earlierOf({ text: 'Where?' }, { text: 'Why?' }, { text: 'Where?' })).toEqual({
      text: 'Where?',
      before: ['Why?'],
    });
  });

  it('goes on with what those questions carried on from', async () => {
    expect(await earlierOf({ text: 'Why?', follows: { text: 'Where?', before: ['What?'] } })).toEqual({
      text: 'Why?',
      before: ['What?', 'Where?'],
    });
  });

  it('is as many of the newest as there is room for, and the beginning of one that is too long alone', async () => {
    const many = Array.from({ length: mostEarlierQuestions + 3 }, (_, index) => ({ text: `question ${index}` }));
    const found = await earlierOf(...many);
    expect([...(found?.before ?? []), found?.text]).toEqual(many.slice(3).map(({ text }) => text));
    const long = 'x'.repeat(earlierQuestionsRoom);
    expect(await earlierOf({ text: 'Where?' }, { text: long })).toEqual({ text: long });
    const cut = await earlierOf({ text: 'Where?' }, { text: `${long}y` });
    expect(cut).toEqual({ text: `${long.slice(1)}…` });
    const halved = await earlierOf({ text: `${long.slice(2)}😀y` });
    expect(halved).toEqual({ text: `${long.slice(2)}…` });
    expect(await earlierOf({ text: long }, { text: 'Where?' })).toEqual({ text: 'Where?' });
  });
});

describe('the questions of a thread', () => {
  it('are known once each, the newest ones', () => {
    expect(withAsked(undefined, 'a')).toEqual(['a']);
    expect(withAsked(['a', 'b'], 'a')).toEqual(['a', 'b']);
    const many = Array.from({ length: mostAskedKnown }, (_, index) => `q${index}`);
    expect(withAsked(many, 'last')).toEqual([...many.slice(1), 'last']);
  });
});

describe('a question that has to begin a new conversation', () => {
  /** The text that the service gets before the question. */
  function carriedFrom(conversationId: ConversationId = 0): string {
    const link = `https://code.example/deepsearch/${conversationId}`;
    return `Carrying on from the question "Why?". Questions before it, oldest first: "Where?". Based on the findings in ${link}.`;
  }

  /** A thread with two answered questions and a third question. */
  async function withThree(options: Parameters<typeof createCoreHarness>[0] = {}) {
    const harness = createCoreHarness(options);
    const { life, ask } = harness;
    await ask({ text: 'Where?' });
    await life.run();
    await ask({ text: 'Why?', origin: 'reply', beginsThread: false });
    await life.run();
    const { id } = await ask({ text: 'and for v2?', origin: 'reply', beginsThread: false });
    await life.run();
    return { ...harness, id };
  }

  it('by a press tells the service what was asked before', async () => {
    const { life, requests, id } = await withThree();
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      outcome: { kind: 'failed', failure: { cause: 'tooLong' } },
    }));
    await requests.askAgain(id, buttonUser, { fresh: true });
    await life.run();
    expect(life.upstream().at(-1)?.text).toBe(`${carriedFrom(life.upstream()[0]?.conversationId)}\n\nand for v2?`);
    expect(new Set(life.upstream().map(({ conversationId }) => conversationId)).size).toBe(2);
  });

  it('because the old one is gone tells the service what was asked before', async () => {
    const { life, id } = await withThree({ faults: { followUp: [undefined, failing('notFound')] } });
    expect(life.question(id).upstream.conversationLost).toBe(true);
    expect(life.upstream().at(-1)?.text).toBe(`${carriedFrom(life.upstream()[0]?.conversationId)}\n\nand for v2?`);
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.violations).toEqual([]);
  });

  it('that asked for one itself carries on from nothing', async () => {
    const { life, requests, ask } = await withThree();
    const { id } = await ask({ text: 'new?', fresh: true, beginsThread: false, readsThread: false });
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      outcome: { kind: 'failed', failure: { cause: 'refused' } },
    }));
    const again = await requests.askAgain(id, buttonUser, { fresh: true });
    if (again.kind !== 'accepted') throw new Error(again.kind);
    expect(again.question).not.toHaveProperty('follows');
  });

  it('before it was asked carries on from the conversation of its thread', async () => {
    const { life, requests, ask } = await withThree();
    const { id } = await ask({ text: 'refused?', origin: 'reply', beginsThread: false });
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      outcome: { kind: 'failed', failure: { cause: 'refused' } },
    }));
    expect(await requests.askAgain(id, buttonUser, { fresh: true })).toMatchObject({
      question: { follows: { text: 'and for v2?', before: ['Where?', 'Why?'] } },
    });
  });

  it('is tried again in the old one where nothing says otherwise, without the earlier questions', async () => {
    const { life, requests, id } = await withThree();
    await life.ports.questions.update(id, (stored) => ({
      ...stored,
      outcome: { kind: 'failed', failure: { cause: 'service' } },
    }));
    const again = await requests.askAgain(id, buttonUser);
    if (again.kind !== 'accepted') throw new Error(again.kind);
    expect(again.question).not.toHaveProperty('follows');
  });
});
