import { z } from 'zod';
import type { IssuedTokens, Locks } from '../accounts/accounts.ts';
import { createTokenRefresh, isSame } from '../accounts/token-refresh.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import { type Read, secret } from '../record.ts';
import type { Secret } from '../secret.ts';

/** The app in one workspace, or in all workspaces of an organization, as Slack's OAuth flow returned it. */
export const installationSchema = z.looseObject({
  /** `T…`, or `E…` if an organization installed the app. Every stored record of its people carries this id. */
  workspaceId: z.string(),
  /** The name of the workspace or organization. */
  name: z.string().exactOptional(),
  /** The organization that the workspace belongs to, on Enterprise Grid. */
  enterpriseId: z.string().exactOptional(),
  /** The workspace's own address, which ends with a slash. */
  url: z.string().exactOptional(),
  botUserId: z.string(),
  botId: z.string().exactOptional(),
  /** The bot token. */
  token: secret,
  /** Present where Slack rotates the app's tokens. It works once. */
  refreshToken: secret.exactOptional(),
  expiresAtMs: z.number().exactOptional(),
  /** From when on the token is refreshed. */
  refreshAtMs: z.number().exactOptional(),
  scopes: z.array(z.string()),
  /** A later installation has a later time. */
  installedMs: z.number(),
});
export type Installation = Read<typeof installationSchema>;

/**
 * Stored installations, at most one for each workspace or organization, encrypted. Throws `AppError` of kind `storage`, or
 * `corrupt` for a record that none of the configured keys decrypts.
 */
export interface Installations {
  get(workspaceId: string): Promise<Installation | undefined>;
  /**
   * Atomic read-modify-write. `change` is pure and may run more than once. If it returns the same object, nothing is
   * stored. If it returns undefined, the installation is removed. Returns the stored installation after that.
   */
  update(
    workspaceId: string,
    change: (current: Installation | undefined) => Installation | undefined,
  ): Promise<Installation | undefined>;
  /** Stores an installation in place of what is stored, also of what can't be decrypted. */
  replace(installation: Installation): Promise<void>;
  /** Every workspace and organization with an installation, in no particular order. */
  ids(): Promise<string[]>;
}

/** Whether an organization installed the app for its workspaces. */
export function isOrganization(workspaceId: string): boolean {
  return workspaceId.startsWith('E');
}

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
