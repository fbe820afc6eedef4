/** How often a running question is polled, and for how long. */
export interface Pacing {
  /** Wait before the first poll after asking. */
  firstPollMs: number;
  /** Shortest and longest wait between later polls, before jitter. */
  minMs: number;
  maxMs: number;
  /** The wait as a share of the elapsed time, so that long questions are polled less often. */
  fraction: number;
  /**
   * Greatest deviation of a wait, as a share of it: 0.1 is ±10 %. Keeps many questions from polling at the same time.
   */
  jitter: number;
  /** How long the service may work on a question before the app stops watching. */
  patienceMs: number;
}

export const defaultPacing: Pacing = {
  firstPollMs: 1_000,
  minMs: 1_000,
  maxMs: 10_000,
  fraction: 0.1,
  jitter: 0.1,
  patienceMs: 15 * 60_000,
};

/** The waits after a limit that names no end. The last one repeats. After `limitPatienceMs` the question ends. */
const undatedLimitWaitsMs = [60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000] as const;

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;

/** Spreads retries after a `Retry-After` over this time, so that calls with the same wait don't return at once. */
const RETRY_AFTER_SPREAD_MS = 1_000;

/** Milliseconds until the next poll of a question asked `elapsedMs` ago (0: just now). `random` is in [0, 1). */
export function nextPollMs(pacing: Pacing, elapsedMs: number, random: number): number {
  const waitMs =
    elapsedMs <= 0 ? pacing.firstPollMs : Math.min(pacing.maxMs, Math.max(pacing.minMs, elapsedMs * pacing.fraction));
  return withJitter(pacing, waitMs, random);
}

/** Changes a wait by at most its jitter, to whole milliseconds. `random` is in [0, 1). */
export function withJitter({ jitter }: Pick<Pacing, 'jitter'>, waitMs: number, random: number): number {
  return Math.round(waitMs * (1 + jitter * (2 * random - 1)));
}

/**
 * Milliseconds to wait after `failures` (≥ 1) failures of a call in a row: between half and all of 1 s, doubled with
 * each further failure up to 60 s, and never less than `retryAfterMs`. `random` is in [0, 1).
 */
export function backOffMs(failures: number, random: number, retryAfterMs = 0): number {
  const waitMs = exponentialMs(failures, random, LONGEST_BACK_OFF_MS);
  return retryAfterMs > 0 ? Math.max(waitMs, Math.ceil(retryAfterMs + random * RETRY_AFTER_SPREAD_MS)) : waitMs;
}

/**
 * Between half and all of 1 s, doubled with each failure after the first (`failures` ≥ 1), at most `longestMs`.
 * `random` is in [0, 1).
 */
export function exponentialMs(failures: number, random: number, longestMs: number): number {
  const wholeMs = Math.min(longestMs, FIRST_BACK_OFF_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(wholeMs * (0.5 + random / 2));
}

/** Whether the app's patience with a question that began at `sinceMs` is over. */
export function isPatienceOver(pacing: Pacing, sinceMs: number, nowMs: number): boolean {
  return nowMs - sinceMs >= pacing.patienceMs;
}

/** How long a question waits after `times` (≥ 1) limits in a row without a date. */
export function undatedWaitMs(times: number): number {
  return undatedLimitWaitsMs[Math.min(times, undatedLimitWaitsMs.length) - 1] ?? undatedLimitWaitsMs[0];
}
