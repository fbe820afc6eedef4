import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Core } from '../../../src/core/context.ts';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import { advance } from '../../../src/core/lifecycle/advance.ts';
import type { Conversation, DeepSearch, Messenger, UpstreamQuestion } from '../../../src/core/ports.ts';
import { newThread, type Question } from '../../../src/core/question/question.ts';
import { createCoreHarness, thread } from '../../support/lifecycle/core-harness.ts';
import { readingAlone } from '../../support/lifecycle/reading-alone.ts';
import { someAnswer } from '../../support/lifecycle/sample-questions.ts';

const minuteMs = 60_000;
const shareUrl = 'https://code.example/3';
const nowhere = { teamId: 'T1', channelId: 'C1' };
const cancel = { byUserId: 'U7', atMs: 1 };

function observed(change: Partial<UpstreamQuestion> = {}): UpstreamQuestion {
  return { id: 7, text: 'where?', state: 'processing', steps: 2, sources: [], followUps: [], ...change };
}

const conversation = (change: Partial<Conversation> = {}): Conversation => ({
  id: 3,
  questions: [observed()],
  ...change,
});

interface Replaced {
  service?: Partial<DeepSearch>;
  slack?: Partial<Messenger>;
  ports?: Partial<Core>;
}

/** A stored question that waits in its queue, and its `advance`. A test can replace parts of all ports. */
async function waiting(change: Partial<Question> = {}, replaced: Replaced = {}) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask({ text: 'where?' });
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  const views: string[] = [];
  const deepSearch = () => ({ ...life.deepSearch, ...replaced.service });
  const ports: Core = {
    ...life.ports,
    deepSearch,
    watching: readingAlone({ ...life.ports, deepSearch }),
    messenger: {
      ...life.ports.messenger,
      updateCard: async (_, view) => void views.push(view.kind),
      ...replaced.slack,
    },
    ...replaced.ports,
  };
  return {
    life,
    id,
    accept: () => ask(),
    ports,
    views,
    advance: () => advance(ports, id),
    stored: () => life.question(id),
  };
}

/** The same for a question that the service works on, and that has a card. */
async function running(change: Partial<Question> = {}, replaced: Replaced = {}) {
  const { startMs } = createCoreHarness().life;
  return waiting(
    {
      phase: 'running',
      admittedMs: startMs,
      card: { ts: '1.1', shown: 'nothing yet' },
      upstream: { steps: 0, conversationId: 3, questionId: 7, askedMs: startMs },
      ...change,
    },
    replaced,
  );
}

const reading = (found: Conversation): Replaced => ({ service: { read: async () => found } });

function failing(kind: ErrorKind, details: AppErrorDetails = {}) {
  return () => Promise.reject(new AppError(kind, 'planned', details));
}

describe('a question that takes a run slot', () => {
  it('reads the slots of its workspace once before and once after that, however many steps follow', async () => {
    const { ports } = createCoreHarness().life;
    const read: string[] = [];
    const slots = { ...ports.runSlots };
    const harness = await waiting(
      {},
      {
        ports: {
          runSlots: {
            ...slots,
            readSlot: async (question) => {
              const slot = await slots.readSlot(question);
              read.push(slot === undefined ? 'free' : `granted ${slot.granted}`);
              return slot;
            },
          },
        },
      },
    );
    await harness.advance();
    expect(harness.stored()).toMatchObject({ phase: 'running', card: { ts: expect.any(String) } });
    expect(read).toEqual(['free', 'granted true']);
  });
});

