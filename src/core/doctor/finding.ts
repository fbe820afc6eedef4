/** What a line of the doctor is about, in the order of the lines. */
export type CheckName =
  | 'configuration'
  | 'proxy'
  | 'token'
  | 'scopes'
  | 'delivery'
  | 'events'
  | 'features'
  | 'clock'
  | 'service'
  | 'certificate'
  | 'version'
  | 'serviceToken'
  | 'account'
  | 'sharing'
  | 'quota'
  | 'redis'
  | 'eviction'
  | 'persistence'
  | 'latency'
  | 'disk';

/** `fail`: the app does not work, or soon stops. `warn`: it works, with a risk or without a feature, or it is not known. */
export type Status = 'pass' | 'warn' | 'fail';

/** No values. */
type None = Record<never, never>;

/**
 * What the line of each finding names: hosts, ids, codes and numbers, and the name of the account at the service. Never a
 * secret, a path of an address or a text of people.
 */
export interface FindingValues {
  checkCrashed: { what: string };
  checkLate: { seconds: number };
  notChecked: { because: CheckName };

  configurationFine: None;
  configurationWrong: { problem: string };
  standIn: None;
  accountsWithoutKeys: { mode: string };
  fewOpenFiles: { limit: number };
  ownService: { host: string };

  tokenAccepted: { botUserId: string; teamId: string };
  tokenRefused: { code: string };
  tokenOfNoBot: None;
  tokenOfEachWorkspace: None;
  tokenNotChecked: { code: string };
  slackUnreachable: { host: string; code: string };

  scopesGranted: { count: number };
  scopesMissing: { scopes: string };
  scopesOptionalMissing: { scopes: string };
  scopesNotTold: None;

  socketOpens: { host: string };
  appTokenRefused: { code: string };
  appTokenOfOtherKind: None;
  appTokenWithoutScope: None;
  socketNotChecked: { code: string };
  socketLimited: None;
  endpointAnswers: { host: string };
  endpointNotGiven: None;
  endpointNotHttps: None;
  endpointUnreachable: { host: string; code: string };
  endpointRefusesSignature: { host: string };
  endpointIsOther: { host: string; status: number };
  endpointSlow: { host: string };

  eventArrived: None;
  eventMissing: { seconds: number };
  eventNotPosted: { code: string };
  eventMessageLeft: { code: string };
  eventsNeedApp: None;

  featuresThere: None;
  featureMissing: { feature: Feature; code: string };
  featureNotChecked: { feature: Feature; code: string };

  clockRight: None;
  clockOff: { seconds: number };
  clockFarOff: { seconds: number };
  clockNotTold: None;

  proxyNone: None;
  proxyCarries: { proxy: string; hosts: string };
  proxyNotFor: { hosts: string };
  proxyRefuses: { proxy: string; host: string; status: number };
  proxyAsksForPassword: { proxy: string };
  proxyUnreachable: { proxy: string; code: string };

  serviceReached: { host: string };
  serviceUnreachable: { host: string; code: string };
  serviceNotTrusted: { host: string; code: string };
  serviceMoved: { origin: string };
  serviceFails: { host: string; status: number };
  serviceIsOther: { host: string; status: number };
  serviceSignInPage: { host: string };
  serviceCompresses: { host: string; coding: string };

  certificateValid: { days: number };
  certificateEndsSoon: { days: number };
  certificateExpired: { days: number };
  certificateNotYetValid: { days: number };
  certificateUntrusted: { code: string };
  certificateOfOtherHost: None;
  certificateNotRead: { code: string };
  serviceWithoutTls: None;
  serviceOnThisMachine: None;

  generationChosen: { version: string; generation: number };
  generationNotOffered: { version: string; setting: number; offered: number };
  apiMissing: { version: string };
  apiNotTold: { version: string };
  apiNotFound: { host: string };

  serviceTokenAccepted: None;
  serviceTokenRefused: { status: string; by: 'token' | 'sudo' | 'account' };
  serviceTokenMayNotAsk: { by: 'token' | 'sudo' | 'account' };
  appGetsNoToken: { code: string };
  serviceTokenNotChecked: { code: string };

  accountKnown: { username: string };
  accountIsOther: { username: string };
  accountOfNoOne: None;
  accountNotAllowed: { code: string };
  accountNotChecked: { code: string };

  sharingOn: None;
  sharingOff: None;
  sharingNotTold: None;
  sharingLinkUnreadable: None;
  sharingWithoutTokens: None;
  sharingNotChecked: { code: string };

  quotaNone: None;
  quotaLeft: { percent: number };
  quotaNearlyUsed: { percent: number };
  quotaUsedUp: None;
  quotaNotTold: None;
  quotaNotChecked: { code: string };

  redisReached: { where: string; version: string };
  redisUnreachable: { where: string; code: string };
  redisRefuses: { where: string; code: string };
  redisTooOld: { version: string; oldest: string };
  redisVersionNotTold: { where: string };
  redisIsCluster: { where: string };
  redisCommandsRefused: { commands: string };
  redisNotWritable: { code: string };

  evictionOff: None;
  evictionOn: { policy: string };
  evictionNotTold: None;

  persistenceAlways: None;
  persistenceEverySecond: None;
  persistenceLeftToSystem: None;
  persistenceLog: None;
  persistenceSnapshots: None;
  persistenceNone: None;
  persistenceFails: None;
  persistenceNotTold: None;

  latencyLow: { ms: number };
  latencyHigh: { ms: number };

  diskFine: { free: string };
  diskNotUsedYet: { free: string };
  diskLow: { free: string };
  diskFull: { free: string };
  diskNotWritable: { code: string };
}

/** A feature of Slack that some workspaces lack. */
export type Feature = 'agentSessions' | 'suggestedPrompts';

export type FindingCode = keyof FindingValues;

/** What one check found. Its words are in `render/strings/doctor-lines.ts`. */
export interface Finding<Code extends FindingCode = FindingCode> {
  check: CheckName;
  status: Status;
  code: Code;
  values: FindingValues[Code];
}

/** What a check calls to say what it found. */
export type Says = <Code extends FindingCode>(status: Status, code: Code, values: FindingValues[Code]) => Finding<Code>;

/** One check of the doctor. It changes nothing, except where its docstring says so. */
export interface Check {
  name: CheckName;
  /** Throws only what is not expected. */
  run(say: Says): Promise<Finding[]>;
}

/** The worst status of a report. */
export function worstOf(findings: readonly Finding[]): Status {
  const order: Status[] = ['fail', 'warn', 'pass'];
  return order.find((status) => findings.some((finding) => finding.status === status)) ?? 'pass';
}
