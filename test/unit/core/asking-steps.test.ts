import { describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core/context.ts';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import { ask, askFailed, cancelQuestion, park, searchQuestion, unpark } from '../../../src/core/lifecycle/asking.ts';
import { cardView } from '../../../src/core/lifecycle/card.ts';
import { atOnce } from '../../../src/core/lifecycle/decide.ts';
import type { Conversation, DeepSearch, UpstreamQuestion } from '../../../src/core/ports.ts';
import { newThread, type Question, type Thread } from '../../../src/core/question/question.ts';
import { claimUpstream } from '../../../src/core/question/upstream.ts';
import { createCoreHarness, thread } from '../../support/lifecycle/core-harness.ts';

const minuteMs = 60_000;
const nowhere = { teamId: 'T1', channelId: 'C1' };
const upstream = (change: Partial<UpstreamQuestion> = {}): UpstreamQuestion => ({
  id: 7,
  text: 'where?',
  state: 'processing',
  steps: 0,
  sources: [],
  followUps: [],
  ...change,
});

const withoutId = (change: Partial<UpstreamQuestion>): UpstreamQuestion => {
  const { id: _, ...question } = upstream(change);
  return question;
};

/** A stored question before it is asked, and the steps of asking. A test can replace parts of all ports. */
async function asking(change: Partial<Question> = {}, service: Partial<DeepSearch> = {}, more: Partial<Core> = {}) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask({ text: 'where?' });
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  const changed: string[] = [];
  const looked: string[] = [];
  const w: Core = {
    ...life.ports,
    deepSearch: () => ({ ...life.deepSearch, ...service }),
    observer: { ...life.ports.observer, changed: ({ phase }) => void changed.push(phase) },
    scheduler: { schedule: async (questionId) => void looked.push(questionId) },
    ...more,
  };
  const bindThread = (known: Partial<Thread>) =>
    life.ports.threads.update(thread, (current = newThread(thread, true)) => ({ ...current, ...known }));
  return {
    life,
    ask,
    id,
    w,
    question: life.question(id),
    stored: () => life.question(id),
    changed,
    looked,
    bindThread,
  };
}

function failing(kind: ErrorKind, details: AppErrorDetails = {}) {
  return () => Promise.reject(new AppError(kind, 'planned', details));
}

describe('asking the service', () => {
  it('starts a new conversation and a new record of the thread where the thread is not known any more', async () => {
    const place = { ...thread, threadTs: '1700000000.000099' };
    const { life, w, question, stored } = await asking({ place });
    await ask(w, question, false);
    expect(life.threads().find(({ threadTs }) => threadTs === place.threadTs)).toMatchObject({
      conversationId: stored().upstream.conversationId,
      followsReplies: true,
    });
  });

  it('is not done without a thread, nor before a changed thread is read again', async () => {
    const bare = await asking({ place: nowhere });
    expect(await ask(bare.w, bare.question, false)).toEqual(bare.question);
    const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'said', outdated: true };
    const edited = await asking({ readsThread: true, context, upstream: { steps: 0, intentMs: 5, givenUpMs: 6 } });
    expect(await ask(edited.w, edited.question, false)).toEqual(edited.stored());
    expect(edited.stored().upstream).toEqual({ steps: 0 });
    expect(edited.stored()).not.toHaveProperty('context');
    expect([...bare.life.upstream(), ...edited.life.upstream()]).toEqual([]);
  });

  it('does not take over what another question asked', async () => {
    const { life, w, question, stored } = await asking(
      {},
      { create: async () => ({ id: 3, questions: [upstream()] }) },
    );
    await life.ports.claims.claim('upstream:3:7', 'another question');
    expect(await ask(w, question, false)).toEqual(stored());
    expect(stored()).toMatchObject({ phase: 'waiting', upstream: { intentMs: life.now() } });
    expect(life.threads()[0]).not.toHaveProperty('conversationId');
  });

  it('finds the newest question of a new conversation, and fails where there is none', async () => {
    const questions = [upstream({ id: 8 }), upstream({ id: 9 })];
    const some = await asking({}, { create: async () => ({ id: 3, questions }) });
    await ask(some.w, some.question, false);
    expect(some.stored().upstream.questionId).toBe(9);
    const none = await asking({}, { create: async () => ({ id: 3, questions: [] }) });
    await expect(ask(none.w, none.question, false)).rejects.toMatchObject({
      kind: 'badReply',
      outcomeUnknown: true,
    });
    expect(none.stored().upstream).toMatchObject({ givenUpMs: none.life.now() });
  });
});

