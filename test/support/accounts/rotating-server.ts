import type { AuthorizationServer, IssuedTokens } from '../../../src/core/accounts/accounts.ts';
import { AppError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';

/**
 * An authorization server in memory that replaces refresh tokens like the embedded service: the one before stays usable
 * until a new token is used. After that it ends the whole grant.
 */
export function createRotatingServer(now: () => number, lifetimeMs = 600_000) {
  /** Refresh tokens by text: those issued for it, and whether one of them was used. */
  const issuedFor = new Map<string, { children: string[]; isReplaced: boolean }>();
  const parentOf = new Map<string, string>();
  const expiries = new Map<string, number>();
  let issued = 0;
  let ended = false;
  let calls = 0;

  function issue(parent?: string): IssuedTokens {
    issued += 1;
    const [access, refresh] = [`access-${issued}`, `refresh-${issued}`];
    expiries.set(access, now() + lifetimeMs);
    issuedFor.set(refresh, { children: [], isReplaced: false });
    if (parent !== undefined) {
      for (const token of [access, refresh]) parentOf.set(token, parent);
      issuedFor.get(parent)?.children.push(refresh);
    }
    const expiresAtMs = now() + lifetimeMs;
    return {
      accessToken: new Secret(access),
      refreshToken: new Secret(refresh),
      expiresAtMs,
      refreshAtMs: expiresAtMs - lifetimeMs / 10,
    };
  }

  /** The first use of a new token replaces the refresh token that it was issued for, and its other children. */
  function confirm(token: string): void {
    const before = issuedFor.get(parentOf.get(token) ?? '');
    if (before === undefined || before.isReplaced) return;
    before.isReplaced = true;
    const own = token.replace('access', 'refresh');
    for (const child of before.children) {
      const other = issuedFor.get(child);
      if (child !== own && other !== undefined) other.isReplaced = true;
    }
  }

  const server: AuthorizationServer = {
    authorizeUrl: () => 'https://service.example/authorize',
    exchange: async () => issue(),
    async refresh(refreshToken) {
      calls += 1;
      const token = refreshToken.reveal();
      const record = issuedFor.get(token);
      if (record?.isReplaced) ended = true;
      if (record === undefined || ended) throw new AppError('unauthorized', 'refused', { code: 'invalid_grant' });
      confirm(token);
      return issue(token);
    },
  };

  return {
    server,
    issue,
    /** Refresh calls so far. */
    calls: () => calls,
    /** Ends the grant, as a person may do in the service's settings. */
    end: () => {
      ended = true;
    },
    /** Whether the service takes an access token; its first use counts. */
    accepts(token: string): boolean {
      const isValid = !ended && now() < (expiries.get(token) ?? 0);
      if (isValid) confirm(token);
      return isValid;
    },
  };
}
