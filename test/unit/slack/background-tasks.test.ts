import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
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
