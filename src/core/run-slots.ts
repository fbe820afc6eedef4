import { z } from 'zod';
import type { Question } from './question/question.ts';
import { dayMs, defineRecord, type RecordOf, storedTogether } from './record.ts';
import { unparkEveryMs } from './settings.ts';

/** Most questions of one workspace, and of one person in it, that may run at the service at the same time. */
export interface SlotLimits {
  perWorkspace: number;
  perPerson: number;
}

/** The questions of one workspace: running, waiting in order of arrival, and parked. */
export const runSlotsType = defineRecord({
  key: (teamId) => `ds:run-slots:${teamId}`,
  // A record without writes for this time has no running question.
  ttlMs: 90 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    running: z.array(z.looseObject({ questionId: z.string(), userId: z.string() })),
    waiting: z.array(z.looseObject({ questionId: z.string(), userId: z.string(), sinceMs: z.number() })),
    parked: z.array(z.looseObject({ questionId: z.string(), sinceMs: z.number(), untilMs: z.number() })),
  }),
  isInUse: ({ running, waiting, parked }) => running.length + waiting.length + parked.length > 0,
});
export type RunSlotBook = RecordOf<typeof runSlotsType>;
export type SlotEntry = RunSlotBook['running'][number];

/** The stored books, one per workspace. Throws the same errors as the other stores. */
export interface RunSlotStore {
  get(teamId: string): Promise<RunSlotBook | undefined>;
  /**
   * Atomic read-modify-write. `change` is pure and may run more than once. If it returns the same object, nothing is
   * stored.
   */
  update(teamId: string, change: (current: RunSlotBook | undefined) => RunSlotBook): Promise<RunSlotBook>;
}

/** `ahead` counts the waiting questions that run before this one. */
export type Slot = { granted: true } | { granted: false; ahead: number };

export interface RunSlots {
  /**
   * Reads whether the question has a slot or waits for one. Undefined if it can take one or does not wait. Changes
   * nothing.
   */
  readSlot(question: Question): Promise<Slot | undefined>;
  /** Takes a slot, or adds the question to the waiting ones. Safe to repeat: a question keeps its place. */
  takeSlot(question: Question): Promise<Slot>;
  /** Gives back the slot or the place among the waiting. Returns the questions that got a slot. Safe to repeat. */
  release(question: Question): Promise<string[]>;
  /** Gives back the slot until a limit of the service ends. Returns the questions that got a slot. */
  park(question: Question, untilMs: number): Promise<string[]>;
  /**
   * Milliseconds that a parked question still waits after `nowMs`. After a limit the oldest questions go first, one by
   * one.
   */
  parkedForMs(question: Question, nowMs: number): Promise<number>;
}

/**
 * Hands out slots fairly. The person with the fewest running questions is next, and of that person's questions the
 * oldest. One person's many questions do not delay those of others.
 */
