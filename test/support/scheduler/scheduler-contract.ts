import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scheduler } from '../../../src/core/ports.ts';
import type { CountedScheduler } from '../../../src/scheduler/counted-scheduler.ts';
import { eventually } from '../eventually.ts';

/** So far away that a run scheduled for then does not happen during a test. */
const FAR_MS = 60_000;

export interface SchedulerUnderTest {
  scheduler: CountedScheduler;
  /** Number of failures in the log so far. */
  failures(): number;
  close(): Promise<void>;
}

/** The contract of every `Scheduler`. `create` returns a new one, with at most `concurrency` runs at once. */
export function schedulerContract(
  name: string,
  create: (options: { concurrency: number }) => Promise<SchedulerUnderTest>,
): void {
  describe(name, () => {
    let subject: SchedulerUnderTest;
    let scheduler: CountedScheduler;

    beforeEach(async () => {
      subject = await create({ concurrency: 3 });
      scheduler = subject.scheduler;
    });

    afterEach(async () => {
      await scheduler.stop(1_000);
      await subject.close();
    });

    it('runs a question when asked to, and again after the delay that the run returned', async () => {
      const seen: string[] = [];
      await scheduler.start(async (id) => {
        seen.push(id);
        return seen.length < 3 ? 5 : undefined;
      });
      await scheduler.schedule('qa', 0);
      await eventually(() => expect(seen).toEqual(['qa', 'qa', 'qa']));
    });

    it('runs a new question when asked to, also twice at the same moment', async () => {
      const seen: string[] = [];
      await scheduler.start(async (id) => void seen.push(id));
      await Promise.all([scheduler.schedule('qa', 0, { isNew: true }), scheduler.schedule('qa', 0)]);
      await eventually(() => expect(seen).toContain('qa'));
      await eventually(async () => expect(await scheduler.unscheduled(['qa'])).toEqual(['qa']));
      await scheduler.schedule('qa', 0, { isNew: true });
      await eventually(() => expect(seen.length).toBeGreaterThan(1));
    });

    it('waits for the delay of a request', async () => {
      const startedMs = performance.now();
      const passedMs: number[] = [];
      await scheduler.start(async () => {
        passedMs.push(performance.now() - startedMs);
        return undefined;
      });
      await scheduler.schedule('qa', 150);
      await eventually(() => expect(passedMs).toHaveLength(1));
      expect(passedMs[0]).toBeGreaterThan(140);
    });

    it('drops a question whose run says that it is closed, until asked again', async () => {
      const seen: string[] = [];
      await scheduler.start(async (id) => {
        seen.push(id);
        return undefined;
      });
      await scheduler.schedule('qa', 0);
      await eventually(() => expect(seen).toEqual(['qa']));
      await scheduler.schedule('qb', 50);
      await eventually(() => expect(seen).toEqual(['qa', 'qb']));
      await scheduler.schedule('qa', 0);
      await eventually(() => expect(seen).toEqual(['qa', 'qb', 'qa']));
    });

    it('keeps what was requested before the start', async () => {
      const seen = new Set<string>();
      await scheduler.schedule('qa', 0);
      await scheduler.schedule('qb', 20);
      await scheduler.start(async (id) => {
        seen.add(id);
        return undefined;
      });
      await eventually(() => expect([...seen].sort()).toEqual(['qa', 'qb']));
    });

    it('moves a planned run to an earlier time', async () => {
      const seen: string[] = [];
      await scheduler.start(async (id) => {
        seen.push(id);
        return undefined;
      });
      await scheduler.schedule('qa', FAR_MS);
      await scheduler.schedule('qa', 0);
      await eventually(() => expect(seen).toEqual(['qa']));
    });

    it('never postpones a planned run', async () => {
      const seen: string[] = [];
      await scheduler.start(async (id) => {
        seen.push(id);
        return undefined;
      });
      await scheduler.schedule('qa', 30);
      await scheduler.schedule('qa', FAR_MS);
      await eventually(() => expect(seen).toEqual(['qa']));
    });

    it('runs a question once more when asked during a run, even when that run closed the question', async () => {
      const first = gate();
      let count = 0;
      await scheduler.start(async () => {
        count += 1;
        if (count === 1) await first.opened;
        return undefined;
      });
      await scheduler.schedule('qa', 0);
      await eventually(() => expect(count).toBe(1));
      await scheduler.schedule('qa', 0);
      await scheduler.schedule('qa', 0);
      first.open();
      await eventually(() => expect(count).toBe(2));
    });

    it('never runs one question twice at the same time', async () => {
      let current = 0;
      let most = 0;
      let count = 0;
      await scheduler.start(async () => {
        count += 1;
        current += 1;
        most = Math.max(most, current);
        await new Promise((resolve) => setImmediate(resolve));
        current -= 1;
        return count < 50 ? 0 : undefined;
      });
      for (let index = 0; index < 50; index++) await scheduler.schedule('qa', index % 3);
      await eventually(() => expect(count).toBeGreaterThanOrEqual(50));
      expect(most).toBe(1);
    });

    it('runs a question after every request, however requests and runs coincide', async () => {
      await expectNothingLost([scheduler], 400);
    });

    it('runs no more questions at once than allowed, and none waits forever', async () => {
      let current = 0;
      let most = 0;
      const seen = new Map<string, number>();
      await scheduler.start(async (id) => {
        current += 1;
        most = Math.max(most, current);
        seen.set(id, (seen.get(id) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        current -= 1;
        return (seen.get(id) ?? 0) < 5 ? 0 : undefined;
      });
      const ids = Array.from({ length: 30 }, (_, index) => `q${index}`);
      await Promise.all(ids.map((id) => scheduler.schedule(id, 0)));
      await eventually(() => expect(ids.map((id) => seen.get(id))).toEqual(ids.map(() => 5)));
      expect(most).toBeLessThanOrEqual(3);
    });

    it('repeats a run that throws, and logs each failure once', async () => {
      let count = 0;
      await scheduler.start(async () => {
        count += 1;
        if (count === 1) throw new Error('a failure of the test');
        return undefined;
      });
      await scheduler.schedule('qa', 0);
      await eventually(() => expect(count).toBe(2));
      expect(subject.failures()).toBe(1);
    });

    it('runs the others while one keeps failing, and the failing one whenever asked', async () => {
      const seen: string[] = [];
      await scheduler.start(async (id) => {
        if (id === 'bad' && subject.failures() < 6) throw new Error('a failure of the test');
        seen.push(id);
        return undefined;
      });
      // Without `schedule`, these six failures would back off for more than 15 s.
      for (let failures = 1; failures <= 6; failures++) {
        await scheduler.schedule('bad', 0);
        await eventually(() => expect(subject.failures()).toBe(failures));
      }
      await scheduler.schedule('good', 0);
      await eventually(() => expect(seen).toEqual(['good']));
      await scheduler.schedule('bad', 0);
      await eventually(() => expect(seen).toEqual(['good', 'bad']));
    });

    it('stops in order: starts nothing new and waits for the present runs', async () => {
      const running = gate();
      const events: string[] = [];
      await scheduler.start(async (id) => {
        events.push(`${id} begins`);
        await running.opened;
        events.push(`${id} ends`);
        return 0;
      });
      await scheduler.schedule('qa', 0);
      await scheduler.schedule('qb', FAR_MS);
      await eventually(() => expect(events).toEqual(['qa begins']));
      const stopped = scheduler.stop(10_000).then(() => events.push('stopped'));
      running.open();
      await stopped;
      expect(events).toEqual(['qa begins', 'qa ends', 'stopped']);
    });

    it('counts the runs that are not due, those that wait for a place, and those in progress', async () => {
      const running = gate();
      await scheduler.start(async () => {
        await running.opened;
        return undefined;
      });
      for (const id of ['qa', 'qb', 'qc', 'qd', 'qe']) await scheduler.schedule(id, 0);
      await scheduler.schedule('qf', FAR_MS);
      await eventually(async () => {
        expect(await scheduler.counts()).toEqual({ active: 3, waiting: 2, delayed: 1 });
      });
      running.open();
      await eventually(async () => {
        expect(await scheduler.counts()).toEqual({ active: 0, waiting: 0, delayed: 1 });
      });
    });

    it('does not wait for a run longer than the deadline when it stops', async () => {
      const running = gate();
      let count = 0;
      let hasEnded = false;
      await scheduler.start(async () => {
        count += 1;
        await running.opened;
        hasEnded = true;
        return undefined;
      });
      await scheduler.schedule('qa', 0);
      await eventually(() => expect(count).toBe(1));
      await scheduler.stop(100);
      expect(hasEnded).toBe(false);
      running.open();
    });
  });
}

/**
 * Schedules runs at random moments. Runs have random lengths, and then schedule nothing or a run far away, so that a lost
 * request stays visible. Expects for each question a run that began after its last request. The `processes` must not
 * repair lost requests during the test.
 */
export async function expectNothingLost(processes: Scheduler[], requests: number): Promise<void> {
  let moment = 0;
  const lastAsked = new Map<string, number>();
  const lastAdvance = new Map<string, number>();
  const current = new Set<string>();
  let overlaps = 0;
  for (const scheduler of processes) {
    await scheduler.start(async (id) => {
      if (current.has(id)) overlaps += 1;
      current.add(id);
      lastAdvance.set(id, ++moment);
      if (Math.random() < 0.5) await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      current.delete(id);
      return Math.random() < 0.5 ? undefined : FAR_MS;
    });
  }
  const pick = <T>(from: T[]): T | undefined => from[Math.floor(Math.random() * from.length)];
  const ask = async () => {
    for (let index = 0; index < requests / 8; index++) {
      const id = `q${Math.floor(Math.random() * 4)}`;
      lastAsked.set(id, ++moment);
      await pick(processes)?.schedule(id, Math.random() < 0.5 ? 0 : Math.random() * 4);
      if (Math.random() < 0.3) await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  await eventually(() => {
    for (const [id, asked] of lastAsked) expect(lastAdvance.get(id)).toBeGreaterThan(asked);
  });
  expect(overlaps).toBe(0);
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
