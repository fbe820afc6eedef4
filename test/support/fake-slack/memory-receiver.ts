import { readPayload } from '../../../src/slack/receivers/payload.ts';
import type { Processor, SlackReceiver } from '../../../src/slack/receivers/socket-receiver.ts';

/** The result of one delivery, as Slack sees it. `response` is the body of the acknowledgement. */
export interface Delivery {
  acknowledged: boolean;
  response: unknown;
  error: unknown;
}

/** A receiver without a network: `deliver` sends a payload through the whole app and returns its acknowledgement. */
export function createMemoryReceiver(onAcknowledged?: () => void): SlackReceiver & {
  deliver: (raw: unknown) => Promise<Delivery>;
} {
  let app: Processor | undefined;
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
        onAcknowledged?.();
      } catch (error) {
        // Like the real receivers: an early acknowledgement does not count when a listener failed.
        delivery.acknowledged = false;
        delivery.error = error;
      }
      return delivery;
    },
  };
}
