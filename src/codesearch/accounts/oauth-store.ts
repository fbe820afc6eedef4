import { randomBytes } from 'node:crypto';
import type { RootDatabase } from 'lmdb';
import { LIMITS } from '../limits.ts';
import type { CodeRecord, GrantRecord, OAuthApp, OAuthTokenRecord, TokenPair } from './records.ts';
import { isRegistrableRedirect } from './redirect-uris.ts';
import { digestOf, newSecret } from './secrets.ts';
import { AccountError } from './store.ts';
import { createTables } from './tables.ts';

export interface NewApp {
  name: string;
  redirectUris: readonly string[];
  /** Whether the app can keep a secret; others are public clients, which must use PKCE. */
  confidential: boolean;
  /** The service account that it gets tokens of: then it has a secret and no redirect addresses. */
  serviceAccount?: number | undefined;
}

/** What a new code stands for; the grant begins with it. */
export type NewCode = Omit<CodeRecord, 'grantId' | 'used'>;

/** A pair of tokens to store. */
export interface NewTokens {
  grantId: string;
  accessToken: string;
  accessExpiresMs: number;
  refreshToken: string;
  refreshExpiresMs: number;
  scopes: string[];
  /** The refresh token that the pair is issued for. Absent for the first pair of a grant. */
  issuedFor?: string;
}

/** Durable OAuth apps, grants, codes and tokens; secrets are stored by digest. Every change is one transaction. */
export interface OAuthStore {
  apps(): OAuthApp[];
  app(clientId: string): OAuthApp | undefined;
  /** Returns the secret of a confidential app, which can't be read again. Throws {@link AccountError}. */
  createApp(app: NewApp): Promise<{ app: OAuthApp; secret?: string }>;
  /** Removes an app with all its grants; false when there is none. */
  removeApp(clientId: string): Promise<boolean>;
  /** Begins a grant with a code. */
  putCode(code: string, record: NewCode): Promise<void>;
  /** The unused code of this text; a used one ends its grant, because somebody has copied it. */
  code(code: string): Promise<CodeRecord | undefined>;
  /** False when the code was used meanwhile, which also ends its grant. */
  useCode(code: string): Promise<boolean>;
  /** Stores an access token of a service account, with a grant of its own. */
  putServiceToken(
    token: string,
    of: Pick<OAuthTokenRecord, 'clientId' | 'userId' | 'scopes' | 'expiresMs'>,
  ): Promise<void>;
  /** False when the grant has ended, or the refresh token was replaced meanwhile, which also ends the grant. */
  putTokens(tokens: NewTokens): Promise<boolean>;
  /**
   * The refresh token of this text, unless it was replaced: one that was replaced ends its grant. A refresh token is
   * replaced by the first use of a token that was issued for it, so that a client which lost the reply can ask again.
   */
  refreshToken(token: string): Promise<OAuthTokenRecord | undefined>;
  /** Notes the use of a refresh token, which replaces the one before it. False when it was replaced meanwhile. */
  useRefreshToken(token: string): Promise<boolean>;
  /** The access token of this text. Its first use replaces the refresh token that it was issued for, before it returns. */
  accessToken(token: string): OAuthTokenRecord | undefined;
  /** Revokes a token of this app: a refresh token with its grant, an access token alone. Ignores unknown tokens. */
  revoke(token: string, clientId: string): Promise<void>;
  grantsOf(userId: number): { grant: GrantRecord; app: OAuthApp }[];
  endGrant(id: string, userId: number): Promise<boolean>;
}

