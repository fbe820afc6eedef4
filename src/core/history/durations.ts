import { z } from 'zod';
import type { Durations, Records } from '../ports.ts';
import type { Expectation } from '../question/question.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';
import { fewestDurations, mostDurationsKept } from '../settings.ts';

/** The newest answered questions of a workspace and how long they took, in milliseconds. Oldest first. */
export const durationsType = defineRecord({
  key: (teamId) => `ds:durations:${teamId}`,
  ttlMs: 90 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    entries: z.array(z.looseObject({ questionId: z.string(), durationMs: z.number() })),
  }),
});
export type DurationLog = RecordOf<typeof durationsType>;

/**
 * Creates expectations from stored durations: the range of the middle half, and the time that nine in ten do not
 * exceed.
 */
export function createDurations(logs: Records<DurationLog>): Durations {
  return {
    async note(teamId, questionId, durationMs) {
      await logs.update(teamId, (log = { version: 1, entries: [] }) =>
        log.entries.some((entry) => entry.questionId === questionId)
          ? log
          : { ...log, entries: [...log.entries, { questionId, durationMs }].slice(-mostDurationsKept) },
      );
    },
    async expect(teamId) {
      return expectation((await logs.get(teamId))?.entries.map(({ durationMs }) => durationMs) ?? []);
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
