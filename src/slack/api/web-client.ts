import { type Logger as SlackLogger, WebClient, type WebClientOptions } from '@slack/web-api';
import { isAppError } from '../../core/errors.ts';
import { backOffMs } from '../../core/pacing.ts';
import type { Log } from '../../core/ports.ts';
import { fromSlack } from './errors.ts';

/** Longest time one Web API call may take, in milliseconds. */
const callTimeoutMs = 10_000;

/** Tries to learn from Slack who the app is, before the start is given up. */
const identityTries = 8;

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

/** Where links to messages lead to the right workspace when Slack does not say the workspace's own address. */
export const anyWorkspaceUrl = 'https://slack.com/';

/** Who the app is in the workspace its token belongs to. */
export interface Identity {
  teamId: string;
  botUserId: string;
  botId?: string;
  /** The organization the workspace belongs to, on Enterprise Grid. */
  enterpriseId?: string;
  /** The Web API is a stand-in for Slack: flags it leaves out are taken for a no, as of none that Slack leaves out. */
  isStandIn?: boolean;
  /** The workspace's own address, which ends with a slash. */
  workspaceUrl?: string;
  /** Whom people are told to turn to about the app: an id of Slack, or words, as the operator wrote it. */
  contact?: string | undefined;
}

/**
 * Asks Slack who the token belongs to; again and again, since Slack may be out of reach for a moment at start, but a token it
 * refuses is final. Throws `AppError`: `unauthorized` for a bad token, `unavailable` when Slack stays away.
 */
export async function learnIdentity(client: WebClient, log: Log, random: () => number): Promise<Identity> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await whoAmI(client);
    } catch (error) {
      if (isAppError(error, 'unauthorized', 'refused') || tries === identityTries) throw error;
      const waitMs = backOffMs(tries, random());
      log.warn({ event: 'slack_not_reachable', tries, waitMs }, error);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

async function whoAmI(client: WebClient): Promise<Identity> {
  const auth = await call('auth.test', () => client.auth.test());
  const { team_id: teamId, user_id: botUserId, bot_id: botId, enterprise_id: enterpriseId, url } = auth;
  if (teamId === undefined || botUserId === undefined) {
    throw fromSlack(new Error('auth.test names no team or user'), 'auth.test');
  }
  return {
    teamId,
    botUserId,
    ...(botId === undefined ? {} : { botId }),
    // Slack says `null` or nothing where there is none.
    ...(enterpriseId ? { enterpriseId } : {}),
    ...(url !== undefined && /^https?:\/\/[^\s<>|]+\/$/.test(url) ? { workspaceUrl: url } : {}),
  };
}

/** Runs one Web API call; whatever it throws leaves as `AppError`. */
export async function call<Result>(method: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw fromSlack(error, method);
  }
}
