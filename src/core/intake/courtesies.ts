import { acknowledgments, companions, greetings, joining, reasons, thanks } from './courtesy-words.ts';
import { withoutEmoji } from './intents.ts';

const courtesies = new Set([
  ...thanks,
  ...thanks.flatMap((words) => reasons.map((reason) => `${words} ${reason}`)),
  ...acknowledgments,
]);
const fillers = new Set([...companions, ...joining]);

/** Most characters of a courtesy. A longer text is a question. */
const longestCourtesy = 300;

const greetingsAlone = new Set(greetings);
const greetingsOrCourtesies = new Set([...courtesies, ...greetings]);

/** Most words of one entry in the lists above. */
const longestEntry = Math.max(...[...greetingsOrCourtesies, ...fillers].map((entry) => entry.split(' ').length));

/** Emoticons like `:)`, `;-)`, `:D`, `<3` and `xD`, at the end of a word. */
const emoticon = /(?:[:;=]['’]?-?[()dp3*/\\]|<3|(?<![\p{L}\p{N}])xd)(?![\p{L}\p{N}])/giu;

/** All characters that a courtesy may contain. Any other, above all a question mark, makes the text a question. */
const plainMarks = /^[\p{L}\p{M}\p{N}\s.,;:!…~+\-–—'’"“”„*_^&]*$/u;

/**
 * Whether a text asks nothing: only thanks, words like "ok" and "got it", emoji or marks, in English and German. Any
 * other word makes it a question. `text` is plain and contains no names of people.
 */
export function asksNothing(text: string): boolean {
  if (text.length > longestCourtesy) return false;
  const bare = withoutPictures(text);
  if (!plainMarks.test(bare)) return false;
  const words = wordsOf(bare);
  return words.length === 0 || isMadeOf(courtesies, words);
}

/**
 * Whether a text only greets or tries whether the app is there: "hello", "ping?", "???". Here a question mark makes no question.
 * `text` is plain and contains no names of people.
 */
export function isGreeting(text: string): boolean {
  if (text.length > longestCourtesy) return false;
  const bare = withoutPictures(text);
  const words = wordsOf(bare);
  if (words.length === 0) return true;
  return plainMarks.test(bare.replace(/[?？]/g, ' ')) && isMadeOf(greetingsOrCourtesies, words, greetingsAlone);
}

function withoutPictures(text: string): string {
  return withoutEmoji(text).replace(emoticon, ' ');
}

function wordsOf(bare: string): string[] {
  return bare.toLowerCase().replace(/['’]/g, '').match(wordPattern) ?? [];
}

/** A word, or a vote like `+1`. */
const wordPattern = /(?<![\p{L}\p{N}])[+-]\d+|\+\+|[\p{L}\p{M}\p{N}]+/gu;

/** Whether the words are a sequence of entries and fillers, with at least one entry of `needed`. */
function isMadeOf(entries: ReadonlySet<string>, words: readonly string[], needed = entries): boolean {
  if (joining.includes(words.at(-1) ?? '')) return false;
  let hasEntry = false;
  for (let from = 0; from < words.length; ) {
    const entry = longestEntryAt(entries, words, from);
    if (entry === undefined) return false;
    hasEntry ||= needed.has(entry);
    from += entry.split(' ').length;
  }
  return hasEntry;
}

function longestEntryAt(entries: ReadonlySet<string>, words: readonly string[], from: number): string | undefined {
  for (let length = Math.min(longestEntry, words.length - from); length > 0; length -= 1) {
    const entry = words.slice(from, from + length).join(' ');
    if (entries.has(entry) || fillers.has(entry)) return entry;
  }
  return undefined;
}
