import { setTimeout as delay } from 'node:timers/promises';
import { AppError, isAppError } from '../core/errors.ts';

/** The code of the error when the time of a call is up. */
export const timedOut = 'timeout';

export type Deadline = ReturnType<typeof startDeadline>;

/**
 * The total time limit of one call: its waits, its credential refresh and every attempt. `signal` aborts with an
 * {@link AppError} of kind `unavailable` when the time is up or the client closes. `stop` frees the timer: call it when the
 * call ends.
 */
export function startDeadline(timeoutMs: number, closing: AbortSignal) {
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

/** How often a safe call is retried after its first failure. */
const MAX_RETRIES = 2;
const BASE_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;
/** Shortest time left in the budget for which another attempt is worth sending. */
const MIN_ATTEMPT_MS = 50;

export interface RetryMoment {
  /** Retries made so far. */
  retries: number;
  /** Time left in the call's budget. */
  remainingMs: number;
  /** Uniform in [0, 1). */
  random: () => number;
}

/**
 * How long to wait before retrying a safe call, with full jitter. Undefined when the call must not be retried. The far
 * side's `Retry-After` is a lower bound; if it does not fit into the budget, the caller handles it.
 */
export function retryDelayMs(error: AppError, { retries, remainingMs, random }: RetryMoment): number | undefined {
  if (!isAppError(error, 'unavailable', 'rateLimited') || retries >= MAX_RETRIES) return undefined;
  const jitterMs = random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retries);
  const delayMs = (error.retryAfterMs ?? 0) + jitterMs;
  return delayMs + MIN_ATTEMPT_MS <= remainingMs ? delayMs : undefined;
}
