import type { IssuedTokens, UsableCredential } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { Auth } from './auth.ts';
import { noCredential } from './breaker.ts';
import type { TokenEndpoint } from './oauth.ts';

/** How long the app waits after a failed request for a token, unless the server says how long, in milliseconds. */
const pauseMs = 5_000;
/** The same after a refusal, and the longest wait that the server may ask for. */
const longestPauseMs = 60_000;
/** A new token that is refused within this time is not replaced again: the account is refused, not only one token. */
const provingMs = 60_000;

/**
 * Acts as the app's own account at the service, with access tokens of the grant `client_credentials` (RFC 6749, 4.4). They
 * are kept in memory only. All callers share one request for a token.
 */
export function createMachineAccount({
  endpoint,
  now,
  log,
}: {
  endpoint: Pick<TokenEndpoint, 'request'>;
  now: Clock;
  log: Log;
}): Auth {
  let tokens: IssuedTokens | undefined;
  let obtaining: Promise<UsableCredential> | undefined;
  let failure: { error: AppError; untilMs: number } | undefined;
  /** When a new token took the place of a refused one. */
  let replacedMs = Number.NEGATIVE_INFINITY;

  return { kind: 'account', current, renewed };

  async function current(): Promise<UsableCredential> {
    const { expiresAtMs = Number.POSITIVE_INFINITY, refreshAtMs = Number.POSITIVE_INFINITY } = tokens ?? {};
    if (tokens === undefined || now() >= expiresAtMs) return obtain();
    // The token is still good, so no call waits for the next one.
    if (now() >= refreshAtMs) obtain().catch(() => undefined);
    return usable(tokens);
  }

  async function renewed({ secret }: UsableCredential): Promise<UsableCredential | undefined> {
    if (tokens !== undefined && tokens.accessToken.reveal() !== secret.reveal()) return usable(tokens);
    if (now() - replacedMs < provingMs) return undefined;
    const next = await obtain();
    replacedMs = now();
    return next;
  }

  async function obtain(): Promise<UsableCredential> {
    if (failure !== undefined && now() < failure.untilMs) throw failure.error;
    obtaining ??= request().finally(() => {
      obtaining = undefined;
    });
    return obtaining;
  }

  /** Nothing was sent to the service, so a failure never leaves open whether the service carried out a call. */
  async function request(): Promise<UsableCredential> {
    try {
      tokens = await endpoint.request("the request for the app's access token", { grant_type: 'client_credentials' });
      failure = undefined;
      return usable(tokens);
    } catch (cause) {
      if (!isAppError(cause)) throw cause;
      const { kind, code, retryAfterMs } = cause;
      log.warn({ event: 'deepsearch.token', outcome: kind, code });
      const isRefused = kind === 'unauthorized' || kind === 'refused';
      const error = new AppError(isRefused ? 'unauthorized' : 'unavailable', 'the app gets no access token', {
        cause,
        code: noCredential,
        retryAfterMs,
      });
      const waitMs = retryAfterMs ?? (isRefused ? longestPauseMs : pauseMs);
      failure = { error, untilMs: now() + Math.min(waitMs, longestPauseMs) };
      throw error;
    }
  }
}

function usable({ accessToken }: IssuedTokens): UsableCredential {
  return { scheme: 'Bearer', secret: accessToken };
}
