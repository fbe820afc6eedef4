import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { z } from 'zod';

/** A value that prints as `[secret]` wherever it ends up; only `reveal` gives it away. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

const secret = (): z.ZodType<Secret, string> => z.string().transform((value) => new Secret(value));
/** What is sent as part of an HTTP header: Node refuses other characters, with an error that repeats them. */
const inHeader = (): z.ZodType<string, string> =>
  z.string().regex(/^[\x20-\x7e]+$/, 'has characters that no HTTP header can carry');
const token = (): z.ZodType<Secret, string> => inHeader().transform((value) => new Secret(value));
const whole = (least: number, most: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be between ${least} and ${most}`);
const address = (protocol: RegExp, what: string): z.ZodType<string, string> =>
  z.string().refine((value) => URL.canParse(value) && protocol.test(new URL(value).protocol), `must be ${what}`);
/** An address that may hold a password. */
const secretAddress = (protocol: RegExp, what: string): z.ZodType<Secret, string> =>
  address(protocol, what).transform((value) => new Secret(value));
/** `host:3128` means `http://host:3128`, as other programs read these variables. */
const proxyAddress = (): z.ZodType<Secret, string> =>
  z
    .string()
    .transform((value) => (value.includes('://') ? value : `http://${value}`))
    .pipe(secretAddress(/^https?:$/, 'an http or https address'));
const certificateFile = (): z.ZodType<string, string> =>
  z.string().refine(holdsCertificate, 'is not the path of a readable PEM file with certificates');
/** Ids of channels, separated by commas. */
const channelIds = (): z.ZodType<string[], string> =>
  z
    .string()
    .transform((value) => [...new Set(value.split(',').map((id) => id.trim()))].filter((id) => id !== ''))
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => /^[CG][A-Z0-9]{2,}$/.test(id)),
      'must be ids of channels, such as C0123456789, separated by commas',
    );
/** What is shown to people in one line. */
const oneLine = (most: number): z.ZodType<string, string> =>
  z
    .string()
    .refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), 'must be one line')
    .refine((value) => value.length <= most, `must have at most ${most} characters`);
const yesOrNo = (): z.ZodType<boolean, string> =>
  z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');
const webAddress = (): z.ZodType<string, string> => address(/^https?:$/, 'an http or https address');

interface Setting<Output> {
  schema: z.ZodType<Output, string>;
  /** What is used when the variable is not set, as it would be written. Undefined: nothing. */
  fallback?: string;
  /** One or two sentences for docs/configuration.md. */
  about: string;
  /** Read where the variable itself is not set. */
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

/** Every setting of the app: the one place where a variable is named, checked, defaulted and described. */
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
    'Whether `SLACK_API_URL` is a stand-in for Slack, as in the demo. A flag that a stand-in leaves out (guest, shared channel) counts as not set; a flag that Slack leaves out refuses the question. Not accepted with the address of Slack itself.',
    'false',
  ),
  SRC_ENDPOINT: setting(webAddress(), 'Base address of the code search service. Required.'),
  SRC_ACCESS_TOKEN: setting(token(), 'Access token for the code search service. Required.'),
  SRC_SUDO_USER: setting(
    inHeader(),
    'Ask as this user: the token is then sent as a `token-sudo` token and needs the scope `site-admin:sudo`.',
  ),
  SRC_TIMEOUT_MS: setting(
    whole(100, 120_000),
    'Longest time one read from the service may take, repeats included.',
    '15000',
  ),
  SRC_REQUESTS_PER_SECOND: setting(
    whole(1, 10_000),
    'Most requests to the service per second in the long run, by all processes on one Redis together.',
    '50',
  ),
  SRC_REQUEST_BURST: setting(
    whole(1, 100_000),
    'Requests to the service that may be made at once after a quiet time.',
    '100',
  ),
  SRC_CA_FILE: setting(
    certificateFile(),
    'Path of a PEM file with the certificate authorities to trust for the service, beside the usual ones.',
  ),
  HTTP_PROXY: aliased(
    'http_proxy',
    setting(
      proxyAddress(),
      'Proxy for all that the app sends to `http` addresses, of the code search service and of Slack; without a scheme, `http://` is meant. Also read from `http_proxy`.',
    ),
  ),
  HTTPS_PROXY: aliased(
    'https_proxy',
    setting(
      proxyAddress(),
      "The same for `https` addresses, which Slack's are, and for the websocket of Socket Mode; the proxy must allow CONNECT. Also read from `https_proxy`.",
    ),
  ),
  NO_PROXY: aliased(
    'no_proxy',
    setting(z.string(), 'Hosts reached without the proxy, separated by commas. Also read from `no_proxy`.'),
  ),
  REDIS_URL: setting(
    secretAddress(/^rediss?:$/, 'a redis or rediss address'),
    'Redis to keep questions and threads in. Not set: they are kept in `DATA_DIR`.',
  ),
  DATA_DIR: setting(z.string(), 'Folder of the embedded storage. Used by one process at a time.', './data'),
  PORT: setting(
    whole(0, 65_535),
    'Port of `/livez` and `/readyz`, and of `/slack/events` without Socket Mode. 0 takes a free one.',
    '3000',
  ),
  HOST: setting(z.string(), 'Address on which `PORT` is open. Not set: all addresses.'),
  METRICS_PORT: setting(
    whole(0, 65_535),
    'Port of `/metrics`, which is never served where Slack or a balancer reaches the app. 0 takes a free one.',
    '9464',
  ),
  METRICS_HOST: setting(
    z.string(),
    'Address on which `METRICS_PORT` is open; by default only programs of the same machine can read it. `0.0.0.0` is all IPv4 addresses.',
    '127.0.0.1',
  ),
  LOG_LEVEL: setting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'Least important lines to log: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    'info',
  ),
  MESSAGE_FORMAT: setting(
    z.enum(['markdown', 'mrkdwn']),
    "How answers are written: `markdown` for Slack's native Markdown blocks, `mrkdwn` for clients that lack them.",
    'markdown',
  ),
  PATIENCE_SECONDS: setting(
    whole(1, 86_400),
    'How long a question is watched before the app stops and says so.',
    '900',
  ),
  POLL_FIRST_MS: setting(whole(50, 60_000), 'Wait before the first look at a question that was asked.', '1000'),
  POLL_MIN_MS: setting(whole(50, 60_000), 'Shortest wait between two looks.', '1000'),
  POLL_MAX_MS: setting(whole(50, 600_000), 'Longest wait between two looks.', '10000'),
  POLL_PERCENT: setting(whole(1, 100), 'The wait between two looks as a share of the time elapsed, in percent.', '10'),
  CARD_EDIT_MS: setting(
    whole(100, 60_000),
    'Shortest time between two edits of one progress card; Slack advises 3,000.',
    '3000',
  ),
  LATE_CALL_SECONDS: setting(
    whole(1, 120),
    'How long Slack or the service may still carry out a call that got no reply in time; it is not repeated before.',
    '15',
  ),
  THREAD_LIMIT: setting(whole(1, 1_000), 'Most open questions in one thread, the running one included.', '20'),
  RUNNING_PER_WORKSPACE: setting(
    whole(1, 100_000),
    'Most questions of one workspace at the service at a time; the others wait their turn.',
    '100',
  ),
  RUNNING_PER_PERSON: setting(
    whole(1, 100_000),
    'Most questions of one person at the service at a time; the others wait their turn.',
    '10',
  ),
  CONTACT: setting(
    oneLine(200),
    'Whom people can ask where only the operator can help: the id of a person (`U…`), a user group (`S…`) or a channel (`C…`), or words. It stands beside "the operator of this app" and notifies no one: in a channel, a person becomes a link to their profile and a user group is left out.',
  ),
  OPEN_CHANNELS: setting(
    channelIds(),
    'Ids of channels in which everybody may ask, guests and people of other organizations included, and in which answers are shown whoever reads them. Separated by commas.',
  ),
  ALLOWED_CHANNELS: setting(
    channelIds(),
    'Ids of the only channels in which the app answers, beside direct messages and `OPEN_CHANNELS`. Separated by commas. Not set: all it is in.',
  ),
  REFUSED_CHANNELS: setting(channelIds(), 'Ids of channels in which nobody may ask. Separated by commas.'),
  SHARE_WITH_OTHER_ORGANIZATIONS: setting(
    yesOrNo(),
    'Whether people may share private answers into channels with other organizations, after they were shown who reads there. Without it they may share only into channels that no other organization reads, and into `OPEN_CHANNELS`.',
    'false',
  ),
  SHUTDOWN_SECONDS: setting(whole(1, 300), 'How long work under way may take to finish after SIGTERM.', '10'),
} as const;

