import { z } from 'zod';
import { dayMs, defineRecord, type Read, type RecordOf } from '../record.ts';
import { mostNoteCharacters, mostNotes } from '../settings.ts';

/** A file of a message: what the app needs to read it. */
export const messageFile = z.looseObject({
  id: z.string(),
  name: z.string(),
  /** Slack's `mimetype`. */
  type: z.string(),
  bytes: z.number(),
  /** URL of the content, or of a clip's transcript. Slack gives it only to the bot's token. */
  url: z.string().exactOptional(),
  /** What Slack told of its content: an e-mail, or the first words of a clip. */
  text: z.string().exactOptional(),
  /** Slack gave only the id, or not yet the transcript. The app asks for the rest before it reads the file. */
  isUnknown: z.boolean().exactOptional(),
});
export type MessageFile = Read<typeof messageFile>;

/** A message that someone passed on in their own message: another person's words. Untrusted. */
export interface ForwardedMessage {
  /** Its author's name, or a token of Slack for it. */
  from: string;
  text: string;
  /** The name of the channel, where Slack tells it. */
  channel?: string;
  /** When it was posted. */
  ts?: string;
  /** Its permalink. */
  url?: string;
}

/**
 * What people said in a thread since the last question there, oldest first, kept for the next question. `taken`: the
 * newest question that read the notes got those after `fromTs` and up to `toTs`. Once it was asked, no later question
 * gets them.
 */
export const threadNotesType = defineRecord({
  key: (thread) => `ds:thread-notes:${thread}`,
  ttlMs: 7 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    /** Messages that were not meant for the app. The text is as Slack sent it. */
    messages: z.array(
      z.looseObject({ ts: z.string(), userId: z.string(), text: z.string(), files: z.array(messageFile) }),
    ),
    taken: z.looseObject({ questionId: z.string(), fromTs: z.string(), toTs: z.string() }).exactOptional(),
  }),
});
export type ThreadNotes = RecordOf<typeof threadNotesType>;
export type ThreadNote = ThreadNotes['messages'][number];

/** Adds a message, once. Drops the messages that earlier questions took for good, and the oldest beyond the limits. */
export function addNote(notes: ThreadNotes | undefined, message: ThreadNote): ThreadNotes {
  const { messages = [], taken } = notes ?? {};
  if (messages.some(({ ts }) => ts === message.ts)) return notes ?? { version: 1, messages };
  const kept = [...messages.filter(({ ts }) => taken === undefined || isAfter(ts, taken.fromTs)), message];
  kept.sort((one, other) => Number(one.ts) - Number(other.ts));
  return { version: 1, messages: newest(kept), taken };
}

/** Replaces a message with its edited version. Does not add a message that is not in the notes. */
export function replaceNote(notes: ThreadNotes | undefined, message: ThreadNote): ThreadNotes {
  if (message.text === '' && message.files.length === 0) return removeNote(notes, message.ts);
  if (notes?.messages.some(({ ts }) => ts === message.ts) !== true) return notes ?? { version: 1, messages: [] };
  const messages = notes.messages.map((known) => (known.ts === message.ts ? message : known));
  return { ...notes, messages: newest(messages) };
}

/** Removes a deleted message. */
export function removeNote(notes: ThreadNotes | undefined, ts: string): ThreadNotes {
  if (notes === undefined) return { version: 1, messages: [] };
  const messages = notes.messages.filter((message) => message.ts !== ts);
  return messages.length === notes.messages.length ? notes : { ...notes, messages };
}

/**
 * Gives a question the messages up to `toTs` that no other question took. The same question gets the same messages
 * again. `wasAsked`: whether the last question that took messages was asked. If it was not, this one gets them.
 */
export function takeNotes(
  questionId: string,
  toTs: string,
  notes: ThreadNotes | undefined,
  wasAsked: boolean,
): { notes: ThreadNotes; given: ThreadNote[] } {
  const { messages = [], taken } = notes ?? {};
  const isRepeated = taken?.questionId === questionId;
  const fromTs = taken === undefined ? '0' : isRepeated || !wasAsked ? taken.fromTs : taken.toTs;
  const given = messages.filter(({ ts }) => isAfter(ts, fromTs) && !isAfter(ts, toTs));
  if (isRepeated && notes !== undefined && taken.toTs === toTs) return { notes, given };
  return { notes: { version: 1, messages, taken: { questionId, fromTs, toTs } }, given };
}

/** The newest messages within the limits. */
function newest(messages: ThreadNote[]): ThreadNote[] {
  const kept = [...messages];
  let characters = kept.reduce((sum, { text }) => sum + text.length, 0);
  while (kept.length > mostNotes || (kept.length > 1 && characters > mostNoteCharacters)) {
    characters -= kept.shift()?.text.length ?? 0;
  }
  return kept;
}

/** Slack's timestamps are seconds with six decimals. Numbers are exact enough to compare them. */
function isAfter(ts: string, other: string): boolean {
  return Number(ts) > Number(other);
}
