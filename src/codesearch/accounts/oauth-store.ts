import { randomBytes } from 'node:crypto';
import type { RootDatabase } from 'lmdb';
import { LIMITS } from '../limits.ts';
import type { CodeRecord, GrantRecord, OAuthApp, OAuthTokenRecord } from './records.ts';
import { isRegistrableRedirect } from './redirect-uris.ts';
import { digestOf, newSecret } from './secrets.ts';
import { AccountError } from './store.ts';
import { createTables } from './tables.ts';

export interface NewApp {
  name: string;
  redirectUris: readonly string[];
  /** Whether the app can keep a secret; others are public clients, which must use PKCE. */
  confidential: boolean;
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
  /** False when the grant has ended. */
  putTokens(tokens: NewTokens): Promise<boolean>;
  /** The unused refresh token of this text; a used one ends its grant. */
  refreshToken(token: string): Promise<OAuthTokenRecord | undefined>;
  useRefreshToken(token: string): Promise<boolean>;
  accessToken(token: string): OAuthTokenRecord | undefined;
  /** Revokes a token of this app: a refresh token with its grant, an access token alone. Ignores unknown tokens. */
  revoke(token: string, clientId: string): Promise<void>;
  grantsOf(userId: number): { grant: GrantRecord; app: OAuthApp }[];
  endGrant(id: string, userId: number): Promise<boolean>;
}

/** Opens the OAuth part of the accounts. */
export async function openOAuthStore(root: RootDatabase<unknown, string>, clock: () => number): Promise<OAuthStore> {
  const { apps, grants, codes, oauthTokens } = createTables(root);

  function liveGrant(id: string, clientId: string): GrantRecord | undefined {
    return apps.get(clientId) === undefined ? undefined : grants.get(id);
  }

  /** Inside a transaction only, as the functions below it. */
  function removeExpired(): void {
    const now = clock();
    for (const table of [codes, oauthTokens, grants]) {
      for (const { key, value } of [...table.entries()]) if (value.expiresMs <= now) table.remove(key);
    }
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
    async createApp({ name, redirectUris, confidential }) {
      refuseApp(name, redirectUris);
      const secret = confidential ? newSecret('clientSecret') : undefined;
      const app: OAuthApp = {
        clientId: randomBytes(16).toString('hex'),
        name: name.trim(),
        redirectUris: [...redirectUris],
        createdMs: clock(),
      };
      if (secret !== undefined) app.secretDigest = digestOf(secret);
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
      const { clientId, userId, expiresMs } = record;
      const id = randomBytes(16).toString('hex');
      await root.transaction(() => {
        removeExpired();
        const own = [...grants.entries()].map(({ value }) => value).filter((grant) => grant.userId === userId);
        own.sort((a, b) => a.createdMs - b.createdMs);
        for (const grant of own.slice(0, Math.max(0, own.length - LIMITS.grantsPerUser + 1))) grants.remove(grant.id);
        grants.put(id, { id, clientId, userId, createdMs: clock(), expiresMs });
        codes.put(digestOf(code), { ...record, grantId: id, used: false });
      });
    },
    code: (code) => unused(codes.get(digestOf(code))),
    useCode: (code) => root.transaction(() => useOnce(codes, digestOf(code))),
    putTokens: ({ grantId, accessToken, accessExpiresMs, refreshToken, refreshExpiresMs, scopes }) =>
      root.transaction(() => {
        const grant = grants.get(grantId);
        if (grant === undefined) return false;
        const { clientId, userId } = grant;
        const shared = { grantId, clientId, userId, scopes, used: false };
        oauthTokens.put(digestOf(accessToken), { ...shared, kind: 'access', expiresMs: accessExpiresMs });
        oauthTokens.put(digestOf(refreshToken), { ...shared, kind: 'refresh', expiresMs: refreshExpiresMs });
        grants.put(grantId, { ...grant, expiresMs: Math.max(refreshExpiresMs, accessExpiresMs) });
        return true;
      }),
    async refreshToken(token) {
      const record = oauthTokens.get(digestOf(token));
      return record?.kind === 'refresh' ? unused(record) : undefined;
    },
    useRefreshToken: (token) => root.transaction(() => useOnce(oauthTokens, digestOf(token))),
    accessToken(token) {
      const record = oauthTokens.get(digestOf(token));
      if (record?.kind !== 'access' || record.expiresMs <= clock()) return undefined;
      return liveGrant(record.grantId, record.clientId) === undefined ? undefined : record;
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
        return grant.userId !== userId || grant.expiresMs <= clock() || app === undefined ? [] : [{ grant, app }];
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

function refuseApp(name: string, redirectUris: readonly string[]): void {
  if (name.trim() === '' || name.length > LIMITS.noteCharacters || /\p{Cc}/u.test(name)) {
    throw new AccountError(`An app needs a name of at most ${LIMITS.noteCharacters} characters.`);
  }
  if (redirectUris.length === 0 || redirectUris.length > LIMITS.redirectUris) {
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
