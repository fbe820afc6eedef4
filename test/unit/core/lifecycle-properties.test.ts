import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import type { SlotLimits } from '../../../src/core/run-slots.ts';
import { createRequests, failing } from '../../support/lifecycle/core-harness.ts';
import { scriptedFaults } from '../../support/lifecycle/faults.ts';
import {
  type ChooseFault,
  createInMemoryLifecycle,
  type InMemoryLifecycle,
  type Work,
} from '../../support/lifecycle/in-memory-lifecycle.ts';
import { runs } from '../../support/runs.ts';

interface Arrival {
  atMs: number;
  /** 0 is a command. Other numbers are threads. */
  thread: number;
  work: Work;
  /** How often Slack delivers it, and the time from the first delivery to the last. */
  deliveries: number;
  spreadMs: number;
  cancelAfterMs: number | undefined;
  fresh: boolean;
  /** Whether the person may not ask, and whether the question is about the messages of the thread. */
  guest: boolean;
  reads: boolean;
}

const work: fc.Arbitrary<Work> = fc.record({
  takesMs: fc.integer({ min: 0, max: 40_000 }),
  ends: fc.constantFrom('completed', 'completed', 'completed', 'failed', 'tooLong', 'limited'),
  resetsInMs: fc.integer({ min: 1, max: 200_000 }),
  isPartial: fc.boolean(),
  parts: fc.integer({ min: 1, max: 5 }),
});

const arrival: fc.Arbitrary<Arrival> = fc.record({
  atMs: fc.integer({ min: 0, max: 60_000 }),
  thread: fc.integer({ min: 0, max: 2 }),
  work,
  deliveries: fc.integer({ min: 1, max: 3 }),
  spreadMs: fc.integer({ min: 0, max: 90_000 }),
  cancelAfterMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined, freq: 2 }),
  fresh: fc.boolean(),
  guest: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  reads: fc.boolean(),
});

const arrivals = fc.array(arrival, { minLength: 1, maxLength: 5 });
/** Questions that mostly run at the same time, so that they are watched together. */
const manyAtOnce = fc.array(
  arrival.map((one) => ({ ...one, thread: one.thread === 2 ? 2 : 0, atMs: one.atMs % 5_000 })),
  { minLength: 6, maxLength: 9 },
);
const script = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(40) }), {
  maxLength: 120,
});

/** When the service stops to tell ids, and when it tells them again. */
const changes = fc.array(
  fc.record({ atMs: fc.integer({ min: 0, max: 120_000 }), tells: fc.boolean(), restarts: fc.boolean() }),
  { maxLength: 4 },
);
type Changes = { atMs: number; tells: boolean; restarts: boolean }[];

/** How long Slack's limits leave no room for each card that is about to be posted, in half seconds. 0: there is room. */
const rooms = fc.array(fc.oneof(fc.constant(0), fc.nat(60)), { maxLength: 20 });

const textOf = (index: number): string => `question ${index}`;
const isAbout = (text: string, index: number): boolean =>
  text === textOf(index) || text.startsWith(`${textOf(index)}\n`);
interface Circumstances {
  permanent: boolean;
  sameText: boolean;
  turns?: Changes;
  slotLimits?: SlotLimits | undefined;
  room?: number[];
}

const answers: Circumstances = { permanent: false, sameText: false };

