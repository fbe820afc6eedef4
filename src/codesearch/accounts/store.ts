import type { RootDatabase } from 'lmdb';
import { LIMITS } from '../limits.ts';
import type { SessionRecord, TokenRecord, User } from './records.ts';
import { digestOf, newSecret } from './secrets.ts';
import { createTables } from './tables.ts';
import type { Scope } from './viewer.ts';

/** A change of accounts is refused; people read the message. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

export type NewUser = Pick<User, 'username' | 'kind' | 'siteAdmin'> & Partial<Pick<User, 'displayName' | 'email'>>;
export type NewToken = Pick<TokenRecord, 'userId' | 'scopes' | 'note'> &
  Pick<TokenRecord, 'madeWith'> & { expiresMs?: number | undefined };

/**
 * Durable users, access tokens and sessions. Every read sees what this and other processes have committed, and every
 * change is one transaction, so a sub-command may change accounts while the service runs.
 */
export interface Accounts {
  userByName(username: string): User | undefined;
  userById(id: number): User | undefined;
  /** All users by their ids. */
  users(): User[];
  /** Throws {@link AccountError} when the name is not valid or taken. */
  createUser(user: NewUser): Promise<User>;
  /** The user of this name; creates one who is not site admin if there is none. Throws when the user is of another kind. */
  ensureUser(username: string, kind?: User['kind']): Promise<User>;
  setSiteAdmin(id: number, siteAdmin: boolean): Promise<void>;
  /** Makes this user site admin because the command line says so, and ends that of an earlier command line. */
  setCommandLineAdmin(id: number): Promise<void>;
  /** Returns the token, which can't be read again, and its record. Throws {@link AccountError} for a refused one. */
  createToken(token: NewToken): Promise<{ token: string; record: TokenRecord }>;
  tokenByDigest(digest: string): TokenRecord | undefined;
  /** The tokens of a user, or of all, oldest first. */
  tokens(userId?: number): TokenRecord[];
  /** False when there is no token with this id (of this user). */
  revokeToken(id: number, userId?: number): Promise<boolean>;
  /** Notes the use of a token, at most once a minute. */
  noteTokenUse(digest: string): Promise<void>;
  /** Returns the text for the cookie. */
  createSession(userId: number, tokenDigest: string): Promise<string>;
  session(secret: string): SessionRecord | undefined;
  endSession(secret: string): Promise<void>;
}

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export function isUsername(text: string): boolean {
  return USERNAME.test(text);
}

