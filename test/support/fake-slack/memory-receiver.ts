import type { App } from '@slack/bolt';
import { readPayload } from '../../../src/slack/receivers/payload.ts';
import type { SlackReceiver } from '../../../src/slack/receivers/socket-receiver.ts';

/** What Slack would see of one delivery. `response` is what came with the acknowledgement. */
export interface Delivery {
  acknowledged: boolean;
  response: unknown;
  error: unknown;
}

/** A receiver without a network: `deliver` runs a payload through the whole app and tells how it was acknowledged. */
export function createMemoryReceiver(): SlackReceiver & {
  deliver: (raw: unknown) => Promise<Delivery>;
} {
  let app: App | undefined;
  return {
    init: (bolt) => {
      app = bolt;
    },
    start: async () => {},
    stop: async () => {},
    isConnected: () => true,
    deliver: async (raw) => {
      const delivery: Delivery = { acknowledged: false, response: undefined, error: undefined };
      const body = readPayload(raw);
      if (body === undefined) return delivery;
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
