import { describe, expect, it } from 'vitest';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import { createAsking } from '../../../src/core/lifecycle/asking.ts';
import { cardView } from '../../../src/core/lifecycle/card-view.ts';
import { atOnce } from '../../../src/core/lifecycle/decide.ts';
import type { LifecyclePorts } from '../../../src/core/lifecycle/lifecycle-ports.ts';
import { createPollWait } from '../../../src/core/lifecycle/poll-wait.ts';
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
async function asking(
  change: Partial<Question> = {},
  service: Partial<DeepSearch> = {},
  more: Partial<LifecyclePorts> = {},
) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask({ text: 'where?' });
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  const changed: string[] = [];
  const looked: string[] = [];
  const ports: LifecyclePorts = {
    ...life.ports,
    deepSearch: () => ({ ...life.deepSearch, ...service }),
    observer: { ...life.ports.observer, changed: ({ phase }) => void changed.push(phase) },
    scheduler: { schedule: async (questionId) => void looked.push(questionId) },
    ...more,
  };
  const steps = createAsking(ports, createPollWait(ports));
  const bindThread = (known: Partial<Thread>) =>
    life.ports.threads.update(thread, (current = newThread(thread, true)) => ({ ...current, ...known }));
  return {
    life,
    ask,
    id,
    steps,
    question: life.question(id),
    stored: () => life.question(id),
    changed,
    looked,
    bindThread,
  };
}

type Harness = Awaited<ReturnType<typeof asking>>;

function failing(kind: ErrorKind, details: AppErrorDetails = {}) {
  return () => Promise.reject(new AppError(kind, 'planned', details));
}

