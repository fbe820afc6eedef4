import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffMs, exponentialMs, isPatienceOver } from '../../src/core/pacing.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the wait after failures', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [3, 2_000, 4_000],
    [6, 16_000, 32_000],
    [7, 30_000, 60_000],
    [1_000, 30_000, 60_000],
  ])('after %i failures is between %i and %i ms', (failures, shortestMs, longestMs) => {
    expect(backOffMs(failures, 0)).toBe(shortestMs);
    expect(backOffMs(failures, 0.9999999)).toBe(longestMs);
  });

  it('is spread over a second for those who received the same time', () => {
    const waits = [0, 0.5, 0.999].map((share) => backOffMs(1, share, 30_000));
    expect(waits).toEqual([30_000, 30_500, 30_999]);
  });

  it('is never over before the named time, nor long after it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        random,
        fc.integer({ min: 1, max: 3_600_000 }),
        (failures, r, afterMs) => {
          const waitMs = backOffMs(failures, r, afterMs);
          expect(waitMs).toBeGreaterThanOrEqual(afterMs);
          expect(waitMs).toBeLessThanOrEqual(Math.max(60_000, afterMs + 1_000));
        },
      ),
    );
  });

  it('is bounded and grows with the failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        random,
        fc.integer({ min: 1, max: 60_000 }),
        (failures, r, longestMs) => {
          const waitMs = exponentialMs(failures, r, longestMs);
          expect(waitMs).toBeGreaterThanOrEqual(0);
          expect(waitMs).toBeLessThanOrEqual(longestMs);
          expect(waitMs).toBeLessThanOrEqual(exponentialMs(failures + 1, r, longestMs));
        },
      ),
    );
  });
});

describe('after the first try', () => {
  it.each([
    [0, false],
    [15 * 60_000 - 1, false],
    [15 * 60_000, true],
    [60 * 60_000, true],
  ])('by %i ms, it is %s that all tries are over', (passedMs, expected) => {
    expect(isPatienceOver({ patienceMs: 15 * 60_000 }, 1_000_000, 1_000_000 + passedMs)).toBe(expected);
  });
});
