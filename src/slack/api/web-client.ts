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
