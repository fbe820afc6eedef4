import { z } from 'zod';
import type { EncryptionKey } from './core/accounts/accounts.ts';
import { Secret } from './core/secret.ts';
import {
  appAccountProblems,
  asMeant,
  certificateFile,
  channelIds,
  type Environment,
  encryptionKeys,
  headerLines,
  inHeader,
  installProblems,
  isSlackHost,
  noProxyList,
  oneLine,
  oneOf,
  proxyAddress,
  redisAddress,
  type SettingGroup,
  signInProblems,
  swappedTokens,
  token,
  userIds,
  webAddress,
  whole,
  wordSecret,
  workspaceIds,
  yesOrNo,
} from './setting-forms.ts';

interface Setting<Output> {
  /** Under which heading of docs/configuration.md it stands. */
  group: SettingGroup;
  schema: z.ZodType<Output, string>;
  /** The value used when the variable is not set, as an operator would write it. Undefined: no value. */
  fallback?: string;
  /** One or two sentences for docs/configuration.md. */
  about: string;
  /** Name of a second variable, read when the first one is not set. */
  alias?: string;
}

/** Creates the settings of a group. */
function settingsOf(group: SettingGroup) {
  function setting<Output>(schema: z.ZodType<Output, string>, about: string): Setting<Output | undefined>;
  function setting<Output>(schema: z.ZodType<Output, string>, about: string, fallback: string): Setting<Output>;
  function setting<Output>(
    schema: z.ZodType<Output, string>,
    about: string,
    fallback?: string,
  ): Setting<Output | undefined> {
    return { group, schema, about, fallback };
  }
  return setting;
}

function aliased<Output>(alias: string, plain: Setting<Output>): Setting<Output> {
  return { ...plain, alias };
}

const slack = settingsOf('Slack');
const workspaces = settingsOf('Several workspaces');
const service = settingsOf('Code search service');
const network = settingsOf('Network');
const storage = settingsOf('Storage');
const http = settingsOf('HTTP and metrics');
const program = settingsOf('Log and shutdown');
const waiting = settingsOf('Waiting');
const limits = settingsOf('Limits');
const people = settingsOf('Who may ask');
const accounts = settingsOf('Accounts');
const retention = settingsOf('Retention');
const traces = settingsOf('Traces');

