import type { MessageLogEntry, MessageLogRecord } from '../../core/history/message-log.ts';
import type { Log, Records } from '../../core/ports.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
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
  /** Entries not yet stored, and the writing under way, by channel. */
  const waiting = new Map<string, MessageLogEntry[]>();
  const writing = new Map<string, Promise<void>>();

  return {
    note(place, entry) {
      const name = nameOf(place);
      waiting.set(name, [...(waiting.get(name) ?? []), entry].slice(-mostLoggedMessages));
      if (writing.has(name)) return;
      const work = tasks.run({ event: 'message_log_not_written' }, () => write(name));
      if (work !== undefined) writing.set(name, work);
    },
    async read(place) {
      const name = nameOf(place);
      await writing.get(name);
      return (await records.get(name))?.entries ?? [];
    },
  };

  /** Stores all waiting entries together, so that a busy channel costs few writes. */
  async function write(name: string): Promise<void> {
    for (let entries = take(name); entries.length > 0; entries = take(name)) {
      try {
        await records.update(name, (messageLog = { version: 1, entries: [] }) => added(messageLog, entries));
      } catch (error) {
        log.warn({ event: 'message_log_not_written', entries: entries.length }, error);
      }
    }
    // No `await` since nothing was found waiting: a later entry starts a new write.
    writing.delete(name);
  }

  function take(name: string): MessageLogEntry[] {
    const entries = waiting.get(name) ?? [];
    waiting.delete(name);
    return entries;
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
