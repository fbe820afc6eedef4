import { z } from 'zod';
import { dayMs, defineRecord, type RecordOf } from './record.ts';
import { mostSessionMarks, sessionCallMs, sessionLifeMs } from './settings.ts';

/**
 * The threads of a workspace in which Slack may show that the app works. `isSent`: Slack got the status, so that it can't
 * come any later. `atMs`: when the call began that sent it.
 */
export const sessionMarksType = defineRecord({
  key: (teamId) => `ds:session-marks:${teamId}`,
  // Slack forgets a session after an hour.
  ttlMs: dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    threads: z.array(
      z.looseObject({ channelId: z.string(), threadTs: z.string(), atMs: z.number(), isSent: z.boolean() }),
    ),
  }),
});
export type SessionMarks = RecordOf<typeof sessionMarksType>;
export type SessionMark = SessionMarks['threads'][number];

type Place = Pick<SessionMark, 'channelId' | 'threadTs'>;

/** Before the status is sent. Slack ends a session by itself after an hour, so older marks say nothing. */
export function withSessionMark(
  stored: SessionMarks | undefined,
  { channelId, threadTs }: Place,
  atMs: number,
): SessionMarks {
  const others = (stored?.threads ?? []).filter(
    (mark) => !isIn(mark, { channelId, threadTs }) && atMs - mark.atMs < sessionLifeMs,
  );
  return { version: 1, threads: [...others, { channelId, threadTs, atMs, isSent: false }].slice(-mostSessionMarks) };
}

/** Slack replied to the call that began at `atMs`. */
export function withSessionSent(stored: SessionMarks | undefined, place: Place, atMs: number): SessionMarks {
  const { threads } = stored ?? none;
  if (!threads.some((mark) => isIn(mark, place) && mark.atMs === atMs)) return stored ?? none;
  return { version: 1, threads: threads.map((mark) => (isIn(mark, place) ? { ...mark, isSent: true } : mark)) };
}

/**
 * Removes marks after a call that began at `atMs`. `active`: Slack ended the status, and all settled marks up to then go.
 * `processing`: Slack refused to show it, and only that call's mark goes. A mark whose call may still arrive stays, so that
 * the status is ended again.
 */
export function withoutSessionMark(
  stored: SessionMarks | undefined,
  place: Place,
  atMs: number,
  status: 'active' | 'processing',
): SessionMarks {
  const { threads } = stored ?? none;
  const goes = (mark: SessionMark): boolean =>
    status === 'active' ? mark.atMs <= atMs && isSettled(mark, atMs) : mark.atMs === atMs;
  const rest = threads.filter((mark) => !isIn(mark, place) || !goes(mark));
  return rest.length === threads.length ? (stored ?? none) : { version: 1, threads: rest };
}

/** Whether the call that sent the status can't arrive any more. */
export function isSettled({ isSent, atMs }: SessionMark, nowMs: number): boolean {
  return isSent || nowMs - atMs > sessionCallMs;
}

const none: SessionMarks = { version: 1, threads: [] };

function isIn({ channelId, threadTs }: Place, place: Place): boolean {
  return channelId === place.channelId && threadTs === place.threadTs;
}
