import { linksOf } from './permalinks.ts';
import { fileQuestion, forwardQuestion } from './prompt.ts';
import type { Question, ThreadContext } from './question.ts';

/** Whether the app reads something before it asks the question: its thread, or messages that it links to. */
function readsBefore(question: Question): boolean {
  return question.readsThread === true || linksOf(question).length > 0;
}

/** Whether the question is only about what its message forwards or has as a file, and the app has to read that. */
export function isOnlyInMessage({ text, files, forwarded }: Question): boolean {
  return (text === forwardQuestion || text === fileQuestion) && files === undefined && forwarded === undefined;
}

/** Whether the app still has to read something. */
export function isThreadUnread(question: Question): boolean {
  return question.context === undefined && readsBefore(question);
}

/** What was read of a question's thread and links if nothing could be read. */
export function nothingRead(question: Question): ThreadContext {
  const links = linksOf(question).length;
  return {
    ...{ messages: 0, total: 0, files: 0, unreadable: 0, text: '' },
    ...(question.readsThread === true ? { refused: true } : {}),
    ...(links > 0 ? { linksUnread: links } : {}),
  };
}

/**
 * Marks a question's thread as changed, so that deleted text is not sent: the app reads the thread again before the
 * next attempt to ask. Keeps the old text for an attempt that is under way, because the app searches for it by its
 * text.
 */
export function readThreadAgain(question: Question): Question {
  const { phase, context } = question;
  const mayBeAsked = phase === 'waiting' || phase === 'parked' || phase === 'running';
  if (!mayBeAsked || !readsBefore(question) || context?.outdated === true) return question;
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
