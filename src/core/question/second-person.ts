import { isBetweenTwo, type Thread } from './question.ts';

/**
 * Notes a plain reply by this person. The thread has a second person once someone replies who did not begin it. A thread
 * stored by an earlier version does not name the person who began it; there the first person to reply counts as that one.
 */
export function withReplier(thread: Thread, userId: string): Thread {
  if (thread.hasSecondPerson === true || thread.startedBy === userId) return thread;
  return thread.startedBy === undefined ? { ...thread, startedBy: userId } : { ...thread, hasSecondPerson: true };
}

/** Whether answers in the thread offer "Only when mentioned", because two people may talk with each other there. */
export function mayWantMute(thread: Thread | undefined): boolean {
  if (thread === undefined || isBetweenTwo(thread)) return false;
  return thread.followsReplies && thread.muted !== true && thread.hasSecondPerson === true;
}
