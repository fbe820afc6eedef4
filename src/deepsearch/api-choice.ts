import { AppError } from '../core/errors.ts';
import type { Clock, Log, LogFields } from '../core/ports.ts';
import { within } from '../core/timeout.ts';
import type { GenerationNumber } from './generation.ts';
import { longestProbeMs, type Offer, type Offers, offersOfVersion, type Probes } from './probes.ts';

/** What the operator set: let the app find out, or one generation without a choice. */
export type ApiSetting = 'auto' | GenerationNumber;

/** Why a generation is used. */
export type ChoiceReason = 'set' | 'offered' | 'only_offered' | 'not_known';

/** The generation that calls use, and whether the instance is known not to offer it. */
export interface ChosenApi {
  number: GenerationNumber;
  reason: ChoiceReason;
  isMissing: boolean;
}

/** How old the results of the probes may be, in milliseconds. */
const probesLifeMs = 24 * 60 * 60 * 1_000;

/**
 * After a round of probes that a call asked for, how long other calls use its results instead of another round, in
 * milliseconds.
 */
const betweenRoundsMs = 5_000;

/**
 * How long a list that misses a generation must do so until that counts, if the version says that the instance offers it, in
 * milliseconds. A proxy may hide the API for a while, and a feature may be switched off for good.
 */
const doubtMs = 5 * 60_000;

/** The shortest and the longest time until the app looks again for a generation that the version promises, in milliseconds. */
const shortestLookMs = 60_000;
const longestLookMs = 60 * 60_000;

/** Which generations of the API the instance offers, and which one is used. All accounts share it. */
export interface ApiChoice {
  setting: ApiSetting;
  chosen(): ChosenApi;
  offers(): Offers;
  /** Resolves when the first round of probes ended, or after {@link longestProbeMs}. Never throws. */
  ready(): Promise<void>;
  /**
   * Resolves to what a round of probes found that ended after `sinceMs`. Any number of callers share one round, and there
   * is one in five seconds at most.
   */
  probedSince(sinceMs: number): Promise<Offers>;
  /** Notes that a call of this generation worked, which began at `startedMs`. A later probe knows better. */
  prove(number: GenerationNumber, startedMs: number): void;
  /**
   * Reads the version. Probes again after a change of it, after 24 hours, and while a probe's result is unknown. Call it
   * every ten minutes.
   */
  tend(): Promise<void>;
  /**
   * Probes again while a list misses a generation that the version promises: after a minute, and then each time after twice
   * as long, up to an hour. Call it every minute.
   */
  lookAgain(): Promise<void>;
}

