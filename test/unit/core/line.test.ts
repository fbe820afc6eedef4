import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinLine } from '../../../src/core/line.ts';
import { createLifeDesk, thread } from '../../support/lifecycle/memory-requests.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

const idOf = (index: number): string => `q${String(index).padStart(24, '0')}`;

describe('joinLine', () => {
  it('holds every question once, whoever joins at the same moment and how often', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(6), { maxLength: 20 }), async (joining) => {
        const { life } = createLifeDesk();
        await Promise.all(
          joining.map((index) =>
            joinLine(life.ports.threads, questionWith({ id: idOf(index), place: thread, beginsThread: index === 0 })),
          ),
        );
        const expected = [...new Set(joining)].map(idOf).toSorted();
        expect(life.threads()[0]?.line.toSorted() ?? []).toEqual(expected);
        expect(life.threads()[0]?.followsReplies ?? false).toBe(joining.includes(0));
        expect(life.violations).toEqual([]);
      }),
    );
  });

  it('keeps the order of those who join one after the other', async () => {
    const { life } = createLifeDesk();
    for (const index of [3, 1, 2, 1, 3]) {
      await joinLine(life.ports.threads, questionWith({ id: idOf(index), place: thread }));
    }
    expect(life.threads()[0]?.line).toEqual([3, 1, 2].map(idOf));
  });

  it('needs a thread', async () => {
    const { life } = createLifeDesk();
    await joinLine(life.ports.threads, questionWith({ place: { teamId: 'T1', channelId: 'C1' } }));
    expect(life.threads()).toEqual([]);
  });
});
