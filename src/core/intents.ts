/** What a text addressed to the app asks for. */
export type Intent =
  | { kind: 'help' }
  | { kind: 'cancel' }
  /** A bare "new", without a question. */
  | { kind: 'new' }
  /** `freshText` is the question without its leading "new", for places where that word asks for a new conversation. */
  | { kind: 'ask'; text: string; freshText?: string };

/**
 * Reads a text from which the app's own mention was already taken. A verb counts only when it is the whole text (or,
 * for `new`, the first word), so that "help me understand retries" stays a question. Nothing at all asks for help.
 */
export function readIntent(text: string): Intent {
  const trimmed = text.trim();
  if (trimmed === '' || isVerb(trimmed, 'help')) return { kind: 'help' };
  if (isCancel(trimmed)) return { kind: 'cancel' };
  const opening = openingOfNewQuestion.exec(trimmed)?.[0];
  if (opening === undefined) return { kind: 'ask', text: trimmed };
  const rest = trimmed.slice(opening.length).trim();
  return rest === '' ? { kind: 'new' } : { kind: 'ask', text: trimmed, freshText: rest };
}

/** True for a bare "cancel" or "stop", which needs no mention in a thread of the app. */
export function isCancel(text: string): boolean {
  return isVerb(text, 'cancel') || isVerb(text, 'stop');
}

/** "new …", "new question: …", "different question, …" */
const openingOfNewQuestion = /^(?:(?:new|different)\s+question\b|new\b)[\s:,.–—-]*/i;

/** Longer than any verb with its marks; the expression below takes long over long rows of marks. */
const longestVerb = 40;

function isVerb(text: string, verb: string): boolean {
  const trimmed = text.trim();
  return trimmed.length <= longestVerb && trimmed.replace(/[.!]+$/, '').toLowerCase() === verb;
}
