/** How often a running question is polled, and for how long. */
export interface Pacing {
  /** Wait before the first poll after asking. */
  firstPollMs: number;
  /** Shortest and longest wait between later polls, before jitter. */
  minMs: number;
  maxMs: number;
  /** The wait as a share of the time elapsed, so that long questions are asked about less often. */
  fraction: number;
  /** Greatest deviation of a wait, as a share of it: 0.1 is ±10 %. Keeps many questions from moving in step. */
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

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;

/** Waits told by the far side are spread over this long, so that all who were told the same don't return at once. */
const RETRY_AFTER_SPREAD_MS = 1_000;

/** Milliseconds until the next poll of a question asked `elapsedMs` ago (0: just now). `random` is in [0, 1). */
export function nextPollMs(pacing: Pacing, elapsedMs: number, random: number): number {
  const waitMs =
    elapsedMs <= 0 ? pacing.firstPollMs : Math.min(pacing.maxMs, Math.max(pacing.minMs, elapsedMs * pacing.fraction));
  return Math.round(waitMs * (1 + pacing.jitter * (2 * random - 1)));
}

/**
 * Milliseconds to wait after `failures` (≥ 1) failures in a row of a call to the service: between the half and the whole
 * of 1 s, doubling to 60 s, and never before `retryAfterMs`. `random` is in [0, 1).
 */
export function backOffMs(failures: number, random: number, retryAfterMs = 0): number {
  const waitMs = exponentialMs(failures, random, LONGEST_BACK_OFF_MS);
  return retryAfterMs > 0 ? Math.max(waitMs, Math.ceil(retryAfterMs + random * RETRY_AFTER_SPREAD_MS)) : waitMs;
}

/** Between the half and the whole of 1 s doubled with each of the `failures` (≥ 1), at most `longestMs`. `random` is in [0, 1). */
export function exponentialMs(failures: number, random: number, longestMs: number): number {
  const wholeMs = Math.min(longestMs, FIRST_BACK_OFF_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(wholeMs * (0.5 + random / 2));
}

/** Whether a question first tried at `sinceMs` has been watched for as long as we are willing to. */
export function isPatienceOver(pacing: Pacing, sinceMs: number, nowMs: number): boolean {
  return nowMs - sinceMs >= pacing.patienceMs;
}
