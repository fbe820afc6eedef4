import { AppError } from '../core/errors.ts';

/** The time one call may take in all: its waits, its refresh of credentials and every attempt. */
export interface Deadline {
  /** Aborted with an {@link AppError} of kind `unavailable` when the time is up or the client closes. */
  signal: AbortSignal;
  remainingMs(): number;
  /** Must be called when the call ends. */
  stop(): void;
}

export function startDeadline(timeoutMs: number, closing: AbortSignal): Deadline {
  const endsAtMs = performance.now() + timeoutMs;
  const controller = new AbortController();
  const close = () => controller.abort(closing.reason);
  const timer = setTimeout(
    () => controller.abort(new AppError('unavailable', `no answer within ${timeoutMs} ms`, { code: 'timeout' })),
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

/** Settles like `promise`, or rejects with the signal's reason as soon as it is aborted. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits, unless the signal is aborted first: then it rejects with the signal's reason. */
export async function waitMs(delayMs: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await orAborted(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, delayMs);
      }),
      signal,
    );
  } finally {
    clearTimeout(timer);
  }
}
