import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account, AccountStore, EncryptionKey, Person } from '../../../src/core/accounts/accounts.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createKeyRing } from '../../../src/storage/encryption.ts';
import type { KeyValueStore } from '../../../src/storage/key-value-store.ts';
import { accountKey, createAccountStore, rotateAccountKeys } from '../../../src/storage/sealed-records.ts';
import type { Engine } from './storage-contract.ts';

const TWENTY = Array.from({ length: 20 }, (_, index) => index);
const ana: Person = { teamId: 'T1', userId: 'U1' };
const ben: Person = { teamId: 'T1', userId: 'U2' };
const corrupt = expect.objectContaining({ name: 'AppError', kind: 'corrupt' });

function newKey(id: string): EncryptionKey {
  return { id, key: new Secret(randomBytes(32).toString('base64')) };
}

function byToken(person: Person, token = 'sgp_of-a-person'): Account {
  return { person, username: 'ana.s', credential: { kind: 'token', token: new Secret(token) }, connectedMs: 1_000 };
}

function tokenOf(account: Account | undefined): string | undefined {
  return account?.credential.kind === 'token' ? account.credential.token.reveal() : undefined;
}

/** The contract of stored accounts, for every engine. */
export function accountsContract(engine: Engine): void {
  const [first, second] = [newKey('first'), newKey('second')];
  let kv: KeyValueStore;
  let accounts: AccountStore;

  const withKeys = (...keys: EncryptionKey[]) => createAccountStore(kv, createKeyRing(keys));

  beforeEach(async () => {
    await engine.clear();
    kv = await engine.open();
    accounts = withKeys(first);
  });

  afterEach(() => kv.close());

  describe('with accounts', () => {
    it('returns what was stored, to this person and no one else', async () => {
      expect(await accounts.get(ana)).toBeUndefined();
      expect(tokenOf(await accounts.update(ana, () => byToken(ana)))).toBe('sgp_of-a-person');
      expect(tokenOf(await accounts.get(ana))).toBe('sgp_of-a-person');
      expect(await accounts.get(ben)).toBeUndefined();
      expect(await accounts.get({ ...ana, teamId: 'T2' })).toBeUndefined();
    });

    it('keeps every field of an OAuth account', async () => {
      const stored: Account = {
        person: ana,
        username: 'ana.s',
        credential: {
          kind: 'oauth',
          accessToken: new Secret('access'),
          refreshToken: new Secret('refresh'),
          expiresAtMs: 5_000,
        },
        connectedMs: 1_000,
        refusedMs: 2_000,
      };
      await accounts.update(ana, () => stored);
      const read = await accounts.get(ana);
      expect(read).toMatchObject({ person: ana, username: 'ana.s', connectedMs: 1_000, refusedMs: 2_000 });
      if (read?.credential.kind !== 'oauth') throw new Error('the account has another kind');
      const { accessToken, refreshToken, expiresAtMs } = read.credential;
      expect([accessToken.reveal(), refreshToken?.reveal(), expiresAtMs]).toEqual(['access', 'refresh', 5_000]);
    });

    it('stores neither a secret nor a name of the service, and a different text each time', async () => {
      await accounts.update(ana, () => byToken(ana));
      const text = (await kv.get(accountKey(ana))) ?? '';
      expect(text).not.toMatch(/sgp_|ana\.s/);
      expect(JSON.parse(text)).toMatchObject({ version: 1, keyId: 'first' });
      await accounts.update(ana, (current) => current && { ...current });
      expect(await kv.get(accountKey(ana))).not.toBe(text);
    });

    it('keeps the fields that a newer version added', async () => {
      const newer = { ...byToken(ana), color: 'red' };
      await accounts.update(ana, () => newer);
      await accounts.update(ana, (current) => current && { ...current, refusedMs: 9 });
      expect(await accounts.get(ana)).toMatchObject({ color: 'red', refusedMs: 9 });
    });

    it('stores nothing if the change returns what it got', async () => {
      await accounts.update(ana, () => byToken(ana));
      const text = await kv.get(accountKey(ana));
      await accounts.update(ana, (current) => current);
      expect(await kv.get(accountKey(ana))).toBe(text);
      expect(await accounts.update(ben, () => undefined)).toBeUndefined();
    });

    it('applies every change of many writers', async () => {
      const other = withKeys(first);
      await accounts.update(ana, () => ({ ...byToken(ana), connectedMs: 0 }));
      const later = (current: Account | undefined) => current && { ...current, connectedMs: current.connectedMs + 1 };
      await Promise.all(TWENTY.map((index) => (index % 2 === 0 ? accounts : other).update(ana, later)));
      expect((await accounts.get(ana))?.connectedMs).toBe(TWENTY.length);
    });

    it('lists the people of a team, and only those with an account', async () => {
      const away: Person = { teamId: 'T2', userId: 'U1' };
      for (const person of [ana, ben, away]) await accounts.update(person, () => byToken(person));
      expect(await accounts.people('T1')).toEqual(expect.arrayContaining([ana, ben]));
      expect(await accounts.people('T2')).toEqual([away]);
      expect(await accounts.people('T')).toEqual([]);
      expect(await accounts.remove(ana)).toBe(true);
      expect(await accounts.remove(ana)).toBe(false);
      await accounts.update(ben, () => undefined);
      expect(await accounts.people('T1')).toEqual([]);
      expect([await accounts.get(ana), await accounts.get(ben)]).toEqual([undefined, undefined]);
    });

    it('can not be read under the name of another person', async () => {
      await accounts.update(ana, () => byToken(ana));
      await kv.set(accountKey(ben), (await kv.get(accountKey(ana))) ?? '');
      await expect(accounts.get(ben)).rejects.toEqual(corrupt);
    });

    it.each<[string, (sealed: Record<string, unknown>) => unknown]>([
      ['changed data', (sealed) => ({ ...sealed, data: Buffer.from('{"other":1}').toString('base64') })],
      ['a changed tag', (sealed) => ({ ...sealed, tag: randomBytes(16).toString('base64') })],
      ['a short tag', (sealed) => ({ ...sealed, tag: 'AAAA' })],
      ['no tag', (sealed) => ({ ...sealed, tag: '' })],
      ['another IV', (sealed) => ({ ...sealed, iv: randomBytes(12).toString('base64') })],
      ['an unknown key', (sealed) => ({ ...sealed, keyId: 'lost' })],
      ['the id of another key', (sealed) => ({ ...sealed, keyId: 'second' })],
      ['another version', (sealed) => ({ ...sealed, version: 2 })],
      ['no JSON', () => undefined],
    ])('says that a record with %s is corrupt, leaves it, and can remove it', async (_, change) => {
      const both = withKeys(first, second);
      await both.update(ana, () => byToken(ana));
      const changed = JSON.stringify(change(JSON.parse((await kv.get(accountKey(ana))) ?? ''))) ?? 'nothing';
      await kv.set(accountKey(ana), changed);
      await expect(both.get(ana)).rejects.toEqual(corrupt);
      await expect(both.update(ana, () => byToken(ana, 'newer'))).rejects.toEqual(corrupt);
      expect(await kv.get(accountKey(ana))).toBe(changed);
      expect(await both.people('T1')).toEqual([ana]);
      expect(await both.remove(ana)).toBe(true);
      expect([await both.get(ana), await both.people('T1')]).toEqual([undefined, []]);
    });

    it('refuses to store without a key, and still removes', async () => {
      await accounts.update(ana, () => byToken(ana));
      const keyless = withKeys();
      await expect(keyless.update(ben, () => byToken(ben))).rejects.toMatchObject({ kind: 'storage' });
      await expect(keyless.get(ana)).rejects.toEqual(corrupt);
      expect(await keyless.people('T1')).toEqual([ana]);
      expect(await keyless.remove(ana)).toBe(true);
    });
  });

  describe('with keys that change', () => {
    it('reads with every key, and writes with the first', async () => {
      await accounts.update(ana, () => byToken(ana));
      const both = withKeys(second, first);
      expect(tokenOf(await both.get(ana))).toBe('sgp_of-a-person');
      await both.update(ana, (current) => current && { ...current });
      await expect(accounts.get(ana)).rejects.toEqual(corrupt);
      expect(tokenOf(await withKeys(second).get(ana))).toBe('sgp_of-a-person');
    });

    it('encrypts all accounts with the first key, once, and leaves those that no key decrypts', async () => {
      await accounts.update(ana, () => byToken(ana, 'of Ana'));
      await withKeys(second).update(ben, () => byToken(ben, 'of Ben'));
      const lost: Person = { teamId: 'T2', userId: 'U3' };
      await withKeys(newKey('lost')).update(lost, () => byToken(lost));
      const lostText = await kv.get(accountKey(lost));
      const ring = createKeyRing([second, first]);

      expect(await rotateAccountKeys(kv, ring)).toEqual({ rotated: 1, current: 1, unreadable: 1 });
      expect(await rotateAccountKeys(kv, ring)).toEqual({ rotated: 0, current: 2, unreadable: 1 });
      const after = withKeys(second);
      expect([tokenOf(await after.get(ana)), tokenOf(await after.get(ben))]).toEqual(['of Ana', 'of Ben']);
      expect(await kv.get(accountKey(lost))).toBe(lostText);
    });

    it('counts a record as unreadable that claims the first key and does not open with it', async () => {
      await accounts.update(ana, () => byToken(ana));
      await kv.set(accountKey(ben), (await kv.get(accountKey(ana))) ?? '');
      expect(await rotateAccountKeys(kv, createKeyRing([first]))).toEqual({ rotated: 0, current: 1, unreadable: 1 });
    });

    it('keeps every change that people make while the keys rotate', async () => {
      const both = withKeys(first, second);
      const people = TWENTY.map((index): Person => ({ teamId: 'T1', userId: `U${index}` }));
      for (const person of people) await both.update(person, () => byToken(person, 'before'));
      const [{ rotated }] = await Promise.all([
        rotateAccountKeys(kv, createKeyRing([second, first])),
        ...people.map((person) => both.update(person, () => byToken(person, `after ${person.userId}`))),
      ]);
      expect(rotated).toBeLessThanOrEqual(people.length);
      for (const person of people) expect(tokenOf(await both.get(person))).toBe(`after ${person.userId}`);
    });
  });
}
