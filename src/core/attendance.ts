import { z } from 'zod';
import { dayMs, defineRecord, type RecordOf } from './record.ts';
import { mostThreadsAttended } from './settings.ts';

/** What a workspace's copies of the app know of the time in which Slack could not reach any of them. */
export const attendanceType = defineRecord({
  key: (teamId) => `ds:attendance:${teamId}`,
  ttlMs: 90 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    /** When a delivery of Slack was last handled. At first, when the app began. */
    lastMs: z.number(),
    /**
     * Since when deliveries may be missing. `openedMs`: when the start that noticed it was. `holder`: the copy that
     * searches for them, and until when no other copy may. Absent after the search.
     */
    gap: z
      .looseObject({
        fromMs: z.number(),
        openedMs: z.number(),
        holder: z.looseObject({ id: z.string(), untilMs: z.number() }).exactOptional(),
      })
      .exactOptional(),
    /** The threads with messages for the app, and when the newest one was handled. Newest first. */
    threads: z.array(z.looseObject({ channelId: z.string(), threadTs: z.string(), atMs: z.number() })),
  }),
});
export type Attendance = RecordOf<typeof attendanceType>;
export type AttendedThread = Attendance['threads'][number];

export type Gap = NonNullable<Attendance['gap']>;

/** The app begins to receive, or does so again. Where it was never before, it has missed nothing. */
export function withStart(stored: Attendance | undefined, nowMs: number): Attendance {
  if (stored === undefined) return { version: 1, lastMs: nowMs, threads: [] };
  const { lastMs, gap } = stored;
  return { ...stored, gap: { ...gap, fromMs: Math.min(gap?.fromMs ?? lastMs, lastMs), openedMs: nowMs } };
}

/** Deliveries were handled. */
export function withHandled(stored: Attendance, lastMs: number, threads: readonly AttendedThread[]): Attendance {
  const keyOf = ({ channelId, threadTs }: AttendedThread): string => `${channelId}:${threadTs}`;
  const byKey = new Map<string, AttendedThread>();
  for (const thread of [...threads, ...stored.threads].toSorted((one, other) => other.atMs - one.atMs)) {
    if (!byKey.has(keyOf(thread))) byKey.set(keyOf(thread), thread);
  }
  const newest = [...byKey.values()].slice(0, mostThreadsAttended);
  return { ...stored, lastMs: Math.max(stored.lastMs, lastMs), threads: newest };
}

/** Takes or keeps the search for what is missing, unless another copy has it. */
export function withHolder(stored: Attendance, id: string, nowMs: number, leaseMs: number): Attendance {
  const { gap } = stored;
  const isTaken = gap?.holder !== undefined && gap.holder.id !== id && gap.holder.untilMs > nowMs;
  if (gap === undefined || isTaken) return stored;
  return { ...stored, gap: { ...gap, holder: { id, untilMs: nowMs + leaseMs } } };
}

/** The search of a copy ended. The gap is closed unless another start opened it again meanwhile. */
export function withSearched(stored: Attendance, id: string, openedMs: number, isComplete: boolean): Attendance {
  const { gap, ...rest } = stored;
  if (gap === undefined || (gap.holder !== undefined && gap.holder.id !== id)) return stored;
  if (isComplete && gap.openedMs === openedMs) return rest;
  const { holder: _, ...free } = gap;
  return { ...rest, gap: free };
}