describe('searching for what was asked', () => {
  const intentMs = 1_800_000_000_000;
  const pending = { steps: 0, intentMs, givenUpMs: intentMs + 1 };
  const conversation = (id: number, ...questions: UpstreamQuestion[]): Conversation => ({ id, questions });

  it('searches the newest thousand conversations, from ten minutes before the intent to ten minutes after it', async () => {
    const asked: unknown[] = [];
    const newest: DeepSearch['newest'] = async (...args) => {
      asked.push(args);
      return [];
    };
    const { w, question, stored, life } = await asking({ upstream: pending }, { newest });
    await searchQuestion(w, question);
    const search = { aboutMs: intentMs, untilMs: intentMs + 10 * minuteMs, isSought: expect.any(Function) };
    expect(asked).toEqual([[1_000, intentMs - 10 * minuteMs, search]]);
    expect(stored().upstream).toEqual({ ...pending, searchedMs: life.now() });
  });

  it.each<[string, Conversation, boolean]>([
    [
      'finds a question that was created ten minutes later',
      conversation(1, upstream({ createdMs: intentMs + 10 * minuteMs })),
      true,
    ],
    [
      'finds a question that was created ten minutes earlier',
      conversation(1, upstream({ createdMs: intentMs - 10 * minuteMs })),
      true,
    ],
    [
      'does not find a question that was created long before',
      conversation(1, upstream({ createdMs: intentMs - 10 * minuteMs - 1 })),
      false,
    ],
    [
      'does not find a question that was created long after',
      conversation(1, upstream({ createdMs: intentMs + 10 * minuteMs + 1 })),
      false,
    ],
    ['does not find a question in an old conversation', { ...conversation(1, upstream()), createdMs: 1 }, false],
    ['finds a question without a time', conversation(1, upstream()), true],
    ['finds the same words, whatever their white space', conversation(1, upstream({ text: ' where?\n' })), true],
    ['compares whole words, not only letters', conversation(1, upstream({ text: 'whe re?' })), false],
    [
      'does not find a question that follows another in its conversation',
      conversation(1, upstream({ text: 'who?' }), upstream()),
      false,
    ],
  ])('%s', async (_, listed, isFound) => {
    const { w, question, stored } = await asking({ upstream: pending }, { newest: async () => [listed] });
    await searchQuestion(w, question);
    expect(stored().phase).toBe(isFound ? 'running' : 'waiting');
  });

  it('that finds nothing is not followed by asking again where the question was cancelled', async () => {
    const cancelled = await asking({ upstream: pending, cancel: { byUserId: 'U1', atMs: 1 } });
    await ask(cancelled.w, cancelled.question, true);
    expect(cancelled.life.upstream()).toEqual([]);
    expect(cancelled.stored().upstream).toEqual({ steps: 0 });
  });
});

describe('a failed attempt to ask', () => {
  it.each<[ErrorKind, AppErrorDetails, Partial<Question>, string | undefined]>([
    ['refused', {}, {}, 'refused'],
    ['notFound', {}, {}, 'refused'],
    ['unauthorized', {}, {}, 'unauthorized'],
    ['unavailable', {}, {}, undefined],
    ['badReply', {}, {}, undefined],
    ['rateLimited', { retryAfterMs: minuteMs }, {}, undefined],
    ['rateLimited', { retryAfterMs: 10 * minuteMs }, { cancel: { byUserId: 'U1', atMs: 1 } }, undefined],
  ])('with %s and %j ends a question with %j as %j', async (kind, details, change, cause) => {
    const { w, question, stored } = await asking(change);
    const progress = await askFailed(w, question, new AppError(kind, 'planned', details));
    expect(progress).toEqual(cause === undefined ? undefined : stored());
    expect(stored().outcome).toEqual(cause === undefined ? undefined : { kind: 'failed', failure: { cause } });
    expect(stored().phase).toBe(cause === undefined ? 'waiting' : 'delivering');
  });

  it('parks a question for longer each time where a limit names no end, says so, and gives up after a day', async () => {
    const { life, w, question, stored } = await asking();
    let now = question;
    for (const minutes of [1, 5, 15, 60, 60]) {
      await askFailed(w, now, new AppError('rateLimited', 'planned'));
      expect(stored()).toMatchObject({ phase: 'parked', parkedUntilMs: life.now() + minutes * minuteMs });
      expect(cardView(stored(), atOnce, life.now())).toMatchObject({ kind: 'parked', afterMs: minutes * minuteMs });
      now = stored();
    }
    const sinceMs = life.now() - 24 * 60 * minuteMs - 1;
    await askFailed(w, { ...now, undatedLimits: { times: 9, sinceMs } }, new AppError('rateLimited', 'planned'));
    expect(stored().outcome).toEqual({ kind: 'failed', failure: { cause: 'limited' } });
  });

  it('parks a question that was told to come back soon until patience ended', async () => {
    const { life, w, question, stored } = await asking({ upstream: { steps: 0, firstTriedMs: 1 } });
    await askFailed(w, question, new AppError('rateLimited', 'planned', { retryAfterMs: 1_000 }));
    expect(stored()).toMatchObject({ phase: 'parked', parkedUntilMs: life.now() + minuteMs });
  });

  it('leaves the thread its present conversation where an older one is gone', async () => {
    const harness = await asking({ upstream: { steps: 0, intentMs: 5, intentConversationId: 39 } });
    await harness.bindThread({ conversationId: 40 });
    await askFailed(harness.w, harness.question, new AppError('notFound', 'planned'));
    expect(harness.life.threads()).toMatchObject([{ conversationId: 40 }]);
  });
});

