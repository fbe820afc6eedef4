import { AppError, type ErrorKind } from '../../core/errors.ts';
import { apiGone, isApiGone } from '../api-gone.ts';
import { replyFailure } from '../reply-failure.ts';
import { parseRetryAfterMs } from '../retry.ts';
import type { FailureReader } from '../service-client.ts';
import { isHtml, signInPage } from '../sign-in-page.ts';

/** The error codes of the Connect protocol (connectrpc.com/docs/protocol), and the kind of error that each one is here. */
const kinds = {
  invalid_argument: 'refused',
  out_of_range: 'refused',
  failed_precondition: 'refused',
  already_exists: 'refused',
  unauthenticated: 'unauthorized',
  permission_denied: 'unauthorized',
  not_found: 'notFound',
  resource_exhausted: 'rateLimited',
  unavailable: 'unavailable',
  deadline_exceeded: 'unavailable',
  aborted: 'unavailable',
  canceled: 'unavailable',
  unknown: 'unavailable',
  internal: 'unavailable',
  data_loss: 'unavailable',
  unimplemented: 'unavailable',
} satisfies Record<string, ErrorKind>;

type ConnectCode = keyof typeof kinds;

const lastingCodes = ['canceled', 'unknown', 'internal', 'data_loss'];
const passingStatuses = [429, 502, 503, 504];

/**
 * How unsuccessful replies of the second generation become errors: by the `code` of their body, because its status
 * differs between releases, otherwise by the status. A refused credential has the code 401 or 403 as in the first
 * generation, any other error the code of the protocol or the status.
 */
export const secondGenerationFailures: FailureReader = {
  needsBody: (status) => status >= 400,
  errorOf(reply, request, nowMs) {
    const { status, headers, body } = reply;
    const byStatus = replyFailure(reply, request, nowMs);
    if (byStatus === undefined) return isHtml(reply) && request.safe ? pageInstead(request.label) : undefined;
    if (status < 400) return leadsToOwnSignIn(headers.location) ? apiGone(byStatus) : byStatus;
    const connectCode = connectCodeOf(body);
    if (connectCode === 'unimplemented') return apiGone(byStatus);
    if (connectCode !== undefined) {
      const kind = kinds[connectCode];
      return new AppError(kind, `${byStatus.message} (${connectCode})`, {
        code: shownCode(connectCode),
        outcomeUnknown: kind === 'unavailable' && !request.safe,
        retryAfterMs: parseRetryAfterMs(headers['retry-after'], nowMs),
        said: byStatus.said,
      });
    }
    if (status === 404 || status === 405) return apiGone(byStatus);
    if (status !== 400) return byStatus;
    // The protocol reads a 400 that the API did not send as an internal error, not as a refusal of the request.
    return new AppError('unavailable', byStatus.message, {
      code: 'internal',
      outcomeUnknown: !request.safe,
      said: byStatus.said,
    });
  },
  isRetried(error) {
    if (typeof error.code === 'number') return passingStatuses.includes(error.code);
    return !isApiGone(error) && !lastingCodes.includes(error.code ?? '');
  },
};

/** The same for calls that name no conversation: there, nothing but the address can be missing. */
export const failuresWithoutConversation: FailureReader = {
  ...secondGenerationFailures,
  errorOf(reply, request, nowMs) {
    const error = secondGenerationFailures.errorOf(reply, request, nowMs);
    return error?.kind === 'notFound' ? apiGone(error) : error;
  },
};

/** The protocol's code in the body of a failure. Undefined if the API did not send this body. */
export function connectCodeOf(body: string): ConnectCode | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('code' in value)) return undefined;
  const { code } = value;
  return typeof code === 'string' && isConnectCode(code) ? code : undefined;
}

function isConnectCode(code: string): code is ConnectCode {
  return Object.hasOwn(kinds, code);
}

function shownCode(code: ConnectCode): string | number {
  if (code === 'unauthenticated') return 401;
  return code === 'permission_denied' ? 403 : code;
}

/**
 * An instance without this API shows its web page instead. A creation is not told so, because a page in between may hide
 * that it took effect.
 */
function pageInstead(label: string): AppError {
  return apiGone(signInPage(`${label} answered with an HTML page`));
}

/** An instance without this API sends such a request to the sign-in of its web page. */
function leadsToOwnSignIn(location = ''): boolean {
  const base = 'http://instance.invalid';
  return URL.canParse(location, base) && new URL(location, base).pathname.endsWith('/sign-in');
}
