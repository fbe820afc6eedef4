import type { Followed, Question } from './question.ts';
import { readScope } from './scope.ts';

/**
 * The question of a mention without text in a thread. The thread's messages are sent along. People see it in their
 * language.
 */
export const threadQuestion = 'Answer what was asked above.';

/** The question of a message that only forwards another one. What it forwards is sent along. */
export const forwardQuestion = 'Answer what was forwarded.';

/** The question of a message that has only files. They are sent along. */
export const fileQuestion = 'Answer what the file asks or shows.';

/** Whether the app wrote the question, because its message has no text. */
export function hasNoWords(text: string): boolean {
  return text === threadQuestion || text === forwardQuestion || text === fileQuestion;
}

type Asked = Pick<Question, 'text' | 'follows' | 'forwarded' | 'context' | 'scope'>;

/**
 * The text for the service: the repositories to which it is limited, what the question continues, the question, and
 * what the app read for it.
 */
export function upstreamText({ text, follows, forwarded, context, scope }: Asked): string {
  const before = [
    ...(scope === undefined ? [] : [`${ONLY_IN}${scope.repositories.join(', ')}`]),
    ...(follows === undefined ? [] : [carryingOn(follows)]),
  ];
  const asked = scope?.isFromText === true ? readScope(text, scope.repositories).rest : text;
  return [...before, asked, forwarded?.text ?? '', context?.text ?? ''].filter((part) => part !== '').join('\n\n');
}

/**
 * Reads the question back from a text that the service was asked, by this app or by others: its first paragraph after
 * what this app writes before a question. Leaves out what is quoted after it, because not everyone may see that.
 */
export function questionIn(words: string): string {
  const paragraphs = words.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  let at = 0;
  for (const opening of [ONLY_IN, CARRYING_ON]) {
    if (paragraphs[at]?.startsWith(opening) === true && at + 1 < paragraphs.length) at += 1;
  }
  return (paragraphs[at] ?? '').trim();
}

const ONLY_IN = 'Search only in these repositories and in no others: ';
const CARRYING_ON = 'Carrying on from the question ';

function carryingOn({ text, before = [], shareUrl }: Followed): string {
  const older = before.map((each) => JSON.stringify(each)).join(', ');
  const asked = older === '' ? '' : ` Questions before it, oldest first: ${older}.`;
  const findings = shareUrl === undefined ? '' : ` Based on the findings in ${shareUrl}.`;
  return `${CARRYING_ON}${JSON.stringify(text)}.${asked}${findings}`;
}