/** Opens the OAuth part of the accounts. A grant ends with the access token of its session: when `isUsableToken` says no. */
export async function openOAuthStore(
  root: RootDatabase<unknown, string>,
  clock: () => number,
  isUsableToken: (digest: string) => boolean = () => true,
): Promise<OAuthStore> {
  const { apps, grants, codes, oauthTokens } = createTables(root);

  function liveGrant(id: string, clientId: string): GrantRecord | undefined {
    const grant = apps.get(clientId) === undefined ? undefined : grants.get(id);
    return grant?.madeWith === undefined || isUsableToken(grant.madeWith) ? grant : undefined;
  }

  /** Inside a transaction only, as the functions below it. */
  function removeExpired(): void {
    const now = clock();
    for (const table of [codes, oauthTokens, grants]) {
      for (const { key, value } of [...table.entries()]) if (value.expiresMs <= now) table.remove(key);
    }
  }

  /** Begins a grant, and ends the oldest of a user who has too many. */
  function addGrant(clientId: string, userId: number, expiresMs: number, madeWith?: string): string {
    const own = [...grants.entries()].map(({ value }) => value).filter((grant) => grant.userId === userId);
    own.sort((a, b) => a.createdMs - b.createdMs);
    for (const grant of own.slice(0, Math.max(0, own.length - LIMITS.grantsPerUser + 1))) grants.remove(grant.id);
    const id = randomBytes(16).toString('hex');
    const origin = madeWith === undefined ? {} : { madeWith };
    grants.put(id, { id, clientId, userId, createdMs: clock(), expiresMs, ...origin });
    return id;
  }

  function useOnce<Value extends { used: boolean; grantId: string }>(
    table: { get(key: string): Value | undefined; put(key: string, value: Value): void },
    digest: string,
  ): boolean {
    const record = table.get(digest);
    if (record === undefined) return false;
    if (record.used) grants.remove(record.grantId);
    else table.put(digest, { ...record, used: true });
    return !record.used;
  }

  /** Whether the first use of this token replaces the refresh token that it was issued for. */
  function isBeforeReplaced({ issuedFor }: OAuthTokenRecord): boolean {
    return issuedFor !== undefined && oauthTokens.get(issuedFor)?.used === false;
  }

  /** Replaces the refresh token that this token was issued for, and ends the other pairs that were issued for it. */
  function replaceBefore(record: OAuthTokenRecord, digest: string): void {
    const before = record.issuedFor === undefined ? undefined : oauthTokens.get(record.issuedFor);
    if (record.issuedFor === undefined || before === undefined || before.used) return;
    const { issued = [], ...rest } = before;
    oauthTokens.put(record.issuedFor, { ...rest, used: true });
    for (const pair of issued) if (pair.access !== digest && pair.refresh !== digest) endPair(pair);
  }

  function endPair({ access, refresh }: TokenPair): void {
    oauthTokens.remove(access);
    const record = oauthTokens.get(refresh);
    if (record !== undefined) oauthTokens.put(refresh, { ...record, used: true });
  }

  /** Notes a pair at the refresh token that it is issued for. False when that one was replaced, which ends the grant. */
  function addPair(before: string, pair: TokenPair): boolean {
    const record = oauthTokens.get(before);
    if (record === undefined || record.used) {
      if (record !== undefined) grants.remove(record.grantId);
      return false;
    }
    const issued = [...(record.issued ?? []), pair];
    for (const oldest of issued.splice(0, Math.max(0, issued.length - LIMITS.unusedTokenPairs))) endPair(oldest);
    oauthTokens.put(before, { ...record, issued });
    return true;
  }

  async function unused<Value extends { used: boolean; grantId: string; clientId: string; expiresMs: number }>(
    record: Value | undefined,
  ): Promise<Value | undefined> {
    if (record === undefined || record.expiresMs <= clock()) return undefined;
    if (record.used) {
      await root.transaction(() => grants.remove(record.grantId));
      return undefined;
    }
    return liveGrant(record.grantId, record.clientId) === undefined ? undefined : record;
  }

  const store: OAuthStore = {
    apps: () => [...apps.entries()].map(({ value }) => value).sort((a, b) => a.createdMs - b.createdMs),
    // LMDB refuses keys that are too long; no such app exists.
    app: (clientId) => (/^[0-9a-f]{32}$/.test(clientId) ? apps.get(clientId) : undefined),
    async createApp({ name, redirectUris, confidential, serviceAccount }) {
      refuseApp(name, redirectUris, serviceAccount !== undefined);
      const secret = confidential || serviceAccount !== undefined ? newSecret('clientSecret') : undefined;
      const app: OAuthApp = {
        clientId: randomBytes(16).toString('hex'),
        name: name.trim(),
        redirectUris: [...redirectUris],
        createdMs: clock(),
      };
      if (secret !== undefined) app.secretDigest = digestOf(secret);
      if (serviceAccount !== undefined) app.serviceAccount = serviceAccount;
      await root.transaction(() => {
        if ([...apps.entries()].length >= LIMITS.oauthApps) {
          throw new AccountError(`There are at most ${LIMITS.oauthApps} OAuth apps. Remove one first.`);
        }
        apps.put(app.clientId, app);
      });
      return secret === undefined ? { app } : { app, secret };
    },
    async removeApp(clientId) {
      if (store.app(clientId) === undefined) return false;
      await root.transaction(() => {
        apps.remove(clientId);
        for (const { key, value } of [...grants.entries()]) if (value.clientId === clientId) grants.remove(key);
      });
      return true;
    },
    async putCode(code, record) {
      const { clientId, userId, expiresMs, madeWith } = record;
      await root.transaction(() => {
        removeExpired();
        const id = addGrant(clientId, userId, expiresMs, madeWith);
        codes.put(digestOf(code), { ...record, grantId: id, used: false });
      });
    },
    async putServiceToken(token, { clientId, userId, scopes, expiresMs }) {
      await root.transaction(() => {
        removeExpired();
        const id = addGrant(clientId, userId, expiresMs);
        oauthTokens.put(digestOf(token), {
          kind: 'access',
          grantId: id,
          clientId,
          userId,
          scopes,
          expiresMs,
          used: false,
        });
      });
    },
    code: (code) => unused(codes.get(digestOf(code))),
    useCode: (code) => root.transaction(() => useOnce(codes, digestOf(code))),
    putTokens: ({ grantId, accessToken, accessExpiresMs, refreshToken, refreshExpiresMs, scopes, issuedFor }) =>
      root.transaction(() => {
        const grant = grants.get(grantId);
        const pair: TokenPair = { access: digestOf(accessToken), refresh: digestOf(refreshToken) };
        const before = issuedFor === undefined ? undefined : digestOf(issuedFor);
        if (grant === undefined || (before !== undefined && !addPair(before, pair))) return false;
        const { clientId, userId } = grant;
        const origin = before === undefined ? {} : { issuedFor: before };
        const shared = { grantId, clientId, userId, scopes, used: false, ...origin };
        oauthTokens.put(pair.access, { ...shared, kind: 'access', expiresMs: accessExpiresMs });
        oauthTokens.put(pair.refresh, { ...shared, kind: 'refresh', expiresMs: refreshExpiresMs });
        grants.put(grantId, { ...grant, expiresMs: Math.max(refreshExpiresMs, accessExpiresMs) });
        return true;
      }),
    async refreshToken(token) {
      const record = oauthTokens.get(digestOf(token));
      return record?.kind === 'refresh' ? unused(record) : undefined;
    },
    useRefreshToken: (token) =>
      root.transaction(() => {
        const digest = digestOf(token);
        const record = oauthTokens.get(digest);
        if (record === undefined) return false;
        if (record.used) grants.remove(record.grantId);
        else replaceBefore(record, digest);
        return !record.used;
      }),
    accessToken(token) {
      const record = oauthTokens.get(digestOf(token));
      if (record?.kind !== 'access' || record.expiresMs <= clock()) return undefined;
      if (liveGrant(record.grantId, record.clientId) === undefined) return undefined;
      if (!isBeforeReplaced(record)) return record;
      // The use is stored before the request is answered. The record is read again: it may have ended meanwhile.
      root.transactionSync(() => {
        if (oauthTokens.get(digestOf(token)) !== undefined) replaceBefore(record, digestOf(token));
      });
      return oauthTokens.get(digestOf(token));
    },
    async revoke(token, clientId) {
      await root.transaction(() => {
        const digest = digestOf(token);
        const record = oauthTokens.get(digest);
        if (record?.clientId !== clientId) return;
        if (record.kind === 'refresh') grants.remove(record.grantId);
        else oauthTokens.remove(digest);
      });
    },
    grantsOf: (userId) =>
      [...grants.entries()].flatMap(({ value: grant }) => {
        const app = apps.get(grant.clientId);
        const isOver = grant.expiresMs <= clock() || liveGrant(grant.id, grant.clientId) === undefined;
        return grant.userId !== userId || isOver || app === undefined ? [] : [{ grant, app }];
      }),
    endGrant: (id, userId) =>
      root.transaction(() => {
        const isOwn = /^[0-9a-f]{32}$/.test(id) && grants.get(id)?.userId === userId;
        if (isOwn) grants.remove(id);
        return isOwn;
      }),
  };
  await root.transaction(removeExpired);
  return store;
}

function refuseApp(name: string, redirectUris: readonly string[], isOfServiceAccount: boolean): void {
  if (name.trim() === '' || name.length > LIMITS.noteCharacters || /\p{Cc}/u.test(name)) {
    throw new AccountError(`An app needs a name of at most ${LIMITS.noteCharacters} characters.`);
  }
  if (isOfServiceAccount && redirectUris.length > 0) {
    throw new AccountError('An app of a service account has no redirect addresses.');
  }
  if ((redirectUris.length === 0 && !isOfServiceAccount) || redirectUris.length > LIMITS.redirectUris) {
    throw new AccountError(`An app needs between 1 and ${LIMITS.redirectUris} redirect addresses.`);
  }
  for (const uri of redirectUris) {
    if (!isRegistrableRedirect(uri)) {
      throw new AccountError(
        'A redirect address is absolute, without a fragment, with https, a scheme of the app, or http on a loopback address.',
      );
    }
  }
}
