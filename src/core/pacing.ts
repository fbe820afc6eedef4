import { type LifecycleSettings, mostAtOnce } from './settings.ts';

/** The waits after a limit that names no end. The last one repeats. After `limitPatienceMs` the question ends. */
const undatedLimitWaitsMs = [60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000] as const;

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;

/** Spreads retries after a `Retry-After` over this time, so that calls with the same wait don't return at once. */
const RETRY_AFTER_SPREAD_MS = 1_000;

/**
 * Milliseconds to wait after `failures` (≥ 1) failures of a call in a row: between half and all of 1 s, doubled with
 * each further failure up to 60 s, and never less than `retryAfterMs`. `random` is in [0, 1).
 */
export function backOffMs(failures: number, random: number, retryAfterMs = 0): number {
  const waitMs = exponentialMs(failures, random, LONGEST_BACK_OFF_MS);
  return retryAfterMs > 0 ? Math.max(waitMs, Math.ceil(retryAfterMs + random * RETRY_AFTER_SPREAD_MS)) : waitMs;
}

/**
 * Between half and all of `firstMs`, doubled with each failure after the first (`failures` ≥ 1), at most `longestMs`.
 * `random` is in [0, 1).
 */
export function exponentialMs(
  failures: number,
  random: number,
  longestMs: number,
  firstMs = FIRST_BACK_OFF_MS,
): number {
  const wholeMs = Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
  return Math.round(wholeMs * (0.5 + random / 2));
}

/** Whether the app's patience with a question that began at `sinceMs` is over. */
export function isPatienceOver(
  { patienceMs }: Pick<LifecycleSettings, 'patienceMs'>,
  sinceMs: number,
  nowMs: number,
): boolean {
  return nowMs - sinceMs >= patienceMs;
}

/** How long a question waits after `times` (≥ 1) limits in a row without a date. */
export function undatedWaitMs(times: number): number {
  return undatedLimitWaitsMs[Math.min(times, undatedLimitWaitsMs.length) - 1] ?? undatedLimitWaitsMs[0];
}

const timedOut = Symbol('timed out');

/**
 * Waits for `work`, at most `ms` milliseconds. After that, returns or throws what `late` returns or throws. The work
 * then continues, and its result or failure is ignored. If the work fails in time, throws the same error.
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  ms: number,
  late: () => Late,
): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(resolve, ms, timedOut);
  });
  try {
    const first = await Promise.race([work, timeout]);
    return first === timedOut ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

/** Like {@link withTimeout}, but returns undefined if the work takes longer. */
export function within<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  return withTimeout(work, ms, () => undefined);
}

/** Begins `work`, unless it is under way: then callers share it, whatever they asked with. */
export function sharing<Asked extends unknown[], Result>(
  work: (...asked: Asked) => Promise<Result>,
): (...asked: Asked) => Promise<Result> {
  let running: Promise<Result> | undefined;
  return (...asked) => {
    running ??= work(...asked).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Splits ids into groups that a store or a scheduler on Redis takes at the same time. */
export function groups(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / mostAtOnce) }, (_, index) =>
    ids.slice(index * mostAtOnce, (index + 1) * mostAtOnce),
  );
}
