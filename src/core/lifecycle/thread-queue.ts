import type { ThreadStore } from '../ports.ts';
import { isInThread, newThread, type Question, type ThreadPlace } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { isChoiceAwaited } from '../question/readers.ts';
import type { Standing } from './decide.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';

/**
 * Adds a question to the end of its thread's queue, once. If the question begins the thread, plain replies there become
 * follow-ups.
 */
export async function joinQueue(threads: ThreadStore, question: Question): Promise<void> {
  const { id, place, beginsThread, askerId } = question;
  if (!isInThread(place)) return;
  await threads.update(place, (thread = newThread(place, beginsThread)) => {
    const isBegun = !beginsThread || (thread.followsReplies && thread.startedBy !== undefined);
    if (isBegun && thread.queue.includes(id)) return thread;
    return {
      ...thread,
      queue: thread.queue.includes(id) ? thread.queue : [...thread.queue, id],
      ...(beginsThread ? { followsReplies: true, startedBy: thread.startedBy ?? askerId } : {}),
    };
  });
}

/**
 * Reads a question's position in its thread's queue. `staleHead`: the first question of the queue, if it is ahead of
 * this one and has ended, waits for its asker's choice of readers, is gone or can't be read. Changes nothing.
 */
export async function readPositionInQueue(
  { questions, threads }: LifecyclePorts,
  questionId: string,
  place: ThreadPlace,
): Promise<Pick<Standing, 'positionInQueue' | 'staleHead'>> {
  const queue = (await threads.get(place))?.queue ?? [];
  const positionInQueue = queue.indexOf(questionId);
  const [head] = queue;
  if (positionInQueue <= 0 || head === undefined) return { positionInQueue };
  const first = await getReadable(questions, head);
  const isStale = first === undefined || first.phase === 'closed' || isChoiceAwaited(first);
  return isStale ? { positionInQueue, staleHead: head } : { positionInQueue };
}

/** Removes a question from its thread's queue. Returns the remaining queue. Safe to repeat. */
export async function leaveQueue(threads: ThreadStore, questionId: string, place: ThreadPlace): Promise<string[]> {
  const { queue } = await threads.update(place, (thread = newThread(place, false)) =>
    thread.queue.includes(questionId)
      ? { ...thread, queue: thread.queue.filter((other) => other !== questionId) }
      : thread,
  );
  return queue;
}
