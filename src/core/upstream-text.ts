import type { Question } from './question.ts';

/** The words the service is asked: what the question carries on from, the question, and what the thread said before. */
export function upstreamText({ text, follows, context }: Pick<Question, 'text' | 'follows' | 'context'>): string {
  const before = follows === undefined ? [] : [carryingOn(follows)];
  const after = context === undefined || context.text === '' ? [] : [context.text];
  return [...before, text, ...after].join('\n\n');
}

function carryingOn({ text, shareUrl }: NonNullable<Question['follows']>): string {
  const findings = shareUrl === undefined ? '' : ` Based on the findings in ${shareUrl}.`;
  return `Carrying on from the question ${JSON.stringify(text)}.${findings}`;
}