/** Plays arrivals with a script of faults until nothing is left to happen. */
async function play(
  arriving: Arrival[],
  faults: number[],
  { permanent, sameText, turns = [], slotLimits, room = [] } = answers,
) {
  const { chooseFault: chooseScripted, log } = scriptedFaults(faults, { permanent });
  const roomLeft = [...room];
  const chooseFault: ChooseFault = (operation) => {
    const waits = operation === 'postCard' ? (roomLeft.shift() ?? 0) : 0;
    if (waits === 0) return chooseScripted(operation);
    log.push(`no room for a card for ${waits * 500} ms`);
    return failing('rateLimited', { retryAfterMs: waits * 500, isHeldBack: true });
  };
  const life = createInMemoryLifecycle({
    chooseFault,
    ...(slotLimits === undefined ? {} : { slotLimits }),
    settings: {
      threadLimit: 100,
      // Longer than all faults of a script. Other tests check what happens when patience ends.
      patienceMs: 86_400_000,
    },
    work: (text, attempt) => {
      const own = arriving[Number.parseInt(text.split(' ')[1] ?? '', 10)]?.work ?? {
        takesMs: 2_000,
        ends: 'completed',
      };
      return attempt > 1 && own.ends === 'limited' ? { ...own, ends: 'completed' } : own;
    },
  });
  const accept = createRequests(life.ports).accept;
  arriving.forEach(({ guest }, index) => {
    if (guest) life.refusedUsers.add(`U${index}`);
  });
  const requests = createRequests(life.ports);
  const accepted = new Map<number, string>();
  for (const { atMs, tells, restarts } of turns) {
    life.at(atMs, () => {
      life.tellIds(tells);
      if (restarts) life.restart();
    });
  }

  arriving.forEach((item, index) => {
    const channelId = item.thread === 0 ? `C${index}` : 'C9';
    const deliver = async (): Promise<void> => {
      try {
        const result = await accept({
          key: `message ${index}`,
          place: {
            teamId: 'T1',
            channelId,
            ...(item.thread === 0 ? {} : { threadTs: `1700000000.00000${item.thread}` }),
          },
          askerId: `U${index}`,
          text: sameText ? 'question same' : textOf(index),
          origin: item.thread === 0 ? 'command' : item.reads ? 'mention' : 'reply',
          beginsThread: item.thread === 0,
          fresh: item.fresh,
        });
        if (result.kind === 'accepted' || result.kind === 'duplicate') accepted.set(index, result.question.id);
        else life.violations.push(`accept said ${result.kind}`);
      } catch {
        life.at(life.now() - life.startMs + 1_000, deliver);
      }
    };
    for (let copy = 0; copy < item.deliveries; copy += 1) {
      life.at(item.atMs + (item.spreadMs * copy) / Math.max(1, item.deliveries - 1), deliver);
    }
    const { cancelAfterMs } = item;
    if (cancelAfterMs === undefined) return;
    const cancel = async (): Promise<void> => {
      const id = accepted.get(index);
      if (id === undefined) return;
      try {
        await requests.cancelQuestion(id, { userId: 'U9', teamId: 'T1', channelId });
      } catch {
        life.at(life.now() - life.startMs + 1_000, cancel);
      }
    };
    life.at(item.atMs + cancelAfterMs, cancel);
  });
  await life.run();
  return { life, accepted, log };
}

function expectVisibleEnd(life: InMemoryLifecycle, question: Question): void {
  const cards = life.messagesOf(question, 'card');
  const parts = life.messagesOf(question, 'part');
  const told = life.privateMessages.some(({ questionId }) => questionId === question.id);
  expect(question.phase).toBe('closed');
  expect(cards.length).toBeLessThanOrEqual(1);
  const expectedParts = question.outcome?.kind === 'answered' ? parts.length : Math.min(parts.length, 1);
  expect(parts.length).toBe(expectedParts);
  // Each part is posted once, in order, in the thread.
  expect(parts.map(({ marker }) => marker)).toEqual(parts.map((_, part) => `part 0.${part}`));
  expect(question.delivery.posted).toEqual(parts.map(({ ts }) => ts));
  expect(parts.every(({ threadTs }) => threadTs === question.place.threadTs)).toBe(true);
  const cardSaysIt = cards.some(({ view }) => view?.kind === 'cancelled');
  expect(parts.length > 0 || told || cardSaysIt).toBe(true);
  const views: string[] = ['answered', 'failed', 'cancelled', 'gaveUp'];
  const known = cards.filter(({ ts }) => ts === question.card.ts);
  if (question.card.gone !== true) expect(known.every(({ view }) => views.includes(view?.kind ?? ''))).toBe(true);
}

/** Expects one file for an answer of more than three messages, before the last one, unless Slack refused the file. */
function expectFile(life: InMemoryLifecycle, question: Question): void {
  const files = life.messagesOf(question, 'file');
  const parts = life.messagesOf(question, 'part');
  const isDue = parts.length > 3;
  expect(question.delivery.file !== undefined).toBe(isDue);
  expect(files.length).toBeLessThanOrEqual(isDue ? 1 : 0);
  if (question.delivery.file?.state === 'attached') expect(files.length).toBe(1);
  const last = life.posted.findIndex(({ ts }) => ts === parts.at(-1)?.ts);
  for (const file of files) expect(life.posted.indexOf(file)).toBeLessThan(last);
}

function expectAtRest(life: InMemoryLifecycle): void {
  expect(life.violations).toEqual([]);
  expect(life.openIds()).toEqual([]);
  expect(life.threads().flatMap(({ queue }) => queue)).toEqual([]);
  expect(life.runSlotBooks().flatMap(({ running, waiting, parked }) => [...running, ...waiting, ...parked])).toEqual(
    [],
  );
}

