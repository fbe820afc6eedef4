import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../core/errors.ts';

/** The code of the error when the time of a call is up. */
export const timedOut = 'timeout';

/** The total time limit of one call: its waits, its credential refresh and every attempt. */
export interface Deadline {
  /** Aborts with an {@link AppError} of kind `unavailable` when the time is up or the client closes. */
  signal: AbortSignal;
  remainingMs(): number;
  /** Frees the timer. Call it when the call ends. */
  stop(): void;
}

export function startDeadline(timeoutMs: number, closing: AbortSignal): Deadline {
  const endsAtMs = performance.now() + timeoutMs;
  const controller = new AbortController();
  const close = () => controller.abort(closing.reason);
  const timer = setTimeout(
    () => controller.abort(new AppError('unavailable', `no answer within ${timeoutMs} ms`, { code: timedOut })),
    timeoutMs,
  );
  if (closing.aborted) close();
  else closing.addEventListener('abort', close, { once: true });
  return {
    signal: controller.signal,
    remainingMs: () => endsAtMs - performance.now(),
    stop() {
      clearTimeout(timer);
      closing.removeEventListener('abort', close);
    },
  };
}

/** Settles like `promise`, or rejects with the signal's reason as soon as the signal aborts. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits `delayMs`. Rejects with the signal's reason if the signal aborts first. */
export async function waitMs(delayMs: number, signal: AbortSignal): Promise<void> {
  await delay(delayMs, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
