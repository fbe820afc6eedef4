import type { Person } from '../../core/accounts/accounts.ts';
import { isAppError } from '../../core/errors.ts';
import { within } from '../../core/pacing.ts';
import { disconnectedText, renderAccount, renderConnectForm, type ShownAccount } from '../../render/accounts.ts';
import { sayIn } from '../../render/say.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import type { PrivateMessage } from '../messages/private-messages.ts';
import { namePatienceMs } from '../settings.ts';

/** What a person sees of their own account. Never throws `AppError`: what is shown says when the account can't be read. */
export async function shownAccountOf({ accounts, log }: WorkspaceContext, person: Person): Promise<ShownAccount> {
  const { mode, offer } = accounts;
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

/** The reply to `connect`, with an address to sign in that was made for it. Throws `AppError`. */
export async function connectAccount(w: WorkspaceContext, person: Person): Promise<PrivateMessage> {
  const account = await shownAccountOf(w, person);
  if (account.kind === 'shared') return { kind: 'nothingToConnect' };
  const isConnected = account.kind === 'own' && account.status.state === 'connected';
  const signInUrl = isConnected ? undefined : await signInUrlFor(w, person);
  const { contact } = w.slack.identity;
  return (locale) => renderAccount(account, { locale, contact, signInUrl });
}

/** Removes the account and says what came of it. Throws `AppError`. */
export async function disconnectAccount(
  { accounts, tokensUrl, log }: WorkspaceContext,
  person: Person,
): Promise<PrivateMessage> {
  const { mode } = accounts;
  const hadOne = await accounts.remove(person);
  log.info({ event: 'account_disconnected', outcome: hadOne ? 'removed' : 'none', userId: person.userId });
  if (!hadOne && mode === 'shared') return { kind: 'nothingToConnect' };
  return (locale) => ({ text: disconnectedText({ hadOne, mode, tokensUrl }, sayIn(locale)) });
}

/** The form to connect with. `withSignIn`: with an address to sign in, if that is offered. Throws `AppError`. */
export async function connectForm(
  w: WorkspaceContext,
  person: Person,
  withSignIn: boolean,
  locale: string | undefined,
): Promise<ReturnType<typeof renderConnectForm>> {
  const signInUrl = withSignIn ? await signInUrlFor(w, person) : undefined;
  return renderConnectForm({ userId: person.userId, tokensUrl: w.tokensUrl, signInUrl }, locale);
}

/** With the name that others see, and in the person's language. Only with the id when Slack does not tell them in time. */
async function signInUrlFor({ accounts, people }: WorkspaceContext, person: Person): Promise<string | undefined> {
  const { offer } = accounts;
  if (!offer.can || !offer.bySignIn) return undefined;
  const asked = people.person(person.userId).catch(() => undefined);
  const shown = await within(asked, namePatienceMs);
  return accounts.signInUrl(person, shown?.name ?? person.userId, shown?.locale);
}
