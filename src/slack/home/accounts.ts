import type { AccountMode, Accounts, Person } from '../../core/accounts/accounts.ts';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { within } from '../../core/timeout.ts';
import { disconnectedText, renderAccount, renderConnectForm, type ShownAccount } from '../../render/accounts.ts';
import { sayIn } from '../../render/say.ts';
import type { Users } from '../access/users.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { logFailure } from '../failure-log.ts';
import type { PrivateMessage } from '../messages/messenger.ts';
import { namePatienceMs } from '../settings.ts';

export interface AccountViewDeps {
  accounts: Accounts;
  slack: Pick<SlackApi, 'identity'>;
  people: Pick<Users, 'person'>;
  /** The page of the service on which people create and revoke access tokens. */
  tokensUrl: string;
  log: Log;
}

/** What people see of their own accounts. */
export interface AccountViews {
  readonly mode: AccountMode;
  /** Never throws `AppError`: what is shown says when the account can't be read. */
  of(person: Person): Promise<ShownAccount>;
  /** The reply to `connect`, with an address to sign in that was made for it. Throws `AppError`. */
  connect(person: Person): Promise<PrivateMessage>;
  /** Removes the account and says what came of it. Throws `AppError`. */
  disconnect(person: Person): Promise<PrivateMessage>;
  /** The form to connect with. `withSignIn`: with an address to sign in, if that is offered. Throws `AppError`. */
  form(person: Person, withSignIn: boolean, locale: string | undefined): Promise<ReturnType<typeof renderConnectForm>>;
}

export function createAccountViews({ accounts, slack, people, tokensUrl, log }: AccountViewDeps): AccountViews {
  const { mode, offer } = accounts;

  return { mode, of, connect, disconnect, form };

  async function of(person: Person): Promise<ShownAccount> {
    if (mode === 'shared' || (!offer.can && offer.reason === 'off')) return { kind: 'shared' };
    if (!offer.can) return { kind: 'noKeys', mode };
    try {
      return { kind: 'own', mode, status: await accounts.statusOf(person) };
    } catch (error) {
      if (!isAppError(error)) throw error;
      const failure = { event: 'account_not_read', kind: error.kind, userId: person.userId };
      const reference = logFailure(log, 'warn', failure, error);
      return error.kind === 'corrupt' ? { kind: 'lost' } : { kind: 'unreadable', reference };
    }
  }

  async function connect(person: Person): Promise<PrivateMessage> {
    const account = await of(person);
    if (account.kind === 'shared') return { kind: 'nothingToConnect' };
    const isConnected = account.kind === 'own' && account.status.state === 'connected';
    const signInUrl = isConnected ? undefined : await signInUrlFor(person);
    const { contact } = slack.identity;
    return (locale) => renderAccount(account, { locale, contact, signInUrl });
  }

  async function disconnect(person: Person): Promise<PrivateMessage> {
    const hadOne = await accounts.remove(person);
    log.info({ event: 'account_disconnected', outcome: hadOne ? 'removed' : 'none', userId: person.userId });
    if (!hadOne && mode === 'shared') return { kind: 'nothingToConnect' };
    return (locale) => ({ text: disconnectedText({ hadOne, mode, tokensUrl }, sayIn(locale)) });
  }

  async function form(person: Person, withSignIn: boolean, locale: string | undefined) {
    const signInUrl = withSignIn ? await signInUrlFor(person) : undefined;
    return renderConnectForm({ userId: person.userId, tokensUrl, signInUrl }, locale);
  }

  async function signInUrlFor(person: Person): Promise<string | undefined> {
    if (!offer.can || !offer.bySignIn) return undefined;
    const { name, locale } = await shownOf(person);
    return accounts.signInUrl(person, name, locale);
  }

  /** The name that others see, and the person's language. Only the id when Slack does not tell them in time. */
  async function shownOf({ userId }: Person): Promise<{ name: string; locale?: string | undefined }> {
    const asked = people.person(userId).catch(() => undefined);
    return (await within(asked, namePatienceMs)) ?? { name: userId };
  }
}
