import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { EncryptionKey } from './core/accounts/accounts.ts';
import { Secret } from './core/secret.ts';

/*
 * The forms of settings: each turns the text of an environment variable into a value, or says what is wrong with it
 * without repeating it.
 */

/** Undefined if the text is not a list of keys. */
function readEncryptionKeys(text: string): EncryptionKey[] | undefined {
  const keys = text.split(',').map((part) => /^\s*([\w-]{1,40}):([A-Za-z0-9+/]{43}=)\s*$/.exec(part));
  const read = keys.flatMap((match) =>
    match?.[1] === undefined || match[2] === undefined ? [] : [{ id: match[1], key: new Secret(match[2]) }],
  );
  const areDifferent = new Set(read.map(({ id }) => id)).size === read.length;
  return read.length === keys.length && areDifferent ? read : undefined;
}

/** Text for an HTTP header. Node rejects other characters with an error that repeats the text. */
export const inHeader = (): z.ZodType<string, string> =>
  z.string().regex(/^[\x20-\x7e]+$/, 'has characters that no HTTP header can carry');
export const token = (): z.ZodType<Secret, string> => inHeader().transform((value) => new Secret(value));
/** One word: a remark behind it, or a quote, comes from a file that another program reads in another way. */
const word = (): z.ZodType<string, string> =>
  inHeader().pipe(z.string().regex(/^[^\s"'`]+$/, 'must be one word, without quotes and without a remark behind it'));
export const wordSecret = (): z.ZodType<Secret, string> => word().transform((value) => new Secret(value));
/** One of these, also in capitals. */
export const oneOf = <const Values extends readonly string[]>(values: Values): z.ZodType<Values[number], string> =>
  z
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(values, `must be one of ${values.join(', ')}`));
export const whole = (least: number, most: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be between ${least} and ${most}`);
const address = (protocol: RegExp, what: string): z.ZodType<string, string> =>
  z.string().refine((value) => URL.canParse(value) && protocol.test(new URL(value).protocol), `must be ${what}`);
/** What every address with a password needs. A raw `#` or `%` would end the password or change it. */
const encoded = 'with special characters of name and password percent-encoded (% as %25, # as %23, @ as %40)';

function hasReadableParts(value: string): boolean {
  const { username, password, hash } = new URL(value);
  try {
    decodeURIComponent(username + password);
    return hash === '';
  } catch {
    return false;
  }
}

/** An address that may contain a password. */
const secretAddress = (what: string, isUsable: (url: URL) => boolean): z.ZodType<Secret, string> =>
  z
    .string()
    .refine(
      (value) => URL.canParse(value) && hasReadableParts(value) && isUsable(new URL(value)),
      `must be ${what}, ${encoded}`,
    )
    .transform((value) => new Secret(value));
export const redisAddress = (): z.ZodType<Secret, string> =>
  secretAddress(
    'an address such as redis://host:6379/0 or redis://name:password@host:6379/0 (rediss:// for TLS, and at its end the number of a database, not a name)',
    ({ protocol, pathname, hostname }) => /^rediss?:$/.test(protocol) && /^\/?\d*$/.test(pathname) && hostname !== '',
  );
/** Reads `host:3128` as `http://host:3128`, as other programs read these variables. */
export const proxyAddress = (): z.ZodType<Secret, string> =>
  z
    .string()
    .transform((value) => (value.includes('://') ? value : `http://${value}`))
    .pipe(
      secretAddress('an http or https address such as http://name:password@proxy.example.com:3128', ({ protocol }) =>
        /^https?:$/.test(protocol),
      ),
    );
/** Hosts, addresses and networks. A network that can't be read would silently be no exception. */
export const noProxyList = (): z.ZodType<string, string> =>
  z
    .string()
    .refine(
      (value) => value.split(/[,\s]+/).every((entry) => !entry.includes('/') || isNetwork(entry)),
      'has an entry with a slash that is no network, such as 10.0.0.0/8 or fd00::/8',
    );
export const certificateFile = (): z.ZodType<string, string> =>
  z.string().refine(holdsCertificate, 'is not the path of a readable PEM file with certificates');
/** Channel ids, separated by commas. */
export const channelIds = (): z.ZodType<string[], string> =>
  z
    .string()
    .transform((value) => [...new Set(value.split(',').map((id) => id.trim()))].filter((id) => id !== ''))
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => /^[CG][A-Z0-9]{2,}$/.test(id)),
      'must be ids of channels, such as C0123456789, separated by commas',
    );
/** Ids of people, separated by commas. */
export const userIds = (): z.ZodType<string[], string> =>
  z
    .string()
    .transform((value) => [...new Set(value.split(',').map((id) => id.trim()))].filter((id) => id !== ''))
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => /^[UW][A-Z0-9]{2,}$/.test(id)),
      'must be ids of people, such as U0123456789, separated by commas',
    );
