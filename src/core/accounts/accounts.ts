import { z } from 'zod';
import { dayMs, defineRecord, type Read, type RecordOf, secret } from '../record.ts';
import type { Secret } from '../secret.ts';

/** A person of a workspace, by Slack's ids (`T…`, `U…` or `W…`). */
export interface Person {
  teamId: string;
  userId: string;
}

/** The name of a record that a person has one of. */
export function personName({ teamId, userId }: Person): string {
  return `${teamId}:${userId}`;
}

/**
 * Whose account at the service people ask with. `shared`: the app's, for everyone. `preferred`: a person's own account if
 * they connected one, otherwise the app's. `required`: a person's own account only.
 */
export type AccountMode = 'shared' | 'preferred' | 'required';

/** What the service accepts as proof of a person's identity. */
const credential = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('token'), token: secret }),
  z.looseObject({
    kind: z.literal('oauth'),
    accessToken: secret,
    /** Absent if the service issued none. The person signs in again after the access token expired. */
    refreshToken: secret.exactOptional(),
    /** Absent if the service did not say: the token counts as valid until a 401. */
    expiresAtMs: z.number().exactOptional(),
    /** From when on the app refreshes the access token. Absent if the expiry is unknown. */
    refreshAtMs: z.number().exactOptional(),
  }),
]);
export type Credential = Read<typeof credential>;

/** A person's account at the service. The storage encrypts it. */
export const accountSchema = z.looseObject({
  person: z.looseObject({ teamId: z.string(), userId: z.string() }),
  /** The user's name at the service. Shown only to this person. */
  username: z.string(),
  credential,
  connectedMs: z.number(),
  /** When the service refused the credential. Absent while it works. */
  refusedMs: z.number().exactOptional(),
});
export type Account = Read<typeof accountSchema>;

/**
 * Stored accounts, at most one for each person. Throws `AppError` of kind `storage`, or `corrupt` for a record that none
 * of the configured keys decrypts.
 */
export interface AccountStore {
  get(person: Person): Promise<Account | undefined>;
  /**
   * Atomic read-modify-write. `change` is pure and may run more than once. If it returns the same object, nothing is
   * stored. If it returns undefined, the account is removed. Returns the stored account after that.
   */
  update(person: Person, change: (current: Account | undefined) => Account | undefined): Promise<Account | undefined>;
  /** Removes an account, also one that can't be decrypted. Returns whether there was one. */
  remove(person: Person): Promise<boolean>;
  /** Everyone with a stored account, in no particular order. */
  people(teamId: string): Promise<Person[]>;
}

/** A key for AES-256. */
export interface EncryptionKey {
  /** Letters, digits, `-` and `_`. Stored beside what the key encrypts. */
  id: string;
  /** 32 bytes in base64. */
  key: Secret;
}

/** A credential in the form of the `Authorization` header: `token …` or `Bearer …`. */
export interface UsableCredential {
  scheme: 'token' | 'Bearer';
  secret: Secret;
}

/** The credentials that requests with people's own access carry. */
export interface AccountCredentials {
  /**
   * The credential for the next request. Refreshes an access token that expires soon: once for all processes, and stores
   * the new tokens before it returns. Throws `AppError` of kind `unauthorized` with the code `notConnected` or
   * `accountRefused`, or of kind `unavailable` if a token could not be refreshed now.
   */
  current(person: Person): Promise<UsableCredential>;
  /**
   * Called after the service rejected a credential with 401. Returns a newer one, or undefined if there is none: then the
   * account is marked as refused. Throws the same errors as `current`.
   */
  renewed(person: Person, rejected: UsableCredential): Promise<UsableCredential | undefined>;
}

/** Tokens as an OAuth authorization server issues them. */
export interface IssuedTokens {
  accessToken: Secret;
  /** Absent if the server issued no new one: then the one before stays valid. */
  refreshToken?: Secret;
  expiresAtMs?: number;
  refreshAtMs?: number;
}

/** The OAuth authorization server of the service. */
export interface AuthorizationServer {
  /** The address where a person allows the access. `codeChallenge` is that of PKCE with S256 (RFC 7636). */
  authorizeUrl(request: { state: string; codeChallenge: string; redirectUri: string }): string;
  /**
   * Exchanges an authorization code for tokens. Throws `unauthorized` if the server refuses the code, `refused` if it
   * refuses this app, `rateLimited`, or `unavailable` without a usable reply.
   */
  exchange(request: { code: string; codeVerifier: string; redirectUri: string }): Promise<IssuedTokens>;
  /**
   * Obtains new tokens. Throws the same errors as `exchange`. With `outcomeUnknown` the server may have replaced the
   * refresh token.
   */
  refresh(refreshToken: Secret): Promise<IssuedTokens>;
}

