import type { Journal } from '../../core/ports.ts';
import { within } from '../within.ts';
import type { Listener, Whisperer, Word } from './messenger.ts';

export interface Teller {
  /**
   * Says something to one person, in its own time, also what takes a while to find out: a word that is not found or does
   * not arrive is journaled, and never thrown.
   */
  tell(to: Listener, word: Word | Promise<Word>): void;
  /** Waits for the words under way, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Private words of listeners. Slack must not wait for them: what was stored is to be acknowledged at once. */
export function createTeller({ whisper, journal }: Whisperer & { journal: Journal }): Teller {
  const underWay = new Set<Promise<void>>();

  return {
    tell(to, said) {
      const saying = said instanceof Promise ? said.then((found) => whisper(to, found)) : whisper(to, said);
      const word = saying
        .catch((error: unknown) => journal.warn({ event: 'whisper_failed', channelId: to.channelId }, error))
        .finally(() => underWay.delete(word));
      underWay.add(word);
    },
    async drain(deadlineMs) {
      await within(Promise.all(underWay), deadlineMs);
    },
  };
}
