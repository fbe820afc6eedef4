import { describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core/context.ts';
import { AppError } from '../../../src/core/errors.ts';
import { openInChannel, openInThread, overviewOf } from '../../../src/core/history/overview.ts';
import type { CardView } from '../../../src/core/ports.ts';
import { newThread, type Question } from '../../../src/core/question/question.ts';
import type { RunSlots } from '../../../src/core/run-slots.ts';
import { buttonUser, createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { only } from '../../support/only.ts';
import { answered, exampleQuestion } from '../render/example.ts';

const nowMs = 1_700_000_060_000;
const noSlots = only<RunSlots>({ readSlot: async () => undefined });

/** A context with open questions, and which of them were read. */
function withOpen(questions: Question[], ids = questions.map(({ id }) => id)) {
  const read: string[] = [];
  const w = only<Core>({
    questions: only({
      get: async (id) => {
        read.push(id);
        return questions.find((each) => each.id === id);
      },
      openIds: async () => ids,
    }),
    threads: only({ get: async () => undefined }),
    runSlots: noSlots,
    now: () => nowMs,
  });
  return { w, read };
}

function overviewIn(questions: (Question | AppError)[], queue: string[] = [], runSlots = noSlots) {
  const ids = questions.map((_, index) => `q${index}`);
  const w = only<Core>({
    askedQuestions: only({ of: async () => ids }),
    questions: only({
      get: async (id) => {
        const found = questions[ids.indexOf(id)];
        if (found instanceof AppError) throw found;
        return found;
      },
    }),
    threads: only({ get: async (place) => ({ ...newThread(place, true), queue }) }),
    runSlots,
    now: () => nowMs,
  });
  return overviewOf(w, 'T1', 'U0ASKER');
}

describe('the list of a person’s questions', () => {
  it('shows each question as its card does', async () => {
    const waiting = exampleQuestion({ id: 'q0', phase: 'waiting' });
    const slot = exampleQuestion({ id: 'q1', phase: 'waiting' });
    const listed = [waiting, slot, exampleQuestion(), answered()];
    const { open, ended } = await overviewIn(listed, ['other', 'q0'], waitingBehind(4));
    expect(open.map(({ view }) => view.kind)).toEqual(['queued', 'waitingForSlot', 'running']);
    expect(ended.map(({ view }) => view.kind)).toEqual(['answered']);
  });

  it('shows the quota of the newest answer that has one', async () => {
    const quota = (used: number) => answered({ quota: { used, limit: 100 } });
    expect((await overviewIn([answered(), quota(7), quota(5)])).quota).toEqual({ used: 7, limit: 100 });
    expect((await overviewIn([answered()])).quota).toBeUndefined();
  });

  it('leaves out what cannot be read, and what belongs to others', async () => {
    const list = [
      new AppError('corrupt', 'planned'),
      exampleQuestion({ askerId: 'U0BOB' }),
      exampleQuestion({ place: { teamId: 'T2', channelId: 'C1' } }),
      exampleQuestion(),
    ];
    expect((await overviewIn(list)).open).toHaveLength(1);
  });

  it('fails while storage is down', async () => {
    await expect(overviewIn([new AppError('storage', 'planned')])).rejects.toMatchObject({ kind: 'storage' });
  });
});

describe('the list of waiting questions in a thread', () => {
  it('shows a question to everybody once its asker is known to be allowed there, and to the asker before', async () => {
    const admitted = exampleQuestion({ id: 'q0', admittedMs: 1 });
    const unknown = exampleQuestion({ id: 'q1', askerId: 'U0MIA', phase: 'waiting' });
    const { w } = withOpen([admitted, unknown]);
    const thread = { ...newThread({ teamId: 'T1', channelId: 'C1', threadTs: '1.1' }, true), queue: ['q0', 'q1'] };
    const idsFor = async (userId: string) => (await openInThread(w, thread, userId)).map(({ question }) => question.id);
    expect(await idsFor('U0BOB')).toEqual(['q0']);
    expect(await idsFor('U0MIA')).toEqual(['q0', 'q1']);
  });
});

describe('the list of open questions in a channel', () => {
  const here = { teamId: 'T1', channelId: 'C1' };
  const elsewhere = [
    { teamId: 'T1', channelId: 'C2' },
    { teamId: 'T2', channelId: 'C1' },
  ];

  it('holds what was admitted there and has not ended, oldest first', async () => {
    const { w } = withOpen([
      exampleQuestion({ id: 'q-late', acceptedMs: 3, admittedMs: 4 }),
      exampleQuestion({ id: 'q-early', acceptedMs: 1, admittedMs: 4, phase: 'parked', parkedUntilMs: nowMs }),
      exampleQuestion({ id: 'q-middle', acceptedMs: 2, admittedMs: 4, phase: 'waiting' }),
      exampleQuestion({ id: 'q-not-admitted', acceptedMs: 1 }),
      answered({}, { id: 'q-ended', admittedMs: 4 }),
      ...elsewhere.map((place, index) => exampleQuestion({ id: `q-${index}`, admittedMs: 4, place })),
    ]);
    const entries = await openInChannel(w, here, 'U1');
    expect(entries.map(({ question, view }) => [question.id, view.kind])).toEqual([
      ['q-early', 'parked'],
      ['q-middle', 'starting'],
      ['q-late', 'running'],
    ]);
  });

  it('comes from a search of a thousand open questions, and no more', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => `q${index}`);
    const last = exampleQuestion({ id: 'q999', admittedMs: 1 });
    const { w, read } = withOpen([last, exampleQuestion({ id: 'q1000', admittedMs: 1 })], ids);
    expect((await openInChannel(w, here, 'U1')).map(({ question }) => question)).toEqual([last]);
    expect(read).toHaveLength(1_000);
  });

  it('holds no question that has ended in a thread', async () => {
    const { w } = withOpen([answered({}, { id: 'q1', admittedMs: 1 }), exampleQuestion({ id: 'q2', admittedMs: 1 })]);
    const thread = { ...newThread({ ...here, threadTs: '1.1' }, true), queue: ['q1', 'q2'] };
    expect((await openInThread(w, thread, 'U0ADA')).map(({ question }) => question.id)).toEqual(['q2']);
  });
});

