import { AppError, isAppError } from '../errors.ts';
import type { Clock, Log } from '../ports.ts';
import {
  type Account,
  type AccountCredentials,
  type AccountObserver,
  type AccountStore,
  type AuthorizationServer,
  type Credential,
  type Locks,
  type Person,
  personName,
  type UsableCredential,
} from './accounts.ts';
import { createTokenRefresh } from './token-refresh.ts';

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
  /** The credentials that replaced a refused one a short time ago. */
  const proving = new Map<string, { credential: UsableCredential; untilMs: number }>();

  const refresh = createTokenRefresh<Account>({
    locks,
    now,
    lockOf: ({ person }) => `account:${personName(person)}`,
    again: ({ person }) => workingAccount(person),
    tokensOf: ({ credential }) => ({
      access: usable(credential).secret,
      refresh: credential.kind === 'oauth' && server !== undefined ? credential.refreshToken : undefined,
    }),
    async issue(refreshToken) {
      if (server === undefined) throw new AppError('unauthorized', 'there is no sign-in any more');
      return server.refresh(refreshToken);
    },
    failed({ person }, cause) {
      const { kind, code, outcomeUnknown, retryAfterMs } = cause;
      log.warn({ event: 'account_refresh', outcome: kind, code, outcomeUnknown, userId: person.userId });
      if (kind === 'unauthorized') return cause;
      // The old refresh token is kept and tried again. The server accepts it until a new token is used.
      return new AppError('unavailable', 'the access token could not be refreshed', { cause, retryAfterMs });
    },
    refused: giveUp,
    async store({ person, credential }, tokens, refreshToken) {
      const account = await accounts.update(person, (stored) =>
        stored !== undefined && isSame(usable(stored.credential), usable(credential))
          ? { ...stored, credential: { kind: 'oauth', refreshToken, ...tokens } }
          : stored,
      );
      if (account === undefined)
        throw new AppError('unauthorized', 'the account was removed', { code: 'notConnected' });
      if (account.refusedMs !== undefined) throw refused();
      return account;
    },
  });

  return { current, renewed };

  async function current(person: Person): Promise<UsableCredential> {
    const account = await workingAccount(person);
    const { credential } = account;
    if (credential.kind === 'token' || now() < (credential.refreshAtMs ?? Number.POSITIVE_INFINITY)) {
      return usable(credential);
    }
    const isValid = now() < (credential.expiresAtMs ?? Number.POSITIVE_INFINITY);
    // Without a refresh token the access token is used until it expires.
    if (isValid && !canRefresh(credential)) return usable(credential);
    try {
      return usable((await refresh(account)).credential);
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
      const after = await markRefused(account);
      return after && usable(after.credential);
    }
    try {
      const next = usable((await refresh(account)).credential);
      for (const [name, { untilMs }] of proving) if (untilMs <= now()) proving.delete(name);
      proving.set(personName(person), { credential: next, untilMs: now() + provingMs });
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

  /** Returns an account that was connected again meanwhile. Otherwise throws. */
  async function giveUp(account: Account): Promise<Account> {
    const after = await markRefused(account);
    if (after === undefined) throw refused();
    return after;
  }

  /** Marks the account unless its credential changed. Returns the account if it did and works. */
  async function markRefused({ person, credential }: Account): Promise<Account | undefined> {
    const account = await accounts.update(person, (stored) =>
      stored !== undefined && stored.refusedMs === undefined && isSame(usable(stored.credential), usable(credential))
        ? { ...stored, refusedMs: now() }
        : stored,
    );
    if (account?.refusedMs === undefined) return account;
    changed(person);
    return undefined;
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
