import type { Followed, Question } from './question.ts';

/** What the service is asked by a mention alone, in a thread whose messages go along; people are shown it in their language. */
export const threadQuestion = 'Answer what was asked above.';

/** The words the service is asked: what the question carries on from, the question, and what the thread said before. */
export function upstreamText({ text, follows, context }: Pick<Question, 'text' | 'follows' | 'context'>): string {
  const before = follows === undefined ? [] : [carryingOn(follows)];
  const after = context === undefined || context.text === '' ? [] : [context.text];
  return [...before, text, ...after].join('\n\n');
}

/**
 * The question again, of words the service was asked by whomever: their first paragraph, because what a thread said
 * stands behind it and is not everybody's business.
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
