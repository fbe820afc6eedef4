/** A file beside a message, as far as it matters to reading it. */
export interface HeardFile {
  id: string;
  name: string;
  /** Slack's `mimetype`. */
  type: string;
  bytes: number;
  /** Where its content is, for the bot's token only. */
  url?: string;
}

/** One message people wrote in a thread of the app that was not meant for the app. */
export interface HeardMessage {
  ts: string;
  userId: string;
  /** As Slack sent it. */
  text: string;
  files: HeardFile[];
}

/**
 * What people said in a thread since the app was last asked there, oldest first. `taken`: what the newest question that
 * read the thread was given, after `fromTs` and up to `toTs`; it is never given to a later one, once it was asked.
 */
export interface Heard {
  version: 1;
  messages: HeardMessage[];
  taken?: { questionId: string; fromTs: string; toTs: string };
}

/** Beyond this the oldest messages are forgotten. */
const mostMessages = 50;
const mostCharacters = 20_000;

/** Adds a message, once; forgets what questions were given for good, and the oldest where it gets too much. */
export function hear(heard: Heard | undefined, message: HeardMessage): Heard {
  const { messages = [], taken } = heard ?? {};
  if (messages.some(({ ts }) => ts === message.ts)) return heard ?? { version: 1, messages };
  const kept = [...messages.filter(({ ts }) => taken === undefined || isAfter(ts, taken.fromTs)), message];
  kept.sort((one, other) => Number(one.ts) - Number(other.ts));
  return { version: 1, messages: newest(kept), ...(taken === undefined ? {} : { taken }) };
}

/** Puts what its writer made of a message in its place; a message that was not heard is not heard by that. */
export function rehear(heard: Heard | undefined, message: HeardMessage): Heard {
  if (message.text === '' && message.files.length === 0) return unhear(heard, message.ts);
  if (heard?.messages.some(({ ts }) => ts === message.ts) !== true) return heard ?? { version: 1, messages: [] };
  const messages = heard.messages.map((known) => (known.ts === message.ts ? message : known));
  return { ...heard, messages: newest(messages) };
}

/** Forgets a message that was deleted. */
export function unhear(heard: Heard | undefined, ts: string): Heard {
  if (heard === undefined) return { version: 1, messages: [] };
  const messages = heard.messages.filter((message) => message.ts !== ts);
  return messages.length === heard.messages.length ? heard : { ...heard, messages };
}

/**
 * Gives a question what was said before it (up to `toTs`) and was not given to another one. The same question is given the same
 * again. `wasAsked` tells whether the question that was given something before was asked in the end: what was given in
 * vain is given once more.
 */
export function giveTo(
  questionId: string,
  toTs: string,
  heard: Heard | undefined,
  wasAsked: boolean,
): { heard: Heard; given: HeardMessage[] } {
  const { messages = [], taken } = heard ?? {};
  const isRepeated = taken?.questionId === questionId;
  const fromTs = taken === undefined ? '0' : isRepeated || !wasAsked ? taken.fromTs : taken.toTs;
  const given = messages.filter(({ ts }) => isAfter(ts, fromTs) && !isAfter(ts, toTs));
  if (isRepeated && heard !== undefined && taken.toTs === toTs) return { heard, given };
  return { heard: { version: 1, messages, taken: { questionId, fromTs, toTs } }, given };
}

/** As many of the newest as are remembered. */
function newest(messages: HeardMessage[]): HeardMessage[] {
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
