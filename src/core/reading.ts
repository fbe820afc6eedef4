import type { Question } from './question.ts';

/** Whether the thread has to be read before the question is asked. */
export function isThreadUnread({ readsThread, context }: Question): boolean {
  return readsThread === true && context === undefined;
}

/**
 * The question whose thread changed after it was read: it is read again, so that nobody's withdrawn words are sent. One that
 * was sent, or may have been, stays as it is: it is looked for by its words.
 */
export function readAnew(question: Question): Question {
  const { phase, upstream, context, ...rest } = question;
  const isUnasked = (phase === 'waiting' || phase === 'parked') && upstream.intentMs === undefined;
  return isUnasked && question.readsThread === true && context !== undefined ? { ...rest, phase, upstream } : question;
}
