/** The kinds of failure of foreign systems. Adapters translate status and code to one of them. */
export type ErrorKind =
  /** The far side understood the request and will never accept it as it is (4xx). */
  | 'refused'
  /** Credentials are missing, wrong, expired or not sufficient (401, 403, `invalid_auth`, `missing_scope`). */
  | 'unauthorized'
  /** The requested thing does not exist (404, `message_not_found`). */
  | 'notFound'
  /** Too many requests. `retryAfterMs` is how long to wait, if the far side says so. */
  | 'rateLimited'
  /** No usable answer: connection refused or lost, deadline passed, 5xx. */
  | 'unavailable'
  /** The answer breaks the contract: wrong shape, invalid JSON, too large. */
  | 'badReply'
  /** Slack refuses this message's format. Another format may pass (`invalid_blocks`, `msg_too_long`). */
  | 'unrenderable'
  /** Slack cannot deliver to this place: the app is not a member, or the channel is archived or gone. */
  | 'undeliverable'
  /** The app's storage did not answer or refused. */
  | 'storage'
  /** A stored record does not match its schema. */
  | 'corrupt';

export interface AppErrorDetails {
  cause?: unknown;
  retryAfterMs?: number;
  /** For `rateLimited`: nothing was sent, because our own limits had no room. It counts as no failure. */
  isHeldBack?: boolean;
  /** True if the request may have taken effect without a success reply. The app checks before it repeats the call. */
  outcomeUnknown?: boolean;
  /** HTTP status or Slack error code, for the log. */
  code?: string | number;
  /** The far side's own message: one line of at most 300 characters. Untrusted. */
  said?: string;
  /** For `undeliverable`: the app is not in the channel, and inviting it would help. */
  invitationHelps?: boolean;
}

/** Slack's code for a thread whose first message was deleted. */
export const threadGone = 'thread_not_found';

/** The only error class that crosses folder borders. The message is for the log, never for people in Slack. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly retryAfterMs: number | undefined;
  readonly isHeldBack: boolean;
  readonly outcomeUnknown: boolean;
  readonly code: string | number | undefined;
  readonly said: string | undefined;
  readonly invitationHelps: boolean;

  constructor(kind: ErrorKind, message: string, details: AppErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.retryAfterMs = details.retryAfterMs;
    this.isHeldBack = details.isHeldBack ?? false;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.code = details.code;
    this.said = details.said;
    this.invitationHelps = details.invitationHelps ?? false;
  }
}

/** Narrows to {@link AppError}, optionally of one of the given kinds. */
export function isAppError(error: unknown, ...kinds: ErrorKind[]): error is AppError {
  return error instanceof AppError && (kinds.length === 0 || kinds.includes(error.kind));
}

/** Codes of failures of the service that the core tells apart. */
export const serviceCodes = {
  /** A page for people came in place of the API's reply: mostly the sign-in of an identity proxy. */
  signInPage: 'signInPage',
  /** The service has no such address: its API is missing there, or a gateway hides it. */
  apiMissing: 'apiMissing',
  /** The reply is over the size limit. */
  tooLarge: 'tooLarge',
  /** A search for a conversation ended before it looked at all of them. It says nothing about the service. */
  searchCut: 'searchCut',
} as const;

const deepestCause = 5;

/** Whether the error, or one that caused it, has this code. */
export function hasCode(error: unknown, code: string): boolean {
  let current = error;
  for (let depth = 0; current instanceof AppError && depth < deepestCause; depth += 1) {
    if (current.code === code) return true;
    current = current.cause;
  }
  return false;
}

/** Whether a later retry may succeed. */
export function isTransient({ kind }: AppError): boolean {
  return kind === 'rateLimited' || kind === 'unavailable' || kind === 'badReply';
}
