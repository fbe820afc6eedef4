import { describe, expect, test } from 'vitest';
import type {
  Account,
  AuthorizationServer,
  Credential,
  UsableCredential,
} from '../../../src/core/accounts/accounts.ts';
import { createAccountCredentials } from '../../../src/core/accounts/credentials.ts';
import { refreshPauseMs } from '../../../src/core/accounts/token-refresh.ts';
import { AppError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createInMemoryAccounts, createInMemoryLocks } from '../../support/accounts/in-memory-accounts.ts';
import { createRotatingServer } from '../../support/accounts/rotating-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const ana = { teamId: 'T1', userId: 'UANA' };

interface Choice {
  credential?: Credential;
  server?: Partial<AuthorizationServer>;
  withoutServer?: true;
}

function setUp(choose: Choice = {}) {
  let nowMs = 1_000_000;
  const now = () => nowMs;
  const issuer = createRotatingServer(now);
  const credential: Credential = choose.credential ?? { kind: 'oauth', ...issuer.issue() };
  const account: Account = { person: ana, username: 'ana', credential, connectedMs: 0 };
  const accounts = createInMemoryAccounts(account);
  const locks = createInMemoryLocks(now);
  const changes: string[] = [];
  const process = () =>
    createAccountCredentials({
      accounts,
      locks,
      server: choose.withoutServer ? undefined : { ...issuer.server, ...choose.server },
      changed: ({ userId }) => void changes.push(userId),
      now,
      log: createRecordingLog().log,
    });
  return {
    issuer,
    accounts,
    changes,
    process,
    credentials: process(),
    pass: (ms: number) => {
      nowMs += ms;
    },
    stored: async () => (await accounts.get(ana))?.credential,
  };
}

function bearer(token: string): UsableCredential {
  return { scheme: 'Bearer', secret: new Secret(token) };
}

function text(credential: UsableCredential | undefined): string | undefined {
  return credential && `${credential.scheme} ${credential.secret.reveal()}`;
}

const down = () => Promise.reject(new AppError('unavailable', 'down', { outcomeUnknown: true }));

