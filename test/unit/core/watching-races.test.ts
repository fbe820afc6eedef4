import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/core/question/question.ts';
import { watchBackstopMs, watchTickMs } from '../../../src/core/settings.ts';
import { runs } from '../../support/runs.ts';
import { afterReading, createListedService, runningQuestion } from '../../support/watching/listed-service.ts';
import { paceMs, startWatching, type WatchingProcess } from '../../support/watching/watching-process.ts';

/** How often the simulation looks what is due. */
const stepMs = 250;
const processes = 2;
const questions = 12;
const lastsMs = 150_000;
/** When a run that died with its process is repeated by another one. */
const takeOverMs = 10_000;

type Trouble =
  /** A process dies, or stops as it is told, and another one starts. */
  | { kind: 'kill' | 'stop'; at: number; process: number }
  /** A process does nothing for a while, and then goes on. */
  | { kind: 'pause'; at: number; process: number; ms: number }
  /** The reply to a list arrives late, with what there was before. */
  | { kind: 'slowList'; at: number; ms: number }
  /** The next run ends after its read, before it stored anything. */
  | { kind: 'runDies'; at: number };

interface Plan {
  troubles: Trouble[];
  /** When which question changes, and when it ends. */
  changes: { at: number; question: number }[];
  ends: number[];
  /** How far the clock of the second process is ahead. */
  aheadMs: number;
  seed: number;
}

const momentMs = fc.integer({ min: 20_000, max: lastsMs - 2 * watchBackstopMs });
const processIndex = fc.integer({ min: 0, max: processes - 1 });
const someTrouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.record({ kind: fc.constantFrom('kill' as const, 'stop' as const), at: momentMs, process: processIndex }),
  fc.record({
    kind: fc.constant('pause' as const),
    at: momentMs,
    process: processIndex,
    ms: fc.integer({ min: 1_000, max: 40_000 }),
  }),
  fc.record({ kind: fc.constant('slowList' as const), at: momentMs, ms: fc.integer({ min: 500, max: 15_000 }) }),
  fc.record({ kind: fc.constant('runDies' as const), at: momentMs }),
);
const planWith = (troubles: fc.Arbitrary<Trouble[]>): fc.Arbitrary<Plan> =>
  fc.record({
    troubles,
    changes: fc.array(fc.record({ at: momentMs, question: fc.integer({ min: 1, max: questions }) }), { maxLength: 20 }),
    ends: fc.array(momentMs, { minLength: questions, maxLength: questions }),
    aheadMs: fc.constantFrom(-5_000, 0, 5_000),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  });

/**
 * Runs questions in processes that share one plan of runs until all have ended at the service. Returns how late the app saw each
 * end, the longest time for which no list and no read showed a running question, and the number of reads.
 */
