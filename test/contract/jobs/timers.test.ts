import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTimers } from '../../../src/jobs/timers.ts';
import { looksContract } from '../../support/jobs/looks-contract.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

const DAY_MS = 24 * 60 * 60_000;

looksContract('embedded timers', async ({ concurrency }) => {
  const { journal, lines } = createRecordingJournal();
  const looks = createTimers({ clock: Date.now, journal, random: Math.random, concurrency });
  return { looks, failures: () => lines.filter(({ outcome }) => outcome === 'failed').length, async close() {} };
});

describe('embedded timers over long times', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('looks after 60 days, which one timer of Node can not wait for', async () => {
    vi.useFakeTimers();
    const looks = createTimers({ clock: Date.now, journal: createRecordingJournal().journal, random: Math.random });
    const look = vi.fn(async () => undefined);
    await looks.start(look);
    await looks.lookIn('qa', 60 * DAY_MS);
    await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1);
    expect(look).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(look).toHaveBeenCalledOnce();
    await looks.stop(0);
  });

  it('backs off from one second to half a minute while a look keeps failing', async () => {
    vi.useFakeTimers();
    const looks = createTimers({ clock: Date.now, journal: createRecordingJournal().journal, random: () => 0.999999 });
    const timesMs: number[] = [];
    await looks.start(async () => {
      timesMs.push(Date.now());
      throw new Error('a failure of the test');
    });
    await looks.lookIn('qa', 0);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    const waitsMs = timesMs.slice(1).map((timeMs, index) => timeMs - (timesMs[index] ?? 0));
    expect(waitsMs.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    await looks.stop(0);
  });

  it('leaves no timer behind', async () => {
    vi.useFakeTimers();
    const looks = createTimers({ clock: Date.now, journal: createRecordingJournal().journal, random: Math.random });
    await looks.start(async () => undefined);
    for (let index = 0; index < 100; index++) await looks.lookIn(`q${index}`, index * 1_000);
    await looks.lookIn('q99', 1);
    await looks.stop(0);
    await looks.lookIn('later', 0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
