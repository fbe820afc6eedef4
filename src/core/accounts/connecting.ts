import { AppError, isAppError } from '../errors.ts';
import type { AuditEntry, AuditLog } from '../history/audit.ts';
import type { Clock } from '../ports.ts';
import type { Secret } from '../secret.ts';
import type {
  Account,
  AccountMode,
  AccountObserver,
  AccountStore,
  Accounts,
  ConnectOffer,
  ConnectResult,
  Credential,
  Person,
} from './accounts.ts';

interface StoringPorts {
  store: AccountStore;
  /** Is told of every change after it is stored. */
  changed: AccountObserver;
  audit: AuditLog;
  now: Clock;
}

/**
 * Stores the account with which a person proved who they are, in place of the one before. Throws `AppError` of kind
 * `storage`.
 */
export type StoreConnected = (person: Person, connected: { username: string; credential: Credential }) => Promise<void>;

export function createStoreConnected({ store, changed, audit, now }: StoringPorts): StoreConnected {
  return async function storeConnected(person, { username, credential }) {
    const account: Account = { person, username, credential, connectedMs: now() };
    try {
      await store.update(person, () => account);
    } catch (error) {
      if (!isAppError(error, 'corrupt')) throw error;
      // No key decrypts the account before. Its owner is here with a new one, so the old one is of no use.
      await store.remove(person);
      await store.update(person, () => account);
    }
    changed(person);
    audit.note(entryOf('connected', person, account.connectedMs, credential.kind));
  };
}

export interface AccountPorts extends StoringPorts {
  mode: AccountMode;
  /** Whether accounts can be stored: the operator set `ENCRYPTION_KEYS`. */
  hasKeys: boolean;
  storeConnected: StoreConnected;
  /**
   * Asks the service whose token this is. Throws `AppError` of kind `unauthorized` if the service refuses the token or it
   * belongs to no user, or another one if the service does not say so in time: early enough for a Slack form.
   */
  checkToken(person: Person, token: Secret): Promise<{ username: string }>;
  /** Absent if the operator configured no sign-in. */
  signInUrl?: Accounts['signInUrl'];
}

/** What people do with their own accounts. Without keys or with `shared`, accounts can be removed only. */
export function createAccounts(ports: AccountPorts): Accounts {
  const { mode, store, storeConnected, checkToken, signInUrl, changed, audit, now } = ports;
  const offer = offerOf(ports);

  return { mode, offer, statusOf, connectWithToken, signInUrl: startSignIn, remove, removeAll };

  async function statusOf(person: Person): ReturnType<Accounts['statusOf']> {
    const account = await store.get(person);
    if (account === undefined) return { state: 'none' };
    const { username, credential, connectedMs, refusedMs } = account;
    return {
      state: refusedMs === undefined ? 'connected' : 'refused',
      kind: credential.kind,
      username,
      connectedMs,
    };
  }

  async function connectWithToken(person: Person, token: Secret): Promise<ConnectResult> {
    if (!offer.can) return { kind: 'notChecked' };
    let username: string;
    try {
      ({ username } = await checkToken(person, token));
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { kind: error.kind === 'unauthorized' ? 'refused' : 'notChecked' };
    }
    await storeConnected(person, { username, credential: { kind: 'token', token } });
    return { kind: 'connected', username };
  }

  async function startSignIn(...request: Parameters<Accounts['signInUrl']>): Promise<string> {
    if (offer.can && signInUrl !== undefined) return signInUrl(...request);
    throw new AppError('refused', 'Sign-in is not offered');
  }

  async function remove(person: Person, why: 'disconnected' | 'departed' = 'disconnected'): Promise<boolean> {
    const wasThere = await store.remove(person);
    if (!wasThere) return false;
    changed(person);
    audit.note(
      why === 'disconnected' ? entryOf('disconnected', person, now()) : entryOf('accountRemoved', person, now(), why),
    );
    return true;
  }

  async function removeAll(teamId: string): Promise<number> {
    let removed = 0;
    for (const person of await store.people(teamId)) {
      if (!(await store.remove(person))) continue;
      removed += 1;
      changed(person);
      audit.note(entryOf('accountRemoved', person, now(), 'workspaceEnded'));
    }
    return removed;
  }
}

function offerOf({ mode, hasKeys, signInUrl }: AccountPorts): ConnectOffer {
  if (mode === 'shared') return { can: false, reason: 'off' };
  return hasKeys ? { can: true, byToken: true, bySignIn: signInUrl !== undefined } : { can: false, reason: 'noKeys' };
}

function entryOf(
  action: Extract<AuditEntry['action'], 'connected' | 'disconnected' | 'accountRemoved'>,
  { teamId, userId }: Person,
  atMs: number,
  detail?: string,
): AuditEntry {
  const id = `${action}:${userId}:${atMs}`;
  return { id, atMs, action, teamId, userId, ...(detail !== undefined && { detail }) };
}
