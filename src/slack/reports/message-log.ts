import type { MessageLogEntry, MessageLogRecord } from '../../core/history/message-log.ts';
import type { Log, Records } from '../../core/ports.ts';
import { within } from '../../core/timeout.ts';

/** Most messages that are remembered of a channel. */
const mostEntries = 100;

/** A channel as far as a diary is concerned. */
export interface MessageLogPlace {
  teamId: string;
  channelId: string;
}

export interface MessageLog {
  /** Notes what was done with a message, in its own time: an entry that can't be stored is journaled, and never thrown. */
  note(place: MessageLogPlace, entry: MessageLogEntry): void;
  /** What was noted in a channel, newest first; waits for notes under way. Throws `AppError` of kind `storage`. */
  read(place: MessageLogPlace): Promise<MessageLogEntry[]>;
  /** Waits for the notes under way, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Remembers what was done with the latest messages that concern the app, in order per channel. */
export function createMessageLog({ records, log }: { records: Records<MessageLogRecord>; log: Log }): MessageLog {
  /** Entries not yet stored, and the writing under way, by channel. */
  const waiting = new Map<string, MessageLogEntry[]>();
  const writing = new Map<string, Promise<void>>();

  return {
    note(place, entry) {
      const name = nameOf(place);
      waiting.set(name, [...(waiting.get(name) ?? []), entry].slice(-mostEntries));
      if (!writing.has(name)) writing.set(name, write(name));
    },
    async read(place) {
      const name = nameOf(place);
      await writing.get(name);
      return (await records.get(name))?.entries ?? [];
    },
    async drain(deadlineMs) {
      await within(Promise.all(writing.values()), deadlineMs);
    },
  };

  /** All that waits is stored at once, so that a busy channel costs few writes. */
  async function write(name: string): Promise<void> {
    for (let entries = take(name); entries.length > 0; entries = take(name)) {
      try {
        await records.update(name, (messageLog = { version: 1, entries: [] }) => added(messageLog, entries));
      } catch (error) {
        log.warn({ event: 'message_log_not_written', entries: entries.length }, error);
      }
    }
    // In the same breath as nothing was found waiting, so that no later entry is left to a writing that is over.
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

/** A message that meets the same fate again is no news. */
function added(messageLog: MessageLogRecord, entries: MessageLogEntry[]): MessageLogRecord {
  let known = messageLog.entries;
  for (const entry of entries) {
    const isKnown = known.some(({ ts, disposition }) => ts === entry.ts && disposition === entry.disposition);
    if (!isKnown) known = [entry, ...known];
  }
  return known === messageLog.entries ? messageLog : { ...messageLog, entries: known.slice(0, mostEntries) };
}
