import { z } from 'zod';
import { dayMs, defineRecord, type RecordOf } from '../record.ts';

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