/** Opens the accounts of a data directory. */
export async function openAccounts(root: RootDatabase<unknown, string>, clock: () => number): Promise<Accounts> {
  const tables = createTables(root);
  const { users, userIds, tokens, tokenIds, sessions, counters } = tables;

  const nextId = (counter: string): number => {
    const next = (counters.get(counter) ?? 0) + 1;
    counters.put(counter, next);
    return next;
  };

  /** Inside a transaction only. */
  function addUser(user: NewUser): User {
    if (!isUsername(user.username)) {
      throw new AccountError(
        'A user name has letters, digits, ".", "_" and "-", at most 128, and starts with neither of the last three.',
      );
    }
    if (userIds.get(user.username) !== undefined) throw new AccountError(`There is already a user ${user.username}.`);
    const { email, displayName = user.username, username, kind, siteAdmin } = user;
    const record: User = { id: nextId('user'), username, displayName, siteAdmin, kind, createdMs: clock() };
    if (email !== undefined) record.email = email;
    users.put(record.id, record);
    userIds.put(username, record.id);
    return record;
  }

  /** Removes what has expired, so that the tables don't grow without end. */
  function removeExpired(): void {
    for (const { key, value } of sessions.entries()) if (value.expiresMs <= clock()) sessions.remove(key);
  }

  const accounts: Accounts = {
    userByName(username) {
      // LMDB refuses keys that are too long; no such user exists.
      const id = isUsername(username) ? userIds.get(username) : undefined;
      return id === undefined ? undefined : users.get(id);
    },
    userById: (id) => users.get(id),
    users: () => [...users.entries()].map(({ value }) => value),
    createUser: (user) => root.transaction(() => addUser(user)),
    ensureUser: (username, kind) =>
      root.transaction(() => {
        const known = accounts.userByName(username);
        if (known !== undefined && kind !== undefined && known.kind !== kind) {
          throw new AccountError(`The user ${username} of a token of the command line is of another kind.`);
        }
        return known ?? addUser({ username, kind: kind ?? 'user', siteAdmin: false });
      }),
    async setSiteAdmin(id, siteAdmin) {
      await root.transaction(() => {
        const user = users.get(id);
        if (user === undefined) throw new AccountError('There is no user with this id.');
        if (siteAdmin && user.kind === 'serviceAccount') {
          throw new AccountError('A service account is never site admin.');
        }
        users.put(id, { ...user, siteAdmin });
      });
    },
    async setCommandLineAdmin(id) {
      await root.transaction(() => {
        const before = counters.get('command-line-admin');
        const earlier = before === undefined ? undefined : users.get(before);
        if (earlier !== undefined) users.put(earlier.id, { ...earlier, siteAdmin: false });
        const user = users.get(id);
        if (user?.kind !== 'user') throw new AccountError('The first --token must belong to a person.');
        if (user.siteAdmin && before !== id) return counters.remove('command-line-admin');
        users.put(id, { ...user, siteAdmin: true });
        return counters.put('command-line-admin', id);
      });
    },
    async createToken({ userId, scopes, note, expiresMs, madeWith }) {
      const token = newSecret('accessToken');
      const record = await root.transaction(() => {
        const user = users.get(userId);
        if (user === undefined) throw new AccountError('There is no user with this id.');
        refuseToken(user, scopes, note, expiresMs);
        const created: TokenRecord = {
          id: nextId('token'),
          digest: digestOf(token),
          userId,
          scopes,
          note,
          createdMs: clock(),
        };
        if (expiresMs !== undefined) created.expiresMs = expiresMs;
        if (madeWith !== undefined) created.madeWith = madeWith;
        tokens.put(created.digest, created);
        tokenIds.put(created.id, created.digest);
        return created;
      });
      return { token, record };
    },
    tokenByDigest: (digest) => tokens.get(digest),
    tokens: (userId) =>
      [...tokenIds.entries()].flatMap(({ value: digest }) => {
        const record = tokens.get(digest);
        return record !== undefined && (userId === undefined || record.userId === userId) ? [record] : [];
      }),
    revokeToken: (id, userId) =>
      root.transaction(() => {
        const digest = tokenIds.get(id);
        const record = digest === undefined ? undefined : tokens.get(digest);
        if (record === undefined || (userId !== undefined && record.userId !== userId)) return false;
        tokens.remove(record.digest);
        tokenIds.remove(id);
        return true;
      }),
    async noteTokenUse(digest) {
      const isDue = (record: TokenRecord | undefined): record is TokenRecord =>
        record !== undefined && clock() - (record.lastUsedMs ?? 0) >= LIMITS.tokenUseNotedMs;
      if (!isDue(tokens.get(digest))) return;
      await root.transaction(() => {
        // Read again: the token may have been revoked since.
        const record = tokens.get(digest);
        if (isDue(record)) tokens.put(digest, { ...record, lastUsedMs: clock() });
      });
    },
    async createSession(userId, tokenDigest) {
      const secret = newSecret('session');
      const createdMs = clock();
      await root.transaction(() => {
        removeExpired();
        const own = [...sessions.entries()].filter(({ value }) => value.userId === userId);
        own.sort((a, b) => a.value.createdMs - b.value.createdMs);
        const excess = own.slice(0, Math.max(0, own.length - LIMITS.sessionsPerUser + 1));
        for (const { key } of excess) sessions.remove(key);
        sessions.put(digestOf(secret), { userId, tokenDigest, createdMs, expiresMs: createdMs + LIMITS.sessionMs });
      });
      return secret;
    },
    session(secret) {
      const record = sessions.get(digestOf(secret));
      return record === undefined || record.expiresMs <= clock() ? undefined : record;
    },
    async endSession(secret) {
      await root.transaction(() => sessions.remove(digestOf(secret)));
    },
  };

  function refuseToken(user: User, scopes: readonly Scope[], note: string, expiresMs: number | undefined): void {
    if (scopes.length === 0) throw new AccountError('A token needs at least one scope.');
    if (scopes.includes('site-admin:sudo') && !user.siteAdmin) {
      throw new AccountError('Only the token of a site admin can carry the scope site-admin:sudo.');
    }
    if (note.length > LIMITS.noteCharacters) {
      throw new AccountError(`A note has at most ${LIMITS.noteCharacters} characters.`);
    }
    if (expiresMs !== undefined && expiresMs <= clock())
      throw new AccountError('The token would have expired already.');
    if (accounts.tokens(user.id).length >= LIMITS.tokensPerUser) {
      throw new AccountError(`A user has at most ${LIMITS.tokensPerUser} tokens. Revoke one first.`);
    }
  }

  await root.transaction(removeExpired);
  return accounts;
}
