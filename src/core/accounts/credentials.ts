import { AppError, isAppError } from '../errors.ts';
import { joinOrBegin } from '../join-running.ts';
import type { Clock, Log } from '../ports.ts';
import type { Secret } from '../secret.ts';
import type { AccountObserver } from './account-changes.ts';
import {
  type Account,
  type AccountCredentials,
  type AccountStore,
  type AuthorizationServer,
  type Credential,
  type IssuedTokens,
  type Locks,
  type Person,
  personName,
  type UsableCredential,
} from './accounts.ts';

/** How long a process that died keeps others from a refresh. Longer than a refresh and the storing of its result. */
export const refreshLeaseMs = 30_000;
/** How long to wait for a refresh of another process: until its lease ended. */
export const refreshPatienceMs = 35_000;
/** A refresh is not sent later than this after its lock was taken, so that its reply comes within the lease. */
export const latestRefreshMs = 10_000;
/** After a failed refresh the next one waits this long, unless the server says how long. */
export const refreshPauseMs = 5_000;
/** Longest wait that the server may ask for. */
const longestPauseMs = 60_000;
/** A new token that is refused within this time shows that the account is refused, not only its last token. */
const provingMs = 60_000;

type OAuthCredential = Extract<Credential, { kind: 'oauth' }>;

export interface CredentialPorts {
  accounts: AccountStore;
  locks: Locks;
  /** Absent if the operator configured no sign-in (any more). */
  server: AuthorizationServer | undefined;
  /** Is told of an account that the service refuses. */
  changed: AccountObserver;
  now: Clock;
  log: Log;
}

