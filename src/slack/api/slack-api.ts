import type { WebAPICallResult, WebClient } from '@slack/web-api';
import { isAppError } from '../../core/errors.ts';
import { backOffMs } from '../../core/pacing.ts';
import type { Log } from '../../core/ports.ts';
import type { Tracer } from '../../core/tracing.ts';
import { fromSlack, translatingErrors } from './errors.ts';
import type { CallOptions, MethodLimits, SlackMethod } from './method-limits.ts';
import type { ClientSource } from './web-client.ts';

/** The client's own function for a method: for `chat.postMessage`, the function `postMessage` of `chat`. */
type FunctionAt<Node, Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? First extends keyof Node
    ? FunctionAt<Node[First], Rest>
    : never
  : Path extends keyof Node
    ? Extract<Node[Path], (args: never) => unknown>
    : never;

/** What a method takes, as the client declares it. */
export type ArgumentsOf<Method extends SlackMethod> = NonNullable<Parameters<FunctionAt<WebClient, Method>>[0]>;

/** What Slack returns for a method, as the client declares it. */
export type ResultOf<Method extends SlackMethod> = Awaited<ReturnType<FunctionAt<WebClient, Method>>>;

export interface SlackApi {
  /** Who the app is in the workspace of its token. */
  identity: Identity;
  /**
   * Makes one Web API call, within Slack's limits for the method. With a `channelId` a message also takes room in that
   * channel. Throws only `AppError`; `rateLimited` can mean that nothing was sent.
   */
  call<Method extends SlackMethod>(
    method: Method,
    args: ArgumentsOf<Method>,
    options: Omit<CallOptions, 'teamId'>,
  ): Promise<ResultOf<Method>>;
}

export interface SlackApiDeps {
  /** A client, or where each call gets the one with the workspace's present token. */
  client: WebClient | ClientSource;
  identity: Identity;
  methodLimits: MethodLimits;
  /** Sees how each call that was sent ends. */
  noting: <Result>(result: Promise<Result>) => Promise<Result>;
  /** Traces each call that was sent. */
  tracer: Tracer;
}

/**
 * The Web API for all of this folder. Two requests do not go through it, because Slack names an address for them and
 * not a method: the bytes of an uploaded file (messages/messenger.ts) and responses to a `response_url`
 * (messages/private-messages.ts). Neither do the few calls of the doctor (checks/slack-checks.ts), which also runs without the app.
 */
export function createSlackApi({ client, identity, methodLimits, noting, tracer }: SlackApiDeps): SlackApi {
  const { origin, pathname } = new URL(client.slackApiUrl);
  return { identity, call };

  function call<Method extends SlackMethod>(
    method: Method,
    args: ArgumentsOf<Method>,
    options: Omit<CallOptions, 'teamId'>,
  ): Promise<ResultOf<Method>>;
  /** The client's typed functions call `apiCall` with a method name, so their types are right for `apiCall` too. */
  async function call(
    method: SlackMethod,
    args: object,
    options: Omit<CallOptions, 'teamId'>,
  ): Promise<WebAPICallResult> {
    return methodLimits.pass(method, { teamId: identity.teamId, ...options }, () =>
      tracer.request({ method: 'POST', origin, path: pathname + method }, async (span) => {
        const result = await noting(
          translatingErrors(method, async () => (await clientNow()).apiCall(method, { ...args })),
        );
        span.note({ status: 200 });
        return result;
      }),
    );
  }

  async function clientNow(): Promise<WebClient> {
    return 'now' in client ? client.now() : client;
  }
}

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
