import type { Question } from './question.ts';

/** Whether the app has to read the thread before it asks the question. */
export function isThreadUnread({ readsThread, context }: Question): boolean {
  return readsThread === true && context === undefined;
}

/**
 * Marks a question's thread as changed, so that deleted text is not sent: the app reads the thread again before the
 * next attempt to ask. Keeps the old text for an attempt that is under way, because the app searches for it by its
 * text.
 */
export function readThreadAgain(question: Question): Question {
  const { phase, context } = question;
  const mayBeAsked = phase === 'waiting' || phase === 'parked' || phase === 'running';
  if (!mayBeAsked || question.readsThread !== true || context?.outdated === true) return question;
  // A read that is under way may return the old messages.
  if (context === undefined) return { ...question, threadChanges: (question.threadChanges ?? 0) + 1 };
  return { ...question, context: { ...context, outdated: true } };
}

/** Removes outdated thread text from a question that is about to be asked. */
export function withoutOutdated(question: Question): Question {
  if (question.context?.outdated !== true) return question;
  const { context: _, ...unread } = question;
  return unread;
}