describe('a question in a thread, whose card has no room,', () => {
  const { startMs } = createCoreHarness().life;
  const noRoom = failing('rateLimited', { retryAfterMs: 700, isHeldBack: true });

  it('is asked, and run again when there is room', async () => {
    const { advance, stored, life } = await waiting({}, { slack: { postCard: noRoom } });
    expect(await advance()).toBe(700);
    expect(life.upstream()).toHaveLength(1);
    expect(stored()).toMatchObject({ phase: 'running', card: { notBeforeMs: life.now() + 700 } });
    expect(stored().card).not.toHaveProperty('intentMs');
    expect(stored()).not.toHaveProperty('trouble');
  });

  it('gets its card while it runs, and its answer is watched on', async () => {
    const { advance, stored, life, views } = await running({ card: { notBeforeMs: 1 } }, reading(conversation()));
    expect(await advance()).toBe(2_000);
    expect(life.messagesOf(stored(), 'card')).toMatchObject([{ view: { kind: 'running' } }]);
    expect(stored().card).not.toHaveProperty('notBeforeMs');
    expect(views).toEqual([]);
  });

  it.each<[string, () => Promise<never>, Partial<Question['card']>]>([
    ['Slack is down', failing('unavailable'), { notBeforeMs: startMs + 5_000 }],
    ['Slack may post it late', failing('unavailable', { outcomeUnknown: true }), { givenUpMs: startMs }],
    ['Slack refuses it for good', failing('undeliverable'), { gone: true }],
  ])('is watched on where %s', async (_, postCard, card) => {
    const { advance, stored } = await running(
      { card: {}, trouble: { kind: 'limited', failures: 2, sinceMs: 1, notBeforeMs: 2 } },
      { ...reading(conversation()), slack: { postCard } },
    );
    expect(await advance()).toBe(2_000);
    expect(stored()).toMatchObject({ phase: 'running', card, upstream: { steps: 2 } });
    expect(stored()).not.toHaveProperty('trouble');
  });

  it('gets one last card where it may have one, and leaves its queue before that', async () => {
    const pending = { intentMs: startMs - 60_000, givenUpMs: startMs - 20_000, searchedMs: startMs - 5_000 };
    const answer = { title: '', markdown: 'x', sources: [], followUps: [], durationMs: 1, steps: 1 };
    const ended: Partial<Question> = { phase: 'delivering', outcome: { kind: 'answered', answer } };
    const delivered = { round: 0, posted: ['1'] };
    let queued: string[] | undefined;
    const harness: Awaited<ReturnType<typeof waiting>> = await waiting(
      { ...ended, card: pending, delivery: delivered },
      {
        slack: {
          findCard: async () => {
            queued = harness.life.threads()[0]?.queue;
            return undefined;
          },
        },
      },
    );
    expect(await harness.advance()).toBe(60_000);
    expect(queued).toEqual([]);
    expect(harness.stored()).toMatchObject({ phase: 'closed', card: { gone: true }, mayHaveCopies: true });
    expect(harness.life.posted).toEqual([]);
  });

  it('posts a card that repeats the question once, in its final form, before the answer', async () => {
    const answered = observed({ state: 'completed', answer: 'x' });
    const { advance, stored, life, views } = await running(
      { card: {}, origin: 'followUp', admittedMs: startMs },
      reading(conversation({ questions: [answered] })),
    );
    await life.ports.questions.update(stored().id, (now) => ({ ...now, card: { notBeforeMs: startMs + 4_000 } }));
    expect(await advance()).toBe(4_000);
    expect(life.posted).toEqual([]);
    await life.ports.questions.update(stored().id, (now) => ({ ...now, card: {} }));
    expect(await advance()).toBeUndefined();
    expect(life.posted.map(({ marker }) => marker)).toEqual(['card', 'part 0.0']);
    expect(views).toEqual([]);
  });
});

