import { threadQuestion } from '../core/question/prompt.ts';
import type { Say } from './say.ts';

/** A question's words as people are shown them: those that the app wrote itself are in the reader's language. */
export function shownText(text: string, { thread }: Say): string {
  return text === threadQuestion ? thread.question() : text;
}
