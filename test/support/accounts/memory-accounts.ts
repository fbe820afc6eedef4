import type {
  AccountMode,
  AccountObserver,
  AccountStatus,
  Accounts,
  ConnectResult,
  Person,
} from '../../../src/core/accounts/accounts.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Secret } from '../../../src/core/secret.ts';

type Stored = Exclude<AccountStatus, { state: 'none' }>;

/**
 * Accounts in memory. A token `sgp-NAME` is the one of the user NAME; others are refused. `changed` is called as by the
 * real ones.
 */
export function createMemoryAccounts(options: { mode: AccountMode; bySignIn?: boolean; hasKeys?: boolean }) {
  const { mode, bySignIn = false, hasKeys = true } = options;
  const stored = new Map<string, Stored>();
  const tokens: { userId: string; token: string }[] = [];
  const urls: string[] = [];
  const removed: string[] = [];
  let changed: AccountObserver = () => undefined;
  let answer: ((token: string) => Promise<ConnectResult>) | undefined;
  let failure: AppError | undefined;

  const accounts: Accounts = {
    mode,
    offer:
      mode === 'shared'
        ? { can: false, reason: 'off' }
        : hasKeys
          ? { can: true, byToken: true, bySignIn }
          : { can: false, reason: 'noKeys' },
    async statusOf(person) {
      if (failure !== undefined) throw failure;
      return stored.get(nameOf(person)) ?? { state: 'none' };
    },
    async connectWithToken(person: Person, secret: Secret) {
      const token = secret.reveal();
      tokens.push({ userId: person.userId, token });
      const [, username] = /^sgp-(.+)$/.exec(token) ?? [];
      const usual: ConnectResult = username === undefined ? { kind: 'refused' } : { kind: 'connected', username };
      const result = answer === undefined ? usual : await answer(token);
      if (result.kind === 'connected') connect(person, { username: result.username });
      return result;
    },
    async signInUrl({ userId }, shownName) {
      const url = `https://app.example.com/accounts/sign-in?for=${userId}&name=${shownName}&number=${urls.length + 1}`;
      urls.push(url);
      return url;
    },
    async remove(person) {
      if (failure !== undefined) throw failure;
      const hadOne = stored.delete(nameOf(person));
      if (hadOne) {
        removed.push(person.userId);
        changed(person);
      }
      return hadOne;
    },
    async removeAll(teamId) {
      const names = [...stored.keys()].filter((name) => name.startsWith(`${teamId}:`));
      for (const name of names) stored.delete(name);
      return names.length;
    },
  };

  return {
    accounts,
    /** The tokens that were given to connect with, with the id of the person in Slack. */
    tokens,
    /** The addresses that were made to sign in with. */
    urls,
    /** Ids of people whose account was removed. */
    removed,
    connect,
    /** The service refuses the person's account from now on. */
    refuse: (person: Person) => {
      const account = stored.get(nameOf(person));
      if (account !== undefined) stored.set(nameOf(person), { ...account, state: 'refused' });
      changed(person);
    },
    /** From now on, this is the service's answer to a token. */
    answerWith: (reply: typeof answer) => {
      answer = reply;
    },
    /** The storage fails from now on; without a kind it works again. */
    fail: (kind?: 'storage' | 'corrupt') => {
      failure = kind === undefined ? undefined : new AppError(kind, 'the accounts cannot be read');
    },
    onChanged: (observer: AccountObserver) => {
      changed = observer;
    },
  };

  function connect(person: Person, account: Pick<Stored, 'username'> & Partial<Stored>): void {
    stored.set(nameOf(person), { state: 'connected', kind: 'token', connectedMs: 1_700_000_000_000, ...account });
    changed(person);
  }
}

export type MemoryAccounts = ReturnType<typeof createMemoryAccounts>;

function nameOf({ teamId, userId }: Person): string {
  return `${teamId}:${userId}`;
}
