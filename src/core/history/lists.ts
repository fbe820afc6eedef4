import { z } from 'zod';
import type { AskedQuestions, Durations, Records } from '../ports.ts';
import type { Expectation } from '../question/question.ts';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';
import { fewestDurations, mostAskedKept, mostDurationsKept, visitLifeMs } from '../settings.ts';

/** How long `why` can report what was done with a message. */
const messageLogLifeMs = dayMs;

/** The latest messages of one channel and what the app did with them, newest first. The verb `why` shows it. */
export const messageLogType = defineRecord({
  key: (channel) => `ds:message-log:${channel}`,
  ttlMs: messageLogLifeMs,
  schema: z.looseObject({
    version: z.literal(1),
    entries: z.array(
      /** One message. Never contains its text. */
      z.looseObject({
        ts: z.string(),
        threadTs: z.string().exactOptional(),
        userId: z.string(),
        atMs: z.number(),
        /** How the message reached the app. Absent for an edit, which says nothing about it. */
        reached: z.enum(['mention', 'reply', 'direct']).exactOptional(),
        disposition: z.enum([
          'asked',
          'cancelled',
          /** The app carried out a verb, for example `status`. */
          'verbCarriedOut',
          /** Slack delivered the same message again. */
          'duplicate',
          /** It begins with a mention of another person. */
          'addressesAnother',
          'muted',
          /** The channel's settings take only mentions. */
          'onlyMentions',
          /** It is thanks, an emoji or another courtesy. */
          'asksNothing',
          /** A plain reply in a thread that people started, without a mention. */
          'peoplesThread',
          'fromBot',
          'edited',
          'noText',
          'tooLong',
          /** Too many questions wait in the thread. */
          'queueFull',
          /** It could not be stored. The app asked Slack to deliver it again. */
          'notTaken',
        ]),
        /** The question that the message became. Its state shows the rest. */
        questionId: z.string().exactOptional(),
      }),
    ),
  }),
});
export type MessageLogRecord = RecordOf<typeof messageLogType>;
export type MessageLogEntry = MessageLogRecord['entries'][number];
/** What the app did with a message. */
export type Disposition = MessageLogEntry['disposition'];

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

/** When a person last opened the app's Home. The app updates the Home of recent visitors only. */
export const visitType = defineRecord({
  key: (person) => `ds:visit:${person}`,
  ttlMs: visitLifeMs,
  schema: z.looseObject({
    version: z.literal(1),
    openedMs: z.number(),
    /** The person's direct message with the app. The person opened Home there. */
    channelId: z.string(),
  }),
});
export type Visit = RecordOf<typeof visitType>;
