import { z } from 'zod';
import { dayMs, defineRecord, type Read, type RecordOf } from '../record.ts';
import { mostChannelsChosen, mostThreadsChosen } from '../settings.ts';

/**
 * Who sees an answer. `here`: the readers of the channel, also for later answers of this thread. `always`: also for later
 * answers in this channel. `onlyMe`: its asker, in direct messages.
 */
export type ReadersChoice = NonNullable<Showing['choice']>;

/** Who sees the answer of a question in a channel, and what was done about that. */
export const showing = z.looseObject({
  choice: z.enum(['here', 'always', 'onlyMe']).exactOptional(),
  /** How the choice came: a button for this answer, a button for an earlier answer, or the time was over. */
  by: z.enum(['asker', 'earlier', 'time']).exactOptional(),
  /** When the app began to ask the asker. Absent if it did not. */
  askedMs: z.number().exactOptional(),
  /** When the private message with the buttons was sent. */
  noticedMs: z.number().exactOptional(),
  /** When the choice was stored for later answers. */
  rememberedMs: z.number().exactOptional(),
  /** When the answer was handed over to the asker's direct messages. */
  sentMs: z.number().exactOptional(),
});
export type Showing = Read<typeof showing>;

/** A channel, or a thread in it. */
interface Where {
  channelId: string;
  threadTs?: string;
}

/** Where a person chose to show the answers that they ask with their own access. Newest last. */
export const readerChoicesType = defineRecord({
  key: (person) => `ds:showing:${person}`,
  ttlMs: 400 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    threads: z.array(z.looseObject({ channelId: z.string(), threadTs: z.string() })),
    channels: z.array(z.string()),
  }),
});
export type ReaderChoices = RecordOf<typeof readerChoicesType>;

/** Whether the person agreed to show their answers to the readers of this place. */
export function areReadersAccepted(choices: ReaderChoices | undefined, place: Where): boolean {
  if (choices === undefined) return false;
  return choices.channels.includes(place.channelId) || choices.threads.some((thread) => isThread(thread, place));
}

/** Adds a choice. Returns the same object if it changes nothing. `onlyMe` counts for one answer only. */
export function withReadersAccepted(
  choices: ReaderChoices = { version: 1, threads: [], channels: [] },
  place: Where,
  choice: ReadersChoice,
): ReaderChoices {
  const { channelId } = place;
  if (choice === 'always') {
    if (choices.channels.includes(channelId)) return choices;
    return { ...choices, channels: [...choices.channels, channelId].slice(-mostChannelsChosen) };
  }
  const { threadTs } = place;
  if (choice !== 'here' || threadTs === undefined) return choices;
  if (choices.threads.some((thread) => isThread(thread, place))) return choices;
  return { ...choices, threads: [...choices.threads, { channelId, threadTs }].slice(-mostThreadsChosen) };
}

/** Takes back the choice for a channel. Returns the same object if it changes nothing. */
export function withoutChannel(
  choices: ReaderChoices = { version: 1, threads: [], channels: [] },
  channelId: string,
): ReaderChoices {
  if (!choices.channels.includes(channelId)) return choices;
  return { ...choices, channels: choices.channels.filter((each) => each !== channelId) };
}

function isThread(thread: ReaderChoices['threads'][number], { channelId, threadTs }: Where): boolean {
  return thread.channelId === channelId && thread.threadTs === threadTs;
}
