import { isBetweenTwo, type Thread } from './question/question.ts';

/**
 * Notes a plain reply by this person: another person than the one who began the thread is the second one in it. A thread
 * stored by an earlier version does not say who began it; there the first to reply counts as that.
 */
export function withReplier(thread: Thread, userId: string): Thread {
  if (thread.hasSecondPerson === true || thread.startedBy === userId) return thread;
  return thread.startedBy === undefined ? { ...thread, startedBy: userId } : { ...thread, hasSecondPerson: true };
}

/** Whether answers in the thread offer to take only mentions there: people may talk with each other in it. */
export function mayWantMute(thread: Thread | undefined): boolean {
  if (thread === undefined || isBetweenTwo(thread)) return false;
  return thread.followsReplies && thread.muted !== true && thread.hasSecondPerson === true;
}
