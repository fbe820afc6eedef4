import { describe, expect, it } from 'vitest';
import type { Account, AccountStore, Person } from '../../../src/core/accounts/accounts.ts';
import { type AccountPorts, createAccounts, createStoreConnected } from '../../../src/core/accounts/connecting.ts';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import type { AuditEntry } from '../../../src/core/history/audit.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createInMemoryAccounts } from '../../support/accounts/in-memory-accounts.ts';

const ana: Person = { teamId: 'T1', userId: 'U1' };
const ben: Person = { teamId: 'T1', userId: 'U2' };
const token = new Secret('sgp_ana');

function byToken(person: Person): Account {
  return { person, username: 'former', credential: { kind: 'token', token: new Secret('sgp_old') }, connectedMs: 1 };
}

/** Accounts of people, and what happened, in order. */
function setup({ store = createInMemoryAccounts(), ...changes }: Partial<AccountPorts> = {}) {
  const done: string[] = [];
  const entries: AuditEntry[] = [];
  const recorded: AccountStore = {
    ...store,
    update: async (person, change) => {
      const stored = await store.update(person, change);
      done.push(`stored ${person.userId}`);
      return stored;
    },
    remove: async (person) => {
      done.push(`removed ${person.userId}`);
      return store.remove(person);
    },
  };
  const storing = {
    store: recorded,
    changed: ({ userId }: Person) => void done.push(`changed ${userId}`),
    audit: {
      note(entry: AuditEntry) {
        done.push(`noted ${entry.action}`);
        entries.push(entry);
      },
    },
    now: () => 5_000,
  };
  const storeConnected = createStoreConnected(storing);
  const accounts = createAccounts({
    ...storing,
    mode: 'preferred',
    hasKeys: true,
    storeConnected,
    checkToken: async () => ({ username: 'ana.s' }),
    ...changes,
  });
  return { accounts, storeConnected, store, done, entries };
}

describe('what is offered', () => {
  it.each<[string, Partial<AccountPorts>, object]>([
    ['a token', {}, { can: true, byToken: true, bySignIn: false }],
    [
      'a token and sign-in',
      { signInUrl: async () => 'https://x.example' },
      { can: true, byToken: true, bySignIn: true },
    ],
    ['nothing without keys', { hasKeys: false, mode: 'required' }, { can: false, reason: 'noKeys' }],
    ['nothing where accounts are shared', { mode: 'shared' }, { can: false, reason: 'off' }],
    [
      'nothing where accounts are shared, also without keys',
      { mode: 'shared', hasKeys: false },
      { can: false, reason: 'off' },
    ],
  ])('is %s', (_, ports, offer) => {
    expect(setup(ports).accounts.offer).toEqual(offer);
  });

  it('includes the address to sign in, or says that there is none', async () => {
    const signInUrl: AccountPorts['signInUrl'] = async ({ userId }, name, locale) =>
      `https://x.example/${userId}/${name}/${locale}`;
    expect(await setup({ signInUrl }).accounts.signInUrl(ana, 'Ana', 'de')).toBe('https://x.example/U1/Ana/de');
    const refused = { name: 'AppError', kind: 'refused' };
    await expect(setup().accounts.signInUrl(ana, 'Ana')).rejects.toMatchObject(refused);
    await expect(setup({ signInUrl, hasKeys: false }).accounts.signInUrl(ana, 'Ana')).rejects.toMatchObject(refused);
  });
});

