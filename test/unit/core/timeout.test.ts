import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { within, withTimeout } from '../../../src/core/pacing.ts';

describe('a bounded wait', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const never = new Promise<string>(() => {});

  it('gives the result or the failure of work that ends in time, and leaves no timer', async () => {
    expect(await within(Promise.resolve('done'), 1_000)).toBe('done');
    const failure = new Error('planned');
    await expect(within(Promise.reject(failure), 1_000)).rejects.toBe(failure);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives undefined for work that takes longer', async () => {
    const result = within(never, 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await result).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives or throws what the caller wants for work that takes longer', async () => {
    const failure = new Error('too late');
    const other = withTimeout(never, 1_000, () => 'late');
    const thrown = withTimeout(never, 1_000, () => {
      throw failure;
    });
    await Promise.all([vi.advanceTimersByTimeAsync(1_000), expect(thrown).rejects.toBe(failure)]);
    expect(await other).toBe('late');
  });

  it('ignores a failure of the work that comes after its time', async () => {
    let fail: (error: Error) => void = () => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const result = within(work, 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    fail(new Error('planned'));
    expect(await result).toBeUndefined();
  });
});
