import { threadQuestion } from '../core/question/prompt.ts';
import type { Say } from './say.ts';

/** The text of a question as people see it. Text that the app wrote itself is in the reader's language. */
export function shownText(text: string, { thread }: Say): string {
  return text === threadQuestion ? thread.question() : text;
}
