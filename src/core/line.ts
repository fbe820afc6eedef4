import type { ThreadStore } from './ports.ts';
import { isInThread, newThread, type Question } from './question.ts';

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
