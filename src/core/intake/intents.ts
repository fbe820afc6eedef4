/** What people can say to the app instead of a question, in a thread or a direct message. */
export type Verb = 'help' | 'cancel' | 'mute' | 'unmute' | 'status' | 'history' | 'why';

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
 * first word). So "help me understand retries" is a question, and so is "why?".
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
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'nothing' };
  const verb = known.get(wordOf(trimmed));
  if (verb !== undefined) return { kind: 'verb', verb };
  const opening = openingOfNewQuestion.exec(trimmed)?.[0];
  if (opening === undefined) return { kind: 'ask', text: trimmed };
  const rest = trimmed.slice(opening.length).trim();
  return rest === '' ? { kind: 'new' } : { kind: 'ask', text: trimmed, freshText: rest };
}

/** "new …", "new question: …", "different question, …" */
const openingOfNewQuestion = /^(?:(?:new|different)\s+question\b|new\b)[\s:,.–—-]*/i;

/** Longer than any verb with its marks. Bounds the regular expression below, which is slow for long rows of marks. */
const longestVerb = 40;

/** The text in lower case without the marks at its end. Empty if the text is too long for a verb. */
function wordOf(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > longestVerb ? '' : trimmed.replace(/[.!,;:…]+$/, '').toLowerCase();
}