/** Ids of workspaces and organizations, separated by commas. */
export const workspaceIds = (): z.ZodType<string[], string> =>
  z
    .string()
    .transform((value) => [...new Set(value.split(',').map((id) => id.trim()))].filter((id) => id !== ''))
    .refine(
      (ids) => ids.length > 0 && ids.every((id) => /^[TE][A-Z0-9]{2,}$/.test(id)),
      'must be ids of workspaces or organizations, such as T0123456789 or E0123456789, separated by commas',
    );
/** `id:base64` of 32 bytes each, separated by commas. */
export const encryptionKeys = (): z.ZodType<EncryptionKey[], string> =>
  z
    .string()
    .transform(readEncryptionKeys)
    .refine(
      (keys) => keys !== undefined,
      'must be keys of the form id:base64, each of 32 bytes and with a different id, separated by commas',
    )
    .transform((keys) => keys ?? []);
/** Text that people see on one line. */
export const oneLine = (most: number): z.ZodType<string, string> =>
  z
    .string()
    .refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), 'must be one line')
    .refine((value) => value.length <= most, `must have at most ${most} characters`);
export const yesOrNo = (): z.ZodType<boolean, string> =>
  z
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(['true', 'false'], 'must be true or false'))
    .transform((value) => value === 'true');
/** Names that the app, the connection or the body decides about. */
const ownHeader =
  /^(?:authorization|host|content-.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept|accept-encoding|x-requested-with|connect-.*|traceparent)$/;
/** `Name: value`, each on a line of its own, or with `\n` between them where a file of settings takes one line only. */
export const headerLines = (): z.ZodType<Record<string, Secret>, string> =>
  z
    .string()
    .transform((value) => value.split(/\r?\n|\\n/).filter((line) => line.trim() !== ''))
    .refine(
      (lines) => lines.every((line) => headerLine.test(line)),
      'must be lines such as CF-Access-Client-Id: abc, one for each header, without characters that no HTTP header can carry',
    )
    .transform((lines) => lines.map(readHeader))
    .refine(
      (headers) => headers.every(([name]) => !ownHeader.test(name)),
      'must not have Authorization, Host, Content-… or another header that the app sets itself or that is about the connection',
    )
    .refine((headers) => new Set(headers.map(([name]) => name)).size === headers.length, 'must not name a header twice')
    .transform((headers) => Object.fromEntries(headers));
export const webAddress = (): z.ZodType<string, string> => address(/^https?:$/, 'an http or https address');