/** Begins the first round of probes at once and does not wait for it. */
export function createApiChoice(options: {
  setting: ApiSetting;
  probes: Probes;
  now: Clock;
  log: Log;
  /** Is told when the service refuses the credential of the probes, once until it accepts it again. */
  onRefused?: (() => void) | undefined;
}): ApiChoice {
  const { setting, probes, now, log, onRefused } = options;
  let known: Offers = { 1: 'unknown', 2: 'unknown' };
  let version: string | undefined;
  let hasGap = true;
  /** Since when lists miss a generation that the version promises. */
  let missedSinceMs: Partial<Record<GenerationNumber, number>> = {};
  let endedMs: number | undefined;
  let askedMs: number | undefined;
  let running: Promise<void> | undefined;
  let logged = '';
  let wasRefused = false;
  let current: ChosenApi = choose(setting, known, 1);
  const first = probe().catch((error: unknown) => log.warn({ event: 'deepsearch.probe', outcome: 'failed' }, error));

  return {
    setting,
    chosen: () => current,
    offers: () => known,
    async ready() {
      if (endedMs === undefined) await within(first, longestProbeMs);
    },
    async probedSince(sinceMs) {
      const isDone = endedMs !== undefined && endedMs > sinceMs;
      const isTooSoon = askedMs !== undefined && now() - askedMs < betweenRoundsMs;
      if (running === undefined && (isDone || isTooSoon)) return known;
      if (running === undefined) askedMs = now();
      await probe();
      return known;
    },
    prove(number, startedMs) {
      const isOutdated = known[number] === 'no' && endedMs !== undefined && startedMs < endedMs;
      if (known[number] !== 'yes' && !isOutdated) update({ ...known, [number]: 'yes' });
    },
    async tend() {
      const isOld = endedMs === undefined || now() - endedMs >= probesLifeMs;
      if (!isOld && !hasGap) {
        const found = await probes.version();
        if (found === undefined || found === version) return;
      }
      await probe();
    },
    async lookAgain() {
      const sinceMs = Math.min(...Object.values(missedSinceMs));
      if (endedMs === undefined || sinceMs === Number.POSITIVE_INFINITY) return;
      const waitMs = Math.min(Math.max(shortestLookMs, endedMs - sinceMs), longestLookMs);
      if (now() - endedMs >= waitMs) await probe();
    },
  };

  function probe(): Promise<void> {
    running ??= runProbes().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function runProbes(): Promise<void> {
    const found = await probes.all();
    if (found.isRefused && !wasRefused) onRefused?.();
    wasRefused = found.isRefused === true;
    const isNewVersion = found.version !== undefined && found.version !== version;
    version = found.version ?? version;
    const byVersion = offersOfVersion(version);
    endedMs = now();
    missedSinceMs = missedNow(found.offers, byVersion, endedMs);
    // A list knows better than the version in the end: a feature can be switched off.
    const resolve = (number: GenerationNumber): Offer => {
      const sinceMs = missedSinceMs[number];
      if (sinceMs !== undefined && now() - sinceMs < doubtMs) return 'unknown';
      if (found.offers[number] !== 'unknown') return found.offers[number];
      const isStale = known[number] === 'unknown' || isNewVersion;
      return isStale && byVersion[number] !== 'unknown' ? byVersion[number] : known[number];
    };
    hasGap = ([1, 2] as const).some((number) => found.offers[number] === 'unknown' && byVersion[number] === 'unknown');
    update({ 1: resolve(1), 2: resolve(2) });
  }

  function missedNow(listed: Offers, promised: Offers, nowMs: number): typeof missedSinceMs {
    const missed: typeof missedSinceMs = {};
    for (const number of [1, 2] as const) {
      if (listed[number] === 'no' && promised[number] === 'yes') missed[number] = missedSinceMs[number] ?? nowMs;
    }
    return missed;
  }

  function update(offers: Offers): void {
    known = offers;
    current = choose(setting, known, current.number);
    const { number, reason, isMissing } = current;
    const fields: LogFields = {
      event: 'deepsearch.api',
      outcome: `generation_${number}`,
      reason,
      offers1: known[1],
      offers2: known[2],
      version,
    };
    const state = `${number} ${reason} ${isMissing}`;
    if (state === logged) return;
    logged = state;
    if (isMissing) {
      log.error(
        { ...fields, outcome: 'not_offered', generation: number, setting },
        missingError(setting, known, version),
      );
    } else log.info(fields);
  }
}

/**
 * Generation 1 while it is offered, because only it tells the sources, the progress and the statistics; otherwise
 * generation 2. Without proof of either, the one that was used so far.
 */
export function choose(setting: ApiSetting, offers: Offers, usedSoFar: GenerationNumber): ChosenApi {
  if (setting !== 'auto') return { number: setting, reason: 'set', isMissing: offers[setting] === 'no' };
  if (offers[1] === 'yes') return { number: 1, reason: 'offered', isMissing: false };
  if (offers[2] === 'yes') return { number: 2, reason: 'only_offered', isMissing: false };
  return { number: usedSoFar, reason: 'not_known', isMissing: offers[1] === 'no' && offers[2] === 'no' };
}

/** Says in the log what is wrong and what to change. */
function missingError(setting: ApiSetting, offers: Offers, version = 'unknown'): AppError {
  const offered = ([1, 2] as const).filter((number) => offers[number] === 'yes');
  const what = offered.length === 0 ? 'no generation of the conversation API' : `generation ${offered.join(' and ')}`;
  const advice = setting !== 'auto' && offered.length > 0 ? '; set SRC_API to auto' : '';
  return new AppError(
    'refused',
    `SRC_API is ${setting}, and the service (version: ${version}) offers ${what}${advice}`,
  );
}