describe('asking the service', () => {
  it('stores the intent before the call, and what the service knows of the question after it', async () => {
    let before: Question['upstream'] | undefined;
    const harness: Harness = await asking(
      {},
      {
        create: async () => {
          before = harness.stored().upstream;
          return { id: 3, shareUrl: 'https://code.example/3', questions: [upstream()] };
        },
      },
    );
    const { life, steps, question, stored, changed } = harness;
    expect(await steps.ask(question, false)).toEqual({ question: stored(), waitMs: 1_000 });
    const nowMs = life.now();
    expect(before).toEqual({ steps: 0, firstTriedMs: nowMs, intentMs: nowMs });
    expect(stored()).toEqual({
      ...question,
      phase: 'running',
      upstream: {
        steps: 0,
        firstTriedMs: nowMs,
        askedMs: nowMs,
        conversationId: 3,
        questionId: 7,
        shareUrl: 'https://code.example/3',
      },
    });
    expect(life.threads()).toMatchObject([{ conversationId: 3, queue: [question.id] }]);
    expect(changed).toEqual(['running']);
  });

  it('asks a follow-up where the thread has a conversation', async () => {
    let before: Question['upstream'] | undefined;
    const harness: Harness = await asking(
      {},
      {
        followUp: async (conversationId) => {
          before = harness.stored().upstream;
          return upstream({ id: Number(conversationId) + 1 });
        },
      },
    );
    await harness.bindThread({ conversationId: 40 });
    await harness.steps.ask(harness.question, false);
    expect(before?.intentConversationId).toBe(40);
    expect(harness.stored().upstream).toMatchObject({ conversationId: 40, questionId: 41 });
    expect(harness.stored().upstream).not.toHaveProperty('shareUrl');
    expect(harness.stored().upstream).not.toHaveProperty('intentConversationId');
  });

  it('starts a new conversation where one is wanted, and binds the thread to it', async () => {
    const harness = await asking({ fresh: true });
    await harness.bindThread({ conversationId: 40 });
    await harness.steps.ask(harness.question, false);
    expect(harness.life.upstream()).toHaveLength(1);
    expect(harness.life.threads()).toMatchObject([{ conversationId: harness.stored().upstream.conversationId }]);
    expect(harness.stored().upstream.conversationId).not.toBe(40);
  });

  it('starts a new conversation and a new record of the thread where the thread is not known any more', async () => {
    const place = { ...thread, threadTs: '1700000000.000099' };
    const { life, steps, question, stored } = await asking({ place });
    await steps.ask(question, false);
    expect(life.threads().find(({ threadTs }) => threadTs === place.threadTs)).toMatchObject({
      conversationId: stored().upstream.conversationId,
      followsReplies: true,
    });
  });

  it('keeps since when it has been tried, and reports the usual duration', async () => {
    const expected = { fromMs: 1, toMs: 2, lateMs: 3 };
    const durations = { note: async () => {}, expect: async () => expected, recent: async () => [] };
    const { steps, question, stored } = await asking({ upstream: { steps: 0, firstTriedMs: 5 } }, {}, { durations });
    await steps.ask(question, false);
    expect(stored()).toMatchObject({ expected, upstream: { firstTriedMs: 5 } });
  });

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'continues at once with a question that is %s already',
    async (state) => {
      const questions = [upstream({ state })];
      const { steps, question, stored } = await asking({}, { create: async () => ({ id: 3, questions }) });
      expect(await steps.ask(question, false)).toEqual({ question: stored() });
    },
  );

  it('waits for a question that is only queued at the service', async () => {
    const questions = [upstream({ state: 'pending' })];
    const { steps, question } = await asking({}, { create: async () => ({ id: 3, questions }) });
    expect(await steps.ask(question, false)).toHaveProperty('waitMs', 1_000);
  });

  it('is not done without a thread, nor before a changed thread is read again', async () => {
    const bare = await asking({ place: nowhere });
    expect(await bare.steps.ask(bare.question, false)).toEqual({ question: bare.question });
    const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'said', outdated: true };
    const edited = await asking({ readsThread: true, context, upstream: { steps: 0, intentMs: 5, givenUpMs: 6 } });
    expect(await edited.steps.ask(edited.question, false)).toEqual({ question: edited.stored() });
    expect(edited.stored().upstream).toEqual({ steps: 0 });
    expect(edited.stored()).not.toHaveProperty('context');
    expect([...bare.life.upstream(), ...edited.life.upstream()]).toEqual([]);
  });

  it('does not take over what another question asked', async () => {
    const { life, steps, question, stored } = await asking(
      {},
      { create: async () => ({ id: 3, questions: [upstream()] }) },
    );
    await life.ports.claims.claim('upstream:3:7', 'another question');
    expect(await steps.ask(question, false)).toEqual({ question: stored() });
    expect(stored()).toMatchObject({ phase: 'waiting', upstream: { intentMs: life.now() } });
    expect(life.threads()[0]).not.toHaveProperty('conversationId');
  });

  it('finds the newest question of a new conversation, and fails where there is none', async () => {
    const questions = [upstream({ id: 8 }), upstream({ id: 9 })];
    const some = await asking({}, { create: async () => ({ id: 3, questions }) });
    await some.steps.ask(some.question, false);
    expect(some.stored().upstream.questionId).toBe(9);
    const none = await asking({}, { create: async () => ({ id: 3, questions: [] }) });
    await expect(none.steps.ask(none.question, false)).rejects.toMatchObject({
      kind: 'badReply',
      outcomeUnknown: true,
    });
    expect(none.stored().upstream).toMatchObject({ givenUpMs: none.life.now() });
  });

  it.each<[string, ReturnType<typeof failing>, string[]]>([
    ['certainly failed', failing('unavailable'), []],
    ['may have been carried out', failing('unavailable', { outcomeUnknown: true }), ['intentMs', 'givenUpMs']],
    ['found no conversation', failing('notFound'), ['intentMs']],
    ['ended in a fault of our own', () => Promise.reject(new TypeError('planned')), ['intentMs']],
  ])('keeps what a later search needs where the call %s', async (_, create, left) => {
    const { life, steps, question, stored } = await asking({}, { create });
    await expect(steps.ask(question, false)).rejects.toThrow('planned');
    const times = Object.fromEntries(left.map((name) => [name, life.now()]));
    expect(stored().upstream).toEqual({ steps: 0, firstTriedMs: life.now(), ...times });
  });
});