async function simulate({ troubles, changes, ends, aheadMs, seed }: Plan) {
  const service = createListedService();
  const startMs = service.now();
  const ended = new Set<string>();
  const records = new Map<string, Question>();
  const dueMs = new Map<string, number>();
  const endedMs = new Map<string, number>();
  const delaysMs = new Map<string, number>();
  const replies: { atMs: number; reply: () => void }[] = [];
  const pausedUntilMs = [0, 0];
  let diesNext = false;
  let random = seed;
  let longestUnseenMs = 0;
  let lastMs = 0;
  let nextTickMs = watchTickMs;

  const pick = (count: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % count;
  };
  const wake = (id: string, atMs: number) => dueMs.set(id, Math.min(atMs, dueMs.get(id) ?? atMs));
  const start = (index: number): WatchingProcess => {
    const now = () => service.now() + index * aheadMs;
    const schedule = (id: string): void => void (ended.has(id) || wake(id, service.now()));
    return startWatching({ ...service, now }, { schedule });
  };
  const living = Array.from({ length: processes }, (_, index) => start(index));

  for (let id = 1; id <= questions; id += 1) {
    const question = runningQuestion(id);
    records.set(question.id, { ...question, upstream: { ...question.upstream, askedMs: startMs } });
    service.change(id);
    wake(question.id, startMs);
  }

  while (service.now() - startMs < lastsMs) {
    service.pass(stepMs);
    const elapsedMs = service.now() - startMs;
    const isDue = (atMs: number): boolean => atMs > lastMs && atMs <= elapsedMs;
    for (const { question } of changes.filter(({ at }) => isDue(at))) {
      if (!endedMs.has(`q${question}`)) service.change(question);
    }
    for (const [index, at] of ends.entries()) {
      if (!isDue(at)) continue;
      service.change(index + 1, 'completed');
      endedMs.set(`q${index + 1}`, service.now());
    }
    for (const trouble of troubles.filter(({ at }) => isDue(at))) begin(trouble);
    for (const each of replies.splice(0)) {
      if (each.atMs <= service.now()) each.reply();
      else replies.push(each);
    }
    // A list may be slow, so the others do not wait for it.
    if (isDue(nextTickMs)) {
      nextTickMs += watchTickMs;
      for (const { watching } of awake()) void watching.tick();
    }
    lastMs = elapsedMs;
    await settled();
    for (const [id, atMs] of [...dueMs]) if (atMs <= service.now()) await run(id);
    for (const id of records.keys()) {
      const shownMs = service.shownMs(Number(id.slice(1))) ?? startMs;
      longestUnseenMs = Math.max(longestUnseenMs, service.now() - shownMs);
    }
  }
  for (const { reply } of replies) reply();
  await settled();
  const reads = service.taken().filter((call) => call.startsWith('read')).length;
  return { delaysMs: [...delaysMs.values()], lost: [...records.keys()], longestUnseenMs, reads };

  function awake(): WatchingProcess[] {
    return living.filter((_, index) => (pausedUntilMs[index] ?? 0) <= service.now());
  }

  function begin(trouble: Trouble): void {
    switch (trouble.kind) {
      case 'stop':
        void living[trouble.process]?.watching.stop();
        living[trouble.process] = start(trouble.process);
        break;
      case 'kill':
        living[trouble.process] = start(trouble.process);
        break;
      case 'pause':
        pausedUntilMs[trouble.process] = service.now() + trouble.ms;
        break;
      case 'slowList': {
        const atMs = service.now() + trouble.ms;
        void service.holdNextList(new Promise((reply) => replies.push({ atMs, reply })));
        break;
      }
      case 'runDies':
        diesNext = true;
        break;
    }
  }

  async function run(id: string): Promise<void> {
    const question = records.get(id);
    const able = awake();
    const process = able[pick(Math.max(1, able.length))];
    if (process === undefined) return;
    dueMs.delete(id);
    if (question === undefined) return;
    const conversation = await process.watching.read(question);
    if (diesNext) {
      diesNext = false;
      wake(id, service.now() + takeOverMs);
      return;
    }
    if (conversation?.questions[0]?.state === 'completed') {
      delaysMs.set(id, service.now() - (endedMs.get(id) ?? Number.NaN));
      records.delete(id);
      ended.add(id);
      process.watching.leave(question);
      return;
    }
    const seen = afterReading(question, conversation);
    records.set(id, seen);
    wake(id, service.now() + process.watching.goesOn(seen, paceMs));
  }
}

/** Until everything in memory that can go on has gone on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('two processes that watch the same questions', () => {
  it('see every end within three seconds, and show every question again and again, while nothing fails', async () => {
    await fc.assert(
      fc.asyncProperty(planWith(fc.constant([])), async (plan) => {
        const { delaysMs, lost, longestUnseenMs, reads } = await simulate(plan);
        expect(lost).toEqual([]);
        expect(delaysMs).toHaveLength(questions);
        expect(Math.max(...delaysMs)).toBeLessThanOrEqual(3_000);
        // One for each before the first list. After it hardly one, until so few are left that each is read by itself; all
        // of them by themselves would be 900.
        expect(reads).toBeLessThanOrEqual(3 * questions);
        expect(longestUnseenMs).toBeLessThanOrEqual(2 * watchBackstopMs);
      }),
      runs(15),
    );
  });

  it.each<['kill' | 'stop', string, number]>([
    ['kill', 'died, by the ordinary runs of its questions', watchBackstopMs + 5_000],
    ['stop', 'stopped', 5_000],
  ])('see every end after one of them (%s) %s', async (kind, _, mostMs) => {
    const troubles = [0, 1].map((process): Trouble => ({ kind, at: 60_000 + process * 20_000, process }));
    await fc.assert(
      fc.asyncProperty(planWith(fc.constant(troubles)), async (plan) => {
        const { delaysMs, lost, longestUnseenMs } = await simulate(plan);
        expect(lost).toEqual([]);
        expect(Math.max(...delaysMs)).toBeLessThanOrEqual(mostMs);
        expect(longestUnseenMs).toBeLessThanOrEqual(2 * watchBackstopMs);
      }),
      runs(15),
    );
  });

  it('lose no question, whatever dies, stops, stands still or is late, with clocks that differ', async () => {
    await fc.assert(
      fc.asyncProperty(planWith(fc.array(someTrouble, { maxLength: 8 })), async (plan) => {
        const { delaysMs, lost } = await simulate(plan);
        expect(lost).toEqual([]);
        expect(Math.max(...delaysMs)).toBeLessThanOrEqual(2 * watchBackstopMs);
        // Never before it ended.
        expect(Math.min(...delaysMs)).toBeGreaterThanOrEqual(0);
      }),
      runs(60),
    );
  });
});
