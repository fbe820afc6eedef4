import type { Config } from '../config.ts';
import type { Accounts } from '../core/accounts/accounts.ts';
import type { Secret } from '../core/secret.ts';
import type { Installation } from '../core/workspaces/installations.ts';
import { createAccessNote, type FarSide } from '../observability/access-watch.ts';
import { type AccessControl, createAccessControl } from '../slack/access/access-control.ts';
import { createReader } from '../slack/access/mention-names.ts';
import { createUserGroups } from '../slack/access/user-groups.ts';
import { localeOf } from '../slack/access/users.ts';
import { isTokenRefused } from '../slack/api/errors.ts';
import { type Identity, learnIdentity } from '../slack/api/identity.ts';
import { createLibraryLogger } from '../slack/api/library-logger.ts';
import { createMethodLimits } from '../slack/api/method-limits.ts';
import { clientFetch, traceOutbound } from '../slack/api/outbound-fetch.ts';
import { createSlackApi, type SlackApi, type SlackApiDeps } from '../slack/api/slack-api.ts';
import { createClientSource, createWebClient, webClientOptions } from '../slack/api/web-client.ts';
import { type AccountViews, createAccountViews } from '../slack/home/accounts.ts';
import { createMessenger } from '../slack/messages/messenger.ts';
import { createFileReader, type ReadFile } from '../slack/threads/thread-files.ts';
import type { AppContext } from './context.ts';

/** Who the app is in one workspace or organization, and how it calls Slack there. */
export interface Connection {
  identity: Identity;
  /** As in `SlackApiDeps`. */
  client: SlackApiDeps['client'];
  /** The token of the next request. */
  botToken: () => Promise<string>;
}

/** The parts of one workspace that call Slack: access control, posts and reads. */
export interface SlackParts {
  slack: SlackApi;
  accessControl: AccessControl;
  /** What people see of their own accounts. */
  accountViews: AccountViews;
  messenger: ReturnType<typeof createMessenger>;
  /** Turns Slack's text into text as people see it. */
  read: (text: string) => Promise<string>;
  readFile: ReadFile;
  /** As in {@link Connection}. */
  botToken: Connection['botToken'];
  /** The result of the latest call to Slack. */
  state: FarSide['state'];
}

/** What every client of Slack is created with. */
export function slackClientOptions({ config, log, outbound }: Pick<AppContext, 'config' | 'log' | 'outbound'>) {
  const logger = createLibraryLogger(log);
  const clientOptions = { ...webClientOptions(config.SLACK_API_URL, logger), fetch: clientFetch(outbound) };
  return { clientOptions, logger };
}

/** Asks Slack whose the token of the settings is. Throws `AppError`. */
export async function connectWithToken(context: AppContext, token: Secret): Promise<Connection> {
  const { config, log, random } = context;
  const client = createWebClient(token.reveal(), slackClientOptions(context).clientOptions);
  const identity = await learnIdentity(client, log, random);
  noteStandIn(context);
  return { identity: identityIn(config, identity), client, botToken: async () => token.reveal() };
}

/** The log says so when Slack is not the real one. */
export function noteStandIn({ config, log }: Pick<AppContext, 'config' | 'log'>): void {
  if (config.SLACK_STAND_IN) log.warn({ event: 'slack_stand_in' });
}

/** The connection of an installed workspace. `botToken` as in {@link Connection}. Calls nothing. */
export function connectInstallation(
  context: AppContext,
  { workspaceId, enterpriseId, url, botUserId, botId }: Installation,
  botToken: Connection['botToken'],
): Connection {
  const identity = {
    teamId: workspaceId,
    botUserId,
    ...(botId === undefined ? {} : { botId }),
    ...(enterpriseId === undefined ? {} : { enterpriseId }),
    ...(url === undefined ? {} : { workspaceUrl: url }),
  };
  const client = createClientSource(botToken, slackClientOptions(context).clientOptions);
  return { identity: identityIn(context.config, identity), client, botToken };
}

function identityIn({ SLACK_STAND_IN: isStandIn, CONTACT: contact }: Config, identity: Identity): Identity {
  return { ...identity, isStandIn, contact };
}

/** Creates the parts that call Slack. */
export function createSlack(
  { config, log, tracer, now, storage, audit, createLimiter, outbound }: AppContext,
  accounts: Accounts,
  { identity, client, botToken }: Connection,
): SlackParts {
  const { SLACK_API_URL: slackApiUrl } = config;
  const { noting, latest } = createAccessNote({
    probe: () => slack.call('auth.test', {}, { priority: 'private' }),
    isRefusal: isTokenRefused,
    now,
  });
  const methodLimits = createMethodLimits({ createLimiter, now, log });
  const slack = createSlackApi({ client, identity, methodLimits, noting, tracer });
  const accessControl = createAccessControl({
    slack,
    settings: {
      open: config.OPEN_CHANNELS ?? [],
      allowed: config.ALLOWED_CHANNELS ?? [],
      refused: config.REFUSED_CHANNELS ?? [],
      shareWithOthers: config.SHARE_WITH_OTHER_ORGANIZATIONS,
      admins: config.ADMINS ?? [],
    },
    channelSettings: storage.channelSettings,
    audit,
    log,
    now,
  });
  const { people, channels } = accessControl;
  const named = traceOutbound(outbound, tracer);
  const messenger = createMessenger({
    slack,
    outbound: named,
    slackApiUrl,
    format: config.MESSAGE_FORMAT,
    log,
    now,
    localeOf: (userId) => localeOf(people, userId),
  });
  const tokensUrl = new URL('user/settings/tokens', config.SRC_ENDPOINT.replace(/\/*$/, '/')).href;
  return {
    slack,
    accessControl,
    accountViews: createAccountViews({ accounts, slack, people, tokensUrl, log }),
    messenger,
    read: createReader({
      ...{ people, channels, botUserId: identity.botUserId, now },
      userGroups: createUserGroups({ slack, log }),
    }),
    readFile: createFileReader({ botToken, slackApiUrl, outbound: named }),
    botToken,
    state: latest,
  };
}
