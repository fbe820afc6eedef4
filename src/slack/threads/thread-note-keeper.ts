import { isAppError } from '../../core/errors.ts';
import type { Log, QuestionStore, Records, ThreadStore } from '../../core/ports.ts';
import type { ThreadPlace } from '../../core/question/question.ts';
import { readThreadAgain } from '../../core/question/thread-context.ts';
import {
  addNote,
  removeNote,
  replaceNote,
  type ThreadNote,
  type ThreadNotes,
} from '../../core/question/thread-notes.ts';
import { within } from '../../core/timeout.ts';

/** Listens to what people say in threads of the app that is not meant for the app: the next question may be about it. */
export interface ThreadNoteKeeper {
  /** Remembers a message, in its own time: one that can't be stored is journaled, and never thrown. */
  add(place: ThreadPlace, message: ThreadNote): void;
  /**
   * Puts an edited message in the place of what was heard; a question that was given it and is not asked yet reads the
   * thread again. Throws `AppError` of kind `storage` when that is not done: what people take back must not go on.
   */
  replace(place: ThreadPlace, message: ThreadNote): Promise<void>;
  /** Forgets a message that was deleted; otherwise as `replace`. */
  remove(place: ThreadPlace, ts: string): Promise<void>;
  /** Waits for what is under way, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Messages that may be on their way into the storage at once; beyond them nothing more is remembered. */
const mostUnderWay = 200;

export interface ThreadNoteKeeperDeps {
  threadNotes: Records<ThreadNotes>;
  threads: Pick<ThreadStore, 'get'>;
  questions: Pick<QuestionStore, 'update'>;
  log: Log;
}

/** Slack must not wait for what is only heard: a question is taken all the same. */
export function createThreadNoteKeeper({
  threadNotes,
  threads,
  questions,
  log,
}: ThreadNoteKeeperDeps): ThreadNoteKeeper {
  let last: Promise<unknown> = Promise.resolve();
  let underWay = 0;

  return {
    add(place, message) {
      const { channelId } = place;
      if (underWay >= mostUnderWay) {
        log.warn({ event: 'thread_note_not_stored', channelId, outcome: 'too_much' });
        return;
      }
      underWay += 1;
      inOrder(() => threadNotes.update(threadNotesName(place), (known) => addNote(known, message)))
        .catch((error: unknown) => log.warn({ event: 'thread_note_not_stored', channelId }, error))
        .finally(() => {
          underWay -= 1;
        });
    },
    replace: (place, message) => inOrder(() => correct(place, (known) => replaceNote(known, message))),
    remove: (place, ts) => inOrder(() => correct(place, (known) => removeNote(known, ts))),
    async drain(deadlineMs) {
      await within(last, deadlineMs);
    },
  };

  /** One after the other, so that a message is not forgotten before it is remembered. */
  function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function correct(place: ThreadPlace, change: (known: ThreadNotes | undefined) => ThreadNotes): Promise<void> {
    const name = threadNotesName(place);
    await beside(place, async () => {
      if ((await threadNotes.get(name)) !== undefined) await threadNotes.update(name, change);
    });
    await beside(place, async () => {
      const thread = await threads.get(place);
      for (const id of thread?.queue ?? []) await beside(place, () => questions.update(id, readThreadAgain));
    });
  }

  /** A record that can't be read any more gives nobody's words away, and would fail the same way each time. */
  async function beside({ channelId }: ThreadPlace, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      log.warn({ event: 'thread_note_not_replaced', channelId, kind: error.kind }, error);
    }
  }
}

/** Under which name what is heard in a thread is kept. */
export function threadNotesName({ teamId, channelId, threadTs }: ThreadPlace): string {
  return `${teamId}:${channelId}:${threadTs}`;
}