describe('searching for what was asked', () => {
  it('is not done before asking for the first time', async () => {
    const service = { newest: failing('unavailable'), read: failing('unavailable') };
    const { steps, question, stored } = await asking({}, service);
    await steps.ask(question, false);
    expect(stored().phase).toBe('running');
  });

  const intentMs = 1_800_000_000_000;
  const pending = { steps: 0, intentMs, givenUpMs: intentMs + 1 };
  const conversation = (id: number, ...questions: UpstreamQuestion[]): Conversation => ({ id, questions });

  it('finds the first question of a new conversation with the same words, whatever its white space', async () => {
    const listed = [conversation(1, upstream({ text: 'who?' })), conversation(2, upstream({ text: ' where?\n' }))];
    const { steps, question, stored, life } = await asking({ upstream: pending }, { newest: async () => listed });
    await steps.search(question);
    expect(stored()).toMatchObject({ phase: 'running', upstream: { conversationId: 2, questionId: 7 } });
    expect(life.threads()).toMatchObject([{ conversationId: 2 }]);
  });

  it('compares the words of several lines', async () => {
    const listed = [conversation(1, upstream({ text: 'where  is\n\nit?' }))];
    const change = { text: 'where is it?', upstream: pending };
    const { steps, question, stored } = await asking(change, { newest: async () => listed });
    await steps.search(question);
    expect(stored().phase).toBe('running');
  });

  it('compares whole words, not only letters', async () => {
    const listed = [conversation(1, upstream({ text: 'whe re?' }))];
    const { steps, question, stored } = await asking({ upstream: pending }, { newest: async () => listed });
    await steps.search(question);
    expect(stored().upstream).toMatchObject({ searchedMs: expect.any(Number) });
  });

  it('searches the newest thousand conversations, from ten minutes before the intent to ten minutes after it', async () => {
    const asked: unknown[] = [];
    const newest: DeepSearch['newest'] = async (...args) => {
      asked.push(args);
      return [];
    };
    const { steps, question, stored, life } = await asking({ upstream: pending }, { newest });
    await steps.search(question);
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
    [
      'does not find a question that follows another in its conversation',
      conversation(1, upstream({ text: 'who?' }), upstream()),
      false,
    ],
  ])('%s', async (_, listed, isFound) => {
    const { steps, question, stored } = await asking({ upstream: pending }, { newest: async () => [listed] });
    await steps.search(question);
    expect(stored().phase).toBe(isFound ? 'running' : 'waiting');
  });

  it('takes the newest follow-up of its conversation that no other question has', async () => {
    const read = async (id: number) => conversation(id, upstream({ id: 1 }), upstream({ id: 2 }), upstream({ id: 3 }));
    const { life, steps, question, stored } = await asking(
      { upstream: { ...pending, intentConversationId: 5 } },
      { read },
    );
    await life.ports.claims.claim('upstream:5:3', 'another question');
    await steps.search(question);
    expect(stored().upstream).toMatchObject({ conversationId: 5, questionId: 2 });
  });

  it('finds nothing for a question without a thread', async () => {
    const newest = async () => [conversation(1, upstream())];
    const { steps, question, stored } = await asking({ upstream: pending, place: nowhere }, { newest });
    await steps.search(question);
    expect(stored().phase).toBe('waiting');
  });

  it('comes before asking again, which is not done for what was found', async () => {
    const newest = async () => [conversation(1, upstream())];
    const { life, steps, question, stored } = await asking({ upstream: pending }, { newest });
    expect(await steps.ask(question, true)).toEqual({ question: stored() });
    expect(stored().phase).toBe('running');
    expect(life.upstream()).toEqual([]);
  });

  it('is followed by asking again where nothing was found, unless the question was cancelled', async () => {
    const lost = await asking({ upstream: pending });
    await lost.steps.ask(lost.question, true);
    expect(lost.life.upstream()).toHaveLength(1);
    const cancelled = await asking({ upstream: pending, cancel: { byUserId: 'U1', atMs: 1 } });
    await cancelled.steps.ask(cancelled.question, true);
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
    const { steps, question, stored } = await asking(change);
    const progress = await steps.failed(question, new AppError(kind, 'planned', details));
    expect(progress).toEqual(cause === undefined ? undefined : { question: stored() });
    expect(stored().outcome).toEqual(cause === undefined ? undefined : { kind: 'failed', failure: { cause } });
    expect(stored().phase).toBe(cause === undefined ? 'waiting' : 'delivering');
  });

  it('parks the question where the service asks to wait for long', async () => {
    const trouble = { kind: 'limited', failures: 2, sinceMs: 1, notBeforeMs: 1 } as const;
    const upstreamBefore = { steps: 0, intentMs: 5, givenUpMs: 6 };
    const { life, steps, question, stored, changed } = await asking({ trouble, upstream: upstreamBefore });
    await steps.failed(question, new AppError('rateLimited', 'planned', { retryAfterMs: minuteMs + 1 }));
    const { trouble: _, ...calm } = question;
    expect(stored()).toEqual({ ...calm, phase: 'parked', parkedUntilMs: life.now() + minuteMs + 1 });
    expect(changed).toEqual(['parked']);
  });

  it('parks a question for longer each time where a limit names no end, says so, and gives up after a day', async () => {
    const { life, steps, question, stored } = await asking();
    let now = question;
    for (const minutes of [1, 5, 15, 60, 60]) {
      await steps.failed(now, new AppError('rateLimited', 'planned'));
      expect(stored()).toMatchObject({ phase: 'parked', parkedUntilMs: life.now() + minutes * minuteMs });
      expect(cardView(stored(), atOnce, life.now())).toMatchObject({ kind: 'parked', afterMs: minutes * minuteMs });
      now = stored();
    }
    const sinceMs = life.now() - 24 * 60 * minuteMs - 1;
    await steps.failed({ ...now, undatedLimits: { times: 9, sinceMs } }, new AppError('rateLimited', 'planned'));
    expect(stored().outcome).toEqual({ kind: 'failed', failure: { cause: 'limited' } });
  });

  it('parks a question that was told to come back soon until patience ended', async () => {
    const { life, steps, question, stored } = await asking({ upstream: { steps: 0, firstTriedMs: 1 } });
    await steps.failed(question, new AppError('rateLimited', 'planned', { retryAfterMs: 1_000 }));
    expect(stored()).toMatchObject({ phase: 'parked', parkedUntilMs: life.now() + minuteMs });
  });

  it('lets the thread forget its conversation where that is gone, and the question begin a new one', async () => {
    const harness = await asking({ upstream: { steps: 0, intentMs: 5, intentConversationId: 40 } });
    await harness.bindThread({ conversationId: 40 });
    await harness.steps.failed(harness.question, new AppError('notFound', 'planned'));
    expect(harness.stored().upstream).toEqual({ steps: 0, conversationLost: true });
    expect(harness.life.threads()[0]).not.toHaveProperty('conversationId');
    expect(harness.life.threads()).toMatchObject([{ queue: [harness.id], followsReplies: true }]);
  });

  it('leaves the thread its conversation where something else is wrong', async () => {
    const harness = await asking({ upstream: { steps: 0, intentMs: 5, intentConversationId: 40 } });
    await harness.bindThread({ conversationId: 40 });
    await harness.steps.failed(harness.question, new AppError('unauthorized', 'planned'));
    expect(harness.stored().outcome).toEqual({ kind: 'failed', failure: { cause: 'unauthorized' } });
    expect(harness.life.threads()).toMatchObject([{ conversationId: 40 }]);
  });

  it('leaves the thread its present conversation where an older one is gone', async () => {
    const harness = await asking({ upstream: { steps: 0, intentMs: 5, intentConversationId: 39 } });
    await harness.bindThread({ conversationId: 40 });
    await harness.steps.failed(harness.question, new AppError('notFound', 'planned'));
    expect(harness.life.threads()).toMatchObject([{ conversationId: 40 }]);
  });

  it('begins a new conversation where the old one is gone and the thread is not known any more', async () => {
    const place = { ...thread, threadTs: '1700000000.000099' };
    const harness = await asking({ place, upstream: { steps: 0, intentMs: 5, intentConversationId: 40 } });
    await harness.steps.failed(harness.question, new AppError('notFound', 'planned'));
    expect(harness.life.threads().find(({ threadTs }) => threadTs === place.threadTs)).toMatchObject({
      queue: [],
      followsReplies: false,
    });
  });
});

