import { fileQuestion, forwardQuestion, threadQuestion } from '../core/question/prompt.ts';
import type { Say } from './say.ts';

/** The text of a question as people see it. Text that the app wrote itself is in the reader's language. */
export function shownText(text: string, { thread }: Say): string {
  switch (text) {
    case threadQuestion:
      return thread.question();
    case forwardQuestion:
      return thread.forwardQuestion();
    case fileQuestion:
      return thread.fileQuestion();
    default:
      return text;
  }
}
