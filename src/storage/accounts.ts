import { z } from 'zod';
import type { Account, AccountStore, Person } from '../core/accounts/accounts.ts';
import { isAppError } from '../core/errors.ts';
import { Secret } from '../core/secret.ts';
import type { KeyRing } from './encryption.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createFormat, type Exactly, type RecordFormat } from './record-format.ts';
import { lost, retryLost } from './retry-lost.ts';

/** Prefix of the keys of accounts. After it comes the person: `T…:U…`. */
export const accountPrefix = 'ds:account:';

/** The encryption binds an account to this key. Another form of the key makes stored accounts unreadable. */
export function accountKey({ teamId, userId }: Person): string {
  return `${accountPrefix}${teamId}:${userId}`;
}

const secretSchema = z.string().transform((value) => new Secret(value));

// Objects are loose, so that during a rolling deploy an older process does not drop fields that a newer one added.
const accountSchema = z.looseObject({
  person: z.looseObject({ teamId: z.string(), userId: z.string() }),
  username: z.string(),
  credential: z.discriminatedUnion('kind', [
    z.looseObject({ kind: z.literal('token'), token: secretSchema }),
    z.looseObject({
      kind: z.literal('oauth'),
      accessToken: secretSchema,
      refreshToken: secretSchema.exactOptional(),
      expiresAtMs: z.number().exactOptional(),
      refreshAtMs: z.number().exactOptional(),
    }),
  ]),
  connectedMs: z.number(),
  refusedMs: z.number().exactOptional(),
});

const plainFormat: RecordFormat<Account> = createFormat<Account>(
  accountSchema satisfies Exactly<typeof accountSchema, Account>,
);

/** What `rotateAccountKeys` did with the stored accounts: how many it encrypted again, and how many it left. */
export interface Rotation {
  rotated: number;
  /** Already encrypted with the first key. */
  current: number;
  /** No key decrypts them. They were left as they are. */
  unreadable: number;
}

/**
 * Stores accounts on either engine, the whole record encrypted. They have no expiry: an account stays until it is
 * removed. What the storage shows without the keys is who has an account.
 */
export function createAccountStore(kv: KeyValueStore, keyRing: KeyRing): AccountStore {
  return {
    async get(person) {
      const text = await kv.get(accountKey(person));
      return text === undefined ? undefined : decode(keyRing, person, text);
    },

    async update(person, change) {
      const key = accountKey(person);
      return retryLost(key, async () => {
        const text = await kv.get(key);
        const current = text === undefined ? undefined : decode(keyRing, person, text);
        const next = change(current);
        if (next === current) return next;
        if (next === undefined) {
          return text === undefined || (await kv.compareAndDelete(key, text)) ? undefined : lost;
        }
        return (await kv.compareAndSet(key, text, encode(keyRing, person, next))) ? next : lost;
      });
    },

    remove: (person) => kv.delete(accountKey(person)),
    people: (teamId) => listed(kv, teamId),
  };
}

/**
 * Encrypts every account with the first key. Leaves the accounts that no key decrypts. Safe beside running apps and
 * when it is interrupted: each account is replaced only if it is still the one that was read. Throws `AppError` of kind
 * `storage`.
 */
export async function rotateAccountKeys(kv: KeyValueStore, keyRing: KeyRing): Promise<Rotation> {
  const rotation: Rotation = { rotated: 0, current: 0, unreadable: 0 };
  for (const person of await listed(kv)) {
    const done = await rotate(kv, keyRing, person);
    if (done !== 'gone') rotation[done] += 1;
  }
  return rotation;
}

async function rotate(kv: KeyValueStore, keyRing: KeyRing, person: Person): Promise<keyof Rotation | 'gone'> {
  const key = accountKey(person);
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

function decode(keyRing: KeyRing, person: Person, text: string): Account {
  const key = accountKey(person);
  return plainFormat.decode(key, keyRing.open(key, text));
}

function encode(keyRing: KeyRing, person: Person, account: Account): string {
  const key = accountKey(person);
  const plain = JSON.stringify(account, revealed);
  // Throws for an account that could not be read back, so that the last good one stays stored.
  plainFormat.decode(key, plain);
  return keyRing.seal(key, plain);
}

/** A replacer for `JSON.stringify` that writes secrets. It is called with the object that holds the value. */
function revealed(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const held = this[name];
  return held instanceof Secret ? held.reveal() : value;
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
