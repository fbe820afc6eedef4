import { type AccountStore, accountSchema, type Person } from '../core/accounts/accounts.ts';
import { isAppError } from '../core/errors.ts';
import { createFormat, type RecordFormat } from '../core/record.ts';
import { Secret } from '../core/secret.ts';
import { type Installations, installationSchema } from '../core/workspaces/installations.ts';
import type { KeyRing } from './encryption.ts';
import { type KeyValueStore, lost, retryLost } from './key-value-store.ts';

/** Records of one type without expiry, each encrypted as a whole and bound to its key. */
interface SealedRecords<T> {
  get(key: string): Promise<T | undefined>;
  /** Atomic read-modify-write. Stores nothing for the same object, and removes the record for undefined. */
  update(key: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined>;
  /** Stores a record in place of any other, also of one that can't be decrypted. */
  replace(key: string, record: T): Promise<void>;
}

/** What a change of keys did with stored records: how many it encrypted again, and how many it left. */
export interface Rotation {
  rotated: number;
  /** Already encrypted with the first key. */
  current: number;
  /** No key decrypts them. They were left as they are. */
  unreadable: number;
}

/**
 * Stores encrypted records on either engine. What the storage shows without the keys is that a record exists. Throws
 * `AppError` of kind `storage`, or `corrupt` for a record that no key decrypts.
 */
export function createSealedRecords<T>(kv: KeyValueStore, keyRing: KeyRing, format: RecordFormat<T>): SealedRecords<T> {
  return {
    async get(key) {
      const text = await kv.get(key);
      return text === undefined ? undefined : decode(key, text);
    },
    update: (key, change) =>
      retryLost(key, async () => {
        const text = await kv.get(key);
        const current = text === undefined ? undefined : decode(key, text);
        const next = change(current);
        if (next === current) return next;
        if (next === undefined) {
          return text === undefined || (await kv.compareAndDelete(key, text)) ? undefined : lost;
        }
        return (await kv.compareAndSet(key, text, encode(key, next))) ? next : lost;
      }),
    replace: (key, record) => kv.set(key, encode(key, record)),
  };

  function decode(key: string, text: string): T {
    return format.decode(key, keyRing.open(key, text));
  }

  function encode(key: string, record: T): string {
    const plain = JSON.stringify(record, revealed);
    // Throws for a record that could not be read back, so that the last good one stays stored.
    format.decode(key, plain);
    return keyRing.seal(key, plain);
  }
}

/**
 * Encrypts the records under `keys` with the first key. Leaves those that no key decrypts. Safe beside running apps and
 * when it is interrupted: each record is replaced only if it is still the one that was read. Throws `AppError` of kind
 * `storage`.
 */
export async function rotateSealed(kv: KeyValueStore, keyRing: KeyRing, keys: Iterable<string>): Promise<Rotation> {
  const rotation: Rotation = { rotated: 0, current: 0, unreadable: 0 };
  for (const key of keys) {
    const done = await rotate(kv, keyRing, key);
    if (done !== 'gone') rotation[done] += 1;
  }
  return rotation;
}

async function rotate(kv: KeyValueStore, keyRing: KeyRing, key: string): Promise<keyof Rotation | 'gone'> {
  return retryLost(key, async () => {
    const text = await kv.get(key);
    if (text === undefined) return 'gone';
    try {
      const plain = keyRing.open(key, text);
      if (keyRing.isCurrent(text)) return 'current';
      return (await kv.compareAndSet(key, text, keyRing.seal(key, plain))) ? 'rotated' : lost;
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      return 'unreadable';
    }
  });
}

/** A replacer for `JSON.stringify` that writes secrets. It is called with the object that holds the value. */
function revealed(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const held = this[name];
  return held instanceof Secret ? held.reveal() : value;
}

/** Prefix of the keys of accounts. After it comes the person: `T…:U…`. */
export const accountPrefix = 'ds:account:';

/** The encryption binds an account to this key. Another form of the key makes stored accounts unreadable. */
export function accountKey({ teamId, userId }: Person): string {
  return `${accountPrefix}${teamId}:${userId}`;
}

/**
 * Stores accounts on either engine, the whole record encrypted. They have no expiry: an account stays until it is
 * removed. What the storage shows without the keys is who has an account.
 */
export function createAccountStore(kv: KeyValueStore, keyRing: KeyRing): AccountStore {
  const records = createSealedRecords(kv, keyRing, createFormat(accountSchema));
  return {
    get: (person) => records.get(accountKey(person)),
    update: (person, change) => records.update(accountKey(person), change),
    remove: (person) => kv.delete(accountKey(person)),
    people: (teamId) => accountHolders(kv, teamId),
  };
}

/** Encrypts every account with the first key, as {@link rotateSealed} does. */
export async function rotateAccountKeys(kv: KeyValueStore, keyRing: KeyRing): Promise<Rotation> {
  return rotateSealed(kv, keyRing, (await accountHolders(kv)).map(accountKey));
}

/**
 * Everyone with a stored account, of one team or of all. The keys themselves are the list: a separate one could miss an
 * account after a crash, and a token that no list names would never be rotated or removed.
 */
async function accountHolders(kv: Pick<KeyValueStore, 'keys'>, teamId?: string): Promise<Person[]> {
  const people = new Map<string, Person>();
  for await (const key of kv.keys(teamId === undefined ? accountPrefix : accountKey({ teamId, userId: '' }))) {
    const [team, user] = key.slice(accountPrefix.length).split(':');
    if (team !== undefined && user !== undefined) people.set(key, { teamId: team, userId: user });
  }
  return [...people.values()];
}

/** Prefix of the keys of installations. After it comes the workspace (`T…`) or organization (`E…`). */
const installationPrefix = 'ds:installation:';

/** The encryption binds an installation to this key. Another form of the key makes stored installations unreadable. */
function installationKey(workspaceId: string): string {
  return `${installationPrefix}${workspaceId}`;
}

/** Stores installations on either engine, the whole record encrypted. They have no expiry. */
export function createInstallations(kv: KeyValueStore, keyRing: KeyRing): Installations {
  const records = createSealedRecords(kv, keyRing, createFormat(installationSchema));
  return {
    get: (workspaceId) => records.get(installationKey(workspaceId)),
    update: (workspaceId, change) => records.update(installationKey(workspaceId), change),
    replace: (installation) => records.replace(installationKey(installation.workspaceId), installation),
    ids: () => installationIds(kv),
  };
}

/** Encrypts every installation with the first key, as {@link rotateSealed} does. */
export async function rotateInstallationKeys(kv: KeyValueStore, keyRing: KeyRing): Promise<Rotation> {
  return rotateSealed(kv, keyRing, (await installationIds(kv)).map(installationKey));
}

async function installationIds(kv: Pick<KeyValueStore, 'keys'>): Promise<string[]> {
  const ids = new Set<string>();
  for await (const key of kv.keys(installationPrefix)) ids.add(key.slice(installationPrefix.length));
  return [...ids];
}