describe('parking a question', () => {
  it('gives its slot to the next question that waits for one', async () => {
    const harness = await asking();
    const others = [await harness.ask(), await harness.ask()];
    for (const each of [harness.question, ...others]) await harness.life.ports.runSlots.takeSlot(each);
    await harness.steps.park(harness.question, harness.life.now() + minuteMs);
    expect(harness.looked).toEqual([others[1]?.id]);
  });

  it('ends with a waiting question, which is admitted and asked as if for the first time', async () => {
    const change: Partial<Question> = {
      phase: 'parked',
      parkedUntilMs: 5,
      admittedMs: 5,
      trouble: { kind: 'limited', failures: 2, sinceMs: 1, notBeforeMs: 1 },
      upstream: {
        steps: 4,
        firstTriedMs: 1,
        questionId: 2,
        askedMs: 3,
        cancelSentMs: 4,
        conversationId: 40,
        intentMs: 6,
      },
    };
    const { steps, question, stored, changed } = await asking(change);
    expect(await steps.unpark(question)).toEqual({ question: stored() });
    const { parkedUntilMs: _until, admittedMs: _admitted, trouble: _trouble, ...rest } = question;
    const earlierAttempts = [{ conversationId: 40, questionId: 2 }];
    const upstreamNow = { steps: 0, conversationId: 40, intentMs: 6, earlierAttempts };
    expect(stored()).toEqual({ ...rest, phase: 'waiting', upstream: upstreamNow });
    expect(changed).toEqual(['waiting']);
  });

  it('ends with a question that reads a thread in another place again before it is asked', async () => {
    const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'said' };
    const read: Partial<Question> = { phase: 'parked', readsThread: true, context };
    const elsewhere = await asking({ ...read, readsFrom: { ...thread, channelId: 'C2' } });
    await elsewhere.steps.unpark(elsewhere.question);
    expect(elsewhere.stored().context).toEqual({ ...context, outdated: true });
    await elsewhere.steps.ask(elsewhere.stored(), false);
    expect(elsewhere.stored()).not.toHaveProperty('context');
    expect(elsewhere.life.upstream()).toEqual([]);
    const here = await asking(read);
    await here.steps.unpark(here.question);
    expect(here.stored().context).toEqual(context);
  });

  it('ends for a cancelled question without checking again whether it may be asked', async () => {
    const { steps, question, stored } = await asking({
      phase: 'parked',
      admittedMs: 5,
      cancel: { byUserId: 'U1', atMs: 1 },
    });
    await steps.unpark(question);
    expect(stored().admittedMs).toBe(5);
  });

  it('ends at once for a cancelled question, however long its limit still lasts', async () => {
    const { life, steps, question, stored } = await asking({ phase: 'parked', cancel: { byUserId: 'U1', atMs: 1 } });
    await life.ports.runSlots.park(question, life.now() + 5_000);
    expect(await steps.unpark(question)).toEqual({ question: stored() });
    expect(stored().phase).toBe('waiting');
  });

  it('lasts until its time has come', async () => {
    const { life, steps, question, stored } = await asking({ phase: 'parked' });
    await life.ports.runSlots.park(question, life.now() + 5_000);
    expect(await steps.unpark(question)).toEqual({ question, waitMs: 5_000 });
    expect(stored()).toEqual(question);
  });
});

