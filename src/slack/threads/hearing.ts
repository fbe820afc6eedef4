import { isAppError } from '../../core/errors.ts';
import { type Heard, type HeardMessage, hear, rehear, unhear } from '../../core/heard.ts';
import type { Journal, QuestionStore, Records, ThreadStore } from '../../core/ports.ts';
import type { ThreadPlace } from '../../core/question.ts';
import { readAnew } from '../../core/reading.ts';
import { within } from '../within.ts';

/** Listens to what people say in threads of the app that is not meant for the app: the next question may be about it. */
export interface Hearing {
  /** Remembers a message, in its own time: one that can't be stored is journaled, and never thrown. */
  hear(place: ThreadPlace, message: HeardMessage): void;
  /**
   * Puts an edited message in the place of what was heard; a question that was given it and is not asked yet reads the
   * thread again. Throws `AppError` of kind `storage` when that is not done: what people take back must not go on.
   */
  replace(place: ThreadPlace, message: HeardMessage): Promise<void>;
  /** Forgets a message that was deleted; otherwise as `replace`. */
  forget(place: ThreadPlace, ts: string): Promise<void>;
  /** Waits for what is under way, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Messages that may be on their way into the storage at once; beyond them nothing more is remembered. */
const mostUnderWay = 200;

export interface HearingDeps {
  heard: Records<Heard>;
  threads: Pick<ThreadStore, 'get'>;
  questions: Pick<QuestionStore, 'update'>;
  journal: Journal;
}

/** Slack must not wait for what is only heard: a question is taken all the same. */
export function createHearing({ heard, threads, questions, journal }: HearingDeps): Hearing {
  let last: Promise<unknown> = Promise.resolve();
  let underWay = 0;

  return {
    hear(place, message) {
      const { channelId } = place;
      if (underWay >= mostUnderWay) {
        journal.warn({ event: 'not_heard', channelId, outcome: 'too_much' });
        return;
      }
      underWay += 1;
      inOrder(() => heard.update(heardName(place), (known) => hear(known, message)))
        .catch((error: unknown) => journal.warn({ event: 'not_heard', channelId }, error))
        .finally(() => {
          underWay -= 1;
        });
    },
    replace: (place, message) => inOrder(() => correct(place, (known) => rehear(known, message))),
    forget: (place, ts) => inOrder(() => correct(place, (known) => unhear(known, ts))),
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

  async function correct(place: ThreadPlace, change: (known: Heard | undefined) => Heard): Promise<void> {
    const name = heardName(place);
    await beside(place, async () => {
      if ((await heard.get(name)) !== undefined) await heard.update(name, change);
    });
    await beside(place, async () => {
      const thread = await threads.get(place);
      for (const id of thread?.line ?? []) await beside(place, () => questions.update(id, readAnew));
    });
  }

  /** A record that can't be read any more gives nobody's words away, and would fail the same way each time. */
  async function beside({ channelId }: ThreadPlace, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      journal.warn({ event: 'not_corrected', channelId, kind: error.kind }, error);
    }
  }
}

/** Under which name what is heard in a thread is kept. */
export function heardName({ teamId, channelId, threadTs }: ThreadPlace): string {
  return `${teamId}:${channelId}:${threadTs}`;
}