const headerLine = /^\s*([!#$%&'*+.^_`|~\w-]{1,100})\s*:\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/;

function readHeader(line: string): [name: string, value: Secret] {
  const [, name = '', value = ''] = headerLine.exec(line) ?? [];
  return [name.toLowerCase(), new Secret(value)];
}

function isNetwork(entry: string): boolean {
  const [, address = '', bits] = /^\[?([^\]/]+)\]?\/(\d{1,3})(?::\d+)?$/.exec(entry) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 6 ? 128 : 32);
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

export type Environment = Record<string, string | undefined>;

/**
 * The environment without what programs leave in it that read a file of settings: Node takes a byte order mark for the
 * beginning of the first name, and container programs take quotes for a part of the value.
 */
export function asMeant(environment: Environment): Environment {
  const plain: Environment = {};
  for (const [name, value] of Object.entries(environment)) {
    const meant = name.replace(/^\ufeff/, '');
    if (meant !== name && environment[meant] !== undefined) continue;
    const text = value?.replaceAll('\ufeff', '').trim();
    plain[meant] = /^(["']).*\1$/s.test(text ?? '') && text !== undefined && text.length > 1 ? text.slice(1, -1) : text;
  }
  return plain;
}

/** The setting to which a token of Slack belongs, by its beginning. */
function settingOf(text: string): string | undefined {
  if (text.startsWith('xapp-')) return 'SLACK_APP_TOKEN';
  return /^(?:xoxe\.)?xoxb-/.test(text) ? 'SLACK_BOT_TOKEN' : undefined;
}

/** Finds tokens of Slack that stand in the setting of another one. */
export function swappedTokens(values: Record<string, unknown>): string[] {
  const names = [
    'SLACK_BOT_TOKEN',
    'SLACK_APP_TOKEN',
    'SLACK_SIGNING_SECRET',
    'SLACK_CLIENT_SECRET',
    'SRC_ACCESS_TOKEN',
  ];
  return names.flatMap((name) => {
    const value = values[name];
    const right = value instanceof Secret ? settingOf(value.reveal()) : undefined;
    if (right === undefined || right === name) return [];
    return [
      `${name} holds what belongs in ${right}: SLACK_BOT_TOKEN begins with xoxb-… and SLACK_APP_TOKEN with xapp-…`,
    ];
  });
}

/*
 * Checks of several settings together. `names` are the settings that are set, `values` those that passed their own check.
 * Each problem is one sentence without a value.
 */

/** Everything that the app needs to get access tokens of its account at the service. */
const neededForTokens = ['SRC_CLIENT_ID', 'SRC_CLIENT_SECRET', 'SRC_TOKEN_URL'];

/** Finds what is missing for the app's account at the service, and what contradicts it. */
export function appAccountProblems(names: readonly string[]): string[] {
  const given = neededForTokens.find((name) => names.includes(name));
  if (given === undefined) {
    const isMissing = !names.includes('SRC_ACCESS_TOKEN');
    return isMissing ? [`SRC_ACCESS_TOKEN is not set, nor ${neededForTokens.join(', ')} in its place`] : [];
  }
  return [
    ...neededForTokens.filter((name) => !names.includes(name)).map((name) => `${given} is set, and ${name} is not`),
    ...['SRC_ACCESS_TOKEN', 'SRC_SUDO_USER']
      .filter((name) => names.includes(name))
      .map((name) => `${given} and ${name} exclude each other`),
  ];
}

/** Everything that `SRC_OAUTH_` settings need. A public client has no secret, and scopes have a default. */
const neededToSignIn = ['SRC_OAUTH_CLIENT_ID', 'SRC_OAUTH_AUTHORIZE_URL', 'SRC_OAUTH_TOKEN_URL', 'PUBLIC_URL'];
/** Addresses that credentials pass. */
const addressesOfCredentials = ['SRC_OAUTH_AUTHORIZE_URL', 'SRC_OAUTH_TOKEN_URL', 'PUBLIC_URL', 'SRC_TOKEN_URL'];

/** Finds what is missing for people to sign in at the service, and addresses where others could read credentials. */
export function signInProblems(names: readonly string[], values: Record<string, unknown>): string[] {
  const given = names.find((name) => name.startsWith('SRC_OAUTH_'));
  const missing = given === undefined ? [] : neededToSignIn.filter((name) => !names.includes(name));
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

/** Whether the host belongs to Slack, including Slack's cloud for governments. */
export function isSlackHost(url: unknown): boolean {
  return typeof url === 'string' && /(?:^|\.)slack(?:-gov)?\.com\.?$/.test(new URL(url).hostname);
}

/** Everything that workspaces need to install the app. */
const neededToInstall = [
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_WORKSPACES',
  'SLACK_SIGNING_SECRET',
  'PUBLIC_URL',
  'ENCRYPTION_KEYS',
];
/** Settings that would contradict it. The installations have the tokens, and their events come as HTTP requests. */
const excludedByInstalls = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'];

/** Finds what is missing for workspaces to install the app, and what contradicts it. */
export function installProblems(names: readonly string[]): string[] {
  const given = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_WORKSPACES'].find((name) => names.includes(name));
  if (given === undefined) return [];
  return [
    ...neededToInstall.filter((name) => !names.includes(name)).map((name) => `${given} is set, and ${name} is not`),
    ...excludedByInstalls
      .filter((name) => names.includes(name))
      .map((name) => `${given} and ${name} exclude each other`),
  ];
}

/** The headings of docs/configuration.md in their order, and the sentence under each. */
export const SETTING_GROUPS = {
  Slack: '[Installing in Slack](install-slack.md) says on which page of Slack each value is.',
  'Several workspaces': 'For an app that more than one workspace installs, see [workspaces](workspaces.md).',
  'Code search service': 'Where the app asks, and as whom.',
  Network: 'For a proxy or a private certificate authority, see [operations](operations.md#behind-a-proxy).',
  Storage: '[Operations](operations.md#one-process-or-several) compares the two.',
  'HTTP and metrics': 'What the app listens on.',
  'Log and shutdown': '[Operations](operations.md#draining-and-deploying) says what happens when the app stops.',
  Waiting: 'The default suits most.',
  Limits: 'How much people may ask at once and in a day.',
  'Who may ask':
    'Admins choose more for each channel with `/deepsearch settings`, within these limits. Commas separate ids.',
  Accounts: "For people's own accounts at the service, see [accounts](accounts.md).",
  Retention: 'See [operations](operations.md#keeping-exporting-and-erasing-data).',
  Traces: 'See [traces](observability/traces.md).',
} as const;

export type SettingGroup = keyof typeof SETTING_GROUPS;
