import type { SocketModeOptions } from '@slack/socket-mode';
import type { FetchFunction } from '@slack/web-api';

/** Sends requests to Slack: a `fetch` and sockets that use the proxy. The `fetch` of the process does not use it. */
export interface Outbound {
  fetch: (
    address: string | URL,
    init?: {
      method?: string;
      headers?: Record<string, string>;
      body?: string | Uint8Array<ArrayBuffer>;
      redirect?: 'error' | 'follow' | 'manual';
      signal?: AbortSignal;
    },
  ) => Promise<Response>;
  dispatcher: NonNullable<SocketModeOptions['dispatcher']>;
}

/** The `fetch` of Slack's clients. It takes only text bodies: files are sent by `answer-file.ts`. */
export function clientFetch(outbound: Outbound): FetchFunction {
  return async (url, { body, ...init } = {}) => {
    if (body !== undefined && typeof body !== 'string') throw new TypeError('a call with a form is not sent');
    return outbound.fetch(url, body === undefined ? init : { ...init, body });
  };
}
