import type { Question } from './question.ts';

/** Adds a cancellation to a question that runs or waits. */
export function withCancel(question: Question, cancel: NonNullable<Question['cancel']>): Question {
  return question.outcome !== undefined || question.cancel !== undefined ? question : { ...question, cancel };
}

/**
 * Adds a final cancellation to a question that runs, waits or was cancelled. If its card may show that already, it is
 * checked at once, so that it loses the button.
 */
export function withFinalCancel(question: Question, cancel: NonNullable<Question['cancel']>): Question {
  const { outcome, cancel: earlier = cancel } = question;
  const isOther = outcome !== undefined && outcome.kind !== 'cancelled';
  if (isOther || question.cancel?.isFinal === true) return question;
  const check = outcome === undefined ? {} : { recheckMs: cancel.atMs };
  return { ...question, cancel: { ...earlier, isFinal: true }, ...check };
}

/** Whether a cancelled question can be asked again. Sharing an answer is not repeated: a person confirms its readers each time. */
export function canAskCancelledAgain({ cancel, shares, text }: Question): boolean {
  return cancel?.isFinal !== true && shares === undefined && text !== '';
}

/** Whether a card was neither posted nor about to be. */
export function hasNoCard({ ts, intentMs }: Question['card']): boolean {
  return ts === undefined && intentMs === undefined;
}

/** Whether the question ends without a word, because its workspace removed the app. */
export function endsQuietly({ phase, endsQuietlyMs }: Question): boolean {
  return endsQuietlyMs !== undefined && phase !== 'closed';
}

/** Marks a question to end without a word. A closed one only loses the check of its messages. */
export function withQuietEnd(question: Question, atMs: number): Question {
  if (question.phase === 'closed') {
    const { recheckMs, mayHaveCopies: _copies, ...rest } = question;
    return recheckMs === undefined ? question : rest;
  }
  return question.endsQuietlyMs === undefined ? { ...question, endsQuietlyMs: atMs } : question;
}
