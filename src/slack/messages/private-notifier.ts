import type { Log } from '../../core/ports.ts';
import { within } from '../../core/timeout.ts';
import type { PrivateMessage, PrivateSender, Recipient } from './messenger.ts';

export interface PrivateNotifier {
  /**
   * Says something to one person, in its own time, also what takes a while to find out: a word that is not found or does
   * not arrive is journaled, and never thrown.
   */
  notify(to: Recipient, word: PrivateMessage | Promise<PrivateMessage>): void;
  /** Waits for the words under way, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

/** Private words of listeners. Slack must not wait for them: what was stored is to be acknowledged at once. */
export function createPrivateNotifier({ sendPrivately, log }: PrivateSender & { log: Log }): PrivateNotifier {
  const underWay = new Set<Promise<void>>();

  return {
    notify(to, said) {
      const saying = said instanceof Promise ? said.then((found) => sendPrivately(to, found)) : sendPrivately(to, said);
      const word = saying
        .catch((error: unknown) => log.warn({ event: 'private_message_failed', channelId: to.channelId }, error))
        .finally(() => underWay.delete(word));
      underWay.add(word);
    },
    async drain(deadlineMs) {
      await within(Promise.all(underWay), deadlineMs);
    },
  };
}
