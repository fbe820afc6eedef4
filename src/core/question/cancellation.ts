import type { Question } from './question.ts';

/**
 * The question that this one still has to cancel. Undefined for a question that was taken back or ended first: then the
 * other one goes on.
 */
export function replacedBy({ insteadOf, replacedMs, cancel, outcome }: Question): string | undefined {
  return replacedMs === undefined && cancel === undefined && outcome === undefined ? insteadOf : undefined;
}

/** Adds a cancellation to a question that runs or waits. */
export function withCancel(question: Question, cancel: NonNullable<Question['cancel']>): Question {
  return question.outcome !== undefined || question.cancel !== undefined ? question : { ...question, cancel };
}