describe('the credential for the next request', () => {
  test('is the access token that the person gave, without a refresh', async () => {
    const { credentials, issuer } = setUp({ credential: { kind: 'token', token: new Secret('given') } });
    expect(text(await credentials.current(ana))).toBe('token given');
    expect(issuer.calls()).toBe(0);
  });

  test('is refreshed when it expires soon, not earlier, and stored before it is used', async () => {
    const { credentials, pass, stored, issuer } = setUp();
    pass(539_999);
    expect(text(await credentials.current(ana))).toBe('Bearer access-1');
    pass(1);
    expect(text(await credentials.current(ana))).toBe('Bearer access-2');
    expect(await stored()).toMatchObject({ accessToken: expect.toSatisfy(isSecret('access-2')) });
    expect(await stored()).toMatchObject({ refreshToken: expect.toSatisfy(isSecret('refresh-2')) });
    expect(issuer.calls()).toBe(1);
  });

  test('of an unknown lifetime is used until it is refused', async () => {
    const { credentials, pass, issuer } = setUp({
      credential: { kind: 'oauth', accessToken: new Secret('lasting'), refreshToken: new Secret('refresh') },
    });
    pass(365 * 24 * 60 * 60 * 1_000);
    expect(text(await credentials.current(ana))).toBe('Bearer lasting');
    expect(issuer.calls()).toBe(0);
  });

  test('is refreshed once for all callers of a process, and once for two processes', async () => {
    const { credentials, process, pass, issuer } = setUp();
    pass(550_000);
    const other = process();
    const all = await Promise.all([credentials, credentials, other, other].map((each) => each.current(ana)));
    expect(new Set(all.map(text))).toEqual(new Set(['Bearer access-2']));
    expect(issuer.calls()).toBe(1);
  });

  test('keeps the refresh token if the server issues no new one', async () => {
    const { credentials, pass, stored } = setUp({
      server: { refresh: async () => ({ accessToken: new Secret('next') }) },
    });
    pass(550_000);
    expect(text(await credentials.current(ana))).toBe('Bearer next');
    expect(await stored()).toMatchObject({ refreshToken: expect.toSatisfy(isSecret('refresh-1')) });
    expect(await stored()).not.toHaveProperty('expiresAtMs');
  });

  test('is the old one while it is valid and the server is down, without a call for each request', async () => {
    let calls = 0;
    const { credentials, pass } = setUp({
      server: {
        refresh: () => {
          calls += 1;
          return down();
        },
      },
    });
    pass(599_000);
    expect(text(await credentials.current(ana))).toBe('Bearer access-1');
    expect(text(await credentials.current(ana))).toBe('Bearer access-1');
    expect(calls).toBe(1);
    pass(1_000);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(calls).toBe(1);
    pass(refreshPauseMs);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(calls).toBe(2);
  });

  test('is the old one while it is valid and the new one can not be stored', async () => {
    const { credentials, pass, accounts, issuer } = setUp();
    const { update } = accounts;
    accounts.update = () => Promise.reject(new AppError('storage', 'down'));
    pass(599_999);
    expect(text(await credentials.current(ana))).toBe('Bearer access-1');
    pass(1);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'storage' });
    accounts.update = update;
    expect(text(await credentials.current(ana))).toBe('Bearer access-2');
    expect(issuer.calls()).toBe(1);
  });

  test('is the new one for a caller that joined a refresh which failed with the storage', async () => {
    const { credentials, pass, accounts, issuer } = setUp();
    const { update } = accounts;
    let failures = 1;
    accounts.update = async (...change) => {
      failures -= 1;
      if (failures >= 0) throw new AppError('storage', 'down');
      return update(...change);
    };
    pass(600_000);
    const all = await Promise.allSettled([1, 2, 3].map(() => credentials.current(ana)));
    expect(all.map((each) => (each.status === 'fulfilled' ? text(each.value) : each.reason.kind))).toEqual([
      'storage',
      'Bearer access-2',
      'Bearer access-2',
    ]);
    expect(issuer.calls()).toBe(1);
  });

  test.each([
    ['as long as the server says', 20_000, 20_000],
    ['a minute, where the server says that it takes longer', 3_600_000, 60_000],
  ])('waits %s', async (_, retryAfterMs, waitMs) => {
    let calls = 0;
    const { credentials, pass } = setUp({
      server: {
        refresh: async () => {
          calls += 1;
          throw new AppError('rateLimited', 'slower', { retryAfterMs });
        },
      },
    });
    pass(600_000);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs });
    pass(waitMs - 1);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(calls).toBe(1);
    pass(1);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(calls).toBe(2);
  });

  test('is not refreshed by a process that took the lock so long ago that another one may have it', async () => {
    let heldMs = 0;
    let reads = 0;
    const { accounts, credentials, pass, issuer } = setUp();
    const { get } = accounts;
    accounts.get = (person) => {
      reads += 1;
      // Read once before the lock is taken, and once after that.
      if (reads % 2 === 0) pass(heldMs);
      return get(person);
    };
    pass(600_000);
    heldMs = 10_001;
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(issuer.calls()).toBe(0);
    heldMs = 10_000;
    expect(text(await credentials.current(ana))).toBe('Bearer access-2');
  });

  test('does not exist without an account', async () => {
    const { credentials } = setUp();
    const ben = credentials.current({ ...ana, userId: 'UBEN' });
    await expect(ben).rejects.toMatchObject({ kind: 'unauthorized', code: 'notConnected' });
  });

  test('does not exist for an account that no key decrypts: the person has to connect again', async () => {
    const { credentials, accounts } = setUp();
    accounts.get = () => Promise.reject(new AppError('corrupt', 'no key'));
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unauthorized', code: 'accountRefused' });
  });

  test('without a refresh token is used until it expires, and then marks the account', async () => {
    const { credentials, pass, accounts, changes } = setUp({
      credential: {
        kind: 'oauth',
        accessToken: new Secret('only'),
        expiresAtMs: 1_600_000,
        refreshAtMs: 1_540_000,
      },
    });
    pass(599_999);
    expect(text(await credentials.current(ana))).toBe('Bearer only');
    pass(1);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unauthorized', code: 'accountRefused' });
    expect(await accounts.get(ana)).toMatchObject({ refusedMs: 1_600_000 });
    expect(changes).toEqual(['UANA']);
  });

  test('is used until it expires if the operator switched the sign-in off', async () => {
    const { credentials, pass } = setUp({ withoutServer: true });
    pass(599_999);
    expect(text(await credentials.current(ana))).toBe('Bearer access-1');
    pass(1);
    await expect(credentials.current(ana)).rejects.toMatchObject({ code: 'accountRefused' });
  });

  test('does not exist once the server refuses the refresh token, and the server is not asked again', async () => {
    const { credentials, pass, issuer, accounts } = setUp();
    issuer.end();
    pass(550_000);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unauthorized', code: 'accountRefused' });
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unauthorized', code: 'accountRefused' });
    expect((await accounts.get(ana))?.refusedMs).toBe(1_550_000);
    expect(issuer.calls()).toBe(1);
  });

  test('is not lost for a fault of this app’s registration: the account stays as it is', async () => {
    const { credentials, pass, accounts } = setUp({
      server: { refresh: () => Promise.reject(new AppError('refused', 'no', { code: 'invalid_client' })) },
    });
    pass(600_000);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await accounts.get(ana)).not.toHaveProperty('refusedMs');
  });

  test('is that of an account that was connected again during the refresh', async () => {
    const { credentials, pass, accounts, issuer } = setUp({
      server: {
        async refresh(token) {
          const tokens = await issuer.server.refresh(token);
          await accounts.update(ana, (stored) => stored && { ...stored, credential: given });
          return tokens;
        },
      },
    });
    const given: Credential = { kind: 'token', token: new Secret('given') };
    pass(550_000);
    expect(text(await credentials.current(ana))).toBe('token given');
  });

  test('does not come back for an account that was removed during the refresh', async () => {
    const { credentials, pass, accounts, issuer } = setUp({
      server: {
        async refresh(token) {
          await accounts.remove(ana);
          return issuer.server.refresh(token);
        },
      },
    });
    pass(600_000);
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'unauthorized', code: 'notConnected' });
    expect(await accounts.get(ana)).toBeUndefined();
  });

  test('that could not be stored is stored by the next request, without another refresh', async () => {
    const { credentials, pass, accounts, issuer } = setUp();
    pass(600_000);
    const { update } = accounts;
    accounts.update = () => Promise.reject(new AppError('storage', 'down'));
    await expect(credentials.current(ana)).rejects.toMatchObject({ kind: 'storage' });
    accounts.update = update;
    expect(text(await credentials.current(ana))).toBe('Bearer access-2');
    expect(issuer.calls()).toBe(1);
  });
});

