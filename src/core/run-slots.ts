import type { Question } from './question/question.ts';

/** Most questions of one workspace, and of one person in it, that may be at the service at a time. */
export interface SlotLimits {
  perWorkspace: number;
  perPerson: number;
}

/** Who runs, who waits (in order of arrival) and who is parked until when in one workspace. */
export interface RunSlotBook {
  version: 1;
  running: SlotEntry[];
  waiting: (SlotEntry & { sinceMs: number })[];
  parked: { questionId: string; sinceMs: number; untilMs: number }[];
}

export interface SlotEntry {
  questionId: string;
  userId: string;
}

/** Stored books of turns, one per workspace. Errors as of the other stores. */
export interface RunSlotStore {
  /** Atomic read-modify-write; `change` is pure and may run more than once. Returning the same object stores nothing. */
  update(teamId: string, change: (current: RunSlotBook | undefined) => RunSlotBook): Promise<RunSlotBook>;
}

/** `ahead` counts the questions that come before this one, the running ones not included. */
export type Slot = { granted: true } | { granted: false; ahead: number };

export interface RunSlots {
  /** Lines the question up and says whether it may run now. Asking again is harmless and never costs the place. */
  takeSlot(question: Question): Promise<Slot>;
  /** Gives back the turn or the place in line; returns the questions whose turn has come. Harmless when there is none. */
  release(question: Question): Promise<string[]>;
  /** Gives back the turn until a limit of the service is over; returns the questions whose turn has come. */
  park(question: Question, untilMs: number): Promise<string[]>;
  /** How long a parked question has to wait from `nowMs` on: after a limit is over the oldest go first, one by one. */
  parkedForMs(question: Question, nowMs: number): Promise<number>;
}

/** Time between two questions that go on after having been parked until the same moment, in milliseconds. */
export const unparkEveryMs = 2_000;

/**
 * Hands out turns so that nobody's flood starves the others: among those who wait, the person with the fewest running
 * questions is next, and among a person's questions the oldest.
 */
export function createRunSlots(store: RunSlotStore, limits: SlotLimits): RunSlots {
  return {
    async takeSlot({ id, place, askerId, acceptedMs }) {
      const entry = { questionId: id, userId: askerId, sinceMs: acceptedMs };
      const book = await store.update(place.teamId, (current = emptyBook) => grant(enqueue(current, entry), limits));
      const ahead = inOrder(book).findIndex(({ questionId }) => questionId === id);
      return ahead < 0 ? { granted: true } : { granted: false, ahead };
    },
    release: ({ id, place }) => handOn(place.teamId, (book) => strike(book, id)),

    park: ({ id, place, acceptedMs: sinceMs }, untilMs) =>
      handOn(place.teamId, (book) => {
        const others = strike(book, id);
        return { ...others, parked: [...others.parked, { questionId: id, sinceMs, untilMs }] };
      }),

    async parkedForMs({ id, place }, nowMs) {
      const { parked } = await store.update(place.teamId, (current = emptyBook) => current);
      const untilMs = parked.find(({ questionId }) => questionId === id)?.untilMs;
      if (untilMs === undefined) return 0;
      const released = parked
        .filter((entry) => entry.untilMs <= Math.max(nowMs, untilMs))
        .toSorted((one, other) => one.sinceMs - other.sinceMs);
      const rank = released.findIndex(({ questionId }) => questionId === id);
      return Math.max(0, untilMs + rank * unparkEveryMs - nowMs);
    },
  };

  /** Changes the book, fills the places that became free, and tells who got them. */
  async function handOn(teamId: string, change: (book: RunSlotBook) => RunSlotBook): Promise<string[]> {
    const held = new Set<string>();
    const book = await store.update(teamId, (current = emptyBook) => {
      held.clear();
      for (const { questionId } of current.running) held.add(questionId);
      return grant(change(current), limits);
    });
    return book.running.map(({ questionId }) => questionId).filter((questionId) => !held.has(questionId));
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

function strike(book: RunSlotBook, id: string): RunSlotBook {
  const others = ({ questionId }: { questionId: string }): boolean => questionId !== id;
  return {
    ...book,
    running: book.running.filter(others),
    waiting: book.waiting.filter(others),
    parked: book.parked.filter(others),
  };
}

/** Gives free turns to those who wait, one by one. */
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

/** The waiting entries in the order in which they are going to run: a person's n-th after everybody's first n - 1. */
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