describe('watching a running question', () => {
  it('keeps the last step and the link where the service names none', async () => {
    const known = { steps: 1, conversationId: 3, questionId: 7, lastStep: 'Reading', shareUrl };
    const { advance, stored } = await running({ upstream: known }, reading(conversation()));
    await advance();
    expect(stored().upstream).toEqual({ ...known, steps: 2 });
  });

  it('writes only what changed, and nothing where nothing changed', async () => {
    const known = { steps: 2, conversationId: 3, questionId: 7, lastStep: 'Reading', shareUrl };
    for (const [found, writes] of [
      [conversation({ shareUrl, questions: [observed({ lastStep: 'Reading' })] }), 0],
      [conversation({ shareUrl, questions: [observed({ lastStep: 'Reading', steps: 3 })] }), 1],
      [conversation({ shareUrl, questions: [observed({ lastStep: 'Writing' })] }), 1],
      [conversation({ shareUrl: `${shareUrl}?`, questions: [observed({ lastStep: 'Reading' })] }), 1],
    ] as const) {
      const harness = await running({ upstream: known, card: { gone: true } }, reading(found));
      let written = 0;
      const questions = {
        ...harness.ports.questions,
        update: async (id: string, change: (current: Question) => Question) => {
          written += 1;
          return harness.ports.questions.update(id, change);
        },
      };
      await advance({ ...harness.ports, questions }, harness.id);
      expect(written).toBe(writes);
    }
  });

  it.each<[string, Partial<Question>, Conversation]>([
    ['has no conversation', { upstream: { steps: 0, questionId: 7 } }, conversation()],
    ['is not in its conversation any more', {}, conversation({ questions: [observed({ id: 8 })] })],
  ])('ends a question that %s as gone', async (_, change, found) => {
    const { advance, stored } = await running(change, reading(found));
    await advance();
    expect(stored().outcome).toEqual({ kind: 'failed', failure: { cause: 'gone' } });
  });

  it('counts the duration from when the question was asked, otherwise from when it was accepted', async () => {
    const done = reading(conversation({ questions: [observed({ state: 'completed', answer: 'here' })] }));
    const { startMs } = createCoreHarness().life;
    for (const askedMs of [startMs - 4_000, undefined]) {
      const upstream = { steps: 0, conversationId: 3, questionId: 7, ...(askedMs === undefined ? {} : { askedMs }) };
      const { advance, stored } = await running({ upstream, acceptedMs: startMs - 9_000 }, done);
      await advance();
      const durationMs = askedMs === undefined ? 9_000 : 4_000;
      expect(stored().outcome).toMatchObject({ answer: { durationMs } });
    }
  });

  it('keeps the link of a question that ended, and of one that it gives up on', async () => {
    const ended = await running({}, reading(conversation({ shareUrl, questions: [observed({ state: 'cancelled' })] })));
    await ended.advance();
    expect(ended.stored().upstream.shareUrl).toBe(shareUrl);
    const { startMs } = createCoreHarness().life;
    const upstream = { steps: 0, conversationId: 3, questionId: 7, askedMs: startMs - 15 * minuteMs };
    const late = await running({ upstream }, reading(conversation({ shareUrl })));
    await late.advance();
    expect(late.stored()).toMatchObject({ outcome: { kind: 'gaveUp' }, upstream: { shareUrl } });
  });

  it.each<[string, Partial<Question['upstream']>, number, boolean]>([
    ['since it was asked', { askedMs: -15 * minuteMs }, 0, true],
    ['since it was asked, and not just before', { askedMs: -15 * minuteMs + 1 }, -99 * minuteMs, false],
    ['since it is watched again', { askedMs: -99 * minuteMs, watchedFromMs: -minuteMs }, 0, false],
    ['since it was accepted, where nothing else is known', {}, -15 * minuteMs, true],
  ])('continues through failures for a quarter of an hour %s', async (_, times, acceptedMs, isOver) => {
    const { startMs } = createCoreHarness().life;
    const absolute = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, startMs + Number(ms)]));
    const upstream = { steps: 0, conversationId: 3, questionId: 7, ...absolute };
    const change = { upstream, acceptedMs: startMs + acceptedMs };
    const working = await running(change, reading(conversation()));
    await working.advance();
    expect(working.stored().outcome?.kind).toBe(isOver ? 'gaveUp' : undefined);
    const silent = await running(change, { service: { read: failing('unavailable') } });
    await silent.advance();
    expect(silent.stored().outcome).toEqual(isOver ? { kind: 'failed', failure: { cause: 'unreachable' } } : undefined);
  });

  it('says that the service limited requests where it did so until the question was given up', async () => {
    const upstream = { steps: 0, conversationId: 3, questionId: 7, askedMs: 1 };
    const { advance, stored } = await running({ upstream }, { service: { read: failing('rateLimited') } });
    await advance();
    expect(stored().outcome).toEqual({ kind: 'failed', failure: { cause: 'limited' } });
  });

  it.each<[string, Partial<Question>, UpstreamQuestion['state'], number]>([
    [
      'the person who cancelled an answered question',
      { cancel, upstream: { steps: 0, conversationId: 3, questionId: 7, cancelSentMs: 1e13 } },
      'completed',
      1,
    ],
    [
      'no person where the question was cancelled in time',
      { cancel, upstream: { steps: 0, conversationId: 3, questionId: 7, cancelSentMs: 1e13 } },
      'cancelled',
      0,
    ],
    ['no person where no person cancelled', {}, 'completed', 0],
  ])('reports to %s that the cancellation came too late', async (_, change, state, told) => {
    const { advance, life } = await running(change, reading(conversation({ questions: [observed({ state })] })));
    await advance();
    expect(life.privateMessages.filter(({ notice }) => notice.kind === 'answeredBeforeCancel')).toHaveLength(told);
  });
});

