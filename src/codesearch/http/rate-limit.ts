import { LRUCache } from 'lru-cache';
import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';

/**
 * A token bucket for each key, such as a user: `perMinute` requests, refilled evenly. Both functions throw 429 with `Retry-After`
 * in whole seconds when a bucket is empty. Of more than `keys` keys, those that were used last are remembered.
 */
export function createRateLimit(
  perMinute: number = LIMITS.requestsPerMinute,
  clock: () => number = Date.now,
  keys = 100_000,
) {
  const buckets = new LRUCache<string, { left: number; atMs: number }>({ max: keys });

  /** Throws when the bucket is empty; takes nothing. */
  function check(key: string): { left: number; atMs: number } {
    const nowMs = clock();
    const bucket = buckets.get(key) ?? { left: perMinute, atMs: nowMs };
    // The clock of a machine may be set back.
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    bucket.left = Math.min(perMinute, bucket.left + (elapsedMs * perMinute) / 60_000);
    bucket.atMs = nowMs;
    buckets.set(key, bucket);
    if (bucket.left < 1) {
      const waitSeconds = Math.max(1, Math.ceil(((1 - bucket.left) * 60) / perMinute));
      throw new HttpError(429, `More than ${perMinute} requests in a minute. Try again in ${waitSeconds} s.`, {
        'Retry-After': String(waitSeconds),
      });
    }
    return bucket;
  }

  return {
    check(key: string): void {
      check(key);
    },
    take(key: string): void {
      check(key).left -= 1;
    },
  };
}
