import { learnPace, pollMs, pollsPerQuestion } from '../../src/core/learned-pace.ts';
import { defaultPacing, nextPollMs } from '../../src/core/pacing.ts';
import { bestScheduleFor, type DurationPart, durationGrid, leastProduct } from './pacing-bound.ts';
import { mean, percentile, round, seededRandom } from './statistics.ts';

const questions = 100_000;
const longestMs = 300_000;
/** The median is 35 s and the 95th percentile 120 s. 1.6449 is the 95th percentile of the standard normal distribution. */
const usual: DurationPart[] = [{ share: 1, medianMs: 35_000, deviation: Math.log(120 / 35) / 1.6449 }];
const twiceAsSlow = usual.map((part) => ({ ...part, medianMs: 2 * part.medianMs }));
const twiceAsFast = usual.map((part) => ({ ...part, medianMs: part.medianMs / 2 }));
/** Short and long questions, with few between them. */
const twoKinds: DurationPart[] = [
  { share: 0.7, medianMs: 20_000, deviation: 0.35 },
  { share: 0.3, medianMs: 120_000, deviation: 0.3 },
];
/** Histories that the learned pace is learned from, so that one lucky sample does not decide. */
const histories = 50;
/** Enough polls for a mean delay of 0.8 s. */
const pollsForShortDelay = 26.5;

export interface PacingRow {
  policy: string;
  delayMeanMs: number;
  delayP50Ms: number;
  delayP95Ms: number;
  delayP99Ms: number;
  requestsMean: number;
  requestsP95: number;
  /** Mean delay in seconds times mean requests, and the least that a schedule with only the distribution can have. */
  product: number;
  leastProduct: number;
}

/** The wait of a question after a time. `question` is its number. */
type WaitMs = (elapsedMs: number, question: number) => number;

/** Simulates polling: the time from a finished answer until the app sees it, and the number of reads. */
export function simulatePacing(): PacingRow[] {
  const random = seededRandom(2);
  const asUsual = simulationOf(usual);
  const asTwoKinds = simulationOf(twoKinds);
  const learned = (parts: DurationPart[], size: number, polls = pollsPerQuestion): WaitMs => {
    const draw = seededRandom(3);
    const paces = Array.from({ length: histories }, () => learnPace(sample(parts, size, draw), defaultPacing, polls));
    return (elapsedMs, question) => pollMs(paces[question % histories], defaultPacing, elapsedMs, random());
  };
  return [
    asUsual('fixed (1 s, then 10 % of the time elapsed, 1 to 10 s)', (elapsedMs) =>
      nextPollMs(defaultPacing, elapsedMs, random()),
    ),
    asUsual('every 1 s', () => 1_000),
    asUsual('every 2 s', () => 2_000),
    asUsual('every 10 s', () => 10_000),
    asUsual('learned from 100 answers', learned(usual, 100)),
    asUsual(`learned from 100 answers, for ${pollsForShortDelay} reads`, learned(usual, 100, pollsForShortDelay)),
    asUsual('best possible with 20 reads', best(usual, 20)),
    asUsual(`best possible with ${pollsForShortDelay} reads`, best(usual, pollsForShortDelay)),
    asUsual('learned from 10 answers', learned(usual, 10)),
    asUsual('learned from 100 answers that took twice as long', learned(twiceAsSlow, 100)),
    asUsual('learned from 100 answers that took half as long', learned(twiceAsFast, 100)),
    asUsual('learned from 100 answers of two kinds', learned(twoKinds, 100)),
    asTwoKinds('two kinds, learned from 100 answers of two kinds', learned(twoKinds, 100)),
    asTwoKinds('two kinds, best possible with 20 reads', best(twoKinds, 20)),
  ];
}

function best(parts: DurationPart[], reads: number): WaitMs {
  const times = bestScheduleFor(durationGrid(parts, longestMs), reads);
  return (elapsedMs) => (times.find((ms) => ms > elapsedMs) ?? Number.POSITIVE_INFINITY) - elapsedMs;
}

/** Simulates policies on the same durations. */
function simulationOf(parts: DurationPart[]): (policy: string, waitMs: WaitMs) => PacingRow {
  const durations = sample(parts, questions, seededRandom(1));
  const least = leastProduct(durationGrid(parts, longestMs));
  return (policy, waitMs) => simulate(policy, durations, least, waitMs);
}

function simulate(policy: string, durations: number[], least: number, waitMs: WaitMs): PacingRow {
  const delays: number[] = [];
  const requests: number[] = [];
  for (const [question, durationMs] of durations.entries()) {
    let atMs = 0;
    let reads = 0;
    do {
      atMs += waitMs(atMs, question);
      reads += 1;
    } while (atMs < durationMs);
    delays.push(atMs - durationMs);
    requests.push(reads);
  }
  return {
    policy,
    delayMeanMs: round(mean(delays), 0),
    delayP50Ms: round(percentile(delays, 0.5), 0),
    delayP95Ms: round(percentile(delays, 0.95), 0),
    delayP99Ms: round(percentile(delays, 0.99), 0),
    requestsMean: round(mean(requests)),
    requestsP95: percentile(requests, 0.95),
    product: round((mean(delays) / 1_000) * mean(requests)),
    leastProduct: round(least),
  };
}

/** How long one answer takes, in ms: log-normal, median 35 s, 95th percentile 120 s, at most 300 s. */
export function usualDuration(random: () => number): number {
  return sample(usual, 1, random)[0] ?? longestMs;
}

/** Draws durations (Box-Muller method); values above the maximum are drawn again. */
function sample(parts: readonly DurationPart[], size: number, random: () => number): number[] {
  const durations: number[] = [];
  while (durations.length < size) {
    const { medianMs, deviation } = choose(parts, random);
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const durationMs = medianMs * Math.exp(deviation * normal);
    if (durationMs <= longestMs) durations.push(durationMs);
  }
  return durations;
}

function choose(parts: readonly DurationPart[], random: () => number): DurationPart {
  let left = random();
  for (const part of parts) {
    left -= part.share;
    if (left < 0) return part;
  }
  throw new Error('the shares of the parts add up to less than 1');
}
