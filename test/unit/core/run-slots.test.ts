import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createRunSlots, type RunSlotBook, type RunSlotStore, type SlotLimits } from '../../../src/core/run-slots.ts';
import { unparkEveryMs } from '../../../src/core/settings.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';

function inMemory(limits: SlotLimits) {
  const books = new Map<string, RunSlotBook>();
  const withLimits = (other: SlotLimits) =>
    createRunSlots(
      {
        get: async (teamId) => books.get(teamId),
        update: async (teamId, change) => {
          const book = change(books.get(teamId));
          books.set(teamId, book);
          return book;
        },
      },
      other,
    );
  return {
    runSlots: withLimits(limits),
    withLimits,
    running: () => [...books.values()].flatMap(({ running }) => running.map(({ questionId }) => questionId)),
  };
}

const ask = (number: number, askerId: string): Question =>
  questionWith({ id: `q${String(number).padStart(24, '0')}`, askerId, acceptedMs: number });

describe('run slots', () => {
  it('are granted up to the limit of a person, and then in order', async () => {
    const { runSlots } = inMemory({ perWorkspace: 10, perPerson: 2 });
    const [first, second, third, fourth] = [1, 2, 3, 4].map((number) => ask(number, 'UADA'));
    if (!first || !second || !third || !fourth) return;
    expect(await runSlots.takeSlot(first)).toEqual({ granted: true });
    expect(await runSlots.takeSlot(second)).toEqual({ granted: true });
    expect(await runSlots.takeSlot(third)).toEqual({ granted: false, ahead: 0 });
    expect(await runSlots.takeSlot(fourth)).toEqual({ granted: false, ahead: 1 });
    expect(await runSlots.takeSlot(ask(5, 'UBOB'))).toEqual({ granted: true });
    expect(await runSlots.takeSlot(third)).toEqual({ granted: false, ahead: 0 });
    expect(await runSlots.release(first)).toEqual([third.id]);
    expect(await runSlots.release(first)).toEqual([]);
    expect(await runSlots.takeSlot(third)).toEqual({ granted: true });
  });

  it('go to other people before the further questions of a person who asks many', async () => {
    const { runSlots, running } = inMemory({ perWorkspace: 3, perPerson: 3 });
    const flood = Array.from({ length: 20 }, (_, index) => ask(index, 'UFLOOD'));
    for (const question of flood) await runSlots.takeSlot(question);
    const late = ask(100, 'UADA');
    expect(await runSlots.takeSlot(late)).toEqual({ granted: false, ahead: 0 });
    const [first] = flood;
    if (first) expect(await runSlots.release(first)).toEqual([late.id]);
    expect(running()).toHaveLength(3);
  });

  it('become free one by one after a rate limit, the oldest question first', async () => {
    const { runSlots } = inMemory({ perWorkspace: 10, perPerson: 10 });
    const [young, old, later] = [ask(30, 'UADA'), ask(10, 'UBOB'), ask(20, 'UCAT')];
    for (const question of [young, old, later]) await runSlots.takeSlot(question);
    await runSlots.park(young, 1_000_000);
    await runSlots.park(old, 1_000_000);
    await runSlots.park(later, 9_000_000);
    expect(await runSlots.parkedForMs(old, 1_000_000)).toBe(0);
    expect(await runSlots.parkedForMs(young, 1_000_000)).toBe(unparkEveryMs);
    await runSlots.takeSlot(old);
    expect(await runSlots.parkedForMs(young, 1_000_000)).toBe(0);
    expect(await runSlots.parkedForMs(later, 1_000_000)).toBe(8_000_000);
    await runSlots.release(young);
    expect(await runSlots.parkedForMs(young, 1_000_000)).toBe(0);
  });

  it('are counted for each workspace alone', async () => {
    const { runSlots } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const elsewhere = { ...ask(2, 'UBOB'), place: { teamId: 'T2', channelId: 'C1' } };
    expect(await runSlots.takeSlot(ask(1, 'UADA'))).toEqual({ granted: true });
    expect(await runSlots.takeSlot(elsewhere)).toEqual({ granted: true });
  });

  it('go to the oldest of several questions, in any order of arrival', async () => {
    const { runSlots } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const [running, young, old] = [ask(1, 'UADA'), ask(9, 'UADA'), ask(5, 'UADA')];
    for (const question of [running, young]) await runSlots.takeSlot(question);
    expect(await runSlots.takeSlot(old)).toEqual({ granted: false, ahead: 0 });
    expect(await runSlots.takeSlot(young)).toEqual({ granted: false, ahead: 1 });
    expect(await runSlots.release(running)).toEqual([old.id]);
  });

  it('go to the oldest question of those who have no slot, before the second of another person', async () => {
    const { runSlots } = inMemory({ perWorkspace: 2, perPerson: 2 });
    const [first, second, third] = [ask(1, 'UADA'), ask(2, 'UADA'), ask(3, 'UADA')];
    const [bob, cat] = [ask(20, 'UBOB'), ask(10, 'UCAT')];
    for (const question of [first, second, third, bob, cat]) await runSlots.takeSlot(question);
    expect(await runSlots.takeSlot(cat)).toEqual({ granted: false, ahead: 0 });
    expect(await runSlots.takeSlot(bob)).toEqual({ granted: false, ahead: 1 });
    expect(await runSlots.takeSlot(third)).toEqual({ granted: false, ahead: 2 });
    expect(await runSlots.release(first)).toEqual([cat.id]);
    // None of her questions runs, so her third one comes before a later question of another person.
    expect(await runSlots.release(second)).toEqual([third.id]);
  });

  it('are given up by a waiting question without waking another', async () => {
    const { runSlots } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const [running, waiting, next] = [ask(1, 'UADA'), ask(2, 'UADA'), ask(3, 'UADA')];
    for (const question of [running, waiting, next]) await runSlots.takeSlot(question);
    expect(await runSlots.release(waiting)).toEqual([]);
    expect(await runSlots.release(running)).toEqual([next.id]);
  });

  it('pass from a parked question to those that wait', async () => {
    const { runSlots } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const [parked, next] = [ask(1, 'UADA'), ask(2, 'UADA')];
    for (const question of [parked, next]) await runSlots.takeSlot(question);
    expect(await runSlots.park(parked, 1_000)).toEqual([next.id]);
    expect(await runSlots.parkedForMs(parked, 400)).toBe(600);
    expect(await runSlots.parkedForMs(next, 400)).toBe(0);
    // When it waits for a slot again, it is not parked any more.
    expect(await runSlots.takeSlot(parked)).toEqual({ granted: false, ahead: 0 });
    expect(await runSlots.parkedForMs(parked, 400)).toBe(0);
    expect(await runSlots.release(next)).toEqual([parked.id]);
  });

  it('become free at the last moment that a rate limit named', async () => {
    const { runSlots } = inMemory({ perWorkspace: 10, perPerson: 10 });
    const [old, other] = [ask(1, 'UADA'), ask(2, 'UADA')];
    await runSlots.park(other, 500);
    await runSlots.park(old, 1_000);
    await runSlots.park(old, 3_000);
    // The older question is parked for longer, so the other does not wait for it. It is released second.
    expect(await runSlots.parkedForMs(other, 0)).toBe(500);
    expect(await runSlots.parkedForMs(old, 0)).toBe(3_000);
    expect(await runSlots.parkedForMs(other, 3_000)).toBe(0);
    await runSlots.release(old);
    expect(await runSlots.parkedForMs(other, 0)).toBe(500);
  });

  it('are checked and given up without a write where nothing changes', async () => {
    const stored: RunSlotBook[] = [];
    let book: RunSlotBook | undefined;
    const runSlots = createRunSlots(
      {
        get: async () => book,
        update: async (_, change) => {
          const next = change(book);
          if (next !== book) stored.push(next);
          book = next;
          return next;
        },
      },
      { perWorkspace: 1, perPerson: 1 },
    );
    for (const question of [ask(1, 'UADA'), ask(2, 'UADA')]) await runSlots.takeSlot(question);
    const before = stored.length;
    for (const question of [ask(1, 'UADA'), ask(2, 'UADA')]) await runSlots.takeSlot(question);
    await runSlots.parkedForMs(ask(1, 'UADA'), 0);
    expect(stored).toHaveLength(before);
  });

  it('are read without taking one: whether a question has one, waits for one, or has to take one first', async () => {
    const { runSlots, running } = inMemory({ perWorkspace: 10, perPerson: 1 });
    const [first, second, third] = [ask(1, 'UADA'), ask(2, 'UADA'), ask(3, 'UADA')];
    expect(await runSlots.readSlot(first)).toBeUndefined();
    expect(running()).toEqual([]);
    for (const question of [first, second, third]) await runSlots.takeSlot(question);
    expect(await runSlots.readSlot(first)).toEqual({ granted: true });
    expect(await runSlots.readSlot(second)).toEqual({ granted: false, ahead: 0 });
    expect(await runSlots.readSlot(third)).toEqual({ granted: false, ahead: 1 });
    await runSlots.release(first);
    expect(await runSlots.readSlot(first)).toBeUndefined();
    expect(await runSlots.readSlot(second)).toEqual({ granted: true });
    await runSlots.park(second, 500);
    expect(await runSlots.readSlot(second)).toBeUndefined();
  });

  it('can be taken by a waiting question once a restart has raised the limits', async () => {
    const { runSlots, withLimits } = inMemory({ perWorkspace: 1, perPerson: 1 });
    const [first, second, third] = [ask(1, 'UADA'), ask(2, 'UBOB'), ask(3, 'UCAT')];
    for (const question of [first, second, third]) await runSlots.takeSlot(question);
    const raised = withLimits({ perWorkspace: 2, perPerson: 1 });
    expect(await raised.readSlot(third)).toEqual({ granted: false, ahead: 1 });
    expect(await raised.readSlot(second)).toBeUndefined();
    expect(await raised.takeSlot(second)).toEqual({ granted: true });
    expect(await raised.readSlot(second)).toEqual({ granted: true });
    expect(await raised.readSlot(third)).toEqual({ granted: false, ahead: 0 });
  });

  it('keep their limits, leave out no question, and leave no slot empty', async () => {
    const person = fc.constantFrom('UADA', 'UBOB', 'UCAT');
    const event = fc.oneof(
      fc.record({ what: fc.constant('take' as const), number: fc.nat(15), person }),
      fc.record({ what: fc.constant('release' as const), number: fc.nat(15), person }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const limits = { perWorkspace: 3, perPerson: 2 };
        const { runSlots, running } = inMemory(limits);
        const open = new Map<string, Question>();
        for (const { what, number, person: askerId } of events) {
          const id = ask(number, askerId).id;
          const question = open.get(id) ?? ask(number, askerId);
          if (what === 'take') {
            const slot = await runSlots.takeSlot(question);
            open.set(id, question);
            expect(slot.granted).toBe(running().includes(id));
          } else {
            for (const woken of await runSlots.release(question)) expect(running()).toContain(woken);
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

  it('are taken by many questions at once in few writes, in order of arrival', async () => {
    let writes = 0;
    let stored: RunSlotBook | undefined;
    const update: RunSlotStore['update'] = async (_, change) => {
      writes += 1;
      await setImmediate();
      stored = change(stored);
      return stored;
    };
    const runSlots = createRunSlots({ get: async () => stored, update }, { perWorkspace: 2, perPerson: 200 });
    const questions = Array.from({ length: 100 }, (_, index) => ask(index, 'UADA'));
    const slots = await Promise.all(questions.map(async (question) => await runSlots.takeSlot(question)));
    expect(slots.slice(0, 4)).toEqual([
      { granted: true },
      { granted: true },
      { granted: false, ahead: 0 },
      { granted: false, ahead: 1 },
    ]);
    const [first, second, third, fourth] = questions as [Question, Question, Question, Question];
    expect(await Promise.all([first, second].map(async (each) => await runSlots.release(each)))).toEqual([
      [third.id],
      [fourth.id],
    ]);
    expect(writes).toBeLessThan(5);
  });

  it('are granted by what was stored, where a write was tried again on a newer book', async () => {
    const older: RunSlotBook = { version: 1, running: [], waiting: [], parked: [] };
    const newer: RunSlotBook = { ...older, running: [{ questionId: 'q9', userId: 'UBOB' }] };
    const update: RunSlotStore['update'] = async (_, change) => {
      change(older);
      return change(newer);
    };
    const runSlots = createRunSlots({ get: async () => newer, update }, { perWorkspace: 1, perPerson: 1 });
    expect(await runSlots.takeSlot(ask(1, 'UADA'))).toEqual({ granted: false, ahead: 0 });
  });

  it('stay usable after a write failed, of which each caller is told', async () => {
    let isDown = true;
    let stored: RunSlotBook | undefined;
    const update: RunSlotStore['update'] = async (_, change) => {
      await setImmediate();
      if (isDown) throw new AppError('storage', 'down');
      stored = change(stored);
      return stored;
    };
    const runSlots = createRunSlots({ get: async () => stored, update }, { perWorkspace: 2, perPerson: 2 });
    const failed = runSlots.takeSlot(ask(1, 'UADA'));
    const joined = runSlots.takeSlot(ask(2, 'UADA'));
    await expect(Promise.all([failed, joined])).rejects.toThrow('down');
    isDown = false;
    expect(await runSlots.takeSlot(ask(2, 'UADA'))).toEqual({ granted: true });
  });
});