describe('connecting with a token', () => {
  it('stores what the service said, before anyone is told', async () => {
    const { accounts, store, done, entries } = setup();
    expect(await accounts.connectWithToken(ana, token)).toEqual({ kind: 'connected', username: 'ana.s' });
    expect(await store.get(ana)).toEqual({
      person: ana,
      username: 'ana.s',
      credential: { kind: 'token', token },
      connectedMs: 5_000,
    });
    expect(done).toEqual(['stored U1', 'changed U1', 'noted connected']);
    expect(entries).toEqual([
      { id: 'connected:U1:5000', atMs: 5_000, action: 'connected', teamId: 'T1', userId: 'U1', detail: 'token' },
    ]);
  });

  it('replaces the account before, also a refused one', async () => {
    const { accounts } = setup({ store: createInMemoryAccounts({ ...byToken(ana), refusedMs: 3 }) });
    expect(await accounts.statusOf(ana)).toMatchObject({ state: 'refused', username: 'former' });
    await accounts.connectWithToken(ana, token);
    expect(await accounts.statusOf(ana)).toEqual({
      state: 'connected',
      kind: 'token',
      username: 'ana.s',
      connectedMs: 5_000,
    });
  });

  it('replaces an account that no key decrypts', async () => {
    const store = createInMemoryAccounts(byToken(ana));
    let isReadable = false;
    const unreadable: AccountStore = {
      ...store,
      update: async (person, change) => {
        if (!isReadable) throw new AppError('corrupt', 'no key');
        return store.update(person, change);
      },
      remove: async (person) => {
        isReadable = true;
        return store.remove(person);
      },
    };
    const { accounts } = setup({ store: unreadable });
    expect(await accounts.connectWithToken(ana, token)).toEqual({ kind: 'connected', username: 'ana.s' });
    expect(await store.get(ana)).toMatchObject({ username: 'ana.s' });
  });

  it.each<[ErrorKind, string]>([
    ['unauthorized', 'refused'],
    ['unavailable', 'notChecked'],
    ['badReply', 'notChecked'],
    ['rateLimited', 'notChecked'],
    ['refused', 'notChecked'],
  ])('that fails as %s is %s, and stores nothing', async (kind, result) => {
    const { accounts, done } = setup({ checkToken: () => Promise.reject(new AppError(kind, 'it failed')) });
    expect(await accounts.connectWithToken(ana, token)).toEqual({ kind: result });
    expect(done).toEqual([]);
  });

  it.each<[string, Partial<AccountPorts>]>([
    ['keys', { hasKeys: false }],
    ['own accounts', { mode: 'shared' }],
  ])('is not checked without %s', async (_, ports) => {
    const { accounts, done } = setup(ports);
    expect(await accounts.connectWithToken(ana, token)).toEqual({ kind: 'notChecked' });
    expect(done).toEqual([]);
  });

  it('throws the failure of the storage, and tells no one', async () => {
    const failure = new AppError('storage', 'it is down');
    const store: AccountStore = { ...createInMemoryAccounts(), update: () => Promise.reject(failure) };
    const { accounts, done } = setup({ store });
    await expect(accounts.connectWithToken(ana, token)).rejects.toBe(failure);
    expect(done).toEqual([]);
  });
});

describe('signing in', () => {
  it('stores an OAuth account in the same way', async () => {
    const { storeConnected, accounts, entries } = setup();
    await storeConnected(ana, { username: 'ana.s', credential: { kind: 'oauth', accessToken: token } });
    expect(await accounts.statusOf(ana)).toMatchObject({ state: 'connected', kind: 'oauth' });
    expect(entries).toMatchObject([{ action: 'connected', detail: 'oauth' }]);
  });
});

describe('removing', () => {
  it('tells of it and notes it once, with its reason', async () => {
    const { accounts, done, entries } = setup({ store: createInMemoryAccounts(byToken(ana), byToken(ben)) });
    expect([await accounts.remove(ana), await accounts.remove(ana)]).toEqual([true, false]);
    expect(done).toEqual(['removed U1', 'changed U1', 'noted disconnected', 'removed U1']);
    expect(await accounts.remove(ben, 'departed')).toBe(true);
    expect(entries).toMatchObject([
      { action: 'disconnected', userId: 'U1' },
      { action: 'accountRemoved', userId: 'U2', detail: 'departed' },
    ]);
    expect(await accounts.statusOf(ana)).toEqual({ state: 'none' });
  });

  it('still works where accounts are shared again', async () => {
    const { accounts } = setup({ mode: 'shared', hasKeys: false, store: createInMemoryAccounts(byToken(ana)) });
    expect(await accounts.remove(ana)).toBe(true);
  });

  it('of a whole workspace leaves the others', async () => {
    const away: Person = { teamId: 'T2', userId: 'U9' };
    const { accounts, store, entries } = setup({
      store: createInMemoryAccounts(byToken(ana), byToken(ben), byToken(away)),
    });
    expect(await accounts.removeAll('T1')).toBe(2);
    expect([await store.people('T1'), await store.people('T2')]).toEqual([[], [away]]);
    expect(entries.map(({ userId, detail }) => [userId, detail])).toEqual([
      ['U1', 'workspaceEnded'],
      ['U2', 'workspaceEnded'],
    ]);
  });
});
