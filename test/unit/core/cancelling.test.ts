import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import {
  buttonUser,
  createCoreHarness,
  createRequests,
  failing,
  thread,
} from '../../support/lifecycle/core-harness.ts';
import { someAnswer } from '../../support/lifecycle/sample-questions.ts';

const answered = { kind: 'answered', answer: someAnswer } as const;
const place = { teamId: 'T1', channelId: 'C1' };

/** Stored questions with the test's changes. Also what a cancellation tells people and schedules. */
async function harness(...changes: Partial<Question>[]) {
  const { ask, life } = createCoreHarness();
  const ids: string[] = [];
  for (const [index, change] of changes.entries()) {
    const { id } = await ask({ key: `m${index}` });
    await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
    ids.push(id);
  }
  const planned: unknown[] = [];
  const changed: string[] = [];
  const requests = createRequests({
    ...life.ports,
    scheduler: { schedule: async (...advance) => void planned.push(advance) },
    observer: { ...life.ports.observer, changed: ({ id }) => void changed.push(id) },
  });
  return { life, ids, requests, planned, changed, stored: (index = 0) => life.question(ids[index] ?? '') };
}

describe('a cancellation', () => {
  it('is stored with its person and time, run at once, and reported', async () => {
    const { life, ids, requests, planned, changed, stored } = await harness({});
    expect(await requests.cancelQuestion(ids[0] ?? '', buttonUser)).toEqual({ kind: 'cancelling' });
    expect(stored().cancel).toEqual({ byUserId: 'U9', atMs: life.now() });
    expect(planned).toEqual([[ids[0], 0]]);
    expect(changed).toEqual(ids);
  });

  it('counts in the last moment, and is never too late when it is repeated', async () => {
    const { life, ids, requests, stored } = await harness({});
    const [id = ''] = ids;
    expect(await requests.cancelQuestion(id, buttonUser, life.now())).toEqual({ kind: 'cancelling' });
    expect(await requests.cancelQuestion(id, { ...buttonUser, userId: 'U8' }, life.now() - 1)).toEqual({
      kind: 'cancelling',
    });
    expect(stored().cancel?.byUserId).toBe('U9');
  });

  it('changes nothing of a question that has ended', async () => {
    const { life, ids, requests, planned, stored } = await harness({ outcome: answered });
    expect(await requests.cancelQuestion(ids[0] ?? '', buttonUser, life.now() - 1)).toEqual({ kind: 'answered' });
    expect(stored()).not.toHaveProperty('cancel');
    expect(planned).toEqual([]);
  });

  it('has no effect on a question that disappears in the meantime', async () => {
    const { life, ids } = await harness({});
    const questions = { ...life.ports.questions, update: async () => undefined };
    const requests = createRequests({ ...life.ports, questions });
    expect(await requests.cancelQuestion(ids[0] ?? '', buttonUser)).toEqual({ kind: 'nothing' });
  });
});

describe('the question of a deleted message', () => {
  it('is cancelled by its asker unless another person is named', async () => {
    const { requests, stored } = await harness({}, {});
    expect(await requests.cancelStartedBy('m0')).toEqual({ kind: 'cancelling' });
    expect(stored(0).cancel?.byUserId).toBe('U1');
    await requests.cancelStartedBy('m1', 'U5');
    expect(stored(1).cancel?.byUserId).toBe('U5');
    expect(await requests.cancelStartedBy('m9')).toEqual({ kind: 'nothing' });
  });
});

