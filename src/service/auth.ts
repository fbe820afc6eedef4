import type { UsableCredential } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';
import { orAborted, timedOut } from './http.ts';

/** The code of an error for a credential that could not be obtained now. */
export const noCredential = 'noCredential';

/** The three ways to authenticate with the service. */
export type Auth =
  | { kind: 'token'; token: string }
  /** Acts as `username`; the token needs the scope `site-admin:sudo`. */
  | { kind: 'sudo'; username: string; token: string }
  /** Acts as a person. The methods are those of `AccountCredentials`, for this person. */
  | {
      kind: 'account';
      current: () => Promise<UsableCredential>;
      renewed: (rejected: UsableCredential) => Promise<UsableCredential | undefined>;
    };

/** Acts with an access token that was issued just now, and is not renewed. */
export function ofAccessToken(secret: Secret): Auth {
  return { kind: 'account', current: async () => ({ scheme: 'Bearer', secret }), renewed: async () => undefined };
}

export interface Authorizer {
  /** The value of the `Authorization` header for the next request. */
  header(signal: AbortSignal): Promise<string>;
  /** Replaces a credential that the service rejected with 401. Returns false when there is no replacement. */
  renew(rejectedHeader: string, signal: AbortSignal): Promise<boolean>;
}

/**
 * Throws `unauthorized` at once for a credential that no header can carry. The message never contains the credential.
 */
export function createAuthorizer(auth: Auth): Authorizer {
  if (auth.kind === 'account') return accountAuthorizer(auth);
  const header =
    auth.kind === 'token' ? `token ${headerSafe(auth.token)}` : sudoAuthorization(auth.username, auth.token);
  return { header: async () => header, renew: async () => false };
}

/** `token-sudo user="…",token="…"`, each value as a quoted string (RFC 9110, 5.6.4). */
export function sudoAuthorization(username: string, token: string): string {
  return `token-sudo user=${quoted(username)},token=${quoted(token)}`;
}

function quoted(value: string): string {
  return `"${headerSafe(value).replace(/["\\]/g, '\\$&')}"`;
}

function headerSafe(value: string): string {
  if (/^[\x20-\x7e]+$/.test(value)) return value;
  throw new AppError('unauthorized', 'a credential is empty or contains characters that a header cannot carry');
}

/** Each call waits for a credential only until its own deadline. Obtaining one goes on for the other callers. */
function accountAuthorizer({ current, renewed }: Extract<Auth, { kind: 'account' }>): Authorizer {
  return {
    async header(signal) {
      const { scheme, secret } = await inTime(current(), signal);
      return `${scheme} ${headerSafe(secret.reveal())}`;
    },
    async renew(rejectedHeader, signal) {
      const scheme = rejectedHeader.startsWith('Bearer ') ? 'Bearer' : 'token';
      const secret = new Secret(rejectedHeader.slice(scheme.length + 1));
      return (await inTime(renewed({ scheme, secret }), signal)) !== undefined;
    },
  };
}

/** A credential that comes too late is the trouble of one account, and says nothing about the service. */
async function inTime<Credential>(obtaining: Promise<Credential>, signal: AbortSignal): Promise<Credential> {
  try {
    return await orAborted(obtaining, signal);
  } catch (error) {
    if (!isAppError(error, 'unavailable') || error.code !== timedOut) throw error;
    throw new AppError('unavailable', 'no credential within the time of the call', {
      cause: error,
      code: noCredential,
    });
  }
}
