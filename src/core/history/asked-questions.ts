import { z } from 'zod';
import type { AskedQuestions, Records } from '../ports.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';
import { mostAskedKept } from '../settings.ts';

/** The recent questions of one person, newest first. */
export const askedQuestionsType = defineRecord({
  key: (person) => `ds:history:${person}`,
  ttlMs: 90 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    entries: z.array(z.looseObject({ questionId: z.string(), atMs: z.number() })),
  }),
});
export type AskedQuestionsRecord = RecordOf<typeof askedQuestionsType>;

/** Creates the store of each person's recent questions. */
export function createAskedQuestions(records: Records<AskedQuestionsRecord>): AskedQuestions {
  const nameOf = (teamId: string, userId: string): string => `${teamId}:${userId}`;

  return {
    async note({ id, place, askerId, acceptedMs }) {
      await records.update(nameOf(place.teamId, askerId), (history = { version: 1, entries: [] }) => {
        if (history.entries.some(({ questionId }) => questionId === id)) return history;
        const entries = [{ questionId: id, atMs: acceptedMs }, ...history.entries];
        return {
          ...history,
          entries: entries.toSorted((one, other) => other.atMs - one.atMs).slice(0, mostAskedKept),
        };
      });
    },
    async of(teamId, userId) {
      return (await records.get(nameOf(teamId, userId)))?.entries.map(({ questionId }) => questionId) ?? [];
    },
  };
}