describe('cancelling the first question in a thread', () => {
  it('skips those of the person’s questions that have ended or can’t be read', async () => {
    const { life, ids, requests, stored } = await harness({ outcome: answered }, {}, {}, { askerId: 'U2' }, {});
    const get = async (id: string) => {
      if (id === ids[1]) throw failing('corrupt').error;
      return life.ports.questions.get(id);
    };
    const questions = { ...life.ports.questions, get };
    const careful = createRequests({
      ...life.ports,
      questions,
    });
    expect(await careful.cancelInThread(thread, 'U1', 'said', { ownOnly: true })).toEqual({ kind: 'cancelling' });
    expect([0, 1, 2, 3, 4].map((index) => stored(index).cancel !== undefined)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(await requests.cancelInThread(thread, 'U2', 'said too', { ownOnly: true })).toEqual({ kind: 'cancelling' });
    expect(stored(3).cancel?.byUserId).toBe('U2');
  });

  it('never touches another person’s question, even with another person’s claim', async () => {
    const { life, ids, requests, stored } = await harness({ askerId: 'U2' }, {});
    await life.ports.claims.claim('cancel:said', ids[0] ?? '');
    expect(await requests.cancelInThread(thread, 'U1', 'said', { ownOnly: true })).toEqual({ kind: 'nothing' });
    expect(stored(0).cancel).toBeUndefined();
    expect(await requests.cancelInThread(thread, 'U1', 'said')).toEqual({ kind: 'cancelling' });
  });

  it('has no effect where the first question is not known any more', async () => {
    const { life, requests } = await harness({});
    await life.ports.claims.claim('cancel:said', `q${'0'.repeat(24)}`);
    expect(await requests.cancelInThread(thread, 'U1', 'said')).toEqual({ kind: 'nothing' });
  });
});

describe('cancelling the only question', () => {
  it('finds the question that has not ended', async () => {
    const { requests, stored } = await harness({ outcome: answered }, {});
    expect(await requests.cancelOnlyIn(place, 'U1', 'said')).toEqual({ kind: 'cancelling' });
    expect([0, 1].map((index) => stored(index).cancel !== undefined)).toEqual([false, true]);
  });

  it('finds the question that is not being cancelled yet', async () => {
    const { requests, stored } = await harness({ cancel: { byUserId: 'U7', atMs: 1 } }, {});
    expect(await requests.cancelOnlyIn(place, 'U1', 'said')).toEqual({ kind: 'cancelling' });
    expect([stored(0).cancel?.byUserId, stored(1).cancel?.byUserId]).toEqual(['U7', 'U1']);
  });

  it('is only one that was asked before a message that was missed, by Slack’s clock', async () => {
    const { requests, stored } = await harness({ writtenMs: 1_000, acceptedMs: 9_000 }, { acceptedMs: 5_000 });
    expect(await requests.cancelOnlyIn(place, 'U1', 'first of all', 900)).toEqual({ kind: 'nothing' });
    expect(await requests.cancelInThread(thread, 'U1', 'the same', { askedBeforeMs: 900 })).toEqual({
      kind: 'nothing',
    });
    expect(await requests.runningIn(thread, 900)).toBeUndefined();
    expect(await requests.cancelOnlyIn(place, 'U1', 'between', 2_000)).toEqual({ kind: 'cancelling' });
    expect([0, 1].map((index) => stored(index).cancel !== undefined)).toEqual([true, false]);
  });

  it('has no effect where there is no question, and decides nothing for later', async () => {
    const { life, requests } = await harness({ askerId: 'U2' });
    expect(await requests.cancelOnlyIn(place, 'U1', 'said')).toEqual({ kind: 'nothing' });
    expect(await life.ports.claims.ownerOf('cancel:said')).toBeUndefined();
  });

  it('searches a thousand open questions, and skips those that can’t be read', async () => {
    const { life, ids } = await harness({}, {});
    const [first = '', last = ''] = ids;
    const filled = (count: number) => [...Array.from({ length: count }, (_, index) => `gone${index}`), last];
    const only = (openIds: string[]) =>
      createRequests({
        ...life.ports,
        questions: {
          ...life.ports.questions,
          openIds: async () => openIds,
          get: async (id) => {
            if (id === first) throw failing('corrupt').error;
            return life.ports.questions.get(id);
          },
        },
      }).cancelOnlyIn(place, 'U1', String(openIds.length));
    expect(await only(filled(1_000))).toEqual({ kind: 'nothing' });
    expect(await only([first, ...filled(998)])).toEqual({ kind: 'cancelling' });
  });
});

describe('what runs in a thread', () => {
  it.each<[string, Partial<Question>, boolean]>([
    ['is the first question of its line', {}, true],
    ['is nothing once that was answered', { outcome: answered }, false],
    ['is nothing while that is being cancelled', { cancel: { byUserId: 'U9', atMs: 1 } }, false],
  ])('%s', async (_, change, isFound) => {
    const { ids, requests } = await harness(change, {});
    expect((await requests.runningIn(thread))?.id).toBe(isFound ? ids[0] : undefined);
  });

  it('is nothing where nothing was asked', async () => {
    const { requests } = await harness();
    expect(await requests.runningIn(thread)).toBeUndefined();
  });
});
