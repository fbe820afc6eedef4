import { type AccountStore, accountSchema, type Person } from '../core/accounts/accounts.ts';
import { createFormat } from '../core/record.ts';
import type { KeyRing } from './encryption.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createSealedRecords, type Rotation, rotateSealed } from './sealed-records.ts';

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
    people: (teamId) => listed(kv, teamId),
  };
}

/** Encrypts every account with the first key, as {@link rotateSealed} does. */
export async function rotateAccountKeys(kv: KeyValueStore, keyRing: KeyRing): Promise<Rotation> {
  return rotateSealed(kv, keyRing, (await listed(kv)).map(accountKey));
}

/**
 * Everyone with a stored account, of one team or of all. The keys themselves are the list: a separate one could miss an
 * account after a crash, and a token that no list names would never be rotated or removed.
 */
async function listed(kv: Pick<KeyValueStore, 'keys'>, teamId?: string): Promise<Person[]> {
  const people = new Map<string, Person>();
  for await (const key of kv.keys(teamId === undefined ? accountPrefix : accountKey({ teamId, userId: '' }))) {
    const [team, user] = key.slice(accountPrefix.length).split(':');
    if (team !== undefined && user !== undefined) people.set(key, { teamId: team, userId: user });
  }
  return [...people.values()];
}
