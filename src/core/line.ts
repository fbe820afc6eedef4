import { getReadable, type LifePorts } from './life-ports.ts';
import type { ThreadStore } from './ports.ts';
import { isInThread, newThread, type Question, type ThreadPlace } from './question.ts';

/** Puts a question at the end of its thread's line, once; a thread that the question begins follows plain replies. */
export async function joinLine(threads: ThreadStore, { id, place, beginsThread }: Question): Promise<void> {
  if (!isInThread(place)) return;
  await threads.update(place, (thread = newThread(place, beginsThread)) =>
    thread.line.includes(id) && thread.followsReplies === (thread.followsReplies || beginsThread)
      ? thread
      : {
          ...thread,
          line: thread.line.includes(id) ? thread.line : [...thread.line, id],
          followsReplies: thread.followsReplies || beginsThread,
        },
  );
}

/**
 * The place of a question in its thread's line: 0 when it is its turn, -1 when it is not in line. A question at the head
 * that has ended, or whose record is gone or unreadable, holds nobody up: it is taken out of the line.
 */
export async function findPlaceInLine(
  { questions, threads, journal }: Pick<LifePorts, 'questions' | 'threads' | 'journal'>,
  questionId: string,
  place: ThreadPlace,
): Promise<number> {
  let line = (await threads.get(place))?.line ?? [];
  for (;;) {
    const placeInLine = line.indexOf(questionId);
    const [head] = line;
    if (placeInLine <= 0 || head === undefined || (await isAlive(head))) return placeInLine;
    journal.warn({ event: 'line_mended', questionId: head });
    line = await leaveLine(threads, head, place);
  }

  async function isAlive(id: string): Promise<boolean> {
    const question = await getReadable(questions, id);
    return question !== undefined && question.phase !== 'closed';
  }
}

/** Takes a question out of its thread's line, once; returns the line that is left. */
export async function leaveLine(threads: ThreadStore, questionId: string, place: ThreadPlace): Promise<string[]> {
  const { line } = await threads.update(place, (thread = newThread(place, false)) =>
    thread.line.includes(questionId)
      ? { ...thread, line: thread.line.filter((other) => other !== questionId) }
      : thread,
  );
  return line;
}
