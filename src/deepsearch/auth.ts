import { AppError, isAppError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { orAborted } from './deadline.ts';

/** An OAuth access token as its issuer returned it. */
export interface BearerToken {
  accessToken: string;
  /** The issuer's `expires_in`, in seconds from now. Absent: the token counts as valid until a 401. */
  expiresInSeconds?: number;
}

/** The three ways to authenticate with the service. */
export type Auth =
  | { kind: 'token'; token: string }
  /** Acts as `username`; the token needs the scope `site-admin:sudo`. */
  | { kind: 'sudo'; username: string; token: string }
  /**
   * `refresh` obtains a new token. It never runs twice at once and is abandoned after 30 s. An error it throws counts
   * as `unavailable`, unless it is an {@link AppError}.
   */
  | { kind: 'bearer'; initial?: BearerToken; refresh: (signal: AbortSignal) => Promise<BearerToken> };

export interface Authorizer {
  /** The value of the `Authorization` header for the next request. */
  header(signal: AbortSignal): Promise<string>;
  /** Replaces a credential that the service rejected with 401. Returns false when there is no replacement. */
  renew(rejectedHeader: string, signal: AbortSignal): Promise<boolean>;
}

const REFRESH_TIMEOUT_MS = 30_000;
const MAX_EARLY_MS = 60_000;

/**
 * Throws `unauthorized` at once for a credential that no header can carry. The message never contains the credential.
 */
export function createAuthorizer(auth: Auth, clock: Clock): Authorizer {
  if (auth.kind === 'bearer') return bearerAuthorizer(auth, clock);
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

function bearerAuthorizer(auth: Extract<Auth, { kind: 'bearer' }>, clock: Clock): Authorizer {
  interface HeaderUntil {
    header: string;
    refreshAtMs: number;
    expiresAtMs: number;
  }
  const withTimes = (token: BearerToken): HeaderUntil => {
    const lifetimeMs = (token.expiresInSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const expiresAtMs = clock() + lifetimeMs;
    return {
      header: `Bearer ${headerSafe(token.accessToken)}`,
      refreshAtMs: expiresAtMs - Math.min(MAX_EARLY_MS, lifetimeMs / 5),
      expiresAtMs,
    };
  };
  let current = auth.initial && withTimes(auth.initial);
  let refreshing: Promise<HeaderUntil> | undefined;

  async function fetchToken(): Promise<HeaderUntil> {
    const abandon = new AbortController();
    const timer = setTimeout(
      () => abandon.abort(new AppError('unavailable', 'refreshing the OAuth token took too long', { code: 'timeout' })),
      REFRESH_TIMEOUT_MS,
    );
    timer.unref();
    try {
      current = withTimes(await orAborted(auth.refresh(abandon.signal), abandon.signal));
      return current;
    } catch (cause) {
      if (isAppError(cause)) throw cause;
      throw new AppError('unavailable', 'refreshing the OAuth token failed', { cause });
    } finally {
      clearTimeout(timer);
      refreshing = undefined;
    }
  }

  // All callers share one refresh. Each caller waits only until its own deadline.
  function refresh(signal: AbortSignal): Promise<HeaderUntil> {
    refreshing ??= fetchToken();
    return orAborted(refreshing, signal);
  }

  return {
    async header(signal) {
      if (current && clock() < current.refreshAtMs) return current.header;
      try {
        return (await refresh(signal)).header;
      } catch (error) {
        // The refresh failed before the old token expired, so use the old token until then.
        if (current && clock() < current.expiresAtMs && !signal.aborted) return current.header;
        throw error;
      }
    },
    async renew(rejectedHeader, signal) {
      if (current === undefined || current.header === rejectedHeader) await refresh(signal);
      return true;
    },
  };
}
