import { isBetweenTwo, type Thread } from './question.ts';

/**
 * Notes that this person replied without a mention. The thread has a second person once a person replies who did not
 * begin it. After the data of the person who began it
 * is forgotten, the first to reply counts as that person.
 */
export function withReplier(thread: Thread, userId: string): Thread {
  if (thread.hasSecondPerson === true || thread.startedBy === userId) return thread;
  return thread.startedBy === undefined ? { ...thread, startedBy: userId } : { ...thread, hasSecondPerson: true };
}

/** Whether answers in the thread offer "Only when mentioned", because two people may talk to each other there. */
export function mayWantMute(thread: Thread | undefined): boolean {
  if (thread === undefined || isBetweenTwo(thread)) return false;
  return thread.followsReplies && thread.muted !== true && thread.hasSecondPerson === true;
}
