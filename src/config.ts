import { z } from 'zod';
import type { EncryptionKey } from './core/accounts/accounts.ts';
import { Secret } from './core/secret.ts';
import {
  certificateFile,
  channelIds,
  encryptionKeys,
  inHeader,
  oneLine,
  proxyAddress,
  secret,
  secretAddress,
  token,
  userIds,
  webAddress,
  whole,
  yesOrNo,
} from './setting-forms.ts';

interface Setting<Output> {
  schema: z.ZodType<Output, string>;
  /** The value used when the variable is not set, as an operator would write it. Undefined: no value. */
  fallback?: string;
  /** One or two sentences for docs/configuration.md. */
  about: string;
  /** Name of a second variable, read when the first one is not set. */
  alias?: string;
}

function setting<Output>(schema: z.ZodType<Output, string>, about: string): Setting<Output | undefined>;
function setting<Output>(schema: z.ZodType<Output, string>, about: string, fallback: string): Setting<Output>;
function setting<Output>(
  schema: z.ZodType<Output, string>,
  about: string,
  fallback?: string,
): Setting<Output | undefined> {
  return { schema, about, ...(fallback === undefined ? {} : { fallback }) };
}

function aliased<Output>(alias: string, plain: Setting<Output>): Setting<Output> {
  return { ...plain, alias };
}

