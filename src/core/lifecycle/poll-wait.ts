import { isAppError } from '../errors.ts';
import { keepNewest } from '../keep-newest.ts';
import { type LearnedPace, learnPace, pollMs, pollsPerQuestion } from '../learned-pace.ts';
import type { Question } from '../question/question.ts';
import { waitedFromMs } from '../question/upstream.ts';
import { mostPacesKept, paceFreshMs } from '../settings.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';

/** Milliseconds until the next poll of a question that was asked `elapsedMs` ago (0: just now). */
export type PollWait = (question: Question, elapsedMs: number) => Promise<number>;

/**
 * Chooses waits by what this process learned of each workspace. Reads the durations of a workspace once per
 * `paceFreshMs`. If they can't be read, goes on with what it has: the last pace, or the fixed waits of the settings.
 */
export function createPollWait({
  durations,
  log,
  now,
  random,
  settings: { pacing },
}: Pick<LifecyclePorts, 'durations' | 'log' | 'now' | 'random' | 'settings'>): PollWait {
  const paces = new Map<string, { pace: Promise<LearnedPace | undefined>; sinceMs: number }>();

  return async function pollWait({ place, cancel }, elapsedMs) {
    // How long answers take says nothing about how soon the service confirms a cancellation.
    const pace = cancel === undefined ? await paceOf(place.teamId) : undefined;
    return pollMs(pace, pacing, elapsedMs, random());
  };

  function paceOf(teamId: string): Promise<LearnedPace | undefined> {
    const known = paces.get(teamId);
    if (known !== undefined && now() - known.sinceMs < paceFreshMs) return known.pace;
    const pace = learn(teamId, known?.pace);
    keepNewest(paces, teamId, { pace, sinceMs: now() }, mostPacesKept);
    return pace;
  }

  async function learn(teamId: string, earlier: Promise<LearnedPace | undefined> | undefined) {
    try {
      return learnPace(await durations.recent(teamId), pacing, pollsPerQuestion);
    } catch (error) {
      if (!isAppError(error)) {
        paces.delete(teamId);
        throw error;
      }
      log.warn({ event: 'pace_not_learned', kind: error.kind }, error);
      return earlier;
    }
  }
}

/**
 * Milliseconds until something of a running question is due that no change at the service announces: the end of the app's
 * patience, "takes longer than usual", a check for copies.
 */
export function untilDueMs(question: Question, patienceEndMs: number, nowMs: number): number {
  const { expected, recheckMs = Number.POSITIVE_INFINITY } = question;
  const lateMs = expected === undefined ? Number.POSITIVE_INFINITY : waitedFromMs(question) + expected.lateMs;
  const due = [patienceEndMs, lateMs, recheckMs].filter((atMs) => atMs > nowMs);
  return Math.min(...due) - nowMs;
}
