import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import { retryDelayMs } from '../../../src/service/http.ts';
import { parseRetryAfterMs } from '../../../src/service/replies.ts';

const moment = { retries: 0, remainingMs: 10_000, random: () => 0.5 };

describe('a failed call', () => {
  test.each<[ErrorKind, number | undefined]>([
    ['unavailable', 125],
    ['rateLimited', 125],
    ['refused', undefined],
    ['unauthorized', undefined],
    ['notFound', undefined],
    ['badReply', undefined],
  ])('with the failure %s is repeated after %s ms', (kind, delayMs) => {
    expect(retryDelayMs(new AppError(kind, ''), moment)).toBe(delayMs);
  });

  test.each([
    [0, 125],
    [1, 250],
    [2, undefined],
  ])('after %i repeats is repeated after %s ms', (retries, delayMs) => {
    expect(retryDelayMs(new AppError('unavailable', ''), { ...moment, retries })).toBe(delayMs);
  });

  test('waits at least for Retry-After, and is left to the caller when that is too long', () => {
    const error = new AppError('rateLimited', '', { retryAfterMs: 2_000 });
    expect(retryDelayMs(error, moment)).toBe(2_125);
    expect(retryDelayMs(error, { ...moment, remainingMs: 2_100 })).toBeUndefined();
  });

  test('is repeated only where 50 ms of the budget remain after the wait', () => {
    const error = new AppError('unavailable', '');
    expect(retryDelayMs(error, { ...moment, remainingMs: 175 })).toBe(125);
    expect(retryDelayMs(error, { ...moment, remainingMs: 174 })).toBeUndefined();
  });

  test('never waits longer than the budget', () => {
    fc.assert(
      fc.property(
        fc.nat(3),
        fc.integer({ min: -1_000, max: 20_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.option(fc.nat(30_000), { nil: undefined }),
        (retries, remainingMs, value, retryAfterMs) => {
          const error = new AppError('unavailable', '', { retryAfterMs });
          const delayMs = retryDelayMs(error, { retries, remainingMs, random: () => value });
          if (delayMs === undefined) return;
          expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
          expect(delayMs).toBeLessThan(remainingMs);
        },
      ),
    );
  });
});

describe('the header Retry-After', () => {
  const nowMs = Date.UTC(2026, 0, 1, 12);
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 1.5 ', 1_500],
    ['1.25', 1_250],
    // The three forms of a date: preferred, obsolete (of 1994, in C's words), and what some proxies send instead.
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
    ['2026-01-01T12:00:30Z', 30_000],
    ['99999999999', 86_400_000],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 86_400_000],
    ['', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('is read from "%s" as %s ms', (value, delayMs) => {
    expect(parseRetryAfterMs(value, nowMs)).toBe(delayMs);
  });
});
