import { isAppError } from '../../core/errors.ts';
import { readThreadAgain } from '../../core/question/prompt.ts';
import type { ThreadPlace } from '../../core/question/question.ts';
import {
  addNote,
  removeNote,
  replaceNote,
  type ThreadNote,
  type ThreadNotes,
} from '../../core/question/thread-notes.ts';
import type { WorkspaceContext } from '../context.ts';
import { mostNotesUnderWay } from '../settings.ts';

/** Keeps what people say to each other in threads of the app: the next question may be about it. */
export interface ThreadNoteKeeper {
  /** Keeps a message, in the background. When it can't be stored, that is logged. Never throws. */
  add(place: ThreadPlace, message: ThreadNote): void;
  /**
   * Replaces a kept message by its edited version. A question that already has the message but is not asked yet reads
   * the thread again. Throws `AppError` of kind `storage` when that failed, so that text people took back is not sent
   * on.
   */
  replace(place: ThreadPlace, message: ThreadNote): Promise<void>;
  /** Forgets a message that was deleted; otherwise as `replace`. */
  remove(place: ThreadPlace, ts: string): Promise<void>;
}

/** Slack does not wait for a message to be kept. */
export function createThreadNoteKeeper({
  threadNotes,
  threads,
  questions,
  tasks,
  log,
}: WorkspaceContext): ThreadNoteKeeper {
  let last: Promise<unknown> = Promise.resolve();
  const additions = tasks.limitedTo(mostNotesUnderWay);

  return {
    add(place, message) {
      void additions.run({ event: 'thread_note_not_stored', channelId: place.channelId }, () =>
        inOrder(() => threadNotes.update(threadNotesName(place), (known) => addNote(known, message))),
      );
    },
    replace: (place, message) => correctInOrder(place, (known) => replaceNote(known, message)),
    remove: (place, ts) => correctInOrder(place, (known) => removeNote(known, ts)),
  };

  /** One after the other, so that a message is not removed before it is added. */
  function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  /** The caller learns of a failure; a stop of the app waits for the correction. */
  function correctInOrder(place: ThreadPlace, change: (known: ThreadNotes | undefined) => ThreadNotes): Promise<void> {
    const corrected = inOrder(() => correct(place, change));
    void tasks.run({ event: 'thread_note_not_replaced', channelId: place.channelId }, () => last);
    return corrected;
  }

  async function correct(place: ThreadPlace, change: (known: ThreadNotes | undefined) => ThreadNotes): Promise<void> {
    const name = threadNotesName(place);
    await ifReadable(place, async () => {
      if ((await threadNotes.get(name)) !== undefined) await threadNotes.update(name, change);
    });
    await ifReadable(place, async () => {
      const thread = await threads.get(place);
      for (const id of thread?.queue ?? []) await ifReadable(place, () => questions.update(id, readThreadAgain));
    });
  }

  /** A record that can't be read any more gives no text away, and would fail the same way each time. */
  async function ifReadable({ channelId }: ThreadPlace, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      log.warn({ event: 'thread_note_not_replaced', channelId, kind: error.kind }, error);
    }
  }
}

/** The name under which the notes of a thread are stored. */
export function threadNotesName({ teamId, channelId, threadTs }: ThreadPlace): string {
  return `${teamId}:${channelId}:${threadTs}`;
}
