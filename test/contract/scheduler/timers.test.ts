import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTimerScheduler } from '../../../src/scheduler/timers.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { schedulerContract } from '../../support/scheduler/scheduler-contract.ts';

const DAY_MS = 24 * 60 * 60_000;

schedulerContract('embedded timers', async ({ concurrency }) => {
  const { log, lines } = createRecordingLog();
  const scheduler = createTimerScheduler({ log, random: Math.random, concurrency });
  return { scheduler, failures: () => lines.filter(({ outcome }) => outcome === 'failed').length, async close() {} };
});

describe('embedded timers over long times', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('run after 60 days, which is too long for one timer of Node', async () => {
    vi.useFakeTimers();
    const scheduler = createTimerScheduler({ log: createRecordingLog().log, random: Math.random });
    const advance = vi.fn(async () => undefined);
    await scheduler.start(advance);
    await scheduler.schedule('qa', 60 * DAY_MS);
    await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1);
    expect(advance).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(advance).toHaveBeenCalledOnce();
    await scheduler.stop(0);
  });

  it('come forward for a request that is due now, also after the time of day jumped ahead', async () => {
    vi.useFakeTimers();
    const scheduler = createTimerScheduler({ log: createRecordingLog().log, random: Math.random });
    const advance = vi.fn(async () => undefined);
    await scheduler.start(advance);
    await scheduler.schedule('qa', DAY_MS);
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    await scheduler.schedule('qa', 0);
    await vi.advanceTimersByTimeAsync(1);
    expect(advance).toHaveBeenCalledOnce();
    await scheduler.stop(0);
  });

  it('wait from one second to half a minute while a run keeps failing', async () => {
    vi.useFakeTimers();
    const scheduler = createTimerScheduler({ log: createRecordingLog().log, random: () => 0.999999 });
    const timesMs: number[] = [];
    await scheduler.start(async () => {
      timesMs.push(Date.now());
      throw new Error('a failure of the test');
    });
    await scheduler.schedule('qa', 0);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    const waitsMs = timesMs.slice(1).map((timeMs, index) => timeMs - (timesMs[index] ?? 0));
    expect(waitsMs.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    await scheduler.stop(0);
  });

  it('leave no timer behind', async () => {
    vi.useFakeTimers();
    const scheduler = createTimerScheduler({ log: createRecordingLog().log, random: Math.random });
    await scheduler.start(async () => undefined);
    for (let index = 0; index < 100; index++) await scheduler.schedule(`q${index}`, index * 1_000);
    await scheduler.schedule('q99', 1);
    await scheduler.stop(0);
    await scheduler.schedule('later', 0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
