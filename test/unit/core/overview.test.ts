import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createOpenIn, createOverview } from '../../../src/core/overview.ts';
import { newThread, type Question } from '../../../src/core/question.ts';
import { createLifeDesk, press } from '../../support/lifecycle/memory-requests.ts';
import { answered, exampleQuestion } from '../render/example.ts';

function overviewOf(questions: (Question | AppError)[], line: string[] = []) {
  const ids = questions.map((_, index) => `q${index}`);
  return createOverview({
    histories: { of: async () => ids },
    questions: {
      get: async (id) => {
        const found = questions[ids.indexOf(id)];
        if (found instanceof AppError) throw found;
        return found;
      },
    },
    threads: { get: async (place) => ({ ...newThread(place, true), line }) },
    now: () => 1_700_000_060_000,
  })('T1', 'U0ASKER');
}

describe('what a person asked', () => {
  it('shows each question as its card does', async () => {
    const waiting = exampleQuestion({ id: 'q0', phase: 'waiting' });
    const turn = exampleQuestion({ id: 'q1', phase: 'waiting', card: { shown: '{"kind":"waitingTurn","ahead":4}' } });
    const { open, ended } = await overviewOf([waiting, turn, exampleQuestion(), answered()], ['other', 'q0']);
    expect(open.map(({ view }) => view.kind)).toEqual(['queued', 'waitingTurn', 'running']);
    expect(ended.map(({ view }) => view.kind)).toEqual(['answered']);
  });

  it('tells the quota of the newest answer that has one', async () => {
    const quota = (used: number) => answered({ quota: { used, limit: 100 } });
    expect((await overviewOf([answered(), quota(7), quota(5)])).quota).toEqual({ used: 7, limit: 100 });
    expect(await overviewOf([answered()])).not.toHaveProperty('quota');
  });

  it('leaves out what cannot be read, and what is of others', async () => {
    const list = [
      new AppError('corrupt', 'planned'),
      exampleQuestion({ askerId: 'U0BOB' }),
      exampleQuestion({ place: { teamId: 'T2', channelId: 'C1' } }),
      exampleQuestion(),
    ];
    expect((await overviewOf(list)).open).toHaveLength(1);
  });

  it('is not told while storage is down', async () => {
    await expect(overviewOf([new AppError('storage', 'planned')])).rejects.toMatchObject({ kind: 'storage' });
  });
});

describe('what waits in a thread', () => {
  it('is told to everybody once it is known that its asker may ask there, and to the asker before', async () => {
    const admitted = exampleQuestion({ id: 'q0', admittedMs: 1 });
    const unknown = exampleQuestion({ id: 'q1', askerId: 'U0MIA', phase: 'waiting' });
    const openIn = createOpenIn({
      questions: { get: async (id) => [admitted, unknown].find((each) => each.id === id), openIds: async () => [] },
      threads: { get: async () => undefined },
      now: () => 1_700_000_060_000,
    });
    const thread = { ...newThread({ teamId: 'T1', channelId: 'C1', threadTs: '1.1' }, true), line: ['q0', 'q1'] };
    const idsFor = async (userId: string) => (await openIn.thread(thread, userId)).map(({ question }) => question.id);
    expect(await idsFor('U0BOB')).toEqual(['q0']);
    expect(await idsFor('U0MIA')).toEqual(['q0', 'q1']);
  });
});

describe('cancelling from a list', () => {
  it("takes back one's own questions, whatever place they are in, and no other", async () => {
    const { ask, requests, life } = createLifeDesk();
    const question = await ask();
    const others = { userId: 'U9', teamId: press.teamId };
    expect(await requests.cancelOwn(question.id, others)).toEqual({ kind: 'nothing' });
    expect(await requests.cancelOwn(question.id, { userId: 'U1', teamId: 'T2' })).toEqual({ kind: 'nothing' });
    expect(await requests.cancelOwn('q0', { userId: 'U1', teamId: 'T1' })).toEqual({ kind: 'nothing' });
    expect((await life.ports.questions.get(question.id))?.cancel).toBeUndefined();
    expect(await requests.cancelOwn(question.id, { userId: 'U1', teamId: 'T1' })).toEqual({ kind: 'cancelling' });
    expect((await life.ports.questions.get(question.id))?.cancel).toMatchObject({ byUserId: 'U1' });
  });
});