describe('the card of a listed question', () => {
  const waiting = (change: Partial<Question> = {}) => exampleQuestion({ id: 'q0', phase: 'waiting', ...change });
  const viewOf = async (question: Question, queue: string[] = [], runSlots = noSlots) =>
    (await overviewIn([question], queue, runSlots)).open[0]?.view;

  it.each<[string, Question, string[], CardView]>([
    ['has its position in the queue', waiting(), ['qa', 'qb', 'q0'], { kind: 'queued', place: 2 }],
    ['is first in the queue', waiting(), ['q0', 'qb'], { kind: 'starting' }],
    ['is not in the queue yet', waiting(), ['qb'], { kind: 'starting' }],
    ['has no thread yet', waiting({ place: { teamId: 'T1', channelId: 'C1' } }), ['qa', 'q0'], { kind: 'starting' }],
    ['ran before it was in the queue', waiting({ phase: 'running' }), ['qa', 'q0'], running(60_000)],
  ])('shows that the question %s', async (_, question, queue, view) => {
    expect(await viewOf(question, queue)).toEqual(view);
  });

  it('says how many questions get a slot before it, while it waits for one as the first of its queue', async () => {
    expect(await viewOf(waiting(), ['q0'], waitingBehind(4))).toEqual({ kind: 'waitingForSlot', ahead: 4 });
    expect(await viewOf(waiting(), ['qa', 'q0'], waitingBehind(4))).toEqual({ kind: 'queued', place: 1 });
    expect(await viewOf(waiting({ phase: 'running' }), ['q0'], waitingBehind(4))).toEqual(running(60_000));
    const granted = only<RunSlots>({ readSlot: async () => ({ granted: true }) });
    expect(await viewOf(waiting(), ['q0'], granted)).toEqual({ kind: 'starting' });
  });
});

function waitingBehind(ahead: number): RunSlots {
  return only({ readSlot: async () => ({ granted: false, ahead }) });
}

function running(elapsedMs: number): CardView {
  return { kind: 'running', elapsedMs, steps: 0 };
}

describe('cancelling from a list', () => {
  it('cancels the person’s questions, in any place, and no other', async () => {
    const { ask, requests, life } = createCoreHarness();
    const question = await ask();
    const others = { userId: 'U9', teamId: buttonUser.teamId };
    expect(await requests.cancelOwn(question.id, others)).toEqual({ kind: 'nothing' });
    expect(await requests.cancelOwn(question.id, { userId: 'U1', teamId: 'T2' })).toEqual({ kind: 'nothing' });
    expect(await requests.cancelOwn('q0', { userId: 'U1', teamId: 'T1' })).toEqual({ kind: 'nothing' });
    expect((await life.ports.questions.get(question.id))?.cancel).toBeUndefined();
    expect(await requests.cancelOwn(question.id, { userId: 'U1', teamId: 'T1' })).toEqual({ kind: 'cancelling' });
    expect((await life.ports.questions.get(question.id))?.cancel).toMatchObject({ byUserId: 'U1' });
  });
});
