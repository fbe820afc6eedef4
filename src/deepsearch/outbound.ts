import type { Duplex } from 'node:stream';
import { Dispatcher, fetch as fetchThrough } from 'undici';
import { createProxyAgent, type ProxySettings } from './proxy.ts';

/** Longest wait for a connection, or for a proxy to give one, in milliseconds. */
const connectTimeoutMs = 10_000;

/** What of `fetch` is used. */
interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  redirect?: 'error' | 'follow' | 'manual';
  signal?: AbortSignal;
}

/** The way out for parts that call other programs than the service, by the same proxy settings as the service's client. */
export interface Outbound {
  fetch: (address: string | URL, init?: Init) => Promise<Response>;
  /** For one websocket at a time: one that begins ends the one before it, whatever its far side does. */
  dispatcher: Dispatcher;
  /** Drops every connection at once. */
  close(): Promise<void>;
}

/** Lives here because undici does, which the process's own `fetch` can't be told a proxy without. */
export function createOutbound(proxy: ProxySettings): Outbound {
  const https = createProxyAgent({ scheme: 'https', proxy, connectTimeoutMs });
  const http = createProxyAgent({ scheme: 'http', proxy, connectTimeoutMs });
  // A websocket needs a tunnel whatever its scheme is (RFC 6455, section 4.1).
  const tunnel = createProxyAgent({ scheme: 'http', proxy, connectTimeoutMs, tunnelsHttp: true });
  let websocket: Duplex | undefined;
  const dispatcher = new FunctionDispatcher((options, handler) => {
    const isSecure = String(options.origin).startsWith('https:');
    if (!options.upgrade) return (isSecure ? https : http).dispatch(options, handler);
    // An agent forgets a socket that became a websocket, and a far side that went silent would keep it for good.
    const keeping = noting(handler, (socket) => {
      websocket?.destroy();
      websocket = socket;
    });
    return (isSecure ? https : tunnel).dispatch(options, keeping);
  });
  return {
    fetch: (address, init) => fetchThrough(address, { ...init, dispatcher }),
    dispatcher,
    close: async () => {
      websocket?.destroy();
      await Promise.all([https, http, tunnel].map((agent) => agent.destroy()));
    },
  };
}

type Dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean;

class FunctionDispatcher extends Dispatcher {
  override readonly dispatch: Dispatch;

  constructor(dispatch: Dispatch) {
    super();
    this.dispatch = dispatch;
  }
}

/** The handler as it is, telling of the socket that a websocket gets. */
function noting(handler: Dispatcher.DispatchHandler, note: (socket: Duplex) => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...start) => handler.onRequestStart?.(...start),
    onRequestUpgrade: (controller, status, headers, socket) => {
      note(socket);
      return handler.onRequestUpgrade?.(controller, status, headers, socket);
    },
    onResponseStart: (...start) => handler.onResponseStart?.(...start),
    onResponseData: (...data) => handler.onResponseData?.(...data),
    onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
    onResponseError: (...error) => handler.onResponseError?.(...error),
  };
}