/** Every setting of the app. A variable's name, check, default and description stand only here. */
export const SETTINGS = {
  SLACK_BOT_TOKEN: setting(token(), 'The bot token of the Slack app (`xoxb-…`). Required.'),
  SLACK_APP_TOKEN: setting(
    token(),
    'The app-level token (`xapp-…`, scope `connections:write`). When set, events arrive through Socket Mode.',
  ),
  SLACK_SIGNING_SECRET: setting(
    secret(),
    'The signing secret. Required without `SLACK_APP_TOKEN`: events then arrive as signed HTTP requests at `/slack/events` on `PORT`.',
  ),
  SLACK_API_URL: setting(webAddress(), "Base address of Slack's Web API.", 'https://slack.com/api/'),
  SLACK_STAND_IN: setting(
    yesOrNo(),
    "Whether `SLACK_API_URL` is a stand-in for Slack, as in the demo. When a stand-in leaves out a flag (guest, shared channel), the app reads it as false; when Slack leaves out a flag, the app refuses the question. Rejected together with Slack's own address.",
    'false',
  ),
  SRC_ENDPOINT: setting(webAddress(), 'Base address of the code search service. Required.'),
  SRC_ACCESS_TOKEN: setting(token(), 'Access token for the code search service. Required.'),
  SRC_SUDO_USER: setting(
    inHeader(),
    'Ask as this user: the token is then sent as a `token-sudo` token and needs the scope `site-admin:sudo`.',
  ),
  SRC_API: setting(
    z.enum(['auto', '1', '2']),
    'Generation of the conversation API to use: `1` for `/.api/deepsearch/v1`, `2` for `/api/deepsearch.v1.Service`. `auto`: the app finds out what the service offers, and uses generation 1 while it is offered, because only it tells sources, progress and follow-ups.',
    'auto',
  ),
  SRC_TIMEOUT_MS: setting(
    whole(100, 120_000),
    'Longest time for one read from the service, in milliseconds, including retries.',
    '15000',
  ),
  SRC_REQUESTS_PER_SECOND: setting(
    whole(1, 10_000),
    'Highest sustained rate of requests to the service, per second, for all processes on one Redis together.',
    '50',
  ),
  SRC_REQUEST_BURST: setting(
    whole(1, 100_000),
    'How many requests the app may send to the service at once after a quiet time.',
    '100',
  ),
  SRC_CA_FILE: setting(
    certificateFile(),
    'Path of a PEM file with certificate authorities to trust for the service, in addition to the usual ones.',
  ),
  HTTP_PROXY: aliased(
    'http_proxy',
    setting(
      proxyAddress(),
      'Proxy for all requests to `http` addresses, both the code search service and Slack. An address without a scheme means `http://`. Also read from `http_proxy`.',
    ),
  ),
  HTTPS_PROXY: aliased(
    'https_proxy',
    setting(
      proxyAddress(),
      'Proxy for `https` addresses, which includes Slack, and for the websocket of Socket Mode. The proxy must allow CONNECT. Also read from `https_proxy`.',
    ),
  ),
  NO_PROXY: aliased(
    'no_proxy',
    setting(z.string(), 'Hosts to reach without the proxy, separated by commas. Also read from `no_proxy`.'),
  ),
  REDIS_URL: setting(
    secretAddress(/^rediss?:$/, 'a redis or rediss address'),
    'Redis that stores questions and threads. Not set: they are stored in `DATA_DIR`.',
  ),
  DATA_DIR: setting(z.string(), 'Folder of the embedded storage. Only one process at a time can use it.', './data'),
  PORT: setting(
    whole(0, 65_535),
    'Port of `/livez` and `/readyz`, and of `/slack/events` without Socket Mode. 0 picks a free port.',
    '3000',
  ),
  HOST: setting(z.string(), 'Address that `PORT` listens on. Not set: all addresses.'),
  METRICS_PORT: setting(
    whole(0, 65_535),
    'Port of `/metrics`. Metrics are never served on the port that Slack or a load balancer reaches. 0 picks a free port.',
    '9464',
  ),
  METRICS_HOST: setting(
    z.string(),
    'Address that `METRICS_PORT` listens on. By default only programs on the same machine can read it. `0.0.0.0` means all IPv4 addresses.',
    '127.0.0.1',
  ),
  LOG_LEVEL: setting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'Lowest level to log: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    'info',
  ),
  MESSAGE_FORMAT: setting(
    z.enum(['markdown', 'mrkdwn']),
    "Format of answers: `markdown` for Slack's native Markdown blocks, `mrkdwn` for clients that lack them.",
    'markdown',
  ),
  PATIENCE_SECONDS: setting(
    whole(1, 86_400),
    'How many seconds the app waits for an answer before it gives up and says so.',
    '900',
  ),
  POLL_FIRST_MS: setting(
    whole(50, 60_000),
    'Wait before the first read of a question after it was asked, in milliseconds. The shortest first wait, once the app has learned from 10 answers of a workspace how long they take.',
    '1000',
  ),
  POLL_MIN_MS: setting(whole(50, 60_000), 'Shortest wait between two reads of a question, in milliseconds.', '1000'),
  POLL_MAX_MS: setting(
    whole(50, 600_000),
    'Longest wait between two reads of a question, and longest first wait that the app learns, in milliseconds. A card shows progress this late at most.',
    '10000',
  ),
  POLL_PERCENT: setting(
    whole(1, 100),
    'Wait between two reads of a question, as a percentage of the time since it was asked. Used until the app has learned from 10 answers of a workspace how long they take, and for questions that take much longer than those.',
    '10',
  ),
  CARD_EDIT_MS: setting(
    whole(100, 60_000),
    'Shortest time between two edits of one progress card, in milliseconds. Slack advises 3,000.',
    '3000',
  ),
  LATE_CALL_SECONDS: setting(
    whole(1, 120),
    'How many seconds Slack or the service may still need to carry out a call that got no reply in time. The app repeats the call only after that.',
    '15',
  ),
  THREAD_LIMIT: setting(whole(1, 1_000), 'Most open questions in one thread, including the running one.', '20'),
  RUNNING_PER_WORKSPACE: setting(
    whole(1, 100_000),
    'Most questions of one workspace that run at the service at the same time. Further questions wait.',
    '100',
  ),
  RUNNING_PER_PERSON: setting(
    whole(1, 100_000),
    'Most questions of one person that run at the service at the same time. Further questions wait.',
    '10',
  ),
  CONTACT: setting(
    oneLine(200),
    'Who can help when only the operator can: the id of a person (`U…`), a user group (`S…`) or a channel (`C…`), or a text. The app shows it next to "the operator of this app" and notifies no one: in a channel, a person becomes a link to their profile, and a user group is left out.',
  ),
  OPEN_CHANNELS: setting(
    channelIds(),
    'Ids of channels in which everyone may ask, including guests and people from other organizations. Answers appear there without a check of who can read them. Separated by commas.',
  ),
  ALLOWED_CHANNELS: setting(
    channelIds(),
    'Ids of the only channels in which the app answers, besides direct messages and `OPEN_CHANNELS`. Separated by commas. Not set: all channels that the app is in.',
  ),
  REFUSED_CHANNELS: setting(channelIds(), 'Ids of channels in which no one may ask. Separated by commas.'),
  SHARE_WITH_OTHER_ORGANIZATIONS: setting(
    yesOrNo(),
    'Whether people may share private answers into channels with other organizations, after the app showed them who can read there. Otherwise they may share only into channels without other organizations, and into `OPEN_CHANNELS`.',
    'false',
  ),
  ADMINS: setting(
    userIds(),
    "Ids of people who administer this app, besides the workspace's own admins: they may change channels' settings and see the usage. Separated by commas.",
  ),
  ACCOUNTS: setting(
    z.enum(['shared', 'preferred', 'required']),
    "Whose account at the service people ask with. `shared`: the account of `SRC_ACCESS_TOKEN`, for everyone. `preferred`: a person's own account if they connected one. `required`: only a person's own account.",
    'shared',
  ),
  ENCRYPTION_KEYS: setting(
    encryptionKeys(),
    "Keys that encrypt people's credentials in the storage (AES-256-GCM): `id:key`, the key as base64 of 32 bytes, separated by commas. The first one encrypts, all of them decrypt. Without it no one can connect an account.",
  ),
  SRC_OAUTH_CLIENT_ID: setting(
    inHeader(),
    'Id of the OAuth app that you registered at the service, so that people can sign in there. Needs the other `SRC_OAUTH_` settings and `PUBLIC_URL`.',
  ),
  SRC_OAUTH_CLIENT_SECRET: setting(token(), 'Secret of that OAuth app. Not set for a public client.'),
  SRC_OAUTH_AUTHORIZE_URL: setting(webAddress(), 'Address at the service where people allow the access.'),
  SRC_OAUTH_TOKEN_URL: setting(webAddress(), 'Address at the service where the app gets and refreshes tokens.'),
  SRC_OAUTH_SCOPES: setting(
    inHeader(),
    'Scopes that the app asks for, separated by spaces. Not set: the scopes that the OAuth app was registered with.',
  ),
  PUBLIC_URL: setting(
    webAddress(),
    "Address under which people's browsers reach `PORT`. The redirect address of the OAuth app is `accounts/callback` under it.",
  ),
  QUESTIONS_PER_PERSON_PER_DAY: setting(
    whole(0, 10_000),
    'Most questions of one person in a day (UTC). 0 means no limit. Admins have none.',
    '0',
  ),
  QUESTIONS_PER_CHANNEL_PER_DAY: setting(
    whole(0, 10_000),
    'Most questions in one channel in a day (UTC). 0 means no limit. Admins have none.',
    '0',
  ),
  AUDIT_DAYS: setting(
    whole(1, 3_650),
    'How many days the entries of the audit log are stored for export. `RETENTION_DAYS` shortens it.',
    '90',
  ),
  RETENTION_DAYS: setting(
    whole(1, 3_650),
    'How many days questions, threads, history, settings of people and votes are stored after their last change, and the audit log. Shorter lives of some records stay as they are. Not set: 90 days, and 400 for votes.',
  ),
  SHUTDOWN_SECONDS: setting(whole(1, 300), 'How many seconds running work may take to finish after SIGTERM.', '10'),
} as const;

