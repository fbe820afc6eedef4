import type { Durations, Records } from '../ports.ts';
import type { Expectation } from '../question/expectation.ts';
import { fewestDurations, mostDurationsKept } from '../settings.ts';

/** The newest answered questions of a workspace and how long they took, in milliseconds. Oldest first. */
export interface DurationLog {
  version: 1;
  entries: { questionId: string; durationMs: number }[];
}

/**
 * Creates expectations from stored durations: the range of the middle half, and the time that nine in ten do not
 * exceed.
 */
export function createDurations(logs: Records<DurationLog>): Durations {
  async function recent(teamId: string): Promise<number[]> {
    return (await logs.get(teamId))?.entries.map(({ durationMs }) => durationMs) ?? [];
  }

  return {
    recent,
    async note(teamId, questionId, durationMs) {
      await logs.update(teamId, (log = { version: 1, entries: [] }) =>
        log.entries.some((entry) => entry.questionId === questionId)
          ? log
          : { ...log, entries: [...log.entries, { questionId, durationMs }].slice(-mostDurationsKept) },
      );
    },
    async expect(teamId) {
      return expectation(await recent(teamId));
    },
  };
}

/** The range of the middle half and the 90th percentile. Undefined if there are too few durations. */
export function expectation(durationsMs: readonly number[]): Expectation | undefined {
  if (durationsMs.length < fewestDurations) return undefined;
  const sorted = durationsMs.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { fromMs: at(0.25), toMs: at(0.75), lateMs: at(0.9) };
}
