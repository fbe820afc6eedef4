import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createReconciler } from '../../../src/slack/reconciler.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
