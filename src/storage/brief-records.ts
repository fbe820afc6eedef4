import { z } from 'zod';
import type { AccountWaitList } from '../core/accounts/waiting.ts';
import type { Attendance } from '../core/attendance.ts';
import type { Visit } from '../core/history/home-visits.ts';
import type { MessageLogRecord } from '../core/history/message-log.ts';
import type { DayCount } from '../core/question/daily-caps.ts';
import type { RefusedText } from '../core/question/refused-text.ts';
import type { SessionMarks } from '../core/session-marks.ts';
import { visitLifeMs } from '../core/settings.ts';
import { upgradeMessageLog } from './earlier-records.ts';
import { createFormat, type Exactly } from './record-format.ts';
import { ACCOUNT_WAITS_TTL_MS, DAY_MS, MESSAGE_LOG_TTL_MS, REFUSED_TEXT_TTL_MS, type RecordType } from './records.ts';

const refusedTextSchema = z.looseObject({ version: z.literal(1), text: z.string() });

const visitSchema = z.looseObject({ version: z.literal(1), openedMs: z.number(), channelId: z.string() });

const messageLogSchema = z.looseObject({
  version: z.literal(1),
  entries: z.array(
    z.looseObject({
      ts: z.string(),
      threadTs: z.string().exactOptional(),
      userId: z.string(),
      atMs: z.number(),
      reached: z.enum(['mention', 'reply', 'direct']).exactOptional(),
      disposition: z.enum([
        'asked',
        'cancelled',
        'verbCarriedOut',
        'duplicate',
        'addressesAnother',
        'muted',
        'onlyMentions',
        'asksNothing',
        'peoplesThread',
        'fromBot',
        'edited',
        'noText',
        'tooLong',
        'queueFull',
        'notTaken',
      ]),
      questionId: z.string().exactOptional(),
    }),
  ),
});

const dayCountSchema = z.looseObject({ version: z.literal(1), questionIds: z.array(z.string()) });

/** One record per person or channel and day. A question is admitted within a day, or not at all. */
export const dayCountType: RecordType<DayCount> = {
  key: (name) => `ds:day-count:${name}`,
  ttlMs: 2 * DAY_MS,
  format: createFormat<DayCount>(dayCountSchema satisfies Exactly<typeof dayCountSchema, DayCount>),
};

const accountWaitsSchema = z.looseObject({
  version: z.literal(1),
  waiting: z.array(z.looseObject({ questionId: z.string(), sinceMs: z.number() })),
  notice: z.looseObject({ questionId: z.string(), atMs: z.number() }).exactOptional(),
});

/** One record per person. */
export const accountWaitsType: RecordType<AccountWaitList> = {
  key: (person) => `ds:account-waits:${person}`,
  ttlMs: ACCOUNT_WAITS_TTL_MS,
  format: createFormat<AccountWaitList>(
    accountWaitsSchema satisfies Exactly<typeof accountWaitsSchema, AccountWaitList>,
  ),
};

export const refusedTextType: RecordType<RefusedText> = {
  key: (questionId) => `ds:refused-text:${questionId}`,
  ttlMs: REFUSED_TEXT_TTL_MS,
  format: createFormat<RefusedText>(refusedTextSchema satisfies Exactly<typeof refusedTextSchema, RefusedText>),
};

export const messageLogType: RecordType<MessageLogRecord> = {
  key: (channel) => `ds:message-log:${channel}`,
  formerKey: (channel) => `ds:diary:${channel}`,
  ttlMs: MESSAGE_LOG_TTL_MS,
  format: createFormat<MessageLogRecord>(
    messageLogSchema satisfies Exactly<typeof messageLogSchema, MessageLogRecord>,
    upgradeMessageLog,
  ),
};

export const visitType: RecordType<Visit> = {
  key: (person) => `ds:visit:${person}`,
  ttlMs: visitLifeMs,
  format: createFormat<Visit>(visitSchema satisfies Exactly<typeof visitSchema, Visit>),
};

const attendanceSchema = z.looseObject({
  version: z.literal(1),
  lastMs: z.number(),
  gap: z
    .looseObject({
      fromMs: z.number(),
      openedMs: z.number(),
      holder: z.looseObject({ id: z.string(), untilMs: z.number() }).exactOptional(),
    })
    .exactOptional(),
  threads: z.array(z.looseObject({ channelId: z.string(), threadTs: z.string(), atMs: z.number() })),
});

/** One record per workspace. */
export const attendanceType: RecordType<Attendance> = {
  key: (teamId) => `ds:attendance:${teamId}`,
  ttlMs: 90 * DAY_MS,
  format: createFormat<Attendance>(attendanceSchema satisfies Exactly<typeof attendanceSchema, Attendance>),
};

const sessionMarksSchema = z.looseObject({
  version: z.literal(1),
  threads: z.array(
    z.looseObject({ channelId: z.string(), threadTs: z.string(), atMs: z.number(), isSent: z.boolean() }),
  ),
});

/** One record per workspace. Slack forgets a session after an hour. */
export const sessionMarksType: RecordType<SessionMarks> = {
  key: (teamId) => `ds:session-marks:${teamId}`,
  ttlMs: DAY_MS,
  format: createFormat<SessionMarks>(sessionMarksSchema satisfies Exactly<typeof sessionMarksSchema, SessionMarks>),
};