describe('a step that fails', () => {
  it('keeps counting from when the trouble began', async () => {
    const trouble = { kind: 'limited', failures: 4, sinceMs: 5, notBeforeMs: 6 } as const;
    const { life, advance, stored } = await waiting(
      { trouble, admittedMs: createCoreHarness().life.startMs, card: { gone: true } },
      { service: { create: failing('unavailable') } },
    );
    expect(await advance()).toBe(12_000);
    expect(stored().trouble).toEqual({
      kind: 'unreachable',
      failures: 5,
      sinceMs: 5,
      notBeforeMs: life.now() + 12_000,
    });
  });

  it.each<[string, number, 'waiting' | 'running', number]>([
    ['a moment', 20_000, 'waiting', 20_500],
    ['as long as it says', 50_000, 'waiting', 50_500],
    ['a minute at most while it runs', 90_000, 'running', 60_500],
  ])('waits for %s where the service asks to wait', async (_, retryAfterMs, phase, waitMs) => {
    const limited = failing('rateLimited', { retryAfterMs });
    const replaced = { service: { create: limited, read: limited } };
    const { advance, stored } =
      phase === 'running'
        ? await running({ card: { gone: true } }, replaced)
        : await waiting({ card: { gone: true } }, replaced);
    expect(await advance()).toBe(waitMs);
    expect(stored().trouble?.kind).toBe('limited');
  });

  it.each<[string, number, Partial<Question>]>([
    ['a minute at most where the question is cancelled', 60_500, {}],
    [
      'as long as Slack asks where the cancelled question has ended',
      90_500,
      { phase: 'delivering', outcome: { kind: 'cancelled' } },
    ],
  ])('waits for %s', async (_, waitMs, change) => {
    const limited = failing('rateLimited', { retryAfterMs: 90_000 });
    const { startMs } = createCoreHarness().life;
    const upstream = { steps: 0, intentMs: startMs - 20_000, givenUpMs: startMs - 15_000 };
    const { advance } = await waiting(
      { cancel: { ...cancel, atMs: startMs }, admittedMs: startMs, card: { gone: true }, upstream, ...change },
      { service: { newest: limited }, slack: { prepare: () => ({ parts: 1, postPart: limited }) } },
    );
    expect(await advance()).toBe(waitMs);
  });

  it('waits exactly until there is room for it again, which is no failure', async () => {
    const postCard = failing('rateLimited', { retryAfterMs: 9_000, isHeldBack: true });
    const { advance, stored } = await waiting({ place: nowhere }, { slack: { postCard } });
    expect(await advance()).toBe(9_000);
    expect(stored().trouble?.failures).toBe(0);
  });

  it('keeps its trouble after a mere new admission', async () => {
    const { startMs } = createCoreHarness().life;
    const trouble = { kind: 'unreachable', failures: 4, sinceMs: startMs, notBeforeMs: 6 } as const;
    const { advance, stored } = await waiting(
      { trouble, admittedMs: 5, card: { gone: true } },
      { service: { create: failing('unavailable') } },
    );
    await advance();
    expect(stored().trouble?.failures).toBe(5);
    const fresh = await waiting({ trouble, card: { gone: true } }, { service: { create: failing('unavailable') } });
    await fresh.advance();
    expect(fresh.stored().trouble?.failures).toBe(1);
  });

  it('has the card edited before the next try where the edit is due earlier', async () => {
    const { life } = createCoreHarness();
    const trouble = { kind: 'unreachable', failures: 5, sinceMs: life.startMs, notBeforeMs: 6 } as const;
    const card = { ts: '1.1', shown: 'other', editedMs: life.startMs - 1_000 };
    const { advance } = await running({ trouble, card }, { service: { read: failing('unavailable') } });
    expect(await advance()).toBe(2_000);
  });
});

