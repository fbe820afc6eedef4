import type { Button } from '@slack/types';
import { hasNoWords } from '../core/question/prompt.ts';
import type { Answer, Failure, Question } from '../core/question/question.ts';
import { button } from './blocks.ts';
import { ACTIONS } from './ids.ts';
import type { Say } from './say.ts';

/**
 * Says that an answer is incomplete, and why: one sentence above it. `asText` makes the service's own words harmless in
 * the format of the text around them. Undefined for a complete answer.
 */
export function incompleteLine(
  { stopped }: Pick<Answer, 'stopped'>,
  say: Say,
  asText: (words: string, most: number) => string,
): string | undefined {
  if (stopped === undefined) return undefined;
  switch (stopped.cause) {
    case 'tooLong':
      return say.answer.incompleteTooLong();
    case 'limited':
      return say.answer.incompleteLimited();
    default:
      return say.answer.incomplete(reported(stopped, asText));
  }
}

/** Most characters shown of the service's own title and message of a failure. */
export const mostFailureTitle = 200;
export const mostFailureMessage = 700;

function reported({ title = '', message = '' }: Failure, asText: (words: string, most: number) => string): string {
  return [asText(title, mostFailureTitle), asText(message, mostFailureMessage)]
    .filter((words) => words !== '')
    .join(': ');
}

/**
 * The button that may bring the whole answer. An answer that a person shares has none, because it was asked elsewhere. In
 * direct messages the app has no thread to read, so a question that is only about a thread has none there.
 */
export function incompleteButtons(
  { id, shares, text }: Question,
  { stopped }: Pick<Answer, 'stopped'>,
  say: Say,
): Button[] {
  if (stopped === undefined) return [];
  if (shares !== undefined && (shares.withheld !== true || hasNoWords(text))) return [];
  return stopped.cause === 'tooLong'
    ? [button(say.buttons.askNew(), ACTIONS.askNew, { questionId: id })]
    : [button(say.buttons.tryAgain(), ACTIONS.tryAgain, { questionId: id })];
}
