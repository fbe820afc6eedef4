import type { SocketModeOptions } from '@slack/socket-mode';
import type { FetchFunction } from '@slack/web-api';
import type { Tracer } from '../../core/tracing.ts';

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
  /** For one websocket. `destroy` closes it at once. */
  socketDispatcher: () => { dispatcher: NonNullable<SocketModeOptions['dispatcher']>; destroy: () => void };
}

/** Traces requests to addresses that Slack names, without their paths: those of `response_url` and uploads are secrets. */
export function traceOutbound(outbound: Outbound, tracer: Tracer): Outbound {
  return {
    ...outbound,
    fetch: (address, init) =>
      tracer.request({ method: init?.method ?? 'GET', origin: new URL(address).origin }, async (span) => {
        const response = await outbound.fetch(address, init);
        span.note({ status: response.status });
        return response;
      }),
  };
}

/** The `fetch` of Slack's clients. It takes only text bodies: files are sent by `messages/messenger.ts`. */
export function clientFetch(outbound: Outbound): FetchFunction {
  return async (url, { body, ...init } = {}) => {
    if (body !== undefined && typeof body !== 'string') throw new TypeError('a call with a form is not sent');
    return outbound.fetch(url, body === undefined ? init : { ...init, body });
  };
}