describe('parking a question', () => {
  it('gives its slot to the next question that waits for one', async () => {
    const harness = await asking();
    const others = [await harness.ask(), await harness.ask()];
    for (const each of [harness.question, ...others]) await harness.life.ports.runSlots.takeSlot(each);
    await park(harness.w, harness.question, harness.life.now() + minuteMs);
    expect(harness.looked).toEqual([others[1]?.id]);
  });

  it('ends with a question that reads a thread in another place again before it is asked', async () => {
    const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'said' };
    const read: Partial<Question> = { phase: 'parked', readsThread: true, context };
    const elsewhere = await asking({ ...read, readsFrom: { ...thread, channelId: 'C2' } });
    await unpark(elsewhere.w, elsewhere.question);
    expect(elsewhere.stored().context).toEqual({ ...context, outdated: true });
    await ask(elsewhere.w, elsewhere.stored(), false);
    expect(elsewhere.stored()).not.toHaveProperty('context');
    expect(elsewhere.life.upstream()).toEqual([]);
    const here = await asking(read);
    await unpark(here.w, here.question);
    expect(here.stored().context).toEqual(context);
  });

  it('ends at once for a cancelled question, however long its limit still lasts', async () => {
    const { life, w, question, stored } = await asking({ phase: 'parked', cancel: { byUserId: 'U1', atMs: 1 } });
    await life.ports.runSlots.park(question, life.now() + 5_000);
    expect(await unpark(w, question)).toEqual(stored());
    expect(stored().phase).toBe('waiting');
  });

  it('lasts until its time has come', async () => {
    const { life, w, question, stored } = await asking({ phase: 'parked' });
    await life.ports.runSlots.park(question, life.now() + 5_000);
    expect(await unpark(w, question)).toEqual({ question, waitMs: 5_000 });
    expect(stored()).toEqual(question);
  });
});

describe('cancelling at the service', () => {
  it.each<[string, UpstreamQuestion[], number | undefined]>([
    ['finds it by its position and text', [withoutId({ ordinal: 0 }), withoutId({ ordinal: 1 })], 1],
    [
      'finds nothing if only other questions are there',
      [withoutId({ ordinal: 1, text: 'asked in the browser' })],
      undefined,
    ],
  ])('%s, where the service tells no ids', async (_, questions, expected) => {
    const found: (number | undefined)[] = [];
    const cancel: DeepSearch['cancel'] = async (id, { find }) =>
      void found.push((await find({ id, questions }))?.ordinal);
    const known = { steps: 2, conversationId: 3, questionId: 7, ordinal: 1 };
    const { w, question } = await asking({ upstream: known }, { cancel });
    await cancelQuestion(w, question);
    expect(found).toEqual([expected]);
  });

  it('finds no question of the same text that belongs to another one', async () => {
    const found: unknown[] = [];
    const questions = [withoutId({ ordinal: 0, state: 'completed' }), withoutId({ ordinal: 1 })];
    const cancel: DeepSearch['cancel'] = async (id, { find }) => void found.push(await find({ id, questions }));
    const { life, w, question } = await asking({ upstream: { steps: 2, conversationId: 3 } }, { cancel });
    for (const each of questions) await claimUpstream(life.ports.claims, 'q-other', 3, each);
    await cancelQuestion(w, question);
    expect(found).toEqual([undefined]);
  });

  it('takes a conversation that is gone for stopped, and throws other errors', async () => {
    const known = { upstream: { steps: 2, conversationId: 3, ordinal: 1 } };
    const gone = await asking(known, { cancel: failing('notFound') });
    await cancelQuestion(gone.w, gone.question);
    expect(gone.stored().upstream.cancelSentMs).toBe(gone.life.now());
    const down = await asking(known, { cancel: failing('unavailable') });
    await expect(cancelQuestion(down.w, down.question)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