export type Config = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer Output> ? Output : never;
} & { SLACK_BOT_TOKEN: Secret; SRC_ENDPOINT: string; SRC_ACCESS_TOKEN: Secret };

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
export function parseConfig(environment: Environment): Config {
  const { values, problems } = readSettings(environment, SETTINGS);
  for (const name of ['SLACK_BOT_TOKEN', 'SRC_ENDPOINT', 'SRC_ACCESS_TOKEN']) {
    if (!environment[name]?.trim()) problems.push(`${name} is not set`);
  }
  if (!environment.SLACK_APP_TOKEN?.trim() && !environment.SLACK_SIGNING_SECRET?.trim()) {
    problems.push('neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is set');
  }
  if (isNumber(values.POLL_MIN_MS) && isNumber(values.POLL_MAX_MS) && values.POLL_MIN_MS > values.POLL_MAX_MS) {
    problems.push('POLL_MIN_MS is greater than POLL_MAX_MS');
  }
  if (values.SLACK_STAND_IN === true && isSlackHost(values.SLACK_API_URL)) {
    problems.push('SLACK_STAND_IN is true, and SLACK_API_URL is the address of Slack itself');
  }
  problems.push(...contradictions(values), ...signInProblems(environment, values));
  if (!isComplete(values) || problems.length > 0) throw new ConfigError(problems);
  return values;
}