/** Every setting of the app. A variable's name, group, check, default and description stand only here. */
export const SETTINGS = {
  SLACK_BOT_TOKEN: slack(
    wordSecret(),
    'The bot token of the Slack app (`xoxb-…`). Required without `SLACK_CLIENT_ID`.',
  ),
  SLACK_APP_TOKEN: slack(
    wordSecret(),
    'The app-level token (`xapp-…`, scope `connections:write`). When set, events arrive through Socket Mode.',
  ),
  SLACK_SIGNING_SECRET: slack(
    wordSecret(),
    'The signing secret. Required without `SLACK_APP_TOKEN`: events then arrive as signed HTTP requests at `/slack/events` on `PORT`.',
  ),
  SLACK_API_URL: slack(webAddress(), "Base address of Slack's Web API.", 'https://slack.com/api/'),
  SLACK_STAND_IN: slack(
    yesOrNo(),
    "Whether `SLACK_API_URL` is a stand-in for Slack, such as `emulate`. A flag that it leaves out (guest, shared channel) then counts as false, not as a reason to refuse. Rejected with Slack's own address.",
    'false',
  ),
  MESSAGE_FORMAT: slack(
    oneOf(['markdown', 'mrkdwn']),
    "Format of answers: `markdown` for Slack's native Markdown blocks, `mrkdwn` for clients that lack them.",
    'markdown',
  ),
  SHOW_CREDENTIALS: slack(
    yesOrNo(),
    'Whether credentials in answers are posted to Slack as the service wrote them, and not hidden, as in `[hidden: AWS key]`.',
    'false',
  ),
  SLACK_CLIENT_ID: workspaces(
    inHeader(),
    'The client id of the Slack app, in place of `SLACK_BOT_TOKEN`: workspaces install the app at `/slack/install` under `PUBLIC_URL`. Needs `SLACK_CLIENT_SECRET`, `SLACK_WORKSPACES`, `SLACK_SIGNING_SECRET`, `PUBLIC_URL` and `ENCRYPTION_KEYS`.',
  ),
  SLACK_CLIENT_SECRET: workspaces(wordSecret(), 'The client secret of the Slack app.'),
  SLACK_WORKSPACES: workspaces(
    workspaceIds(),
    'Ids of the workspaces (`T…`) and organizations (`E…`) that may install the app, separated by commas.',
  ),
  SRC_ENDPOINT: service(webAddress(), 'Base address of the code search service. Required.'),
  SRC_ACCESS_TOKEN: service(
    wordSecret(),
    'Access token for the code search service. Required, unless the app gets its tokens with `SRC_CLIENT_ID`.',
  ),
  SRC_CLIENT_ID: service(
    inHeader(),
    "Client id of the app's account at the service, in place of `SRC_ACCESS_TOKEN`: the app gets and renews its tokens with the grant `client_credentials`. Needs `SRC_CLIENT_SECRET` and `SRC_TOKEN_URL`.",
  ),
  SRC_CLIENT_SECRET: service(token(), 'Client secret of that account.'),
  SRC_TOKEN_URL: service(webAddress(), 'Address at which the app gets access tokens of that account.'),
  SRC_SUDO_USER: service(
    inHeader(),
    'Ask as this user: the token is then sent as a `token-sudo` token and needs the scope `site-admin:sudo`.',
  ),
  SRC_HEADERS: service(
    headerLines(),
    'Headers for an identity proxy before the service: `Name: value`, several with `\\n` or new lines between them. A secret, sent to the origin of `SRC_ENDPOINT` only.',
  ),
  SRC_API: service(
    oneOf(['auto', '1', '2']),
    'Generation of the conversation API: `1`, `2`, or `auto`, which uses 1 while the service offers it, see [operations](operations.md#which-generation-of-the-services-api).',
    'auto',
  ),
  SRC_REQUESTS_PER_SECOND: service(
    whole(1, 10_000),
    'Highest sustained rate of requests to the service, per second, for all processes on one Redis together. After a quiet time twice as many may go at once.',
    '50',
  ),
  HTTP_PROXY: aliased(
    'http_proxy',
    network(
      proxyAddress(),
      'Proxy for `http` addresses. Without a scheme it means `http://`. Also read from `http_proxy`.',
    ),
  ),
  HTTPS_PROXY: aliased(
    'https_proxy',
    network(
      proxyAddress(),
      'Proxy for `https` addresses, so also for Slack and its websocket. It must allow CONNECT. Also read from `https_proxy`.',
    ),
  ),
  NO_PROXY: aliased(
    'no_proxy',
    network(
      noProxyList(),
      'Hosts, addresses and networks (`10.0.0.0/8`, `fd00::/8`) to reach without it, separated by commas. Names are not looked up. Also read from `no_proxy`.',
    ),
  ),
  SRC_CA_FILE: network(
    certificateFile(),
    'Path of a PEM file with more certificate authorities to trust for the service.',
  ),
  REDIS_URL: storage(
    redisAddress(),
    'Redis that stores questions and threads. Not set: they are stored in `DATA_DIR`.',
  ),
  DATA_DIR: storage(z.string(), 'Folder of the embedded storage. Only one process at a time can use it.', './data'),
  PORT: http(
    whole(0, 65_535),
    'Port of `/livez` and `/readyz`, and of `/slack/events` without Socket Mode. 0 picks a free port.',
    '3000',
  ),
  HOST: http(z.string(), 'Address that `PORT` listens on. Not set: all addresses.'),
  PUBLIC_URL: http(
    webAddress(),
    'Address under which browsers reach `PORT`. Redirect addresses under it: `accounts/callback` for the service, `slack/oauth_redirect` for Slack.',
  ),
  METRICS_PORT: http(whole(0, 65_535), 'Port of `/metrics`. 0 picks a free port.', '9464'),
  METRICS_HOST: http(
    z.string(),
    'Address that `METRICS_PORT` listens on. By default only this machine can read it. `0.0.0.0`: all IPv4 addresses.',
    '127.0.0.1',
  ),
  LOG_LEVEL: program(
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'Lowest level to log: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    'info',
  ),
  SHUTDOWN_SECONDS: program(whole(1, 300), 'How many seconds running work may take to finish after SIGTERM.', '10'),
  PATIENCE_SECONDS: waiting(whole(1, 86_400), 'How many seconds the app waits for an answer.', '900'),
  RUNNING_PER_WORKSPACE: limits(
    whole(1, 100_000),
    'Most questions of one workspace that run at the same time. Others wait.',
    '100',
  ),
  RUNNING_PER_PERSON: limits(
    whole(1, 100_000),
    'Most questions of one person that run at the same time. Others wait.',
    '10',
  ),
  QUESTIONS_PER_PERSON_PER_DAY: limits(
    whole(0, 10_000),
    'Most questions of one person in a day (UTC). 0: no limit. Admins have none.',
    '0',
  ),
  QUESTIONS_PER_CHANNEL_PER_DAY: limits(
    whole(0, 10_000),
    'Most questions in one channel in a day (UTC). 0: no limit. Admins have none.',
    '0',
  ),
  ADMINS: people(
    userIds(),
    "Ids of people, separated by commas, who see the usage, use `/deepsearch doctor`, and change channels' settings as the workspace's admins do.",
  ),
  CONTACT: people(
    oneLine(200),
    'Who can help when only the operator can: the id of a person (`U…`), a user group (`S…`) or a channel (`C…`), or a text. Shown next to "the operator of this app", without notifying anyone in channels.',
  ),
  OPEN_CHANNELS: people(
    channelIds(),
    'Ids of channels in which everyone may ask, including guests and people from other organizations, without a check of who can read the answers.',
  ),
  ALLOWED_CHANNELS: people(
    channelIds(),
    'Ids of the only channels in which the app answers, besides direct messages and `OPEN_CHANNELS`. Not set: all.',
  ),
  ACCOUNTS: accounts(
    oneOf(['shared', 'preferred', 'required']),
    "Whose account people ask with. `shared`: the app's. `preferred`: their own if they connected one. `required`: only their own. See [accounts](accounts.md).",
    'shared',
  ),
  ENCRYPTION_KEYS: accounts(
    encryptionKeys(),
    "Keys that encrypt stored credentials and tokens (AES-256-GCM): `id:key`, the key as base64 of 32 bytes, separated by commas. The first encrypts, all decrypt. Needed for people's accounts and for several workspaces.",
  ),
  SRC_OAUTH_CLIENT_ID: accounts(
    inHeader(),
    'Id of the OAuth app at the service with which people sign in. Needs the other `SRC_OAUTH_` settings and `PUBLIC_URL`.',
  ),
  SRC_OAUTH_CLIENT_SECRET: accounts(token(), 'Secret of that OAuth app. Not set for a public client.'),
  SRC_OAUTH_AUTHORIZE_URL: accounts(webAddress(), 'Address at the service where people allow the access.'),
  SRC_OAUTH_TOKEN_URL: accounts(webAddress(), 'Address at the service where the app gets and refreshes tokens.'),
  SRC_OAUTH_SCOPES: accounts(
    inHeader(),
    'Scopes to ask for, separated by spaces. Not set: those that the OAuth app was registered with.',
  ),
  RETENTION_DAYS: retention(
    whole(1, 3_650),
    'How many days questions, history and votes are stored at most after their last change. Not set: 90 days, votes 400. See [operations](operations.md#keeping-exporting-and-erasing-data).',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: traces(
    webAddress(),
    'Base address of an OpenTelemetry collector (OTLP over HTTP, usually port 4318): the app sends a trace of each question to `v1/traces` under it.',
  ),
} as const;

export type Config = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer Output> ? Output : never;
} & { SRC_ENDPOINT: string };

