import type { MessageLogEntry, MessageLogRecord } from '../../core/history/lists.ts';
import type { Log, Records } from '../../core/ports.ts';
import { type BackgroundTasks, createReconciler } from '../background-tasks.ts';
import { mostLoggedMessages } from '../settings.ts';

/** A channel that has a log. */
interface MessageLogPlace {
  teamId: string;
  channelId: string;
}

export interface MessageLog {
  /** Notes in the background what was done with a message. When that can't be stored, it is logged. Never throws. */
  note(place: MessageLogPlace, entry: MessageLogEntry): void;
  /** What was noted in a channel, newest first, with the notes under way. Throws `AppError` of kind `storage`. */
  read(place: MessageLogPlace): Promise<MessageLogEntry[]>;
}

/** Remembers what was done with the latest messages that concern the app, in order per channel. */
export function createMessageLog({
  records,
  tasks,
  log,
}: {
  records: Records<MessageLogRecord>;
  tasks: Pick<BackgroundTasks, 'run'>;
  log: Log;
}): MessageLog {
  /** Entries not yet stored, by channel. */
  const waiting = new Map<string, MessageLogEntry[]>();
  const writing = createReconciler({ run: write, tasks, failure: { event: 'message_log_not_written' }, log });

  return {
    note(place, entry) {
      const name = nameOf(place);
      waiting.set(name, [...(waiting.get(name) ?? []), entry].slice(-mostLoggedMessages));
      void writing.want(name);
    },
    async read(place) {
      const name = nameOf(place);
      if (waiting.has(name) || writing.isRunning(name)) await writing.want(name);
      return (await records.get(name))?.entries ?? [];
    },
  };

  /** Stores all waiting entries together, so that a busy channel costs few writes. */
  async function write(name: string): Promise<number | undefined> {
    const entries = waiting.get(name);
    if (entries === undefined) return undefined;
    waiting.delete(name);
    try {
      await records.update(name, (messageLog = { version: 1, entries: [] }) => added(messageLog, entries));
    } catch (error) {
      log.warn({ event: 'message_log_not_written', entries: entries.length }, error);
    }
    return 0;
  }
}

function nameOf({ teamId, channelId }: MessageLogPlace): string {
  return `${teamId}:${channelId}`;
}

/** The same message with the same disposition is noted once. */
function added(messageLog: MessageLogRecord, entries: MessageLogEntry[]): MessageLogRecord {
  let known = messageLog.entries;
  for (const entry of entries) {
    const isKnown = known.some(({ ts, disposition }) => ts === entry.ts && disposition === entry.disposition);
    if (!isKnown) known = [entry, ...known];
  }
  return known === messageLog.entries ? messageLog : { ...messageLog, entries: known.slice(0, mostLoggedMessages) };
}