describe('cancelling at the service', () => {
  it.each<[string, Partial<Question['upstream']>, unknown[]]>([
    ['stops the question there', { conversationId: 3, questionId: 7 }, [[3, 7]]],
    ['stops nothing without a conversation', { questionId: 7 }, []],
  ])('%s, and notes when', async (_, known, expected) => {
    const stopped: unknown[] = [];
    const cancel: DeepSearch['cancel'] = async (id, target) => void stopped.push([id, target.id]);
    const { life, steps, question, stored } = await asking({ upstream: { steps: 2, ...known } }, { cancel });
    await steps.cancel(question);
    expect(stopped).toEqual(expected);
    expect(stored().upstream).toEqual({ steps: 2, ...known, cancelSentMs: life.now() });
  });

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
    const { steps, question } = await asking({ upstream: known }, { cancel });
    await steps.cancel(question);
    expect(found).toEqual([expected]);
  });

  it('finds no question of the same text that belongs to another one', async () => {
    const found: unknown[] = [];
    const questions = [withoutId({ ordinal: 0, state: 'completed' }), withoutId({ ordinal: 1 })];
    const cancel: DeepSearch['cancel'] = async (id, { find }) => void found.push(await find({ id, questions }));
    const { life, steps, question } = await asking({ upstream: { steps: 2, conversationId: 3 } }, { cancel });
    for (const each of questions) await claimUpstream(life.ports.claims, 'q-other', 3, each);
    await steps.cancel(question);
    expect(found).toEqual([undefined]);
  });

  it('takes a conversation that is gone for stopped, and throws other errors', async () => {
    const known = { upstream: { steps: 2, conversationId: 3, ordinal: 1 } };
    const gone = await asking(known, { cancel: failing('notFound') });
    await gone.steps.cancel(gone.question);
    expect(gone.stored().upstream.cancelSentMs).toBe(gone.life.now());
    const down = await asking(known, { cancel: failing('unavailable') });
    await expect(down.steps.cancel(down.question)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