export function createRunSlots(store: RunSlotStore, limits: SlotLimits): RunSlots {
  const update = storedTogether<RunSlotBook>((teamId, change) => store.update(teamId, change));
  return {
    async readSlot({ id, place }) {
      const book = (await store.get(place.teamId)) ?? emptyBook;
      if (isRunning(book, id)) return { granted: true };
      // After a restart with higher limits a waiting question may find a free slot.
      const isFree = isRunning(grant(book, limits), id);
      const ahead = positionOf(book, id);
      return isFree || ahead < 0 ? undefined : { granted: false, ahead };
    },

    async takeSlot({ id, place, askerId, acceptedMs }) {
      const entry = { questionId: id, userId: askerId, sinceMs: acceptedMs };
      const book = await update(place.teamId, (current = emptyBook) => grant(enqueue(current, entry), limits));
      const ahead = positionOf(book, id);
      return ahead < 0 ? { granted: true } : { granted: false, ahead };
    },

    release: ({ id, place }) => changeAndGrant(place.teamId, (book) => withoutQuestion(book, id)),

    park: ({ id, place, acceptedMs: sinceMs }, untilMs) =>
      changeAndGrant(place.teamId, (book) => {
        const others = withoutQuestion(book, id);
        return { ...others, parked: [...others.parked, { questionId: id, sinceMs, untilMs }] };
      }),

    async parkedForMs({ id, place }, nowMs) {
      const { parked } = (await store.get(place.teamId)) ?? emptyBook;
      const untilMs = parked.find(({ questionId }) => questionId === id)?.untilMs;
      if (untilMs === undefined) return 0;
      const released = parked
        .filter((entry) => entry.untilMs <= Math.max(nowMs, untilMs))
        .toSorted((one, other) => one.sinceMs - other.sinceMs);
      const rank = released.findIndex(({ questionId }) => questionId === id);
      return Math.max(0, untilMs + rank * unparkEveryMs - nowMs);
    },
  };

  /** Changes the book and hands out the free slots. Returns the questions that got them. */
  async function changeAndGrant(teamId: string, change: (book: RunSlotBook) => RunSlotBook): Promise<string[]> {
    const runningBefore = new Set<string>();
    const book = await update(teamId, (current = emptyBook) => {
      runningBefore.clear();
      for (const { questionId } of current.running) runningBefore.add(questionId);
      return grant(change(current), limits);
    });
    return book.running.map(({ questionId }) => questionId).filter((questionId) => !runningBefore.has(questionId));
  }
}

const emptyBook: RunSlotBook = { version: 1, running: [], waiting: [], parked: [] };

function enqueue(book: RunSlotBook, entry: RunSlotBook['waiting'][number]): RunSlotBook {
  const isKnown = ({ questionId }: SlotEntry): boolean => questionId === entry.questionId;
  if (book.running.some(isKnown) || book.waiting.some(isKnown)) return book;
  const waiting = [...book.waiting, entry].toSorted((one, other) => one.sinceMs - other.sinceMs);
  const parked = book.parked.filter(({ questionId }) => questionId !== entry.questionId);
  return { ...book, waiting, parked };
}

function withoutQuestion(book: RunSlotBook, id: string): RunSlotBook {
  const others = ({ questionId }: { questionId: string }): boolean => questionId !== id;
  if ([book.running, book.waiting, book.parked].every((entries) => entries.every(others))) return book;
  return {
    ...book,
    running: book.running.filter(others),
    waiting: book.waiting.filter(others),
    parked: book.parked.filter(others),
  };
}

/** Gives the free slots to waiting questions, one by one. */
function grant(book: RunSlotBook, limits: SlotLimits): RunSlotBook {
  let current = book;
  while (current.running.length < limits.perWorkspace) {
    const next = inOrder(current).find(({ userId }) => runningOf(current, userId) < limits.perPerson);
    if (next === undefined) break;
    const { questionId, userId } = next;
    current = {
      ...current,
      running: [...current.running, { questionId, userId }],
      waiting: current.waiting.filter((entry) => entry.questionId !== questionId),
    };
  }
  return current;
}

function isRunning(book: RunSlotBook, id: string): boolean {
  return book.running.some(({ questionId }) => questionId === id);
}

/** How many waiting questions run before this one. -1 if it does not wait. */
function positionOf(book: RunSlotBook, id: string): number {
  return inOrder(book).findIndex(({ questionId }) => questionId === id);
}

/**
 * The waiting questions in the order they will run. A person's n-th question comes after n - 1 of every other person.
 */
function inOrder(book: RunSlotBook): RunSlotBook['waiting'] {
  const runningBefore = new Map<string, number>();
  for (const { userId } of book.running) runningBefore.set(userId, (runningBefore.get(userId) ?? 0) + 1);
  return book.waiting
    .map((entry) => {
      const round = runningBefore.get(entry.userId) ?? 0;
      runningBefore.set(entry.userId, round + 1);
      return { entry, round };
    })
    .toSorted((one, other) => one.round - other.round || one.entry.sinceMs - other.entry.sinceMs)
    .map(({ entry }) => entry);
}

function runningOf(book: RunSlotBook, userId: string): number {
  return book.running.filter((entry) => entry.userId === userId).length;
}
