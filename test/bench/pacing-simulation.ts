import { defaultPacing, nextPollMs } from '../../src/core/pacing.ts';
import { mean, percentile, round, seededRandom } from './statistics.ts';

const questions = 100_000;
const medianMs = 35_000;
const p95Ms = 120_000;
const longestMs = 300_000;
/** The 95th percentile of the standard normal distribution. */
const z95 = 1.6449;

export interface PacingRow {
  policy: string;
  delayMeanMs: number;
  delayP50Ms: number;
  delayP95Ms: number;
  delayP99Ms: number;
  requestsMean: number;
  requestsP95: number;
}

/** Simulates polling: the time from a finished answer until the app sees it, and the number of reads. */
export function simulatePacing(): PacingRow[] {
  const durations = sampleDurations();
  const random = seededRandom(2);
  const fixed =
    (ms: number): (() => number) =>
    () =>
      ms;
  return [
    simulate('ours (1 s, then 10 % of the time elapsed, 1 to 10 s)', durations, (elapsedMs) =>
      nextPollMs(defaultPacing, elapsedMs, random()),
    ),
    simulate('every 1 s', durations, fixed(1_000)),
    simulate('every 2 s', durations, fixed(2_000)),
    simulate('every 10 s', durations, fixed(10_000)),
  ];
}

function simulate(policy: string, durations: number[], waitMs: (elapsedMs: number) => number): PacingRow {
  const delays: number[] = [];
  const requests: number[] = [];
  for (const durationMs of durations) {
    let atMs = 0;
    let reads = 0;
    do {
      atMs += waitMs(atMs);
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
  };
}

/** Log-normal durations (Box-Muller method); values above the maximum are drawn again. */
function sampleDurations(): number[] {
  const random = seededRandom(1);
  const sigma = Math.log(p95Ms / medianMs) / z95;
  const durations: number[] = [];
  while (durations.length < questions) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const durationMs = medianMs * Math.exp(sigma * normal);
    if (durationMs <= longestMs) durations.push(durationMs);
  }
  return durations;
}
