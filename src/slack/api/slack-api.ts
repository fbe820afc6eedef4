import type { WebAPICallResult, WebClient } from '@slack/web-api';
import type { Tracer } from '../../core/tracing.ts';
import { translatingErrors } from './errors.ts';
import type { Identity } from './identity.ts';
import type { CallOptions, MethodLimits } from './method-limits.ts';
import type { SlackMethod } from './method-tiers.ts';
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
 * (api/response-url.ts). Neither do the few calls of the doctor (checks/slack-checks.ts), which also runs without the app.
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
