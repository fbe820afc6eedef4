import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHttpReceiver, eventsPath } from './http-receiver.ts';
import { createSocketReceiver, type SlackReceiver } from './socket-receiver.ts';

interface Received {
  receiver: SlackReceiver;
  /** What a server of the app has to serve for it, by path. */
  mounts: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;
}

/** The one that is given; else Socket Mode where there is an app-level token, and signed HTTP requests where there is none. */
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
  const receiver = createHttpReceiver({ signingSecret, logger: parts.logger });
  return { receiver, mounts: { [eventsPath]: receiver.handle } };
}
