import type { IssuedTokens, Locks } from '../accounts/accounts.ts';
import { createTokenRefresh, isSame } from '../accounts/token-refresh.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import type { Secret } from '../secret.ts';
import type { Installation, Installations } from './installations.ts';

/** A token that is valid for this long is used at once, and refreshed beside that. In milliseconds. */
const validEnoughMs = 60_000;

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

/**
 * Returns how to get the bot token of a workspace for one call. Where Slack rotates tokens, it is refreshed before it
 * expires, by one process at a time, and stored before it is used. Slack accepts the earlier token until it expires, so
 * calls use it while a refresh runs or fails. Throws `AppError`: `unauthorized` without an installation, or the error of a
 * refresh without which there is no valid token.
 */
export function createBotTokens({ installations, locks, issuer, now, log }: BotTokenPorts) {
  const refresh = createTokenRefresh<Installation>({
    locks,
    now,
    lockOf: ({ workspaceId }) => `installation:${workspaceId}`,
    again: ({ workspaceId }) => read(workspaceId),
    tokensOf: ({ token, refreshToken }) => ({ access: token, refresh: refreshToken }),
    issue: issuer.refresh,
    failed({ workspaceId }, cause) {
      const { kind, code, outcomeUnknown } = cause;
      const line = { event: 'bot_token_refresh', outcome: kind, code, outcomeUnknown, teamId: workspaceId };
      if (isAppError(cause, 'unauthorized', 'refused')) log.error(line, cause);
      else log.warn(line, cause);
      return cause;
    },
    async store({ workspaceId, token }, { accessToken, ...rest }) {
      const stored = await installations.update(workspaceId, (current) =>
        current !== undefined && isSame(current.token, token) ? { ...current, token: accessToken, ...rest } : current,
      );
      if (stored === undefined) {
        throw new AppError('unauthorized', `${workspaceId} removed the app`, { code: 'account_inactive' });
      }
      log.info({ event: 'bot_token_refresh', outcome: 'ok', teamId: workspaceId });
      return stored;
    },
  });

  return async function botToken(workspaceId: string): Promise<Secret> {
    const installation = await read(workspaceId);
    if (installation.refreshToken === undefined || now() < (installation.refreshAtMs ?? Number.POSITIVE_INFINITY)) {
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
}
