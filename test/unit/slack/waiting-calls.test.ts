import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWaitingCalls, type WaitingCall } from '../../../src/slack/api/waiting-calls.ts';
import { runs } from '../../support/runs.ts';

const spacingMs = 1_000;

function begin() {
  let nowMs = 1_000_000;
  const waiting = createWaitingCalls(spacingMs, () => nowMs);
  return {
    waiting,
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const call = (id: string, ...order: [number, number]): WaitingCall => ({ id, order });
const answer = call('answer', 0, 5);
const newCard = call('new card', 2, -9);
const oldCard = call('old card', 2, -1);

describe('calls that wait for room', () => {
  it('come again one after the other, the smallest order first', () => {
    const { waiting } = begin();
    expect(waiting.add('C1', answer, 400)).toBe(400);
    expect(waiting.add('C1', oldCard, 400)).toBe(1_400);
    expect(waiting.add('C1', newCard, 400)).toBe(1_400);
    expect(waiting.add('C1', oldCard, 400)).toBe(2_400);
    expect(['answer', 'new card', 'old card']).toEqual(
      [oldCard, answer, newCard]
        .toSorted((one, other) => waiting.countBefore('C1', one) - waiting.countBefore('C1', other))
        .map(({ id }) => id),
    );
  });

  it('do not come before there is room, also where a call is refused without asking for it', () => {
    const { waiting, pass } = begin();
    waiting.add('C1', answer, 5_000);
    pass(1_000);
    expect(waiting.add('C1', newCard, 0)).toBe(5_000);
  });

  it('do not wait for themselves, for those of other keys, or for those that got room', () => {
    const { waiting } = begin();
    waiting.add('C1', answer, 400);
    expect(waiting.countBefore('C1', { ...answer, order: [3, 3] })).toBe(0);
    expect(waiting.countBefore('C2', newCard)).toBe(0);
    waiting.remove('C1', answer);
    expect(waiting.countBefore('C1', newCard)).toBe(0);
  });

  it('lose their place where they do not come within 3 s of their time', () => {
    const { waiting, pass } = begin();
    waiting.add('C1', answer, 400);
    pass(3_400);
    expect(waiting.countBefore('C1', newCard)).toBe(1);
    pass(1);
    expect(waiting.countBefore('C1', newCard)).toBe(0);
  });

  it('without a place get times after each other', () => {
    const { waiting, pass } = begin();
    expect([waiting.appoint('C1', 400), waiting.appoint('C1', 400), waiting.appoint('C2', 400)]).toEqual([
      400, 1_400, 400,
    ]);
    pass(10_000);
    expect(waiting.appoint('C1', 400)).toBe(400);
  });

  it('all get room, in order, no faster than there is any', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(50), { minLength: 1, maxLength: 30 }), (orders) => {
        const { waiting, pass, now } = begin();
        const startMs = now();
        const comesMs = new Map(orders.map((order) => [order, startMs]));
        const served: number[] = [];
        let freeMs = startMs + 500;
        while (comesMs.size > 0) {
          const [order, atMs] = [...comesMs].toSorted(([, one], [, other]) => one - other)[0] ?? [0, 0];
          pass(Math.max(0, atMs - now()));
          const one = call(`${order}`, 2, order);
          const mayGo = waiting.countBefore('C1', one) === 0 && now() >= freeMs;
          if (mayGo) {
            freeMs = now() + spacingMs;
            served.push(order);
            comesMs.delete(order);
            waiting.remove('C1', one);
          } else comesMs.set(order, now() + waiting.add('C1', one, Math.max(0, freeMs - now())));
        }
        expect(served).toEqual(orders.toSorted((one, other) => one - other));
        // At most one turn is lost at the beginning, because the times of the first calls change when better ones come.
        expect(now() - startMs).toBeLessThanOrEqual(500 + orders.length * spacingMs);
      }),
      runs(200),
    );
  });
});
