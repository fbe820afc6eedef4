import type { AccountMode, AccountStatus, Accounts, AccountWaitList } from '../../../src/core/accounts/accounts.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Records } from '../../../src/core/ports.ts';

/** People's accounts in memory. The service accepts an account from when it is connected until it is refused or removed. */
export function createInMemoryAccounts(
  mode: AccountMode,
  now: () => number,
  operate: <Result>(operation: 'get' | 'write', effect: () => Result) => Promise<Result>,
) {
  const statuses = new Map<string, AccountStatus>();
  const lists = new Map<string, AccountWaitList>();
  const accounts: Pick<Accounts, 'mode' | 'offer' | 'statusOf'> = {
    mode,
    offer: { can: true, byToken: true, bySignIn: false },
    statusOf: ({ userId }) => operate('get', () => statusOf(userId)),
  };
  const accountWaits: Records<AccountWaitList> = {
    get: (name) => operate('get', () => lists.get(name)),
    update: async (name, apply) => {
      const list = apply(lists.get(name));
      if (list !== lists.get(name)) await operate('write', () => void lists.set(name, apply(lists.get(name))));
      return lists.get(name) ?? list;
    },
  };

  return {
    accounts,
    accountWaits,
    connect: (userId: string) => set(userId, 'connected'),
    refuse: (userId: string) => set(userId, 'refused'),
    disconnect: (userId: string) => void statuses.delete(userId),
    /**
     * Throws what the service's client throws if this account is not accepted. `app` always is, and so is everyone with
     * `shared`: for tests that set a question's access themselves.
     */
    check(by: string): void {
      const { state } = statusOf(by);
      if (mode === 'shared' || by === 'app' || state === 'connected') return;
      const code = state === 'none' ? 'notConnected' : 'accountRefused';
      throw new AppError('unauthorized', 'the account is not accepted', { code });
    },
  };

  function statusOf(userId: string): AccountStatus {
    return statuses.get(userId) ?? { state: 'none' };
  }

  function set(userId: string, state: 'connected' | 'refused'): void {
    statuses.set(userId, { state, kind: 'token', username: userId.toLowerCase(), connectedMs: now() });
  }
}
