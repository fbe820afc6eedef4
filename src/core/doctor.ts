import { isAppError } from './errors.ts';
import { withTimeout } from './pacing.ts';

/** What a line of the doctor is about, in the order of the lines, with its name on the line and in docs/troubleshooting.md. */
export const checkNames = {
  configuration: 'Configuration',
  token: 'Bot token',
  scopes: 'Scopes',
  delivery: 'Delivery',
  events: 'Events',
  clock: 'Clock',
  service: 'Service',
  account: 'Account',
  quota: 'Quota',
  redis: 'Redis',
  persistence: 'Redis persistence',
  disk: 'Disk',
} as const;

export type CheckName = keyof typeof checkNames;

/** `fail`: the app does not work, or soon stops. `warn`: it works, with a risk or without a feature, or it is not known. */
export type Status = 'pass' | 'warn' | 'fail';

/** No values. */
type None = Record<never, never>;

/**
 * What the line of each finding names: hosts, ids, codes and numbers, and the name of the account at the service. Never a
 * secret, a path of an address or a text of people.
 */
export interface FindingValues {
  /** A far side gave no usable reply. `reason` is of {@link reasonOf}. */
  noReply: { host: string; reason: string };
  /** It refused the request. `settings` are those to look at. */
  refused: { reason: string; settings: string };
  notTold: { reason: string };
  notChecked: { because: CheckName };
  checkFailed: { code: string };

  configurationFine: None;
  configurationWrong: { problem: string };
  standIn: None;
  accountsWithoutKeys: { mode: string };
  fewOpenFiles: { limit: number };
  serviceWithoutTls: None;

  tokenAccepted: { botUserId: string; teamId: string };
  tokenOfNoBot: None;
  tokenOfEachWorkspace: None;

  scopesGranted: { count: number };
  scopesMissing: { scopes: string };
  scopesOptionalMissing: { scopes: string };

  socketOpens: { host: string };
  endpointAnswers: { host: string };
  endpointNotGiven: None;

  eventArrived: None;
  eventMissing: { seconds: number };
  eventMessageLeft: { code: string };
  eventsNeedApp: None;

  clockRight: None;
  clockOff: { seconds: number };
  clockFarOff: { seconds: number };

  serviceAnswers: { host: string; generation: number };

  accountKnown: { username: string };
  accountIsOther: { username: string };

  quotaLeft: { percent: number };
  quotaNearlyUsed: { percent: number };
  quotaUsedUp: None;
  quotaNotTold: None;

  redisReached: { where: string; version: string };
  redisNotTold: { where: string };

  persistenceOn: { sync: string };
  persistenceWeak: { setting: string };
  persistenceFails: None;

  diskFine: { free: string };
  diskLow: { free: string };
  diskFull: { free: string };
  diskNotWritable: { code: string };
}

export type FindingCode = keyof FindingValues;

export const statusOf: Record<FindingCode, Status> = {
  noReply: 'fail',
  refused: 'fail',
  notTold: 'warn',
  notChecked: 'warn',
  checkFailed: 'fail',
  configurationFine: 'pass',
  configurationWrong: 'fail',
  standIn: 'warn',
  accountsWithoutKeys: 'warn',
  fewOpenFiles: 'warn',
  serviceWithoutTls: 'warn',
  tokenAccepted: 'pass',
  tokenOfNoBot: 'fail',
  tokenOfEachWorkspace: 'warn',
  scopesGranted: 'pass',
  scopesMissing: 'fail',
  scopesOptionalMissing: 'warn',
  socketOpens: 'pass',
  endpointAnswers: 'pass',
  endpointNotGiven: 'warn',
  eventArrived: 'pass',
  eventMissing: 'fail',
  eventMessageLeft: 'warn',
  eventsNeedApp: 'warn',
  clockRight: 'pass',
  clockOff: 'warn',
  clockFarOff: 'fail',
  serviceAnswers: 'pass',
  accountKnown: 'pass',
  accountIsOther: 'fail',
  quotaLeft: 'pass',
  quotaNearlyUsed: 'warn',
  quotaUsedUp: 'fail',
  quotaNotTold: 'pass',
  redisReached: 'pass',
  redisNotTold: 'warn',
  persistenceOn: 'pass',
  persistenceWeak: 'warn',
  persistenceFails: 'fail',
  diskFine: 'pass',
  diskLow: 'warn',
  diskFull: 'fail',
  diskNotWritable: 'fail',
};

/** What one check found. Its words are in `render/strings/doctor.ts`. */
export interface Finding<Code extends FindingCode = FindingCode> {
  check: CheckName;
  status: Status;
  code: Code;
  values: FindingValues[Code];
}

/** What a check calls to say what it found. */
export type Says = <Code extends FindingCode>(code: Code, values: FindingValues[Code]) => Finding<Code>;

