import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learnPace, pollMs, pollsPerQuestion } from '../../../src/core/learned-pace.ts';
import { defaultPacing, nextPollMs } from '../../../src/core/pacing.ts';

const MIDDLE = 0.5;
const minuteMs = 60_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const elapsed = fc.integer({ min: 0, max: 24 * 60 * minuteMs });
const duration = fc.oneof(
  fc.nat(2 * 60 * minuteMs),
  fc.double({ noNaN: true }),
  fc.constantFrom(0, -1, Infinity, 35_000),
);
const history = fc.array(duration, { maxLength: 200 });
const pacings = fc
  .record({
    firstPollMs: fc.integer({ min: 50, max: 60_000 }),
    minMs: fc.integer({ min: 50, max: 60_000 }),
    moreMs: fc.nat(600_000),
    fraction: fc.double({ min: 0.01, max: 1, noNaN: true }),
    patienceMs: fc.integer({ min: 1_000, max: 24 * 60 * minuteMs }),
  })
  .map(({ moreMs, ...pacing }) => ({ ...defaultPacing, ...pacing, maxMs: pacing.minMs + moreMs }));

/** Quantiles of a log-normal distribution with the median 35 s and the deviation 0.75. */
const usual = quantiles(35_000, 0.75);

function quantiles(medianMs: number, deviation: number): number[] {
  const normal = [-1.96, -1.44, -1.15, -0.93, -0.76, -0.6, -0.45, -0.32, -0.19, -0.06];
  return [...normal, ...normal.map((at) => -at)].map((at) => medianMs * Math.exp(deviation * at));
}

/** The times of all polls until `untilMs`, without jitter. */
function pollTimes(durationsMs: readonly number[], untilMs: number, pacing = defaultPacing, polls = pollsPerQuestion) {
  const pace = learnPace(durationsMs, pacing, polls);
  const times: number[] = [];
  for (let atMs = 0; atMs < untilMs; ) {
    atMs += pollMs(pace, pacing, atMs, MIDDLE);
    times.push(atMs);
  }
  return times;
}

function meanPolls(durationsMs: readonly number[], polls: number, pacing = defaultPacing): number {
  const times = durationsMs.map((durationMs) => pollTimes(durationsMs, durationMs, pacing, polls).length);
  return times.reduce((sum, count) => sum + count, 0) / times.length;
}

