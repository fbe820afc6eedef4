import type { Core } from '../context.ts';
import { AppError, isAppError } from '../errors.ts';
import type { AuditEntry, AuditLog } from '../history/audit.ts';
import { overviewOf } from '../history/overview.ts';
import { cancelOwn } from '../intake/cancel.ts';
import type { Clock } from '../ports.ts';
import type { Question } from '../question/question.ts';
import type { Secret } from '../secret.ts';
import { mostDepartedKnown } from '../settings.ts';
import {
  type Account,
  type AccountMode,
  type AccountObserver,
  type AccountStore,
  type Accounts,
  type ConnectOffer,
  type ConnectResult,
  type Credential,
  type Person,
  personName,
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

/**
 * Ends what a person who left, or is no full member any more, had by their own account: removes the account first, then
 * cancels their open questions that use it or wait for it. Safe to repeat. Throws `AppError`: then it is not done.
 */
export function createEndDeparted(w: Core & { accounts: Accounts }): (person: Person) => Promise<void> {
  /** People whose questions this process has ended. The same person is seen as often as Slack is asked about them. */
  const known = new Set<string>();

  return async function endDeparted(person) {
    const { teamId, userId } = person;
    const hadOne = await w.accounts.remove(person, 'departed');
    if (hadOne) w.log.info({ event: 'account_removed', outcome: 'departed', userId });
    if (!hadOne && (w.accounts.mode === 'shared' || known.has(userId))) return;
    const { open } = await overviewOf(w, teamId, userId);
    for (const { question } of open) {
      if (!needsAccount(question)) continue;
      await cancelOwn(w, question.id, person);
      w.log.info({ event: 'question_ended', outcome: 'departed', questionId: question.id });
    }
    if (known.size >= mostDepartedKnown) known.clear();
    known.add(userId);
  };
}

function needsAccount({ access, awaitsAccount }: Question): boolean {
  return access === 'own' || awaitsAccount !== undefined;
}

/**
 * Forgets where a person agreed to show their answers, once they have no account any more. So a person who disconnects and
 * connects again is asked again everywhere. Throws `AppError` of kind `storage` or `corrupt`.
 */
export async function forgetChoices({ accounts, readerChoices }: Core, person: Person): Promise<void> {
  if ((await accounts.statusOf(person)).state !== 'none') return;
  const name = personName(person);
  if ((await readerChoices.get(name)) === undefined) return;
  await readerChoices.update(name, () => ({ version: 1, threads: [], channels: [] }));
}
