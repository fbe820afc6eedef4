import { HttpError } from './http-error.ts';

/**
 * A token bucket per user: `perMinute` requests, refilled evenly. `take` throws 429 with `Retry-After` in whole seconds.
 * Without a limit it never refuses.
 */
export function createRateLimit(perMinute: number | undefined, clock: () => number) {
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    take(username: string): void {
      if (perMinute === undefined) return;
      const nowMs = clock();
      const bucket = buckets.get(username) ?? { left: perMinute, atMs: nowMs };
      // The clock of a machine may be set back.
      const elapsedMs = Math.max(0, nowMs - bucket.atMs);
      bucket.left = Math.min(perMinute, bucket.left + (elapsedMs * perMinute) / 60_000);
      bucket.atMs = nowMs;
      buckets.set(username, bucket);
      if (bucket.left < 1) {
        const waitSeconds = Math.max(1, Math.ceil(((1 - bucket.left) * 60) / perMinute));
        throw new HttpError(429, `More than ${perMinute} requests in a minute. Try again in ${waitSeconds} s.`, {
          'Retry-After': String(waitSeconds),
        });
      }
      bucket.left -= 1;
    },
  };
}
