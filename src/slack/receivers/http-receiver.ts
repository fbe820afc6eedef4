import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPReceiver } from '@slack/bolt';
import type { Logger as SlackLogger } from '@slack/web-api';
import type { SlackReceiver } from './socket-receiver.ts';

/** Path Slack posts events, commands and button presses to. */
export const eventsPath = '/slack/events';

/** Greatest difference between Slack's clock and ours that a signed request may show, in seconds. */
const clockToleranceSeconds = 300;

/**
 * Receives signed HTTP requests on a server that belongs to someone else: `handle` is mounted at {@link eventsPath}.
 * An event is answered after its listeners have stored it; when they could not, the answer is an error and Slack
 * delivers it again.
 */
export function createHttpReceiver(options: { signingSecret: string; logger: SlackLogger }): SlackReceiver & {
  handle: (request: IncomingMessage, response: ServerResponse) => void;
} {
  const receiver = new HTTPReceiver({
    signingSecret: options.signingSecret,
    endpoints: [eventsPath],
    logger: options.logger,
    processBeforeResponse: true,
  });
  return {
    init: (app) => receiver.init(app),
    start: async () => {},
    stop: async () => {},
    isConnected: () => true,
    handle: (request, response) => {
      // Bolt refuses old timestamps only; one from the future could be kept and replayed later.
      const sentSeconds = Number(request.headers['x-slack-request-timestamp']);
      if (sentSeconds > Date.now() / 1000 + clockToleranceSeconds) {
        response.writeHead(401).end();
        return;
      }
      receiver.requestListener(request, response);
    },
  };
}