export type Config = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer Output> ? Output : never;
} & { SLACK_BOT_TOKEN: Secret; SRC_ENDPOINT: string; SRC_ACCESS_TOKEN: Secret };

/** Everything that is wrong with the environment, one sentence each; never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`the configuration has problems:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Reads the configuration. An empty variable counts as not set. Throws {@link ConfigError} with all problems at once. */
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
  problems.push(...contradictions(values));
  if (!isComplete(values) || problems.length > 0) throw new ConfigError(problems);
  return values;
}

/** Where things are kept, for programs that need nothing else. Throws {@link ConfigError}. */
export function parseStorageConfig(environment: Environment): Pick<Config, 'REDIS_URL' | 'DATA_DIR'> {
  const { REDIS_URL, DATA_DIR } = SETTINGS;
  const { values, problems } = readSettings(environment, { REDIS_URL, DATA_DIR });
  const { REDIS_URL: redisUrl, DATA_DIR: dataDir } = values;
  if (problems.length > 0 || typeof dataDir !== 'string') throw new ConfigError(problems);
  return { REDIS_URL: redisUrl instanceof Secret ? redisUrl : undefined, DATA_DIR: dataDir };
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

/** Every value came out of its own schema; what is left to prove is that the required ones are there. */
function isComplete(values: Record<string, unknown>): values is Config {
  return (
    values.SLACK_BOT_TOKEN !== undefined && values.SRC_ENDPOINT !== undefined && values.SRC_ACCESS_TOKEN !== undefined
  );
}

/** Channels that one setting refuses and another lets ask. */
function contradictions(values: Record<string, unknown>): string[] {
  const refused = idsOf(values.REFUSED_CHANNELS);
  return ['OPEN_CHANNELS', 'ALLOWED_CHANNELS']
    .filter((name) => idsOf(values[name]).some((id) => refused.includes(id)))
    .map((name) => `${name} and REFUSED_CHANNELS name the same channel`);
}

function idsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Slack's own hosts, those of its cloud for governments included. */
function isSlackHost(url: unknown): boolean {
  return typeof url === 'string' && /(?:^|\.)slack(?:-gov)?\.com\.?$/.test(new URL(url).hostname);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function holdsCertificate(path: string): boolean {
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem.includes('-----BEGIN ');
  } catch {
    return false;
  }
}

function plain(message: string): string {
  return message.replace(/^Invalid option: expected one of/, 'must be one of');
}
