import { HttpError } from './http-error.ts';
import type { Reply } from './reply.ts';

/** The codes of the Connect protocol that this service sends, with their HTTP status. */
const STATUSES = {
  invalid_argument: 400,
  failed_precondition: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  resource_exhausted: 429,
  internal: 500,
  unimplemented: 501,
} as const;

type ConnectCode = keyof typeof STATUSES;

/** A refusal in the Connect protocol, sent as `{"code","message"}` with the status of its code. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code: ConnectCode;
  readonly headers: Record<string, string>;

  constructor(code: ConnectCode, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

/** Converts any error; one that is neither a {@link ConnectError} nor an {@link HttpError} becomes `internal` without details. */
export function connectErrorReply(error: unknown): Reply {
  const { code, message, headers } = toConnectError(error);
  return { kind: 'json', status: STATUSES[code], body: { code, message }, headers };
}

/** Whether the service itself failed, so that the error belongs in its log. */
export function isInternal(error: unknown): boolean {
  return toConnectError(error).code === 'internal';
}

function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (!(error instanceof HttpError)) return new ConnectError('internal', 'Internal server error.');
  return new ConnectError(codeOf(error.status), error.message, error.headers);
}

function codeOf(status: number): ConnectCode {
  switch (status) {
    case 401:
      return 'unauthenticated';
    case 403:
      return 'permission_denied';
    case 404:
      return 'not_found';
    case 429:
      return 'resource_exhausted';
    default:
      // The other refusals of this service are about the form of a request: 400, 413, 415.
      return status < 500 ? 'invalid_argument' : 'internal';
  }
}
