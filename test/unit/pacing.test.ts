import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffMs, defaultPacing, exponentialMs, isPatienceOver, nextPollMs } from '../../src/core/pacing.ts';

const MIDDLE = 0.5;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const elapsed = fc.integer({ min: 0, max: 24 * 60 * 60_000 });

describe('the wait before the next run', () => {
  it.each([
    [0, 1_000],
    [1_000, 1_000],
    [10_000, 1_000],
    [15_000, 1_500],
    [60_000, 6_000],
    [100_000, 10_000],
    [3_600_000, 10_000],
  ])('after %i ms is %i ms, without jitter', (elapsedMs, expected) => {
    expect(nextPollMs(defaultPacing, elapsedMs, MIDDLE)).toBe(expected);
  });

  it('begins with the time of its setting', () => {
    expect(nextPollMs({ ...defaultPacing, firstPollMs: 250 }, 0, MIDDLE)).toBe(250);
  });

  it('differs by at most the jitter, in both directions', () => {
    expect(nextPollMs(defaultPacing, 60_000, 0)).toBe(5_400);
    expect(nextPollMs(defaultPacing, 60_000, 0.999999)).toBe(6_600);
  });

  it('stays within its bounds', () => {
    fc.assert(
      fc.property(elapsed, random, (elapsedMs, r) => {
        const waitMs = nextPollMs(defaultPacing, elapsedMs, r);
        expect(waitMs).toBeGreaterThanOrEqual(900);
        expect(waitMs).toBeLessThanOrEqual(11_000);
      }),
    );
  });

  it('never gets shorter over time, without jitter', () => {
    fc.assert(
      fc.property(elapsed, elapsed, (a, b) => {
        const [earlier, later] = a < b ? [a, b] : [b, a];
        expect(nextPollMs(defaultPacing, earlier, MIDDLE)).toBeLessThanOrEqual(
          nextPollMs(defaultPacing, later, MIDDLE),
        );
      }),
    );
  });
});

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
    expect(isPatienceOver(defaultPacing, 1_000_000, 1_000_000 + passedMs)).toBe(expected);
  });
});