/** Lists all problems of the environment, one sentence each. It never contains a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`the configuration has problems:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Reads the configuration. An empty variable counts as not set. Throws {@link ConfigError} with all problems at once.
 */
export function parseConfig(given: Environment): Config {
  const environment = asMeant(given);
  const { values, problems } = readSettings(environment, SETTINGS);
  const isSet = (name: string): boolean => Boolean(environment[name]?.trim());
  const required = [...(isSet('SLACK_CLIENT_ID') ? [] : ['SLACK_BOT_TOKEN']), 'SRC_ENDPOINT'];
  const names = Object.keys(SETTINGS).filter(isSet);
  problems.push(
    ...required.filter((name) => !isSet(name)).map((name) => `${name} is not set`),
    ...appAccountProblems(names),
  );
  if (!isSet('SLACK_APP_TOKEN') && !isSet('SLACK_SIGNING_SECRET')) {
    problems.push('neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is set');
  }
  if (values.SLACK_STAND_IN === true && isSlackHost(values.SLACK_API_URL)) {
    problems.push('SLACK_STAND_IN is true, and SLACK_API_URL is the address of Slack itself');
  }
  problems.push(...swappedTokens(values), ...signInProblems(names, values), ...installProblems(names));
  if (!isComplete(values) || problems.length > 0) throw new ConfigError(problems);
  return values;
}

