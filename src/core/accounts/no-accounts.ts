import { AppError } from '../errors.ts';
import type { AccountMode, Accounts } from './accounts.ts';

/** Accounts where no one can connect one. */
export function createNoAccounts(mode: AccountMode): Accounts {
  return {
    mode,
    offer: { can: false, reason: mode === 'shared' ? 'off' : 'noKeys' },
    statusOf: async () => ({ state: 'none' }),
    connectWithToken: async () => ({ kind: 'notChecked' }),
    signInUrl: async () => {
      throw new AppError('storage', 'No one can sign in');
    },
    remove: async () => false,
    removeAll: async () => 0,
  };
}
