import type { Question } from '../question/question.ts';

/**
 * An open question from a backup of `fromMs` that was restored at `toMs`: before each call it searches for the effect that
 * the call may have had after the backup. A closed one makes no calls, so it stays as it is.
 */
export function asRestored(question: Question, restored: { fromMs: number; toMs: number }): Question {
  return question.phase === 'closed' ? question : { ...question, restored };
}