describe('a question, with any failures and crashes that pass,', () => {
  it.each([
    ['a few others', arrivals, undefined],
    ['many others that run', manyAtOnce, { perWorkspace: 20, perPerson: 20 }],
  ])('is asked once, answered once, and ends visibly, beside %s', async (_, arrivingThere, slotLimits) => {
    await fc.assert(
      fc.asyncProperty(arrivingThere, script, changes, rooms, async (arriving, faults, turns, room) => {
        const { life, accepted, log } = await play(arriving, faults, { ...answers, turns, slotLimits, room });
        try {
          expectAtRest(life);
          expect(accepted.size).toBe(arriving.length);
          for (const [index, id] of accepted) {
            const question = life.question(id);
            expectVisibleEnd(life, question);
            const asked = life.upstream().filter(({ text }) => isAbout(text, index));
            const limited = asked.filter(
              ({ error, answer }) => error?.cause === 'limited' && answer === undefined,
            ).length;
            if (arriving[index]?.guest === true && question.outcome?.kind !== 'cancelled') {
              expect(question.outcome).toEqual({ kind: 'notAllowed', reason: 'guest' });
              expect(asked).toEqual([]);
              expect(life.posted.filter(({ questionId }) => questionId === id)).toEqual([]);
              continue;
            }
            // Only a card that had no room in time is missing. The thread of a command is its card.
            const isMissing = question.card.ts === undefined && arriving[index]?.thread !== 0;
            expect(life.messagesOf(question, 'card').length).toBe(isMissing ? 0 : 1);
            switch (question.outcome?.kind) {
              case 'answered':
                expect(asked.length).toBe(1 + limited);
                expect(life.messagesOf(question, 'part').length).toBe(arriving[index]?.work.parts);
                expectFile(life, question);
                break;
              case 'failed':
                expect(question.outcome.failure.cause).toBeOneOf(['service', 'tooLong', 'limited']);
                expect(asked.length).toBe(Math.max(1, limited));
                break;
              default:
                expect(question.outcome?.kind).toBe('cancelled');
                expect(question.cancel).toBeDefined();
                expect(asked.length).toBeLessThanOrEqual(1 + limited);
                // The service does not work on a cancelled question.
                expect(asked.every(({ state }) => state !== 'processing')).toBe(true);
            }
          }
        } catch (error) {
          throw new Error(`after ${log.join('; ')}`, { cause: error });
        }
      }),
      runs(50),
    );
  });

  it('is asked once for each of several questions with the same text', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, script, changes, rooms, async (arriving, faults, turns, room) => {
        const calm = arriving.map((item) => ({ ...item, cancelAfterMs: undefined, guest: false }));
        const { life, accepted, log } = await play(calm, faults, { permanent: false, sameText: true, turns, room });
        try {
          expectAtRest(life);
          for (const id of accepted.values()) {
            expectVisibleEnd(life, life.question(id));
            expect(life.question(id).outcome?.kind).toBe('answered');
          }
          expect(life.upstream().length).toBe(calm.length);
          const bound = [...accepted.values()].map((id) => {
            const { conversationId, ordinal } = life.question(id).upstream;
            return `${conversationId}#${ordinal}`;
          });
          expect(new Set(bound).size).toBe(calm.length);
        } catch (error) {
          throw new Error(`after ${log.join('; ')}`, { cause: error });
        }
      }),
      runs(30),
    );
  });
});

describe('a question, also with failures that last,', () => {
  it('ends visibly, and is never asked or answered twice', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, script, changes, rooms, async (arriving, faults, turns, room) => {
        const { life, accepted, log } = await play(arriving, faults, { permanent: true, sameText: false, turns, room });
        try {
          // When a question is given up, the service may still work on it while the next one is asked.
          expect(life.violations.filter((what) => !what.startsWith('two questions of conversation'))).toEqual([]);
          expect(life.openIds()).toEqual([]);
          expect(accepted.size).toBe(arriving.length);
          for (const [index, id] of accepted) {
            const question = life.question(id);
            expectVisibleEnd(life, question);
            const asked = life.upstream().filter(({ text }) => isAbout(text, index));
            const limited = asked.filter(
              ({ error, answer }) => error?.cause === 'limited' && answer === undefined,
            ).length;
            expect(asked.length).toBeLessThanOrEqual(1 + limited);
          }
        } catch (error) {
          throw new Error(`after ${log.join('; ')}`, { cause: error });
        }
      }),
      runs(50),
    );
  });
});
