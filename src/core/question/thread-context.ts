import type { Question } from './question.ts';

/** Whether the thread has to be read before the question is asked. */
export function isThreadUnread({ readsThread, context }: Question): boolean {
  return readsThread === true && context === undefined;
}

/**
 * Marks a thread that changed after it was read, so that deleted words are not sent: it is read again before
 * the next attempt to ask. What one under way was asked with is kept, because it is looked for by its words.
 */
export function readThreadAgain(question: Question): Question {
  const { phase, context } = question;
  const mayBeAsked = phase === 'waiting' || phase === 'parked' || phase === 'running';
  if (!mayBeAsked || question.readsThread !== true || context?.outdated === true) return question;
  // A reading that is under way may have seen what was there before.
  if (context === undefined) return { ...question, threadChanges: (question.threadChanges ?? 0) + 1 };
  return { ...question, context: { ...context, outdated: true } };
}

/** The question about to be asked: what its thread said before it was changed is forgotten. */
export function withoutOutdated(question: Question): Question {
  if (question.context?.outdated !== true) return question;
  const { context: _, ...unread } = question;
  return unread;
}