/** The storage settings, for programs that need no others. Throws {@link ConfigError}. */
export function parseStorageConfig(environment: Environment): Pick<Config, 'REDIS_URL' | 'DATA_DIR'> {
  const { REDIS_URL, DATA_DIR } = SETTINGS;
  const { values, problems } = readSettings(asMeant(environment), { REDIS_URL, DATA_DIR });
  const { REDIS_URL: redisUrl, DATA_DIR: dataDir } = values;
  if (problems.length > 0 || typeof dataDir !== 'string') throw new ConfigError(problems);
  return { REDIS_URL: redisUrl instanceof Secret ? redisUrl : undefined, DATA_DIR: dataDir };
}

/** The keys of people's stored accounts, for programs that need no others. Throws {@link ConfigError} without keys. */
export function parseEncryptionKeys(given: Environment): EncryptionKey[] {
  const environment = asMeant(given);
  const { ENCRYPTION_KEYS } = SETTINGS;
  const { problems } = readSettings(environment, { ENCRYPTION_KEYS });
  if (problems.length > 0) throw new ConfigError(problems);
  const keys = ENCRYPTION_KEYS.schema.safeParse(environment.ENCRYPTION_KEYS?.trim()).data;
  if (keys === undefined) throw new ConfigError(['ENCRYPTION_KEYS is not set']);
  return keys;
}

/** How many days records are kept, for programs that write beside the app. Throws {@link ConfigError}. */
export function parseRetentionDays(environment: Environment): number {
  const { RETENTION_DAYS } = SETTINGS;
  const { values, problems } = readSettings(asMeant(environment), { RETENTION_DAYS });
  if (problems.length > 0) throw new ConfigError(problems);
  return isNumber(values.RETENTION_DAYS) ? values.RETENTION_DAYS : Number.POSITIVE_INFINITY;
}

function readSettings(
  environment: Environment,
  settings: Record<string, Setting<unknown>>,
): { values: Record<string, unknown>; problems: string[] } {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, fallback, alias }] of Object.entries(settings)) {
    const written = environment[name]?.trim() || (alias && environment[alias]?.trim()) || fallback;
    if (written === undefined) continue;
    const parsed = schema.safeParse(written);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} ${parsed.error.issues.map(({ message }) => message).join(', ')}`);
  }
  return { values, problems };
}

/** Checks that the required values are there. Each value already passed its own schema. */
function isComplete(values: Record<string, unknown>): values is Config {
  return values.SRC_ENDPOINT !== undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
