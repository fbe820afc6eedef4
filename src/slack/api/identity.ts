import type { WebClient } from '@slack/web-api';
import { isAppError } from '../../core/errors.ts';
import { backOffMs } from '../../core/pacing.ts';
import type { Log } from '../../core/ports.ts';
import { fromSlack, translatingErrors } from './errors.ts';

/** How often the app asks Slack who it is before it gives up the start. */
const identityTries = 8;

/** Used in links to messages when Slack does not name the workspace's own address. Slack redirects to the right one. */
export const anyWorkspaceUrl = 'https://slack.com/';

/** Who the app is in the workspace its token belongs to. */
export interface Identity {
  teamId: string;
  botUserId: string;
  botId?: string;
  /** The organization the workspace belongs to, on Enterprise Grid. */
  enterpriseId?: string;
  /** The Web API is a stand-in for Slack. A flag that it leaves out counts as false. For Slack, that is not assumed. */
  isStandIn?: boolean;
  /** The workspace's own address, which ends with a slash. */
  workspaceUrl?: string;
  /** Whom people can ask about the app: a Slack id or a text, as the operator wrote it. */
  contact?: string;
}

/**
 * Asks Slack who the token belongs to. Tries again while Slack is not reachable; a refused token is final. Throws
 * `AppError`: `unauthorized` for a bad token, `unavailable` when Slack stays unreachable.
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
  const auth = await translatingErrors('auth.test', () => client.auth.test());
  const { team_id: teamId, user_id: botUserId, bot_id: botId, enterprise_id: enterpriseId, url } = auth;
  if (teamId === undefined || botUserId === undefined) {
    throw fromSlack(new Error('auth.test names no team or user'), 'auth.test');
  }
  return {
    teamId,
    botUserId,
    botId,
    // Slack sends `null` or nothing when there is none.
    ...(enterpriseId ? { enterpriseId } : {}),
    ...(url !== undefined && /^https?:\/\/[^\s<>|]+\/$/.test(url) ? { workspaceUrl: url } : {}),
  };
}
