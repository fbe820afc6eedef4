import type { Database, RootDatabase } from 'lmdb';
import type {
  CodeRecord,
  GrantRecord,
  OAuthApp,
  OAuthTokenRecord,
  SessionRecord,
  TokenRecord,
  User,
} from './records.ts';

type Part = string | number;

/** One kind of record in the database of accounts. Call `put` and `remove` inside a transaction only. */
export interface Table<Key extends Part, Value> {
  get(key: Key): Value | undefined;
  put(key: Key, value: Value): void;
  remove(key: Key): void;
  /** All records, ordered by key. */
  entries(): Iterable<{ key: Key; value: Value }>;
}

/** The tables of accounts: all in one LMDB database, each under its name. */
export function createTables(root: RootDatabase<unknown, string>) {
  const database: Database<unknown, [string, Part]> = root.openDB({ name: 'accounts', encoding: 'json' });

  function table<Key extends Part, Value>(name: string): Table<Key, Value> {
    return {
      // Only this table writes these keys.
      get: (key) => database.get([name, key]) as Value | undefined,
      put: (key, value) => void database.put([name, key], value),
      remove: (key) => void database.remove([name, key]),
      entries: () =>
        database
          // Keys are positive numbers or ASCII text, and LMDB orders numbers before text.
          .getRange({ start: [name, 0], end: [name, '\uffff'] })
          .map(({ key, value }) => ({ key: key[1] as Key, value: value as Value })),
    };
  }

  return {
    users: table<number, User>('user'),
    userIds: table<string, number>('user-id'),
    tokens: table<string, TokenRecord>('token'),
    tokenIds: table<number, string>('token-digest'),
    sessions: table<string, SessionRecord>('session'),
    apps: table<string, OAuthApp>('oauth-app'),
    grants: table<string, GrantRecord>('oauth-grant'),
    codes: table<string, CodeRecord>('oauth-code'),
    oauthTokens: table<string, OAuthTokenRecord>('oauth-token'),
    counters: table<string, number>('counter'),
  };
}
