import type { SocketModeOptions } from '@slack/socket-mode';
import {
  type FetchFunction,
  LogLevel,
  type Logger as SlackLogger,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import type { Log } from '../../core/ports.ts';
import type { Tracer } from '../../core/tracing.ts';
import { callTimeoutMs, longestLogLine } from '../settings.ts';

/**
 * Options for every client of Slack. Nothing is retried inside: the client's defaults would repeat `chat.postMessage`
 * for half an hour, and pause all methods of a workspace when Slack limits one.
 */
export function webClientOptions(slackApiUrl: string, logger: SlackLogger): WebClientOptions {
  return {
    slackApiUrl,
    logger,
    timeout: callTimeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
  };
}

export function createWebClient(token: string, options: WebClientOptions): WebClient {
  return new WebClient(token, options);
}

/** For the calls that need no token, because they issue one. */
export function createTokenlessClient(options: WebClientOptions): WebClient {
  return new WebClient(undefined, options);
}

/** Clients for tokens that change. */
export interface ClientSource {
  /** The address that all of them call. */
  slackApiUrl: string;
  /** The client of the token that the workspace has now. */
  now(): Promise<WebClient>;
}

/** A changed token gets a new client. */
export function createClientSource(token: () => Promise<string>, options: WebClientOptions): ClientSource {
  let latest: { token: string; client: WebClient } | undefined;
  return {
    slackApiUrl: new WebClient(undefined, options).slackApiUrl,
    async now() {
      const current = await token();
      if (latest?.token !== current) latest = { token: current, client: createWebClient(current, options) };
      return latest.client;
    },
  };
}

/**
 * The logger of Slack's libraries. Debug messages are never logged, because they contain whole payloads. Errors become
 * warnings, because some of them are expected outcomes here.
 */
export function createLibraryLogger(log: Log): SlackLogger {
  const line = (parts: unknown[]): string => parts.map(String).join(' ').slice(0, longestLogLine);
  return {
    debug: () => {},
    info: (...parts) => log.debug({ event: 'slack_library', message: line(parts) }),
    // The caller logs the failure of a call. A Slack that is down would fill the log with every try twice.
    warn: (...parts) =>
      parts[0] === 'http request failed' ? undefined : log.warn({ event: 'slack_library', message: line(parts) }),
    error: (...parts) => log.warn({ event: 'slack_library', message: line(parts) }),
    setLevel: () => {},
    setName: () => {},
    getLevel: () => LogLevel.INFO,
  };
}

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
