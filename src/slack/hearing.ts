import { type Heard, type HeardMessage, hear, unhear } from '../core/heard.ts';
import type { Journal, Records } from '../core/ports.ts';
import type { ThreadPlace } from '../core/question.ts';

/** Listens to what people say in threads of the app that is not meant for the app: the next question may be about it. */
export interface Hearing {
  /** Remembers a message, in its own time: one that can't be stored is journaled, and never thrown. */
  hear(place: ThreadPlace, message: HeardMessage): void;
  /** Forgets a message that was deleted, in its own time. */
  forget(place: ThreadPlace, ts: string): void;
  /** Waits for what is under way, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Messages that may be on their way into the storage at once; beyond them nothing is remembered. */
const mostUnderWay = 200;

/** Slack must not wait for what is only heard: a question is taken all the same. */
export function createHearing({ heard, journal }: { heard: Records<Heard>; journal: Journal }): Hearing {
  let last: Promise<unknown> = Promise.resolve();
  let underWay = 0;

  return {
    hear: (place, message) => note(place, () => heard.update(heardName(place), (known) => hear(known, message))),
    forget: (place, ts) =>
      note(place, async () => {
        if ((await heard.get(heardName(place))) === undefined) return;
        await heard.update(heardName(place), (known) => unhear(known, ts));
      }),
    async drain(deadlineMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, deadlineMs);
      });
      await Promise.race([last, late]);
      clearTimeout(timer);
    },
  };

  /** One after the other, so that a message is not forgotten before it is remembered. */
  function note({ channelId }: ThreadPlace, store: () => Promise<unknown>): void {
    if (underWay >= mostUnderWay) {
      journal.warn({ event: 'not_heard', channelId, outcome: 'too_much' });
      return;
    }
    underWay += 1;
    last = last
      .then(store)
      .catch((error: unknown) => journal.warn({ event: 'not_heard', channelId }, error))
      .finally(() => {
        underWay -= 1;
      });
  }
}

/** Under which name what is heard in a thread is kept. */
export function heardName({ teamId, channelId, threadTs }: ThreadPlace): string {
  return `${teamId}:${channelId}:${threadTs}`;
}
