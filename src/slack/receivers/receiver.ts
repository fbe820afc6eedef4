import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHttpReceiver, eventsPath } from './http-receiver.ts';
import { createSocketReceiver, type SlackReceiver } from './socket-receiver.ts';

interface Received {
  receiver: SlackReceiver;
  /** The handlers that the app's server has to mount for the receiver, by path. */
  mounts: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;
}

/** Returns the given receiver. Otherwise uses Socket Mode if there is an app-level token, else signed HTTP requests. */
export function createReceiver(
  options: Omit<Parameters<typeof createSocketReceiver>[0], 'appToken'> & {
    given: SlackReceiver | undefined;
    appToken: string | undefined;
    signingSecret: string | undefined;
  },
): Received {
  const { given, appToken, signingSecret = '', ...parts } = options;
  if (given !== undefined) return { receiver: given, mounts: {} };
  if (appToken !== undefined) return { receiver: createSocketReceiver({ ...parts, appToken }), mounts: {} };
  const receiver = createHttpReceiver({ signingSecret, logger: parts.logger, log: parts.log });
  return { receiver, mounts: { [eventsPath]: receiver.handle } };
}
