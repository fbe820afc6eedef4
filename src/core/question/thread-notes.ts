/** A file beside a message, as far as it matters to reading it. */
export interface MessageFile {
  id: string;
  name: string;
  /** Slack's `mimetype`. */
  type: string;
  bytes: number;
  /** Where its content is, for the bot's token only. */
  url?: string;
}

/** One message people wrote in a thread of the app that was not meant for the app. */
export interface ThreadNote {
  ts: string;
  userId: string;
  /** As Slack sent it. */
  text: string;
  files: MessageFile[];
}

/**
 * What people said in a thread since the app was last asked there, oldest first. `taken`: what the newest question that
 * read the thread was given, after `fromTs` and up to `toTs`; it is never given to a later one, once it was asked.
 */
export interface ThreadNotes {
  version: 1;
  messages: ThreadNote[];
  taken?: { questionId: string; fromTs: string; toTs: string };
}

/** Beyond this the oldest messages are forgotten. */
const mostMessages = 50;
const mostCharacters = 20_000;

/** Adds a message, once; forgets what questions were given for good, and the oldest where it gets too much. */
export function addNote(notes: ThreadNotes | undefined, message: ThreadNote): ThreadNotes {
  const { messages = [], taken } = notes ?? {};
  if (messages.some(({ ts }) => ts === message.ts)) return notes ?? { version: 1, messages };
  const kept = [...messages.filter(({ ts }) => taken === undefined || isAfter(ts, taken.fromTs)), message];
  kept.sort((one, other) => Number(one.ts) - Number(other.ts));
  return { version: 1, messages: newest(kept), ...(taken === undefined ? {} : { taken }) };
}

/** Puts what its writer made of a message in its place; a message that was not heard is not heard by that. */
export function replaceNote(notes: ThreadNotes | undefined, message: ThreadNote): ThreadNotes {
  if (message.text === '' && message.files.length === 0) return removeNote(notes, message.ts);
  if (notes?.messages.some(({ ts }) => ts === message.ts) !== true) return notes ?? { version: 1, messages: [] };
  const messages = notes.messages.map((known) => (known.ts === message.ts ? message : known));
  return { ...notes, messages: newest(messages) };
}

/** Forgets a message that was deleted. */
export function removeNote(notes: ThreadNotes | undefined, ts: string): ThreadNotes {
  if (notes === undefined) return { version: 1, messages: [] };
  const messages = notes.messages.filter((message) => message.ts !== ts);
  return messages.length === notes.messages.length ? notes : { ...notes, messages };
}

/**
 * Gives a question what was said before it (up to `toTs`) and was not given to another one. The same question is given the same
 * again. `wasAsked` tells whether the question that was given something before was asked in the end: what was given in
 * vain is given once more.
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

/** As many of the newest as are remembered. */
function newest(messages: ThreadNote[]): ThreadNote[] {
  const kept = [...messages];
  let characters = kept.reduce((sum, { text }) => sum + text.length, 0);
  while (kept.length > mostMessages || (kept.length > 1 && characters > mostCharacters)) {
    characters -= kept.shift()?.text.length ?? 0;
  }
  return kept;
}

/** Slack's timestamps are seconds with six decimals, which numbers hold exactly enough to compare. */
function isAfter(ts: string, other: string): boolean {
  return Number(ts) > Number(other);
}
