import { AppError, isAppError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { Secret } from '../secret.ts';
import type { IssuedTokens, Locks } from './accounts.ts';

/** How long a process that died keeps others from a refresh. Longer than a refresh and the storing of its result. */
export const refreshLeaseMs = 30_000;
/** How long to wait for a refresh of another process: until its lease ended. */
const patienceMs = 35_000;
/** A refresh is not sent later than this after its lock was taken, so that its reply comes within the lease. */
const latestRefreshMs = 10_000;
/** After a failed refresh the next one waits this long, unless the server says how long. */
export const refreshPauseMs = 5_000;
/** The longest wait that the server may ask for, and the wait after a refusal, which only a person can end. */
const longestPauseMs = 60_000;

/** Where the tokens of one kind are kept, and who issues them. `Held` is what is stored for one owner. */
interface TokenRefreshOptions<Held> {
  locks: Locks;
  now: Clock;
  /** Names the owner's lock. */
  lockOf: (held: Held) => string;
  /** Reads what is stored for the owner now. Throws if there is nothing, or nothing that works. */
  again: (held: Held) => Promise<Held>;
  tokensOf: (held: Held) => { access: Secret; refresh: Secret | undefined };
  issue: (refreshToken: Secret) => Promise<IssuedTokens>;
  /** Logs a failure. Returns what callers get. */
  failed: (held: Held, cause: AppError) => AppError;
  /** Called when the server will issue no token any more. Returns what is stored if it changed meanwhile. Otherwise throws. */
  refused?: (held: Held) => Promise<Held>;
  /** Stores new tokens unless the owner has another access token by now. Returns what is stored then. */
  store: (before: Held, tokens: IssuedTokens, refreshToken: Secret) => Promise<Held>;
}

/**
 * Returns how to replace tokens: by one process at a time, stored before they are used, and once for all callers of this
 * process. `stale` is what the caller read. Returns what is stored then.
 */
export function createTokenRefresh<Held>(options: TokenRefreshOptions<Held>): (stale: Held) => Promise<Held> {
  const { locks, now, lockOf, again, tokensOf, issue, failed, refused, store } = options;
  /** Running refreshes of this process. */
  const running = new Map<string, Promise<Held>>();
  /** The pause after a failure, for that access token alone. */
  const paused = new Map<string, { access: Secret; untilMs: number; error: AppError }>();
  /** Tokens that were issued but could not be stored, for the refresh token with which they were obtained. */
  const unstored = new Map<string, { refreshToken: Secret; tokens: IssuedTokens }>();

  return async function refresh(stale) {
    const owner = lockOf(stale);
    const joined = running.get(owner);
    if (joined === undefined) return begin(owner, stale);
    try {
      return await joined;
    } catch (error) {
      // It may have begun while the storage was away, which says nothing about now.
      if (!isAppError(error, 'storage')) throw error;
      return running.get(owner) ?? begin(owner, stale);
    }
  };

  async function begin(owner: string, stale: Held): Promise<Held> {
    const { access } = tokensOf(stale);
    const pause = paused.get(owner);
    if (pause !== undefined && isSame(pause.access, access) && now() < pause.untilMs) throw pause.error;
    const lease = { leaseMs: refreshLeaseMs, patienceMs };
    const work = locks.withLock(owner, lease, () => refreshLocked(owner, stale)).finally(() => running.delete(owner));
    running.set(owner, work);
    return work;
  }

  async function refreshLocked(owner: string, stale: Held): Promise<Held> {
    const takenMs = now();
    const held = await again(stale);
    const { access, refresh: refreshToken } = tokensOf(held);
    // Another process refreshed, or a person connected again, while this one waited for the lock.
    if (!isSame(access, tokensOf(stale).access)) return held;
    const tokens = refreshToken && (await obtain(owner, held, refreshToken, takenMs));
    if (refreshToken === undefined || tokens === undefined) return refused === undefined ? held : refused(held);
    const stored = await store(held, tokens, refreshToken);
    unstored.delete(owner);
    return stored;
  }

  /** Undefined if the server will issue no token any more and `refused` is given. */
  async function obtain(
    owner: string,
    held: Held,
    refreshToken: Secret,
    takenMs: number,
  ): Promise<IssuedTokens | undefined> {
    const issued = unstored.get(owner);
    if (issued !== undefined && isSame(issued.refreshToken, refreshToken)) return issued.tokens;
    if (now() - takenMs > latestRefreshMs) throw new AppError('unavailable', 'the lock of the refresh is too old');
    try {
      const tokens = await issue(refreshToken);
      // Kept before anything else can fail: a refresh token may work no second time.
      unstored.set(owner, { refreshToken, tokens });
      paused.delete(owner);
      return tokens;
    } catch (cause) {
      if (!isAppError(cause)) throw cause;
      const error = failed(held, cause);
      if (refused !== undefined && error.kind === 'unauthorized') return undefined;
      const isFinal = error.kind === 'unauthorized' || error.kind === 'refused';
      const pauseMs = isFinal ? longestPauseMs : Math.min(error.retryAfterMs ?? refreshPauseMs, longestPauseMs);
      for (const [other, { untilMs }] of paused) if (untilMs <= now()) paused.delete(other);
      paused.set(owner, { access: tokensOf(held).access, error, untilMs: now() + pauseMs });
      throw error;
    }
  }
}

export function isSame(one: Secret, other: Secret): boolean {
  return one.reveal() === other.reveal();
}
