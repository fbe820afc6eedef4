import type { Duplex } from 'node:stream';
import { type Dispatcher, fetch as fetchThrough } from 'undici';
import { createProxyAgent, FunctionDispatcher, type ProxySettings } from './proxy.ts';

/** Longest wait for a connection, directly or through a proxy, in milliseconds. */
const connectTimeoutMs = 10_000;

/** The options of `fetch` that the app uses. */
interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  redirect?: 'error' | 'follow' | 'manual';
  signal?: AbortSignal;
}

/**
 * Outgoing connections for parts that call other programs than the service. They use the same proxy settings as the
 * service's client.
 */
export interface Outbound {
  fetch: (address: string | URL, init?: Init) => Promise<Response>;
  /**
   * Carries one websocket, and what the library asks before it opens it. `destroy` closes its socket, even if the far side
   * does not respond.
   */
  socketDispatcher: () => { dispatcher: Dispatcher; destroy: () => void };
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/**
 * Creates the outgoing connections. It is in this folder because only this folder imports undici, and the process's own
 * `fetch` can't be given a proxy.
 */
export function createOutbound(proxy: ProxySettings): Outbound {
  const https = createProxyAgent({ scheme: 'https', proxy, connectTimeoutMs });
  const http = createProxyAgent({ scheme: 'http', proxy, connectTimeoutMs });
  // A websocket needs a tunnel for `ws` and `wss` (RFC 6455, section 4.1).
  const tunnel = createProxyAgent({ scheme: 'http', proxy, connectTimeoutMs, tunnelsHttp: true });
  const websockets = new Set<Duplex>();
  const agentOf = (options: Dispatcher.DispatchOptions): Dispatcher =>
    String(options.origin).startsWith('https:') ? https : options.upgrade ? tunnel : http;
  const dispatcher = new FunctionDispatcher(
    (options, handler) => agentOf(options).dispatch(options, handler),
    [https, http, tunnel],
  );
  return {
    fetch: (address, init) => fetchThrough(address, { ...init, dispatcher }),
    socketDispatcher() {
      const own = new Set<Duplex>();
      const keeping = new FunctionDispatcher((options, handler) => {
        // An agent no longer tracks a socket that became a websocket, so a silent far side would hold it forever.
        const note = (socket: Duplex): void => {
          own.add(socket);
          websockets.add(socket);
          socket.once('close', () => {
            own.delete(socket);
            websockets.delete(socket);
          });
        };
        return agentOf(options).dispatch(options, options.upgrade ? noting(handler, note) : handler);
      });
      return { dispatcher: keeping, destroy: () => own.forEach((socket) => void socket.destroy()) };
    },
    close: async () => {
      for (const socket of websockets) socket.destroy();
      await dispatcher.destroy();
    },
  };
}

/** Wraps the handler and passes the socket of a new websocket to `note`. */
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
