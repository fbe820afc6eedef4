import type { BackgroundTasks } from '../background-tasks.ts';
import type { PrivateMessage, PrivateSender, Recipient } from './messenger.ts';

export interface PrivateNotifier {
  /**
   * Tells one person something in the background. The message may be one that still has to be found out. When it is not
   * found or does not arrive, that is logged. Never throws.
   */
  notify(to: Recipient, message: PrivateMessage | Promise<PrivateMessage>): void;
  /** Removes a private message in the background, by the response URL of a press on it. Never throws. */
  removePressed(responseUrl: string): void;
}

/** Private messages of listeners. Slack does not wait for them: an event is acknowledged as soon as it is stored. */
export function createPrivateNotifier({
  sendPrivately,
  removePressed,
  tasks,
}: PrivateSender & { tasks: Pick<BackgroundTasks, 'run'> }): PrivateNotifier {
  return {
    notify(to, message) {
      const sending = tasks.run({ event: 'private_message_failed', channelId: to.channelId }, () =>
        message instanceof Promise ? message.then((found) => sendPrivately(to, found)) : sendPrivately(to, message),
      );
      // A message that is not sent may still fail to be found.
      if (sending === undefined && message instanceof Promise) message.catch(() => undefined);
    },
    removePressed(responseUrl) {
      void tasks.run({ event: 'private_message_not_removed' }, () => removePressed(responseUrl));
    },
  };
}