/** Creates the credentials of people's own accounts, refreshed by one process at a time and stored before use. */
export function createAccountCredentials(ports: CredentialPorts): AccountCredentials {
  const { accounts, locks, server, changed, now, log } = ports;
  /** Running refreshes of this process, which all callers share. */
  const refreshing = new Map<string, Promise<UsableCredential>>();
  /** Failed refreshes that are not repeated yet. */
  const paused = new Map<string, { untilMs: number; error: AppError }>();
  /** Tokens that were issued but could not be stored, for the refresh token with which they were obtained. */
  const unstored = new Map<string, { refreshToken: Secret; tokens: IssuedTokens }>();
  /** The credentials that replaced a refused one a short time ago. */
  const proving = new Map<string, { credential: UsableCredential; untilMs: number }>();

  return { current, renewed };

  async function current(person: Person): Promise<UsableCredential> {
    const { credential } = await workingAccount(person);
    if (credential.kind === 'token' || now() < (credential.refreshAtMs ?? Number.POSITIVE_INFINITY)) {
      return usable(credential);
    }
    const isValid = now() < (credential.expiresAtMs ?? Number.POSITIVE_INFINITY);
    // Without a refresh token the access token is used until it expires.
    if (isValid && !canRefresh(credential)) return usable(credential);
    try {
      return await refresh(person, credential);
    } catch (error) {
      if (isValid && isAppError(error, 'unavailable', 'storage')) return usable(credential);
      throw error;
    }
  }

  async function renewed(person: Person, rejected: UsableCredential): Promise<UsableCredential | undefined> {
    const account = await read(person);
    if (account.refusedMs !== undefined) return undefined;
    const { credential } = account;
    if (!isSame(usable(credential), rejected)) return usable(credential);
    const proof = proving.get(personName(person));
    const isProven = proof !== undefined && isSame(proof.credential, rejected) && now() < proof.untilMs;
    if (isProven || credential.kind === 'token' || !canRefresh(credential)) {
      const after = await markRefused(person, credential);
      return after === undefined ? undefined : usable(after.credential);
    }
    try {
      const next = await refresh(person, credential);
      keep(proving, personName(person), { credential: next, untilMs: now() + provingMs });
      return next;
    } catch (error) {
      if (isAppError(error, 'unauthorized') && error.code === 'accountRefused') return undefined;
      throw error;
    }
  }

  /** Throws `unauthorized` if there is no account, or none that can be decrypted: the person has to connect again. */
  async function read(person: Person): Promise<Account> {
    const account = await accounts.get(person).catch((error: unknown) => {
      if (isAppError(error, 'corrupt')) throw refused(error);
      throw error;
    });
    if (account !== undefined) return account;
    throw new AppError('unauthorized', 'the person has no connected account', { code: 'notConnected' });
  }

  async function workingAccount(person: Person): Promise<Account> {
    const account = await read(person);
    if (account.refusedMs !== undefined) throw refused();
    return account;
  }

  function canRefresh(credential: OAuthCredential): boolean {
    return server !== undefined && credential.refreshToken !== undefined;
  }

  /** Shares one refresh between all callers of this process. `stale` is the credential to replace. */
  function refresh(person: Person, stale: OAuthCredential): Promise<UsableCredential> {
    return joinOrBegin(
      () => refreshing.get(personName(person)),
      () => beginRefresh(person, stale),
    );
  }

  async function beginRefresh(person: Person, stale: OAuthCredential): Promise<UsableCredential> {
    const key = personName(person);
    const pause = paused.get(key);
    if (pause !== undefined && now() < pause.untilMs) throw pause.error;
    const refreshed = refreshLocked(person, stale).finally(() => refreshing.delete(key));
    refreshing.set(key, refreshed);
    return refreshed;
  }

  async function refreshLocked(person: Person, stale: OAuthCredential): Promise<UsableCredential> {
    const options = { leaseMs: refreshLeaseMs, patienceMs: refreshPatienceMs };
    return locks.withLock(`account:${personName(person)}`, options, async () => {
      const takenMs = now();
      const { credential } = await workingAccount(person);
      // Another process refreshed, or the person connected again, while this one waited for the lock.
      if (!isSame(usable(credential), usable(stale)) || credential.kind === 'token') return usable(credential);
      const { refreshToken } = credential;
      if (server === undefined || refreshToken === undefined) return giveUp(person, credential);
      const tokens = await obtain(person, server, refreshToken, takenMs).catch((error: unknown) => {
        if (isAppError(error, 'unauthorized')) return undefined;
        throw error;
      });
      if (tokens === undefined) return giveUp(person, credential);
      return store(person, credential, refreshToken, tokens);
    });
  }

  /** Throws `unavailable` if the server can't issue tokens now. Throws `unauthorized` if it never will. */
  async function obtain(
    person: Person,
    server: AuthorizationServer,
    refreshToken: Secret,
    takenMs: number,
  ): Promise<IssuedTokens> {
    const key = personName(person);
    const issued = unstored.get(key);
    if (issued?.refreshToken.reveal() === refreshToken.reveal()) return issued.tokens;
    if (now() - takenMs > latestRefreshMs) throw new AppError('unavailable', 'the lock of the refresh is too old');
    try {
      const tokens = await server.refresh(refreshToken);
      unstored.set(key, { refreshToken, tokens });
      paused.delete(key);
      return tokens;
    } catch (cause) {
      if (!isAppError(cause)) throw cause;
      const { kind, code, outcomeUnknown, retryAfterMs } = cause;
      log.warn({ event: 'account_refresh', outcome: kind, code, outcomeUnknown, userId: person.userId });
      if (kind === 'unauthorized') throw cause;
      // The old refresh token is kept and tried again. The server accepts it until a new token is used.
      const error = new AppError('unavailable', 'the access token could not be refreshed', { cause, retryAfterMs });
      keep(paused, key, { error, untilMs: now() + Math.min(retryAfterMs ?? refreshPauseMs, longestPauseMs) });
      throw error;
    }
  }

  /** Stores new tokens unless the account changed, and returns what is stored then. */
  async function store(
    person: Person,
    before: OAuthCredential,
    refreshToken: Secret,
    tokens: IssuedTokens,
  ): Promise<UsableCredential> {
    const next: OAuthCredential = { kind: 'oauth', refreshToken, ...tokens };
    const account = await accounts.update(person, (stored) =>
      stored !== undefined && isSame(usable(stored.credential), usable(before))
        ? { ...stored, credential: next }
        : stored,
    );
    unstored.delete(personName(person));
    if (account === undefined) throw new AppError('unauthorized', 'the account was removed', { code: 'notConnected' });
    if (account.refusedMs !== undefined) throw refused();
    return usable(account.credential);
  }

  /** Returns the credential of an account that was connected again meanwhile. Otherwise throws. */
  async function giveUp(person: Person, credential: OAuthCredential): Promise<UsableCredential> {
    const after = await markRefused(person, credential);
    if (after === undefined) throw refused();
    return usable(after.credential);
  }

  /** Marks the account unless its credential changed. Returns the account if it did and works. */
  async function markRefused(person: Person, credential: Credential): Promise<Account | undefined> {
    const account = await accounts.update(person, (stored) =>
      stored !== undefined && stored.refusedMs === undefined && isSame(usable(stored.credential), usable(credential))
        ? { ...stored, refusedMs: now() }
        : stored,
    );
    if (account?.refusedMs === undefined) return account;
    changed(person);
    return undefined;
  }

  /** Adds an entry, and removes those that mean nothing any more. */
  function keep<Entry extends { untilMs: number }>(entries: Map<string, Entry>, key: string, entry: Entry): void {
    for (const [other, { untilMs }] of entries) if (untilMs <= now()) entries.delete(other);
    entries.set(key, entry);
  }
}

function refused(cause?: unknown): AppError {
  return new AppError('unauthorized', 'the service refused the account', { code: 'accountRefused', cause });
}

function usable(credential: Credential): UsableCredential {
  return credential.kind === 'token'
    ? { scheme: 'token', secret: credential.token }
    : { scheme: 'Bearer', secret: credential.accessToken };
}

function isSame(one: UsableCredential, other: UsableCredential): boolean {
  return one.scheme === other.scheme && one.secret.reveal() === other.secret.reveal();
}
