/*
 * Checks of several settings together. `names` are the settings that are set, `values` those that passed their own check.
 * Each problem is one sentence without a value.
 */

/** Finds channels that one setting refuses and another setting allows. */
export function contradictions(values: Record<string, unknown>): string[] {
  const refused = idsOf(values.REFUSED_CHANNELS);
  return ['OPEN_CHANNELS', 'ALLOWED_CHANNELS']
    .filter((name) => idsOf(values[name]).some((id) => refused.includes(id)))
    .map((name) => `${name} and REFUSED_CHANNELS name the same channel`);
}

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

function idsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
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