describe('a card that Slack does not take', () => {
  it.each<[string, ErrorKind, AppErrorDetails, Partial<Question>, Question['outcome']]>([
    [
      'where the app can be invited',
      'undeliverable',
      { invitationHelps: true },
      {},
      { kind: 'undeliverable', canInvite: true },
    ],
    ['where the app cannot be invited', 'undeliverable', {}, {}, { kind: 'undeliverable', canInvite: false }],
    [
      'in a direct message between two people',
      'undeliverable',
      { invitationHelps: true },
      { place: { ...nowhere, channelId: 'D1' } },
      { kind: 'undeliverable', canInvite: false },
    ],
  ])('ends the question %s', async (_, kind, details, change, outcome) => {
    const { advance, stored } = await waiting(change, { slack: { postCard: failing(kind, details) } });
    await advance();
    expect(stored().outcome).toEqual(outcome);
  });

  it.each(['unavailable', 'unauthorized', 'notFound'] as const)(
    'is posted later where Slack fails for now (%s)',
    async (kind) => {
      const { advance, stored, life } = await waiting({}, { slack: { postCard: failing(kind) } });
      expect(await advance()).toBe(750);
      expect(stored()).toMatchObject({ phase: 'waiting', trouble: { failures: 1 } });
      expect(life.upstream()).toEqual([]);
    },
  );
});

describe('a search for a call that was given up', () => {
  const agoMs = 4_000;
  const pending = () => {
    const { startMs } = createCoreHarness().life;
    return { intentMs: startMs - agoMs - 1, givenUpMs: startMs - agoMs };
  };
  const trouble = () =>
    ({ kind: 'unreachable', failures: 3, sinceMs: createCoreHarness().life.startMs, notBeforeMs: 1 }) as const;
  const admitted = () => ({ admittedMs: createCoreHarness().life.startMs, trouble: trouble() });

  it.each<[string, () => Partial<Question>, (question: Question) => number | undefined]>([
    ['the card', () => ({ ...admitted(), place: nowhere, card: pending() }), ({ card }) => card.searchedMs],
    [
      'the question',
      () => ({ ...admitted(), card: { gone: true }, upstream: { steps: 0, ...pending() } }),
      ({ upstream }) => upstream.searchedMs,
    ],
    [
      'a part',
      () => ({
        ...admitted(),
        phase: 'delivering',
        outcome: { kind: 'gaveUp' },
        delivery: { round: 0, posted: [], ...pending() },
      }),
      ({ delivery }) => delivery.searchedMs,
    ],
  ])('finds %s, and clears the trouble that there was', async (_, change, searchedMs) => {
    const { advance, stored, life } = await waiting(change());
    expect(await advance()).toBe(11_000);
    expect(searchedMs(stored())).toBe(life.now());
    expect(stored().trouble?.failures).toBe(3);
  });
});

