import { type AppError, isAppError } from '../core/errors.ts';

/** How often a safe call is retried after its first failure. */
const MAX_RETRIES = 2;
const BASE_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;
/** Shortest time left in the budget for which another attempt is worth sending. */
const MIN_ATTEMPT_MS = 50;
/** A longer `Retry-After` is not credible and is shortened to this. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

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

/**
 * Reads a `Retry-After` header: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when it is absent or unreadable;
 * at most 24 h.
 */
export function parseRetryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (text === '') return undefined;
  const delayMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), MAX_RETRY_AFTER_MS);
}
