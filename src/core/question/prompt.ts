import type { Followed, Question } from './question.ts';

/**
 * The question of a mention without text in a thread. The thread's messages are sent along. People see it in their
 * language.
 */
export const threadQuestion = 'Answer what was asked above.';

/** The text for the service: what the question continues, the question, and the thread's earlier messages. */
export function upstreamText({ text, follows, context }: Pick<Question, 'text' | 'follows' | 'context'>): string {
  const before = follows === undefined ? [] : [carryingOn(follows)];
  const after = context === undefined || context.text === '' ? [] : [context.text];
  return [...before, text, ...after].join('\n\n');
}

/**
 * Reads the question back from a text that the service was asked, by this app or by others: its first paragraph. Leaves
 * out the quoted thread after it, because not everyone may see the thread.
 */
export function questionIn(words: string): string {
  const paragraphs = words.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  const [first = '', second] = paragraphs;
  return (first.startsWith(CARRYING_ON) ? (second ?? first) : first).trim();
}

const CARRYING_ON = 'Carrying on from the question ';

function carryingOn({ text, before = [], shareUrl }: Followed): string {
  const older = before.map((each) => JSON.stringify(each)).join(', ');
  const asked = older === '' ? '' : ` Questions before it, oldest first: ${older}.`;
  const findings = shareUrl === undefined ? '' : ` Based on the findings in ${shareUrl}.`;
  return `${CARRYING_ON}${JSON.stringify(text)}.${asked}${findings}`;
}