describe('a pace', () => {
  it.each([
    ['no answers', []],
    ['nine answers', usual.slice(0, 9)],
    ['answers that all took the same time', Array.from({ length: 50 }, () => 35_000)],
    [
      'answers that all took longer than the patience',
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((hours) => hours * 3_600_000),
    ],
  ])('is not learned from %s, so waits are those of the settings', (_, durationsMs) => {
    const pace = learnPace(durationsMs, defaultPacing, pollsPerQuestion);
    expect(pace).toBeUndefined();
    fc.assert(
      fc.property(elapsed, random, (elapsedMs, r) => {
        expect(pollMs(pace, defaultPacing, elapsedMs, r)).toBe(nextPollMs(defaultPacing, elapsedMs, r));
      }),
    );
  });

  it('is learned from ten answers', () => {
    expect(learnPace(usual.slice(5, 15), defaultPacing, pollsPerQuestion)).toBeDefined();
  });

  it('begins at the time before which 2 % of the answers were ready', () => {
    const pace = learnPace(usual, defaultPacing, pollsPerQuestion);
    expect(pace?.firstMs).toBeGreaterThan(7_000);
    expect(pace?.firstMs).toBeLessThan(9_000);
    expect(pollMs(pace, defaultPacing, 0, MIDDLE)).toBe(Math.round(pace?.firstMs ?? 0));
  });

  it('keeps the bounds of the settings for the first poll', () => {
    expect(pollTimes(usual, 1, { ...defaultPacing, maxMs: 5_000 })).toEqual([5_000]);
    expect(pollTimes(usual, 1, { ...defaultPacing, firstPollMs: 20_000 })).toEqual([20_000]);
  });

  it('does not poll again at once if the first poll was a little early', () => {
    const pace = learnPace(usual, defaultPacing, pollsPerQuestion);
    const firstMs = pace?.firstMs ?? 0;
    expect(pollMs(pace, defaultPacing, 0.9 * firstMs, MIDDLE)).toBeGreaterThan(2_000);
    expect(pollMs(pace, defaultPacing, 1_000, MIDDLE)).toBe(Math.round(firstMs - 1_000));
  });

  it('polls most often where most of the remaining answers are likely', () => {
    const pace = learnPace(usual, defaultPacing, pollsPerQuestion);
    const waitMs = (elapsedMs: number) => pollMs(pace, defaultPacing, elapsedMs, MIDDLE);
    expect(waitMs(40_000)).toBeLessThan(waitMs(9_000));
    expect(waitMs(40_000)).toBeLessThan(waitMs(200_000));
  });

  it.each([10, 20, 25])('takes %i polls on average, if its bounds allow that', (polls) => {
    expect(Math.abs(meanPolls(usual, polls) - polls)).toBeLessThan(0.05 * polls);
  });

  it('takes fewer polls for fast answers and more for slow ones, because of its bounds', () => {
    expect(meanPolls(quantiles(4_000, 0.5), pollsPerQuestion)).toBeLessThan(5);
    expect(meanPolls(quantiles(400_000, 0.1), pollsPerQuestion)).toBeGreaterThan(35);
    expect(new Set(pollTimes(quantiles(400_000, 0.1), 300_000))).toContain(300_000);
  });

  it('is that of the settings again, when a question takes much longer than those before', () => {
    const pace = learnPace(usual, defaultPacing, pollsPerQuestion);
    expect(pollMs(pace, defaultPacing, 250_000, MIDDLE)).toBeLessThan(4_000);
    expect(pollMs(pace, defaultPacing, 500_000, MIDDLE)).toBe(nextPollMs(defaultPacing, 500_000, MIDDLE));
  });

  it('does not depend on the order of the answers', () => {
    fc.assert(
      fc.property(history, pacings, (durationsMs, pacing) => {
        expect(learnPace(durationsMs.toReversed(), pacing, pollsPerQuestion)).toEqual(
          learnPace(durationsMs, pacing, pollsPerQuestion),
        );
      }),
    );
  });

  it('is finite and waits within its bounds, whatever the history and the settings', () => {
    fc.assert(
      fc.property(history, pacings, elapsed, random, (durationsMs, pacing, elapsedMs, r) => {
        const pace = learnPace(durationsMs, pacing, pollsPerQuestion);
        for (const value of Object.values(pace ?? {})) expect(value).toSatisfy(Number.isFinite);
        const leastMs = elapsedMs === 0 ? pacing.firstPollMs : pacing.minMs;
        const mostMs = elapsedMs === 0 ? Math.max(pacing.firstPollMs, pacing.maxMs) : pacing.maxMs;
        const waitMs = pollMs(pace, pacing, elapsedMs, r);
        expect(waitMs).toBe(pollMs(pace, pacing, elapsedMs, r));
        expect(waitMs).toBeGreaterThanOrEqual(Math.floor(0.9 * leastMs));
        expect(waitMs).toBeLessThanOrEqual(Math.ceil(1.1 * mostMs));
      }),
    );
  });

  it('never leaves a question unread for longer than the longest wait', () => {
    fc.assert(
      fc.property(history, (durationsMs) => {
        const times = pollTimes(durationsMs, defaultPacing.patienceMs);
        for (const [index, atMs] of times.entries()) {
          expect(atMs - (times[index - 1] ?? 0)).toBeLessThanOrEqual(defaultPacing.maxMs);
        }
      }),
    );
  });
});