describe('after a 401', () => {
  test('a newer stored credential is used, without a refresh', async () => {
    const { credentials, issuer } = setUp();
    expect(text(await credentials.renewed(ana, bearer('access-0')))).toBe('Bearer access-1');
    expect(issuer.calls()).toBe(0);
  });

  test('the credential is refreshed once for all callers', async () => {
    const { credentials, issuer } = setUp();
    const all = await Promise.all([1, 2, 3].map(() => credentials.renewed(ana, bearer('access-1'))));
    expect(new Set(all.map(text))).toEqual(new Set(['Bearer access-2']));
    expect(issuer.calls()).toBe(1);
  });

  test('an access token that the person gave marks the account', async () => {
    const { credentials, accounts, changes } = setUp({ credential: { kind: 'token', token: new Secret('given') } });
    const rejected: UsableCredential = { scheme: 'token', secret: new Secret('given') };
    expect(await credentials.renewed(ana, rejected)).toBeUndefined();
    expect(await credentials.renewed(ana, rejected)).toBeUndefined();
    expect(await accounts.get(ana)).toMatchObject({ refusedMs: 1_000_000 });
    expect(changes).toEqual(['UANA']);
    await expect(credentials.current(ana)).rejects.toMatchObject({ code: 'accountRefused' });
  });

  test('a new token that is refused at once marks the account, and a later refusal refreshes again', async () => {
    const { credentials, pass, issuer, accounts } = setUp();
    await credentials.renewed(ana, bearer('access-1'));
    pass(60_000);
    expect(text(await credentials.renewed(ana, bearer('access-2')))).toBe('Bearer access-3');
    expect(await credentials.renewed(ana, bearer('access-3'))).toBeUndefined();
    expect(issuer.calls()).toBe(2);
    expect(await accounts.get(ana)).toHaveProperty('refusedMs');
  });

  test('a refresh token that the server refuses marks the account', async () => {
    const { credentials, issuer, accounts } = setUp();
    issuer.end();
    expect(await credentials.renewed(ana, bearer('access-1'))).toBeUndefined();
    expect(await accounts.get(ana)).toHaveProperty('refusedMs');
  });

  test('a server that is down leaves the account as it is', async () => {
    const { credentials, accounts } = setUp({ server: { refresh: down } });
    await expect(credentials.renewed(ana, bearer('access-1'))).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await accounts.get(ana)).not.toHaveProperty('refusedMs');
  });

  test('an account that was connected again meanwhile is not marked', async () => {
    const { credentials, accounts, issuer } = setUp();
    issuer.end();
    const again = { person: ana, username: 'ana', connectedMs: 1, credential: { kind: 'oauth', ...issuer.issue() } };
    const { update } = accounts;
    accounts.update = async (person, change) => {
      await update(person, () => again as Account);
      return update(person, change);
    };
    expect(text(await credentials.renewed(ana, bearer('access-1')))).toBe('Bearer access-2');
    expect(await accounts.get(ana)).toBe(again);
  });
});

function isSecret(value: string): (secret: unknown) => boolean {
  return (secret) => secret instanceof Secret && secret.reveal() === value;
}
