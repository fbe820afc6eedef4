import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHttpReceiver, eventsPath } from './http-receiver.ts';
import { createSocketReceiver, type SlackReceiver } from './socket-receiver.ts';

interface Received {
  receiver: SlackReceiver;
  /** What a server of the app has to serve for it, by path. */
  mounts: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;
}

/** Socket Mode where there is an app-level token, signed HTTP requests otherwise. */
export function createReceiver(
  options: Omit<Parameters<typeof createSocketReceiver>[0], 'appToken'> & {
    appToken: string | undefined;
    signingSecret: string | undefined;
  },
): Received {
  const { appToken, signingSecret = '', ...parts } = options;
  if (appToken !== undefined) return { receiver: createSocketReceiver({ ...parts, appToken }), mounts: {} };
  const receiver = createHttpReceiver({ signingSecret, logger: parts.logger });
  return { receiver, mounts: { [eventsPath]: receiver.handle } };
}
