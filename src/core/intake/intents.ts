/** What people can say to the app instead of a question, in a thread or a direct message. */
export type Verb = 'help' | 'cancel' | 'mute' | 'unmute' | 'status' | 'history' | 'why';

/** What people say to the app that asks nothing. `greeting`: a greeting, or only marks or emoji. `thanks`: thanks, "ok", "+1". */
export type Nothing = 'greeting' | 'thanks';

/** What people can say with the app's command: all verbs and four more. */
export type CommandVerb = Verb | 'connect' | 'disconnect' | 'settings' | 'doctor';

type Asking =
  /** The text is empty. */
  | { kind: 'nothing' }
  /** Only "new", without a question. */
  | { kind: 'new' }
  /** `freshText` is the question without its leading "new", for places where "new" starts a new conversation. */
  | { kind: 'ask'; text: string; freshText?: string };

/** What a text to the app asks for. */
export type Intent = Asking | { kind: 'verb'; verb: Verb };

/** What the text of a command asks for. */
export type CommandIntent = Asking | { kind: 'verb'; verb: CommandVerb };

const verbs: ReadonlyMap<string, Verb> = new Map([
  ['help', 'help'],
  ['help?', 'help'],
  ['hilfe', 'help'],
  ['hilfe?', 'help'],
  ['cancel', 'cancel'],
  ['stop', 'cancel'],
  ['abbrechen', 'cancel'],
  ['stopp', 'cancel'],
  ['mute', 'mute'],
  ['unmute', 'unmute'],
  ['status', 'status'],
  ['status?', 'status'],
  ['history', 'history'],
  ['why', 'why'],
]);

const commandVerbs: ReadonlyMap<string, CommandVerb> = new Map<string, CommandVerb>([
  ...verbs,
  ['connect', 'connect'],
  ['disconnect', 'disconnect'],
  ['settings', 'settings'],
  ['einstellungen', 'settings'],
  ['doctor', 'doctor'],
]);

/**
 * Reads the intent of a text without the app's mention. A verb counts only if it is the whole text (or, for `new`, the
 * first word). So "help me understand retries" is a question, and so is "why?". Quotes, marks of formatting, punctuation
 * and characters that no one sees do not matter around it.
 */
export function readIntent(text: string): Intent {
  return intentOf(text, verbs);
}

/** Like {@link readIntent}, with the verbs of the command. */
export function readCommandIntent(text: string): CommandIntent {
  return intentOf(text, commandVerbs);
}

/** True for a bare "cancel" or "stop" (also in German), which needs no mention in a thread of the app. */
export function isCancel(text: string): boolean {
  return verbs.get(wordOf(text)) === 'cancel';
}

function intentOf<V>(text: string, known: ReadonlyMap<string, V>): Asking | { kind: 'verb'; verb: V } {
  const trimmed = trimVisible(text);
  if (trimmed === '') return { kind: 'nothing' };
  const verb = known.get(wordOf(trimmed));
  if (verb !== undefined) return { kind: 'verb', verb };
  const rest = withoutNew(trimmed);
  if (rest === undefined) return { kind: 'ask', text: trimmed };
  return rest === '' ? { kind: 'new' } : { kind: 'ask', text: trimmed, freshText: rest };
}

/** Characters that no one sees, for a class of a regular expression: soft hyphens, zero-width characters, marks of direction. */
export const invisible =
  '\\u00AD\\u034F\\u061C\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFEFF';
const invisibleCharacters = new RegExp(`[${invisible}]`, 'gu');
const invisibleOrSpace = new RegExp(`[${invisible}\\s]`, 'u');

function withoutInvisible(text: string): string {
  return text.replace(invisibleCharacters, '');
}

/** Slack writes emoji as `:name:`, with a skin tone as `:name::skin-tone-2:`. Some clients send the characters. */
const namedEmoji = /:[\p{L}\p{N}_+'-]{1,100}:/gu;
const emoji =
  /[0-9#*]\u{FE0F}?\u{20E3}|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u{200D}|\u{FE0F}|[\u{E0020}-\u{E007F}]/gu;

/** The text with spaces in place of emoji, and without invisible characters. */
export function withoutEmoji(text: string): string {
  return withoutInvisible(text).replace(namedEmoji, ' ').replace(emoji, ' ');
}

/** The text without white space and invisible characters around it. */
export function trimVisible(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && invisibleOrSpace.test(text.charAt(from))) from += 1;
  while (to > from && invisibleOrSpace.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const quotes = '"\'“”„‟«»‹›‘’‚‛＂＇「」『』《》〈〉';
/** Slack writes bold, italic, struck and code with these. */
const formatting = '*_~`';
const marks = `${quotes}${formatting}`;

const separating = ':,;：，；、–—';
const separator = new RegExp(`[${separating}]`, 'u');

/** The characters around and after "new". Those that belong to the name of a file or a symbol are told apart below. */
const openingOfNewQuestion = new RegExp(
  `^(?<open>[${marks}]*)(?:(?:new|different)[\\s${invisible}]{1,9}question|new)(?<after>[${marks}${invisible}${separating}.!…。！-]*)(?<apart>\\s+[:,.–—-]+(?=\\s|$))?`,
  'iu',
);
const closing = new RegExp(`[${marks}]`, 'u');
const closingAtEnd = new RegExp(`[${marks}]{1,9}$`, 'u');

/**
 * The question after "new …", "new question: …" or "different question, …", also between quotes or in bold. Undefined if the text begins
 * with something else, for example `new-user.ts`.
 */
function withoutNew(text: string): string | undefined {
  const found = openingOfNewQuestion.exec(text);
  if (found === null) return undefined;
  const { open = '', after = '', apart = '' } = found.groups ?? {};
  const following = text.slice(found[0].length);
  const rest = trimVisible(following);
  const isSeparated = separator.test(after) || apart !== '';
  if (rest !== '' && !isSeparated && !/^\s/.test(following)) return undefined;
  const isClosed = closing.test(after);
  if (open === '' && isClosed) return undefined;
  // "`new` in JavaScript, what does it do?" asks about the word.
  if (open.includes('`') && isClosed && !isSeparated && rest !== '') return undefined;
  return open === '' || isClosed ? rest : rest.replace(closingAtEnd, '');
}

/** Longer than any verb with its marks. Bounds the regular expressions below, which are slow for long rows of marks. */
const longestVerb = 40;
/** Most characters of which some may be invisible. */
const longestWithInvisible = 200;

const brackets = '()<>{}\\[\\]【】〔〕';
const marksBefore = new RegExp(`^[${marks}${brackets}\\s:,;/!¡¿•·–—-]+`, 'u');
const marksAfter = new RegExp(`[${marks}${brackets}\\s:,;.!…。、–—-]+$`, 'u');
const polite = /^(?:please|pls|bitte)[\s,]+|[\s,]+(?:please|pls|bitte)$/g;

/**
 * The text in lower case without what stands around it, and with full-width letters and marks as ASCII. Empty if the text
 * is too long for a verb.
 */
function wordOf(text: string): string {
  if (text.length > longestWithInvisible) return '';
  const seen = withoutEmoji(text).normalize('NFKC').trim();
  if (seen.length > longestVerb) return '';
  const bare = seen.replace(marksBefore, '').replace(marksAfter, '').toLowerCase().replace(polite, '');
  return bare.endsWith('?') ? `${bare.replace(/[?\s]+$/, '').replace(marksAfter, '')}?` : bare;
}
