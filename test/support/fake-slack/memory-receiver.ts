import type { App, ReceiverEvent } from '@slack/bolt';
import type { SlackReceiver } from '../../../src/slack/receivers/socket-receiver.ts';

/** What Slack would see of one delivery. `response` is what came with the acknowledgement. */
export interface Delivery {
  acknowledged: boolean;
  response: unknown;
  error: unknown;
}

/** A receiver without a network: `deliver` runs a payload through the whole app and tells how it was acknowledged. */
export function createMemoryReceiver(): SlackReceiver & {
  deliver: (body: ReceiverEvent['body']) => Promise<Delivery>;
} {
  let app: App | undefined;
  return {
    init: (bolt) => {
      app = bolt;
    },
    start: async () => {},
    stop: async () => {},
    isConnected: () => true,
    deliver: async (body) => {
      const delivery: Delivery = { acknowledged: false, response: undefined, error: undefined };
      try {
        await app?.processEvent({
          body,
          ack: async (response) => {
            delivery.acknowledged = true;
            delivery.response = response;
          },
        });
      } catch (error) {
        // As the real receivers do: what Bolt acknowledged early does not count when its listeners failed.
        delivery.acknowledged = false;
        delivery.error = error;
      }
      return delivery;
    },
  };
}
