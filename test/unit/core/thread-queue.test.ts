import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinQueue, leaveQueue, readPositionInQueue } from '../../../src/core/lifecycle/steps.ts';
import type { Thread } from '../../../src/core/question/question.ts';
import { createCoreHarness, failing, thread } from '../../support/lifecycle/core-harness.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

const idOf = (index: number): string => `q${String(index).padStart(24, '0')}`;

describe('joining the queue of a thread', () => {
  it('holds every question once, however many join at the same moment and how often', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(6), { maxLength: 20 }), async (joining) => {
        const { life } = createCoreHarness();
        await Promise.all(
          joining.map((index) =>
            joinQueue(life.ports, questionWith({ id: idOf(index), place: thread, beginsThread: index === 0 })),
          ),
        );
        const expected = [...new Set(joining)].map(idOf).toSorted();
        expect(life.threads()[0]?.queue.toSorted() ?? []).toEqual(expected);
        expect(life.threads()[0]?.followsReplies ?? false).toBe(joining.includes(0));
        expect(life.violations).toEqual([]);
      }),
    );
  });

  it('keeps the order of questions that join one after the other', async () => {
    const { life } = createCoreHarness();
    for (const index of [3, 1, 2, 1, 3]) {
      await joinQueue(life.ports, questionWith({ id: idOf(index), place: thread }));
    }
    expect(life.threads()[0]?.queue).toEqual([3, 1, 2].map(idOf));
  });

  it('needs a thread', async () => {
    const { life } = createCoreHarness();
    await joinQueue(life.ports, questionWith({ place: { teamId: 'T1', channelId: 'C1' } }));
    expect(life.threads()).toEqual([]);
  });
});

describe('joining a queue again', () => {
  it.each<[boolean, boolean, boolean]>([
    [true, true, true],
    [true, false, true],
    [false, false, false],
    [false, true, true],
  ])(
    'of a thread where replies are followed (%j) with a question that begins the thread (%j) makes it %j that replies are followed',
    async (follows, begins, after) => {
      const queue = [idOf(0), idOf(1)];
      const known: Thread = { version: 1, ...thread, followsReplies: follows, startedBy: 'U0BOB', queue };
      let stored: Thread | undefined;
      const update = async (_: unknown, change: (current: Thread | undefined) => Thread) => {
        stored = change(known);
        return stored;
      };
      const question = questionWith({ id: idOf(1), place: thread, beginsThread: begins });
      const threads = { get: async () => known, update };
      await joinQueue({ ...createCoreHarness().life.ports, threads }, question);
      expect(stored).toEqual({ ...known, followsReplies: after });
      // When nothing changes, nothing is written.
      expect(stored === known).toBe(follows === after);
    },
  );
});

describe('leaving the queue of a thread', () => {
  it('removes one question, and leaves the others in their order', async () => {
    const { life } = createCoreHarness();
    for (const index of [3, 1, 2]) await joinQueue(life.ports, questionWith({ id: idOf(index), place: thread }));
    expect(await leaveQueue(life.ports, { id: idOf(1), place: thread })).toEqual([3, 2].map(idOf));
    expect(await leaveQueue(life.ports, { id: idOf(1), place: thread })).toEqual([3, 2].map(idOf));
    expect(life.threads()).toMatchObject([{ queue: [3, 2].map(idOf) }]);
  });

  it('lets no replies follow in a thread that is not known', async () => {
    const { life } = createCoreHarness();
    expect(await leaveQueue(life.ports, { id: idOf(1), place: thread })).toEqual([]);
    expect(life.threads()).toMatchObject([{ followsReplies: false, queue: [] }]);
  });
});

describe('the position in the queue', () => {
  async function withQueue(heads: ('open' | 'closed' | 'gone' | 'unreadable')[]) {
    const { life } = createCoreHarness();
    for (const [index, head] of heads.entries()) {
      const question = questionWith({
        id: idOf(index),
        place: thread,
        phase: head === 'closed' ? 'closed' : 'waiting',
      });
      if (head !== 'gone') await life.ports.questions.create(question);
      await joinQueue(life.ports, question);
    }
    const get = async (id: string) => {
      if (heads[Number(id.slice(1))] === 'unreadable') throw failing('corrupt').error;
      return life.ports.questions.get(id);
    };
    const ports = { ...life.ports, questions: { ...life.ports.questions, get } };
    return { life, read: (index: number) => readPositionInQueue(ports, idOf(index), thread) };
  }

  it('is counted from the head, which is position 0', async () => {
    const { read } = await withQueue(['open', 'open', 'open']);
    const positions = [await read(0), await read(1), await read(2)];
    expect(positions).toEqual([{ positionInQueue: 0 }, { positionInQueue: 1 }, { positionInQueue: 2 }]);
  });

  it('does not exist for a question outside the queue, and where there is no queue', async () => {
    const { read } = await withQueue(['closed', 'open']);
    expect(await read(5)).toEqual({ positionInQueue: -1 });
    expect(await (await withQueue([])).read(0)).toEqual({ positionInQueue: -1 });
  });

  it.each(['closed', 'gone', 'unreadable'] as const)(
    'names a head that is %s, and leaves the queue as it is',
    async (head) => {
      const { read, life } = await withQueue([head, head, 'open', 'open']);
      expect(await read(3)).toEqual({ positionInQueue: 3, staleHead: idOf(0) });
      expect(life.threads()).toMatchObject([{ queue: [0, 1, 2, 3].map(idOf) }]);
    },
  );

  it('is 0 for the head, whatever its record says', async () => {
    const { read } = await withQueue(['gone', 'open']);
    expect(await read(0)).toEqual({ positionInQueue: 0 });
  });

  it('is unknown while the storage cannot read the head', async () => {
    const { life } = await withQueue(['open', 'open']);
    const down = failing('storage').error;
    const questions = { ...life.ports.questions, get: () => Promise.reject(down) };
    await expect(readPositionInQueue({ ...life.ports, questions }, idOf(1), thread)).rejects.toBe(down);
  });

  it('notes who began the thread, once, and not for a question that did not begin it', async () => {
    const { life } = createCoreHarness();
    await joinQueue(life.ports, questionWith({ id: idOf(0), place: thread, beginsThread: false }));
    expect(life.threads()[0]).not.toHaveProperty('startedBy');
    await joinQueue(life.ports, questionWith({ id: idOf(1), place: thread, beginsThread: true, askerId: 'U0ADA' }));
    await joinQueue(life.ports, questionWith({ id: idOf(2), place: thread, beginsThread: true, askerId: 'U0BOB' }));
    expect(life.threads()).toMatchObject([{ startedBy: 'U0ADA', queue: [idOf(0), idOf(1), idOf(2)] }]);
  });
});
