import { type Logger as SlackLogger, WebClient, type WebClientOptions } from '@slack/web-api';
import { callTimeoutMs } from '../settings.ts';

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
