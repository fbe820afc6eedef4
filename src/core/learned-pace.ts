import { nextPollMs, type Pacing, withJitter } from './pacing.ts';
import { fewestDurations } from './settings.ts';

/** How long answers of a workspace take, as a log-normal distribution, and how often that is worth a poll. */
export interface LearnedPace {
  /** The time before which 2 % of answers are ready. */
  firstMs: number;
  /** Mean and standard deviation of the logarithms of the durations in milliseconds. */
  mean: number;
  deviation: number;
  /** The factor of every wait, in the square root of milliseconds. A greater one makes fewer polls. */
  scale: number;
}

/**
 * Mean number of polls of a question with a learned pace. More polls make the delay shorter: twice as many halve it.
 * Bounds of the settings may make it more or fewer.
 */
export const pollsPerQuestion = 20;

/** 2 % of a normal distribution are below this, in standard deviations. */
const firstAt = -2.0537;

/** Beyond this, in standard deviations, the history says nothing: 999 in 1,000 answers are ready earlier. */
const historyEndsAt = 3;

/** The search for the scale: its bounds, from always the shortest wait to always the longest, and its steps. */
const leastScale = 1e-3;
const greatestScale = 1e9;
const scaleSteps = 24;

/**
 * Learns from the durations of past answers, in milliseconds, when to poll, so that a question takes `polls` polls on
 * average. Undefined if there are too few durations or all are equal. The order of the durations has no effect.
 */
export function learnPace(durationsMs: readonly number[], pacing: Pacing, polls: number): LearnedPace | undefined {
  if (durationsMs.length < fewestDurations) return undefined;
  // The app watches no longer than its patience. Sorted, so that sums do not depend on the order.
  const bounded = durationsMs.map((ms) => Math.min(pacing.patienceMs, Math.max(1, ms))).toSorted((a, b) => a - b);
  if (bounded[0] === bounded.at(-1)) return undefined;
  const logs = bounded.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const deviation = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1));
  const fit = { firstMs: Math.exp(mean + firstAt * deviation), mean, deviation };
  let tooMany = leastScale;
  let enough = greatestScale;
  for (let step = 0; step < scaleSteps; step += 1) {
    const scale = Math.sqrt(tooMany * enough);
    if (takesMorePolls({ ...fit, scale }, pacing, polls)) tooMany = scale;
    else enough = scale;
  }
  return { ...fit, scale: enough };
}

/**
 * Milliseconds until the next poll of a question asked `elapsedMs` ago (0: just now). Without a learned pace, or later
 * than its history, that is {@link nextPollMs}. `random` is in [0, 1).
 */
export function pollMs(pace: LearnedPace | undefined, pacing: Pacing, elapsedMs: number, random: number): number {
  return pace === undefined || isBeyondHistory(pace, elapsedMs)
    ? nextPollMs(pacing, elapsedMs, random)
    : withJitter(pacing, learnedWaitMs(pace, pacing, elapsedMs), random);
}

/** The learned wait within the bounds of the settings. `POLL_FIRST_MS` bounds the first one, even above the longest. */
function learnedWaitMs(pace: LearnedPace, pacing: Pacing, elapsedMs: number): number {
  const { firstMs } = pace;
  if (elapsedMs <= 0) return Math.max(pacing.firstPollMs, Math.min(pacing.maxMs, firstMs));
  const waitMs = Math.max(firstMs - elapsedMs, optimumWaitMs(pace, Math.max(firstMs, elapsedMs)));
  return Math.min(pacing.maxMs, Math.max(pacing.minMs, waitMs));
}

/**
 * J. B. Keller, "Optimum checking schedules for systems subject to random failure", Management Science 21 (1974): for
 * a given number of checks, the mean delay is least if each wait is proportional to √(S(t) / f(t)). S is the share of
 * answers that are not ready at t, and f is the density of the distribution.
 */
function optimumWaitMs({ mean, deviation, scale }: LearnedPace, elapsedMs: number): number {
  const at = (Math.log(elapsedMs) - mean) / deviation;
  return scale * Math.sqrt((deviation * elapsedMs * shareAbove(at)) / normalDensity(at));
}

function isBeyondHistory({ mean, deviation }: LearnedPace, elapsedMs: number): boolean {
  return elapsedMs > 0 && Math.log(elapsedMs) > mean + historyEndsAt * deviation;
}

/** Adds up the probabilities that each poll is needed. Each is at least 1 in 1,000, so that the sum soon exceeds `polls`. */
function takesMorePolls(pace: LearnedPace, pacing: Pacing, polls: number): boolean {
  let expected = 0;
  let elapsedMs = 0;
  while (expected <= polls && elapsedMs < pacing.patienceMs && !isBeyondHistory(pace, elapsedMs)) {
    expected += elapsedMs === 0 ? 1 : shareAbove((Math.log(elapsedMs) - pace.mean) / pace.deviation);
    elapsedMs += learnedWaitMs(pace, pacing, elapsedMs);
  }
  return expected > polls;
}

function normalDensity(at: number): number {
  return Math.exp((-at * at) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * The share of a normal distribution above `at` standard deviations, with a relative error below 0.001: Abramowitz and
 * Stegun, "Handbook of Mathematical Functions", 26.2.17.
 */
function shareAbove(at: number): number {
  if (at < 0) return 1 - shareAbove(-at);
  const t = 1 / (1 + 0.2316419 * at);
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return normalDensity(at) * polynomial;
}