/** One check of the doctor. It changes nothing, except where its docstring says so. */
export interface Check {
  name: CheckName;
  /** Throws only what is not expected. */
  run(say: Says): Promise<Finding[]>;
}

/** The doctor of the running app. */
export interface Doctor {
  /** Whether this person may use it: the people in `ADMINS`. */
  isFor(userId: string): boolean;
  /** Checks everything, within half a minute. Posts a message into the person's direct messages, and deletes it. */
  examine(userId: string, locale: string | undefined): Promise<Finding[]>;
}

export function findingOf<Code extends FindingCode>(
  check: CheckName,
  code: Code,
  values: FindingValues[Code],
): Finding<Code> {
  return { check, status: statusOf[code], code, values };
}

/** The worst status of a report. */
export function worstOf(findings: readonly Finding[]): Status {
  const order: Status[] = ['fail', 'warn', 'pass'];
  return order.find((status) => findings.some((finding) => finding.status === status)) ?? 'pass';
}

/**
 * Runs all checks at once and returns what they found, in their order. Never throws: a check that fails or takes longer
 * than `deadlineMs` becomes a line of its own. `onCrash` gets the error of a check that failed.
 */
export async function runChecks(
  checks: readonly Check[],
  { deadlineMs, onCrash }: { deadlineMs: number; onCrash(check: Check, error: unknown): void },
): Promise<Finding[]> {
  const found = await Promise.all(checks.map((check) => runOne(check)));
  return found.flat();

  async function runOne(check: Check): Promise<Finding[]> {
    const say: Says = (code, values) => findingOf(check.name, code, values);
    try {
      return await withTimeout(check.run(say), deadlineMs, () => [say('checkFailed', { code: 'ETIMEDOUT' })]);
    } catch (error) {
      onCrash(check, error);
      return [say('checkFailed', { code: errorCode(error) })];
    }
  }
}

/** Runs `work` at the first call, and returns the same promise at every call. */
export function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

/** The finding of a request that failed. `settings` are those to look at if the far side answered. */
export function failureOf(error: unknown, say: Says, { host, settings }: { host: string; settings: string }): Finding {
  const reason = reasonOf(error);
  const isAnswered = isAppError(error) && error.kind !== 'unavailable';
  return isAnswered ? say('refused', { reason, settings }) : say('noReply', { host, reason });
}

/** Longest message of an error on a line, in characters. */
const longestReason = 300;

/**
 * Why something failed, for an operator: the message, which an `AppError` keeps free of secrets, and the innermost code. Of
 * undici also its own message, because only that tells the status of a proxy's reply.
 */
export function reasonOf(error: unknown): string {
  const { code, message } = innermostOf(error);
  const why = code.startsWith('UND_ERR_') ? `${code}: ${message}` : code;
  if (!isAppError(error)) return why.slice(0, longestReason);
  const shown = error.message.includes(`(${code})`) ? error.message.replace(`(${code})`, `(${why})`) : error.message;
  const isTold = code === error.kind || shown.includes(code);
  return (isTold ? shown : `${shown} (${why})`).slice(0, longestReason);
}

/** Codes of libraries that say only that a request failed, not why. */
const saysNothing = /^slack_|^ERR_INVALID_STATE$/;
/** Codes of errors are words. Anything else might be a text of the far side, and is not shown. */
const isCode = /^[\w.-]{1,60}$/;
const deepestCause = 8;

/**
 * Why something failed, in one word for an operator: the code of the innermost cause that has one (`ECONNREFUSED`,
 * `CERT_HAS_EXPIRED`, `invalid_auth`, `401`), else the kind or the name of the error.
 */
export function errorCode(error: unknown): string {
  return innermostOf(error).code;
}

function innermostOf(error: unknown): { code: string; message: string } {
  let found: { code: string; message: string } | undefined;
  for (let current = error, depth = 0; current instanceof Error && depth < deepestCause; depth += 1) {
    const code = codeIn(current);
    if (isCode.test(code) && !saysNothing.test(code)) found = { code, message: current.message };
    current = innerOf(current);
  }
  if (found !== undefined) return found;
  if (isAppError(error)) return { code: error.kind, message: '' };
  return { code: error instanceof Error && isCode.test(error.name) ? error.name : 'unknown', message: '' };
}

/** A number is a status only in an error of this app. The platform's old errors have numbers that say nothing. */
function codeIn(error: Error): string {
  if (isAppError(error)) return String(error.code ?? '');
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function innerOf(error: Error): unknown {
  if (error.cause !== undefined) return error.cause;
  if ('original' in error) return error.original;
  return error instanceof AggregateError ? error.errors[0] : undefined;
}

/** A line whose parts come from far sides: they must not control the terminal that shows it, or turn its order around. */
export function shownLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