/** The storage settings, for programs that need no others. Throws {@link ConfigError}. */
export function parseStorageConfig(environment: Environment): Pick<Config, 'REDIS_URL' | 'DATA_DIR'> {
  const { REDIS_URL, DATA_DIR } = SETTINGS;
  const { values, problems } = readSettings(environment, { REDIS_URL, DATA_DIR });
  const { REDIS_URL: redisUrl, DATA_DIR: dataDir } = values;
  if (problems.length > 0 || typeof dataDir !== 'string') throw new ConfigError(problems);
  return { REDIS_URL: redisUrl instanceof Secret ? redisUrl : undefined, DATA_DIR: dataDir };
}

/** The keys of people's stored accounts, for programs that need no others. Throws {@link ConfigError} without keys. */
export function parseEncryptionKeys(environment: Environment): EncryptionKey[] {
  const { ENCRYPTION_KEYS } = SETTINGS;
  const { problems } = readSettings(environment, { ENCRYPTION_KEYS });
  if (problems.length > 0) throw new ConfigError(problems);
  const keys = ENCRYPTION_KEYS.schema.safeParse(environment.ENCRYPTION_KEYS?.trim()).data;
  if (keys === undefined) throw new ConfigError(['ENCRYPTION_KEYS is not set']);
  return keys;
}

/** How long records are kept, for programs that write beside the app. Throws {@link ConfigError}. */
export function parseLifetimes(environment: Environment): Pick<Config, 'RETENTION_DAYS' | 'AUDIT_DAYS'> {
  const { RETENTION_DAYS, AUDIT_DAYS } = SETTINGS;
  const { values, problems } = readSettings(environment, { RETENTION_DAYS, AUDIT_DAYS });
  const { RETENTION_DAYS: retention, AUDIT_DAYS: audit } = values;
  if (problems.length > 0 || !isNumber(audit)) throw new ConfigError(problems);
  return { RETENTION_DAYS: isNumber(retention) ? retention : undefined, AUDIT_DAYS: audit };
}

type Environment = Record<string, string | undefined>;

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
    else problems.push(`${name} ${parsed.error.issues.map(({ message }) => plain(message)).join(', ')}`);
  }
  return { values, problems };
}

/** Checks that the required values are there. Each value already passed its own schema. */
function isComplete(values: Record<string, unknown>): values is Config {
  return (
    values.SLACK_BOT_TOKEN !== undefined && values.SRC_ENDPOINT !== undefined && values.SRC_ACCESS_TOKEN !== undefined
  );
}

/** Finds channels that one setting refuses and another setting allows. */
function contradictions(values: Record<string, unknown>): string[] {
  const refused = idsOf(values.REFUSED_CHANNELS);
  return ['OPEN_CHANNELS', 'ALLOWED_CHANNELS']
    .filter((name) => idsOf(values[name]).some((id) => refused.includes(id)))
    .map((name) => `${name} and REFUSED_CHANNELS name the same channel`);
}

/** Everything that `SRC_OAUTH_` settings need. A public client has no secret, and scopes have a default. */
const neededToSignIn = ['SRC_OAUTH_CLIENT_ID', 'SRC_OAUTH_AUTHORIZE_URL', 'SRC_OAUTH_TOKEN_URL', 'PUBLIC_URL'];
/** Addresses that credentials pass. */
const addressesOfCredentials = ['SRC_OAUTH_AUTHORIZE_URL', 'SRC_OAUTH_TOKEN_URL', 'PUBLIC_URL'];

/** Finds what is missing for people to sign in at the service, and addresses where others could read credentials. */
function signInProblems(environment: Environment, values: Record<string, unknown>): string[] {
  const given = Object.keys(SETTINGS).find((name) => name.startsWith('SRC_OAUTH_') && environment[name]?.trim());
  const missing = given === undefined ? [] : neededToSignIn.filter((name) => !environment[name]?.trim());
  return [
    ...missing.map((name) => `${given} is set, and ${name} is not`),
    ...addressesOfCredentials
      .filter((name) => !isPrivateOnTheWay(values[name]))
      .map((name) => `${name} must be an https address, unless its host is this machine`),
  ];
}

/** Whether no one else can read what is sent to the address. Also true without an address. */
function isPrivateOnTheWay(address: unknown): boolean {
  if (typeof address !== 'string') return true;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function idsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether the host belongs to Slack, including Slack's cloud for governments. */
function isSlackHost(url: unknown): boolean {
  return typeof url === 'string' && /(?:^|\.)slack(?:-gov)?\.com\.?$/.test(new URL(url).hostname);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function plain(message: string): string {
  return message.replace(/^Invalid option: expected one of/, 'must be one of');
}
