import { type Attendance, type AttendedThread, withHandled, withStart } from '../../core/attendance.ts';
import { isAppError } from '../../core/errors.ts';
import type { Clock, Records } from '../../core/ports.ts';
import { mostThreadsAttended } from '../../core/settings.ts';

export interface AttendanceKeeper {
  /** Handles a delivery of Slack. One that fails for lack of the storage may be lost, so it is looked for later. */
  during(handle: () => Promise<void>): Promise<void>;
  /** A message for the app was handled, or one in a thread of the app. */
  heard(thread: Pick<AttendedThread, 'channelId' | 'threadTs'>): void;
  /** The app begins to receive, or does so again after a time without a connection. */
  begin(): void;
  /** Stores what happened since the last time. */
  store(): Promise<void>;
  /** Whether deliveries may be missing, as far as this process knows. */
  mayMiss(): boolean;
  /** Nothing is missing any more. */
  nothingMissed(): void;
}

/** Keeps in the storage until when the app handled what Slack delivers, a few seconds late. */
export function createAttendanceKeeper({
  attendance,
  teamId,
  now,
}: {
  attendance: Pick<Records<Attendance>, 'update'>;
  teamId: string;
  now: Clock;
}): AttendanceKeeper {
  let hasBegun = true;
  let isMissing = false;
  let lastMs = 0;
  const threads = new Map<string, AttendedThread>();

  return {
    async during(handle) {
      try {
        await handle();
      } catch (error) {
        if (isAppError(error, 'storage')) hasBegun = true;
        throw error;
      }
      lastMs = now();
    },
    heard({ channelId, threadTs }) {
      const key = `${channelId}:${threadTs}`;
      threads.delete(key);
      threads.set(key, { channelId, threadTs, atMs: now() });
      const [oldest] = threads.size > mostThreadsAttended ? threads.keys() : [];
      if (oldest !== undefined) threads.delete(oldest);
    },
    begin() {
      hasBegun = true;
    },
    store,
    mayMiss: () => isMissing,
    nothingMissed() {
      isMissing = false;
    },
  };

  /** Stores the start first: if a later delivery were stored before it, the gap before the start would be lost. */
  async function store(): Promise<void> {
    if (hasBegun) {
      // Before the write: another delivery may be lost meanwhile.
      hasBegun = false;
      try {
        const begun = await attendance.update(teamId, (stored) => withStart(stored, now()));
        isMissing = begun.gap !== undefined;
      } catch (error) {
        hasBegun = true;
        throw error;
      }
    }
    if (lastMs === 0) return;
    const [handledMs, attended] = [lastMs, [...threads.values()]];
    lastMs = 0;
    threads.clear();
    try {
      await attendance.update(teamId, (stored = withStart(undefined, handledMs)) =>
        withHandled(stored, handledMs, attended),
      );
    } catch (error) {
      lastMs = Math.max(lastMs, handledMs);
      throw error;
    }
  }
}
