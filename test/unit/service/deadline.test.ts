import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { orAborted, startDeadline, waitMs } from '../../../src/service/http.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('the deadline of a call', () => {
  it('ends the call when the time is over, and not before', () => {
    const deadline = startDeadline(1_000, new AbortController().signal);
    vi.advanceTimersByTime(999);
    expect(deadline.signal.aborted).toBe(false);
    expect(deadline.remainingMs()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toMatchObject({ kind: 'unavailable', code: 'timeout' });
  });

  it('ends the call when the client closes, with the reason of the client', () => {
    const closing = new AbortController();
    const deadline = startDeadline(1_000, closing.signal);
    closing.abort('closed');
    expect(deadline.signal.reason).toBe('closed');
  });

  it('ends a call at once that begins after the client is closed', () => {
    const deadline = startDeadline(1_000, AbortSignal.abort('closed'));
    expect(deadline.signal.reason).toBe('closed');
  });

  it('ends nothing after it is stopped, and leaves neither timer nor listener', () => {
    const closing = new AbortController();
    const deadline = startDeadline(1_000, closing.signal);
    expect(listeners(closing.signal)).toBe(1);
    deadline.stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners(closing.signal)).toBe(0);
    closing.abort('closed');
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe('a promise that may be aborted', () => {
  it('settles as it would alone, and then has no listener', async () => {
    const { signal } = new AbortController();
    const failure = new Error('no');
    await expect(orAborted(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(orAborted(Promise.reject(failure), signal)).rejects.toBe(failure);
    expect(listeners(signal)).toBe(0);
  });

  it('is rejected with the reason as soon as it is aborted, also where that was before', async () => {
    const controller = new AbortController();
    const never = new Promise(() => {});
    const waiting = orAborted(never, controller.signal);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    await expect(orAborted(never, controller.signal)).rejects.toBe('enough');
  });
});

describe('a wait', () => {
  it('takes its full time', async () => {
    let isOver = false;
    const waiting = waitMs(500, new AbortController().signal).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(499);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(isOver).toBe(true);
  });

  it('leaves no timer where it is aborted', async () => {
    const controller = new AbortController();
    const waiting = waitMs(500, controller.signal);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});
