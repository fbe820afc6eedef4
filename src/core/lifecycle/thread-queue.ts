import type { ThreadStore } from '../ports.ts';
import { isInThread, newThread, type Question, type ThreadPlace } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';

/**
 * Puts a question into its thread's queue, once: right behind the one that it replaces, otherwise at the end. A thread that
 * the question begins follows plain replies.
 */
export async function joinQueue(threads: ThreadStore, question: Question): Promise<void> {
  const { id, place, beginsThread, askerId } = question;
  if (!isInThread(place)) return;
  await threads.update(place, (thread = newThread(place, beginsThread)) => {
    const isBegun = !beginsThread || (thread.followsReplies && thread.startedBy !== undefined);
    if (isBegun && thread.queue.includes(id)) return thread;
    return {
      ...thread,
      queue: joined(thread.queue, question),
      ...(beginsThread ? { followsReplies: true, startedBy: thread.startedBy ?? askerId } : {}),
    };
  });
}

function joined(queue: string[], { id, insteadOf }: Question): string[] {
  if (queue.includes(id)) return queue;
  const at = insteadOf === undefined ? -1 : queue.indexOf(insteadOf);
  return at < 0 ? [...queue, id] : queue.toSpliced(at + 1, 0, id);
}

/** The thread of a question whose asker chose a follow-up instead goes back to the conversation it had before. */
export async function goBack(threads: ThreadStore, { place, asFollowUp, upstream }: Question): Promise<void> {
  const { isChosen, conversationId } = asFollowUp ?? {};
  if (isChosen !== true || conversationId === undefined || upstream.conversationId === undefined) return;
  if (!isInThread(place)) return;
  await threads.update(place, (thread = newThread(place, false)) =>
    thread.conversationId === upstream.conversationId ? { ...thread, conversationId } : thread,
  );
}

/**
 * The place of a question in its thread's line: 0 when it is its turn, -1 when it is not in line. A question at the head
 * that has ended, or whose record is gone or unreadable, holds nobody up: it is taken out of the line.
 */
export async function findPositionInQueue(
  { questions, threads, log }: Pick<LifecyclePorts, 'questions' | 'threads' | 'log'>,
  questionId: string,
  place: ThreadPlace,
): Promise<number> {
  let queue = (await threads.get(place))?.queue ?? [];
  for (;;) {
    const positionInQueue = queue.indexOf(questionId);
    const [head] = queue;
    if (positionInQueue <= 0 || head === undefined || (await isAlive(head))) return positionInQueue;
    log.warn({ event: 'thread_queue_repaired', questionId: head });
    queue = await leaveQueue(threads, head, place);
  }

  async function isAlive(id: string): Promise<boolean> {
    const question = await getReadable(questions, id);
    return question !== undefined && question.phase !== 'closed';
  }
}

/** Takes a question out of its thread's line, once; returns the line that is left. */
export async function leaveQueue(threads: ThreadStore, questionId: string, place: ThreadPlace): Promise<string[]> {
  const { queue } = await threads.update(place, (thread = newThread(place, false)) =>
    thread.queue.includes(questionId)
      ? { ...thread, queue: thread.queue.filter((other) => other !== questionId) }
      : thread,
  );
  return queue;
}
