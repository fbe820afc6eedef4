import type { Accounts } from '../core/accounts/accounts.ts';
import { createAccessNote, type FarSide } from '../observability/access-watch.ts';
import { type AccessControl, createAccessControl } from '../slack/access/access-control.ts';
import { createReader } from '../slack/access/mention-names.ts';
import { localeOf } from '../slack/access/users.ts';
import { isTokenRefused } from '../slack/api/errors.ts';
import { learnIdentity } from '../slack/api/identity.ts';
import { createLibraryLogger } from '../slack/api/library-logger.ts';
import { createMethodLimits } from '../slack/api/method-limits.ts';
import { clientFetch } from '../slack/api/outbound-fetch.ts';
import { createSlackApi, type SlackApi } from '../slack/api/slack-api.ts';
import { createWebClient, webClientOptions } from '../slack/api/web-client.ts';
import { type AccountViews, createAccountViews } from '../slack/home/accounts.ts';
import { createMessenger } from '../slack/messages/messenger.ts';
import { createFileReader, type ReadFile } from '../slack/threads/thread-files.ts';
import type { AppContext } from './context.ts';

/** The parts that call Slack: access control, posts and reads. */
export interface SlackParts {
  slack: SlackApi;
  accessControl: AccessControl;
  /** What people see of their own accounts. */
  accountViews: AccountViews;
  messenger: ReturnType<typeof createMessenger>;
  /** Turns Slack's text into text as people see it. */
  read: (text: string) => Promise<string>;
  readFile: ReadFile;
  /** The result of the latest call to Slack. */
  state: FarSide['state'];
  /** What the receiver and the listeners need to create clients. */
  clients: {
    botToken: string;
    clientOptions: ReturnType<typeof webClientOptions>;
    logger: ReturnType<typeof createLibraryLogger>;
  };
}

/** Asks Slack for the app's identity and creates the parts that call Slack. */
export async function createSlack(
  { config, log, now, random, storage, audit, createLimiter, outbound }: AppContext,
  accounts: Accounts,
): Promise<SlackParts> {
  const { SLACK_API_URL: slackApiUrl, SLACK_STAND_IN: isStandIn, CONTACT: contact } = config;
  const botToken = config.SLACK_BOT_TOKEN.reveal();
  const logger = createLibraryLogger(log);
  const clientOptions = { ...webClientOptions(slackApiUrl, logger), fetch: clientFetch(outbound) };
  const client = createWebClient(botToken, clientOptions);
  const identity = { ...(await learnIdentity(client, log, random)), isStandIn, contact };
  if (isStandIn) log.warn({ event: 'slack_stand_in' });

  const { noting, latest } = createAccessNote({
    probe: () => slack.call('auth.test', {}, { priority: 'private' }),
    isRefusal: isTokenRefused,
    now,
  });
  const methodLimits = createMethodLimits({ createLimiter, now, log });
  const slack = createSlackApi({ client, identity, methodLimits, noting });
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
  const messenger = createMessenger({
    slack,
    outbound,
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
    read: createReader({ people, channels, botUserId: identity.botUserId, now }),
    readFile: createFileReader({ botToken, slackApiUrl, outbound }),
    state: latest,
    clients: { botToken, clientOptions, logger },
  };
}
