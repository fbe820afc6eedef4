import type { IssuedTokens, Locks } from '../accounts/accounts.ts';
import { latestRefreshMs, refreshLeaseMs, refreshPatienceMs, refreshPauseMs } from '../accounts/credentials.ts';
import { AppError, isAppError } from '../errors.ts';
import { joinOrBegin } from '../join-running.ts';
import type { Clock, Log } from '../ports.ts';
import type { Secret } from '../secret.ts';
import type { Installation, Installations } from './installations.ts';

/** A token that is valid for this long is used at once, and refreshed beside that. In milliseconds. */
const validEnoughMs = 60_000;
/** After a refusal the next refresh waits this long: only an operator or a new installation can change it. */
const refusedPauseMs = 60_000;

/** Issues bot tokens in exchange for refresh tokens. */
export interface TokenIssuer {
  /**
   * Throws `unauthorized` or `refused` if Slack will not issue a token for this refresh token, otherwise `unavailable` or
   * `rateLimited`. A refresh token works once.
   */
  refresh(refreshToken: Secret): Promise<IssuedTokens>;
}

interface BotTokenPorts {
  installations: Pick<Installations, 'get' | 'update'>;
  locks: Locks;
  issuer: TokenIssuer;
  now: Clock;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** An installation whose token Slack replaces. */
type Rotating = Installation & { refreshToken: Secret };

/**
 * Returns how to get the bot token of a workspace for one call. Where Slack rotates tokens, it is refreshed before it
 * expires, by one process at a time, and stored before it is used. Slack accepts the earlier token until it expires, so
 * calls use it while a refresh runs or fails. Throws `AppError`: `unauthorized` without an installation, or the error of a
 * refresh without which there is no valid token.
 */
export function createBotTokens({ installations, locks, issuer, now, log }: BotTokenPorts) {
  /** Running refreshes of this process, which all callers share. */
  const refreshing = new Map<string, Promise<Installation>>();
  /** Failed refreshes that are not repeated yet. A new installation has another refresh token. */
  const paused = new Map<string, { refreshToken: Secret; untilMs: number; error: AppError }>();
  /** Tokens that Slack issued but that could not be stored, for the refresh token that they replaced. */
  const unstored = new Map<string, { refreshToken: Secret; tokens: IssuedTokens }>();

  return async function botToken(workspaceId: string): Promise<Secret> {
    const installation = await read(workspaceId);
    if (!isRotating(installation) || now() < (installation.refreshAtMs ?? Number.POSITIVE_INFINITY)) {
      return installation.token;
    }
    const validMs = (installation.expiresAtMs ?? Number.POSITIVE_INFINITY) - now();
    const refreshed = refresh(installation);
    if (validMs > validEnoughMs) {
      refreshed.catch(() => undefined);
      return installation.token;
    }
    try {
      return (await refreshed).token;
    } catch (error) {
      if (validMs > 0 && isAppError(error)) return installation.token;
      if (!isAppError(error, 'refused')) throw error;
      throw new AppError('unauthorized', 'the bot token expired and is not replaced', {
        code: 'token_expired',
        cause: error,
      });
    }
  };

  async function read(workspaceId: string): Promise<Installation> {
    const installation = await installations.get(workspaceId);
    if (installation !== undefined) return installation;
    throw new AppError('unauthorized', `${workspaceId} has no installation`, { code: 'account_inactive' });
  }

  /** Shares one refresh between all callers of this process. */
  function refresh(stale: Rotating): Promise<Installation> {
    return joinOrBegin(
      () => refreshing.get(stale.workspaceId),
      () => beginRefresh(stale),
    );
  }

  async function beginRefresh(stale: Rotating): Promise<Installation> {
    const { workspaceId } = stale;
    const pause = paused.get(workspaceId);
    if (pause !== undefined && isSame(pause.refreshToken, stale.refreshToken) && now() < pause.untilMs)
      throw pause.error;
    const refreshed = refreshLocked(stale).finally(() => refreshing.delete(workspaceId));
    refreshing.set(workspaceId, refreshed);
    return refreshed;
  }

  async function refreshLocked({ workspaceId, refreshToken }: Rotating): Promise<Installation> {
    const options = { leaseMs: refreshLeaseMs, patienceMs: refreshPatienceMs };
    return locks.withLock(`installation:${workspaceId}`, options, async () => {
      const takenMs = now();
      const installation = await read(workspaceId);
      // Another process refreshed, or the workspace installed the app again, while this one waited for the lock.
      if (!isRotating(installation) || !isSame(installation.refreshToken, refreshToken)) return installation;
      const tokens = await obtain(workspaceId, refreshToken, takenMs);
      return store(workspaceId, refreshToken, tokens);
    });
  }

  async function obtain(workspaceId: string, refreshToken: Secret, takenMs: number): Promise<IssuedTokens> {
    const issued = unstored.get(workspaceId);
    if (issued !== undefined && isSame(issued.refreshToken, refreshToken)) return issued.tokens;
    // The reply must come within the lease: another process may refresh after it.
    if (now() - takenMs > latestRefreshMs) throw new AppError('unavailable', 'the lock of the refresh is too old');
    try {
      const tokens = await issuer.refresh(refreshToken);
      // Kept before anything else can fail: the refresh token works no second time.
      unstored.set(workspaceId, { refreshToken, tokens });
      paused.delete(workspaceId);
      return tokens;
    } catch (cause) {
      if (!isAppError(cause)) throw cause;
      const isFinal = isAppError(cause, 'unauthorized', 'refused');
      const { kind, code, retryAfterMs, outcomeUnknown } = cause;
      const line = { event: 'bot_token_refresh', outcome: kind, code, outcomeUnknown, teamId: workspaceId };
      if (isFinal) log.error(line, cause);
      else log.warn(line, cause);
      const pauseMs = isFinal ? refusedPauseMs : Math.min(retryAfterMs ?? refreshPauseMs, refusedPauseMs);
      paused.set(workspaceId, { refreshToken, error: cause, untilMs: now() + pauseMs });
      throw cause;
    }
  }

  /** Stores new tokens unless the workspace installed the app again meanwhile. Returns what is stored then. */
  async function store(workspaceId: string, refreshToken: Secret, tokens: IssuedTokens): Promise<Installation> {
    const { accessToken, ...rest } = tokens;
    const stored = await installations.update(workspaceId, (current) =>
      current !== undefined && isRotating(current) && isSame(current.refreshToken, refreshToken)
        ? { ...current, token: accessToken, ...rest }
        : current,
    );
    unstored.delete(workspaceId);
    if (stored === undefined) {
      throw new AppError('unauthorized', `${workspaceId} removed the app`, { code: 'account_inactive' });
    }
    log.info({ event: 'bot_token_refresh', outcome: 'ok', teamId: workspaceId });
    return stored;
  }
}

function isRotating(installation: Installation): installation is Rotating {
  return installation.refreshToken !== undefined;
}

function isSame(one: Secret, other: Secret): boolean {
  return one.reveal() === other.reveal();
}
