import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question.ts';
import { createTurns, type TurnBook, type TurnLimits, unparkEveryMs } from '../../../src/core/turns.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

function inMemory(limits: TurnLimits) {
  const books = new Map<string, TurnBook>();
  const turns = createTurns(
    {
      update: async (teamId, change) => {
        const book = change(books.get(teamId));
        books.set(teamId, book);
        return book;
      },
    },
    limits,
  );
  return {
    turns,
    running: () => [...books.values()].flatMap(({ running }) => running.map(({ questionId }) => questionId)),
  };
}

const ask = (number: number, askerId: string): Question =>
  questionWith({ id: `q${String(number).padStart(24, '0')}`, askerId, acceptedMs: number });

describe('turns', () => {
  it('are granted up to the limit of a person, and then in order', async () => {
    const { turns } = inMemory({ perWorkspace: 10, perPerson: 2 });
    const [first, second, third, fourth] = [1, 2, 3, 4].map((number) => ask(number, 'UADA'));
    if (!first || !second || !third || !fourth) return;
    expect(await turns.take(first)).toEqual({ granted: true });
    expect(await turns.take(second)).toEqual({ granted: true });
    expect(await turns.take(third)).toEqual({ granted: false, ahead: 0 });
    expect(await turns.take(fourth)).toEqual({ granted: false, ahead: 1 });
    expect(await turns.take(ask(5, 'UBOB'))).toEqual({ granted: true });
    expect(await turns.take(third)).toEqual({ granted: false, ahead: 0 });
    expect(await turns.release(first)).toEqual([third.id]);
    expect(await turns.release(first)).toEqual([]);
    expect(await turns.take(third)).toEqual({ granted: true });
  });

  it("go to others before a flooding person's next ones", async () => {
    const { turns, running } = inMemory({ perWorkspace: 3, perPerson: 3 });
    const flood = Array.from({ length: 20 }, (_, index) => ask(index, 'UFLOOD'));
    for (const question of flood) await turns.take(question);
    const late = ask(100, 'UADA');
    expect(await turns.take(late)).toEqual({ granted: false, ahead: 0 });
    const [first] = flood;
    if (first) expect(await turns.release(first)).toEqual([late.id]);
    expect(running()).toHaveLength(3);
  });

  it('go on after a limit one by one, the oldest first', async () => {
    const { turns } = inMemory({ perWorkspace: 10, perPerson: 10 });
    const [young, old, later] = [ask(30, 'UADA'), ask(10, 'UBOB'), ask(20, 'UCAT')];
    for (const question of [young, old, later]) await turns.take(question);
    await turns.park(young, 1_000_000);
    await turns.park(old, 1_000_000);
    await turns.park(later, 9_000_000);
    expect(await turns.parkedForMs(old, 1_000_000)).toBe(0);
    expect(await turns.parkedForMs(young, 1_000_000)).toBe(unparkEveryMs);
    await turns.take(old);
    expect(await turns.parkedForMs(young, 1_000_000)).toBe(0);
    expect(await turns.parkedForMs(later, 1_000_000)).toBe(8_000_000);
    await turns.release(young);
    expect(await turns.parkedForMs(young, 1_000_000)).toBe(0);
  });

  it('are of one workspace each', async () => {
    const { turns } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const elsewhere = { ...ask(2, 'UBOB'), place: { teamId: 'T2', channelId: 'C1' } };
    expect(await turns.take(ask(1, 'UADA'))).toEqual({ granted: true });
    expect(await turns.take(elsewhere)).toEqual({ granted: true });
  });

  it('go to the oldest question of several, whichever came to wait first', async () => {
    const { turns } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const [running, young, old] = [ask(1, 'UADA'), ask(9, 'UADA'), ask(5, 'UADA')];
    for (const question of [running, young]) await turns.take(question);
    expect(await turns.take(old)).toEqual({ granted: false, ahead: 0 });
    expect(await turns.take(young)).toEqual({ granted: false, ahead: 1 });
    expect(await turns.release(running)).toEqual([old.id]);
  });

  it('go to the oldest of those who have none, before the second of somebody', async () => {
    const { turns } = inMemory({ perWorkspace: 2, perPerson: 2 });
    const [first, second, third] = [ask(1, 'UADA'), ask(2, 'UADA'), ask(3, 'UADA')];
    const [bob, cat] = [ask(20, 'UBOB'), ask(10, 'UCAT')];
    for (const question of [first, second, third, bob, cat]) await turns.take(question);
    expect(await turns.take(cat)).toEqual({ granted: false, ahead: 0 });
    expect(await turns.take(bob)).toEqual({ granted: false, ahead: 1 });
    expect(await turns.take(third)).toEqual({ granted: false, ahead: 2 });
    expect(await turns.release(first)).toEqual([cat.id]);
    // Without any of hers running, her third comes before what was asked later.
    expect(await turns.release(second)).toEqual([third.id]);
  });

  it('are given back by whoever waits, without waking anybody', async () => {
    const { turns } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const [running, waiting, next] = [ask(1, 'UADA'), ask(2, 'UADA'), ask(3, 'UADA')];
    for (const question of [running, waiting, next]) await turns.take(question);
    expect(await turns.release(waiting)).toEqual([]);
    expect(await turns.release(running)).toEqual([next.id]);
  });

  it('are given back by whoever is parked, to those who wait', async () => {
    const { turns } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const [parked, next] = [ask(1, 'UADA'), ask(2, 'UADA')];
    for (const question of [parked, next]) await turns.take(question);
    expect(await turns.park(parked, 1_000)).toEqual([next.id]);
    expect(await turns.parkedForMs(parked, 400)).toBe(600);
    expect(await turns.parkedForMs(next, 400)).toBe(0);
    // Back in line it is parked no more.
    expect(await turns.take(parked)).toEqual({ granted: false, ahead: 0 });
    expect(await turns.parkedForMs(parked, 400)).toBe(0);
    expect(await turns.release(next)).toEqual([parked.id]);
  });

  it('go on after a limit at the last moment that was named', async () => {
    const { turns } = inMemory({ perWorkspace: 10, perPerson: 10 });
    const [old, other] = [ask(1, 'UADA'), ask(2, 'UADA')];
    await turns.park(other, 500);
    await turns.park(old, 1_000);
    await turns.park(old, 3_000);
    // The older one is parked for longer, so the other does not wait for it; of those released, it comes second.
    expect(await turns.parkedForMs(other, 0)).toBe(500);
    expect(await turns.parkedForMs(old, 0)).toBe(3_000);
    expect(await turns.parkedForMs(other, 3_000)).toBe(0);
    await turns.release(old);
    expect(await turns.parkedForMs(other, 0)).toBe(500);
  });

  it('are asked after and given back without a word stored, where nothing changes', async () => {
    const stored: TurnBook[] = [];
    let book: TurnBook | undefined;
    const turns = createTurns(
      {
        update: async (_, change) => {
          const next = change(book);
          if (next !== book) stored.push(next);
          book = next;
          return next;
        },
      },
      { perWorkspace: 1, perPerson: 1 },
    );
    for (const question of [ask(1, 'UADA'), ask(2, 'UADA')]) await turns.take(question);
    const before = stored.length;
    for (const question of [ask(1, 'UADA'), ask(2, 'UADA')]) await turns.take(question);
    await turns.parkedForMs(ask(1, 'UADA'), 0);
    expect(stored).toHaveLength(before);
  });

  it('keep their limits, lose nobody, and leave no place empty', async () => {
    const person = fc.constantFrom('UADA', 'UBOB', 'UCAT');
    const event = fc.oneof(
      fc.record({ what: fc.constant('take' as const), number: fc.nat(15), person }),
      fc.record({ what: fc.constant('release' as const), number: fc.nat(15), person }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const limits = { perWorkspace: 3, perPerson: 2 };
        const { turns, running } = inMemory(limits);
        const open = new Map<string, Question>();
        for (const { what, number, person: askerId } of events) {
          const id = ask(number, askerId).id;
          const question = open.get(id) ?? ask(number, askerId);
          if (what === 'take') {
            const turn = await turns.take(question);
            open.set(id, question);
            expect(turn.granted).toBe(running().includes(id));
          } else {
            for (const woken of await turns.release(question)) expect(running()).toContain(woken);
            open.delete(id);
          }
          const held = running();
          const perPerson = (askerId_: string): number =>
            held.filter((each) => open.get(each)?.askerId === askerId_).length;
          expect(held.length).toBeLessThanOrEqual(limits.perWorkspace);
          expect(Math.max(0, ...['UADA', 'UBOB', 'UCAT'].map(perPerson))).toBeLessThanOrEqual(limits.perPerson);
          const waiting = [...open.values()].filter((each) => !held.includes(each.id));
          const couldRun = waiting.some((each) => perPerson(each.askerId) < limits.perPerson);
          expect(couldRun && held.length < limits.perWorkspace).toBe(false);
        }
      }),
    );
  });
});
