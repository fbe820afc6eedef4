import type { Origin, Question } from './question.ts';

const restated: ReadonlySet<Origin> = new Set(['command', 'followUp', 'retry', 'shortcut', 'shared']);

/** Whether the card repeats the question, because people do not see it above the card. */
export function isRestated({ origin }: Pick<Question, 'origin'>): boolean {
  return restated.has(origin);
}