describe('a run', () => {
  it('of a question that is closed or gone takes it off the list, and plans no other', async () => {
    const closed = await waiting({ phase: 'closed' });
    expect(await closed.advance()).toBeUndefined();
    expect(closed.life.openIds()).toEqual([]);
    const unknown = `q${'9'.repeat(24)}`;
    await closed.life.ports.questions.markOpen(unknown);
    expect(await advance(closed.ports, unknown)).toBeUndefined();
    expect(closed.life.openIds()).toEqual([]);
  });

  it('that makes no progress ends after a fixed number of steps, and is repeated later', async () => {
    let joined = 0;
    const harness = await waiting({ admittedMs: createCoreHarness().life.startMs });
    const threads = {
      get: async () => undefined,
      update: async () => {
        joined += 1;
        return harness.life.threads()[0] ?? expect.unreachable();
      },
    };
    expect(await advance({ ...harness.ports, threads }, harness.id)).toBe(10_000);
    expect(joined).toBe(200);
  });

  it('prepares the messages of an outcome once, however many it posts', async () => {
    let prepared = 0;
    const harness = await waiting({
      phase: 'delivering',
      card: { gone: true },
      outcome: { kind: 'answered', answer: { ...someAnswer, markdown: '123 parts' } },
    });
    const { messenger } = harness.ports;
    const prepare: typeof messenger.prepare = (question) => {
      prepared += 1;
      return messenger.prepare(question);
    };
    expect(await advance({ ...harness.ports, messenger: { ...messenger, prepare } }, harness.id)).toBeUndefined();
    expect(harness.stored().delivery.posted).toHaveLength(3);
    expect(prepared).toBe(1);
  });

  it('takes no slot for a question behind another', async () => {
    const harness = await waiting({ card: { gone: true } });
    await harness.life.ports.threads.update(thread, (known = newThread(thread, true)) => ({ ...known, queue: [] }));
    const first = await harness.accept();
    await harness.life.ports.threads.update(thread, (known = newThread(thread, true)) => ({
      ...known,
      queue: [first.id, harness.id],
    }));
    expect(await harness.advance()).toBe(15_000);
    expect(harness.life.runSlotBooks().flatMap((book) => [...book.running, ...book.waiting])).toEqual([]);
  });

  it('takes a slot only for a question that may be asked now', async () => {
    const { startMs } = createCoreHarness().life;
    const lined = (life: { runSlotBooks: () => { running: unknown[]; waiting: unknown[] }[] }) =>
      life.runSlotBooks().flatMap((book) => [...book.running, ...book.waiting]);
    const asked = await waiting({ card: { gone: true } });
    await asked.advance();
    expect(lined(asked.life)).toHaveLength(1);
    for (const change of [
      { card: { gone: true }, cancel },
      { phase: 'parked', parkedUntilMs: startMs + minuteMs, admittedMs: startMs },
    ] satisfies Partial<Question>[]) {
      const postPart = failing('unavailable');
      const { advance, life } = await waiting(change, { slack: { prepare: () => ({ parts: 1, postPart }) } });
      await advance();
      expect(lined(life)).toEqual([]);
    }
  });
});

describe('a service that takes the call and says nothing', () => {
  afterEach(() => void vi.useRealTimers());

  /** A call that fails when `end` is called. */
  function hanging() {
    let end = (): void => {};
    const call = new Promise<never>((_, reject) => {
      end = () => reject(new AppError('unavailable', 'no answer', { outcomeUnknown: true }));
    });
    return { call: () => call, end: () => end() };
  }

  it.each([
    ['at the creation', { create: true }],
    ['while the question runs', { create: false }],
  ])('shows "no reply yet" after ten seconds, and keeps saying so, %s', async (_, { create }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { call, end } = hanging();
    const card = { ts: '9.1', shown: 'before' };
    const { advance, views, stored } = create
      ? await waiting({ card, admittedMs: createCoreHarness().life.startMs }, { service: { create: call } })
      : await running({ card }, { service: { read: call } });
    const run = advance();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(views).not.toContain('noReply');
    await vi.advanceTimersByTimeAsync(1);
    expect(views.at(-1)).toBe('noReply');
    end();
    await run;
    expect(stored().trouble).toMatchObject({ kind: 'silent', failures: 1 });
    expect(views.at(-1)).toBe('noReply');
  });
});
