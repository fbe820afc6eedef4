import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBackgroundTasks, createReconciler } from '../../../src/slack/background-tasks.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const failure = { event: 'task_failed' };

function begin() {
  return createBackgroundTasks({ log: createRecordingLog().log });
}

/** Work that ends when the test ends it. */
function openWork() {
  const ends: (() => void)[] = [];
  const work = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  return { work, ends };
}

describe('background tasks', () => {
  it('resolve when their work ends, also when it fails or throws at once', async () => {
    const tasks = begin();
    await expect(tasks.run(failure, async () => 'done')).resolves.toBeUndefined();
    await expect(tasks.run(failure, () => Promise.reject(new Error('rejected')))).resolves.toBeUndefined();
    const throwing = (): Promise<void> => {
      throw new Error('thrown');
    };
    await expect(tasks.run(failure, throwing)).resolves.toBeUndefined();
  });

  it('are waited for when the app stops, with the tasks that they start', async () => {
    const tasks = begin();
    const { work, ends } = openWork();
    void tasks.run(failure, async () => {
      await work();
      void tasks.run(failure, work);
    });
    let drained = false;
    const draining = tasks.drain(2_000).then(() => {
      drained = true;
    });
    expect(tasks.isStopping()).toBe(true);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([drained, ends.length]).toEqual([false, 2]);
    ends[1]?.();
    await draining;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are not waited for longer than the deadline', async () => {
    const tasks = begin();
    void tasks.run(failure, openWork().work);
    const draining = tasks.drain(2_000);
    await vi.advanceTimersByTimeAsync(2_000);
    await draining;
  });

  it('are not started beyond a limit, and again once one has ended', async () => {
    const tasks = begin();
    const limited = tasks.limitedTo(2);
    const { work, ends } = openWork();
    const first = limited.run(failure, work);
    void limited.run(failure, work);
    expect(limited.run(failure, work)).toBeUndefined();
    expect(ends).toHaveLength(2);
    void tasks.run(failure, work);
    expect(ends).toHaveLength(3);
    ends[0]?.();
    await first;
    expect(limited.run(failure, work)).toBeDefined();
    expect(ends).toHaveLength(4);
  });
});

function reconcile(run: (key: string) => Promise<number | undefined>) {
  const { log, lines } = createRecordingLog();
  return { lines, reconciler: createReconciler({ run, soonMs: () => 1_000, failure: { event: 'not_shown' }, log }) };
}

it('a key runs once at a time, and once more for all that is wanted meanwhile; other keys run beside it', async () => {
  const runs: string[] = [];
  const { reconciler } = reconcile(async (key) => {
    runs.push(`${key} begins`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    runs.push(`${key} ends`);
    return undefined;
  });
  for (let times = 0; times < 5; times += 1) void reconciler.want('a');
  void reconciler.want('b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toEqual(['a begins', 'b begins', 'a ends', 'a begins', 'b ends', 'a ends']);
  expect(reconciler.isIdle('a')).toBe(true);
});

it('what is wanted in the moment in which a run ends is not lost', async () => {
  let wanted = 0;
  let shown = 0;
  const { reconciler } = reconcile(async () => {
    shown = wanted;
    return undefined;
  });
  for (wanted = 1; wanted < 50; wanted += 1) {
    void reconciler.want('a');
    for (let ticks = 0; ticks < wanted % 7; ticks += 1) await Promise.resolve();
  }
  wanted = 50;
  await reconciler.want('a');
  expect(shown).toBe(50);
});

it('waits as long as the run said, or less if something is wanted now; after a stop nothing runs', async () => {
  let runs = 0;
  const { reconciler, lines } = reconcile(async () => {
    runs += 1;
    if (runs === 2) throw new Error('broken');
    return 60_000;
  });
  void reconciler.want('a', 'soon');
  void reconciler.want('a', 'soon');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(1);
  await reconciler.want('a');
  expect([runs, lines]).toEqual([2, [{ event: 'not_shown' }]]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(runs).toBe(2);
  void reconciler.want('a');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(4);
  reconciler.stop();
  await reconciler.want('a');
  await vi.advanceTimersByTimeAsync(120_000);
  expect(runs).toBe(4);
});