/** One person's questions that wait for an account, and which of them told the person to connect again. */
export const accountWaitsType = defineRecord({
  key: (person) => `ds:account-waits:${person}`,
  // Questions wait for a day.
  ttlMs: 2 * dayMs,
  schema: z.looseObject({
    version: z.literal(1),
    waiting: z.array(z.looseObject({ questionId: z.string(), sinceMs: z.number() })),
    notice: z.looseObject({ questionId: z.string(), atMs: z.number() }).exactOptional(),
  }),
});
export type AccountWaitList = RecordOf<typeof accountWaitsType>;

/** Mutual exclusion by name, across all processes on one storage. */
export interface Locks {
  /**
   * Runs `work` while no other process holds the lock. The lock ends after `leaseMs` even if this process dies. Throws
   * `AppError` of kind `unavailable` if the lock is not free within `patienceMs`.
   */
  withLock<Result>(
    name: string,
    options: { leaseMs: number; patienceMs: number },
    work: () => Promise<Result>,
  ): Promise<Result>;
}

/** What a person sees of their account. */
export type AccountStatus =
  | { state: 'none' }
  | { state: 'connected' | 'refused'; kind: Credential['kind']; username: string; connectedMs: number };

/** How people can connect. `reason` is why they can't: the operator set no `ENCRYPTION_KEYS`, or `ACCOUNTS` is `shared`. */
export type ConnectOffer = { can: true; byToken: true; bySignIn: boolean } | { can: false; reason: 'noKeys' | 'off' };

/** The result of connecting with an access token. */
export type ConnectResult =
  | { kind: 'connected'; username: string }
  /** The service refuses the token, or it belongs to no user. */
  | { kind: 'refused' }
  /** The service did not answer in time. Nothing was stored. */
  | { kind: 'notChecked' };

/**
 * What people do with their own accounts. Every method throws only `AppError` of kind `storage`, `statusOf` also `corrupt`,
 * and `signInUrl` also `refused` if it is not offered.
 */
export interface Accounts {
  readonly mode: AccountMode;
  readonly offer: ConnectOffer;
  statusOf(person: Person): Promise<AccountStatus>;
  /** Checks the token at the service, stores it, and wakes the questions that wait for this account. */
  connectWithToken(person: Person, token: Secret): Promise<ConnectResult>;
  /**
   * The address that starts the sign-in in a browser: once, for ten minutes, for this person. `shownName` is the
   * person's name in Slack, which the page shows, so that no one signs in for somebody else. `locale` is the language of
   * the pages.
   */
  signInUrl(person: Person, shownName: string, locale?: string): Promise<string>;
  /**
   * Removes the account. Returns whether there was one. `departed`: not the person's own wish, because they left or became
   * a guest.
   */
  remove(person: Person, why?: 'disconnected' | 'departed'): Promise<boolean>;
  /** Removes all accounts of a workspace that uninstalled the app. Returns how many there were. */
  removeAll(teamId: string): Promise<number>;
}

/** Is told when a person's account was connected, removed or refused by the service. Returns at once, never throws. */
export type AccountObserver = (person: Person) => void;

/** Passes on changes of accounts from where they are stored to what people see of them. */
export interface AccountChanges {
  /** Called after the change is stored, by the process that stored it. */
  changed: AccountObserver;
  /** Registers one more observer. */
  listen(observer: AccountObserver): void;
}

export function createAccountChanges(): AccountChanges {
  const observers: AccountObserver[] = [];
  return {
    changed(person) {
      for (const observer of observers) observer(person);
    },
    listen: (observer) => void observers.push(observer),
  };
}

/** How long a person may take to sign in, in milliseconds. */
export const signInLifeMs = 10 * 60 * 1_000;

/**
 * A started sign-in. It belongs to one person in Slack and to the browser that continued first. Contains digests of all
 * secrets, so a copy of the storage is of no use to sign in.
 */
export const signInTicketType = defineRecord({
  key: (id) => `ds:sign-in:${id}`,
  ttlMs: signInLifeMs,
  schema: z.looseObject({
    version: z.literal(1),
    person: z.looseObject({ teamId: z.string(), userId: z.string() }),
    /** The person's name in Slack, as the page shows it. */
    shownName: z.string(),
    locale: z.string().exactOptional(),
    /** Digest of the secret part of the ticket in the address. */
    secretDigest: z.string(),
    expiresMs: z.number(),
    /** Digest of the cookie of the browser that continued first. */
    browserDigest: z.string().exactOptional(),
    /** Digest of the newest state that was sent to the service. */
    stateDigest: z.string().exactOptional(),
    /** Which request came back with this state first. It alone goes on. */
    claim: z.looseObject({ stateDigest: z.string(), by: z.string() }).exactOptional(),
    connectedMs: z.number().exactOptional(),
  }),
});
export type SignInTicket = RecordOf<typeof signInTicketType>;
