import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type ConnectResult, type Person, personName } from '../../core/accounts/accounts.ts';
import { isAppError } from '../../core/errors.ts';
import { within } from '../../core/pacing.ts';
import { Secret } from '../../core/secret.ts';
import { longestToken } from '../../core/settings.ts';
import { connectedText, TOKEN_FIELD, whyNotToConnect } from '../../render/accounts.ts';
import { privateContact } from '../../render/contact.ts';
import { ACTIONS, FORMS } from '../../render/ids.ts';
import { renderWords } from '../../render/modals.ts';
import { refusalSentence } from '../../render/notices.ts';
import { type Say, sayIn } from '../../render/say.ts';
import { localeOf } from '../access/users.ts';
import { slackId, timestamp } from '../content/incoming-text.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import { connectForm, disconnectAccount, shownAccountOf } from '../home/accounts.ts';
import { notify, type PrivateMessage, type Recipient, removePressed } from '../messages/private-messages.ts';
import { ackBudgetMs, responseUrlLifeMs } from '../settings.ts';
import {
  inAckTime,
  isInDoubt,
  onViewSubmission,
  openInOwnTime,
  problemWith,
  type RefusedAction,
  type Reply,
  refusalOfAction,
  refusedProblem,
  type Sent,
  unreadableForm,
} from './frame.ts';

/** What is read of a press, on a message or on Home. */
const press = z.object({
  user: z.object({ id: slackId, team_id: slackId.optional() }),
  trigger_id: slackId.optional(),
  response_url: z.string().optional(),
  channel: z.object({ id: slackId }).optional(),
  container: z.object({ thread_ts: timestamp.optional() }).optional(),
});

/** Most people whose presses are kept, and most presses of each. */
const mostOffersKept = 1_000;
const mostOffersOfPerson = 5;

/** A token goes into an HTTP header. Node rejects other characters with an error that repeats the text. */
const usableToken = /^[\x21-\x7e]+$/;

/** A press of a button about the account of the person who presses, and where. */
interface AccountPress {
  person: Person;
  teamId: string | undefined;
  triggerId: string | undefined;
  recipient: Recipient;
  /** On Home, where there are no private messages. */
  isOnHome: boolean;
}

/** The buttons about people's own accounts, and the form to connect with. Each is about the person who uses it. */
export function registerAccounts(app: App, w: WorkspaceContext): void {
  /**
   * By person, the response URLs of presses on messages that offer to connect. Once there is an account, those messages say
   * what is no longer true. Slack has no other way to remove them, so one whose button another copy of the app handled stays.
   */
  const offers = new LRUCache<string, string[]>({ max: mostOffersKept, ttl: responseUrlLifeMs });

  w.accountChanges.listen((person) => {
    const pressed = offers.get(personName(person)) ?? [];
    if (pressed.length === 0) return;
    void w.tasks.run({ event: 'offers_not_removed', userId: person.userId }, async () => {
      if ((await w.accounts.statusOf(person)).state !== 'connected') return;
      offers.delete(personName(person));
      for (const responseUrl of pressed) removePressed(w, responseUrl);
    });
  });
  app.action(ACTIONS.connect, async ({ ack, body, context }) => {
    await ack();
    open(body, context.teamId, true);
  });
  app.action(ACTIONS.connectByToken, async ({ ack, body, context }) => {
    await ack();
    open(body, context.teamId, false);
  });
  // Slack opens the address itself.
  app.action(ACTIONS.signIn, async ({ ack, body, context }) => {
    await ack();
    const pressed = readPress(body, context.teamId);
    if (pressed !== undefined) keepOffer(pressed);
  });
  app.action(ACTIONS.disconnect, async ({ ack, body, context }) => {
    const byMs = Date.now() + ackBudgetMs;
    const pressed = readPress(body, context.teamId);
    if (pressed === undefined) return ack();
    const reply = await inAckTime(disconnectAccount(w, pressed.person), byMs).catch(notTaken);
    await ack();
    if (pressed.isOnHome) openInOwnTime(w, pressed, () => inModal(pressed, reply));
    else notify(w, pressed.recipient, reply);
  });
  onViewSubmission(app, w, FORMS.connect, {
    errorField: TOKEN_FIELD,
    failed: (say) => say.accounts.notStored(),
    handle: connect,
  });

  function open(body: unknown, teamId: string | undefined, withSignIn: boolean): void {
    const pressed = readPress(body, teamId);
    if (pressed === undefined) return;
    keepOffer(pressed);
    openInOwnTime(w, pressed, () => form(pressed, withSignIn));
  }

  function keepOffer({ person, recipient: { responseUrl } }: AccountPress): void {
    if (responseUrl === undefined) return;
    const name = personName(person);
    offers.set(name, [...(offers.get(name) ?? []), responseUrl].slice(-mostOffersOfPerson));
  }

  async function form({ person, teamId }: AccountPress, withSignIn: boolean): Promise<ModalView> {
    const [locale, refusal, account] = await Promise.all([
      localeOf(w.people, person.userId),
      refusalOf(person, teamId),
      shownAccountOf(w, person),
    ]);
    const { contact } = w.slack.identity;
    if (refusal !== undefined) return inWords((say) => sentenceOf(refusal, say), locale, refusal.reference);
    const say = sayIn(locale);
    const reason = whyNotToConnect(account, say, contact);
    return reason === undefined ? connectForm(w, person, withSignIn, locale) : inWords(() => reason, locale);
  }

  async function connect(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, locale, entered } = sent;
    const person = { teamId, userId };
    // The form is of the person for whom it was opened.
    if (sent.metadata !== userId) return { kind: 'view', view: unreadableForm(w, locale) };
    const text = entered.text(TOKEN_FIELD);
    if (text === '') return wrong(say.accounts.empty());
    if (text.length > longestToken) return wrong(say.accounts.tooLong());
    if (!usableToken.test(text)) return wrong(say.accounts.unusable());
    const reason = whyNotToConnect(await shownAccountOf(w, person), say, undefined);
    if (reason !== undefined) return wrong(reason);
    const admission = await w.access.admit(userId, homeOf(person), { ...named, personOnly: true });
    if (!admission.may) {
      const refused = { userId, channelId: userId, reason: admission.reason };
      return wrong(refusedProblem(w, refused, say, say.refusals.soNothingDone()));
    }
    const connecting = w.accounts.connectWithToken(person, new Secret(text));
    const result = await within(connecting, Math.max(0, sent.byMs - Date.now()));
    if (result === undefined) {
      tellLater(person, connecting);
      return wrong(say.accounts.slow());
    }
    return replyTo(person, result, locale, say);
  }

  function replyTo({ userId }: Person, result: ConnectResult, locale: string | undefined, say: Say): Reply {
    switch (result.kind) {
      case 'connected':
        w.log.info({ event: 'account_connected', outcome: 'by_token', userId });
        return { kind: 'view', view: inWords((words) => connectedText(result.username, words), locale) };
      case 'refused':
        w.log.info({ event: 'account_refused', outcome: 'token_not_accepted', userId });
        return wrong(say.accounts.tokenRefused());
      case 'notChecked': {
        const reference = logFailure(w.log, 'warn', { event: 'account_not_checked', userId });
        return wrong(problemWith(say, say.accounts.notChecked(), reference));
      }
    }
  }

  /** The service answered after the form needed its reply. */
  function tellLater(person: Person, connecting: Promise<ConnectResult>): void {
    const { userId } = person;
    void w.tasks.run({ event: 'account_not_connected', userId }, async () => {
      const result = await connecting;
      if (result.kind !== 'connected') return;
      w.log.info({ event: 'account_connected', outcome: 'by_token_late', userId });
      notify(w, { channelId: userId, userId }, (locale) => ({
        text: connectedText(result.username, sayIn(locale)),
      }));
    });
  }

  /** Accounts are for full members. Channels in which guests may ask make no difference. */
  async function refusalOf(person: Person, teamId: string | undefined) {
    const requester = { userId: person.userId, ...homeOf(person) };
    return refusalOfAction(w, { requester, named: { teamId } }, 'person');
  }

  function sentenceOf(notice: RefusedAction, say: Say): string {
    if (notice.kind === 'actionNotTaken') return say.notices.actionNotTaken();
    if (notice.kind === 'actionNotChecked') return `${say.refusals.notChecked()} ${say.refusals.notCheckedDo()}`;
    const contact = privateContact(w.slack.identity.contact);
    return refusalSentence(say, notice.reason, contact, say.refusals.soNothingDone());
  }

  async function inModal({ person }: AccountPress, reply: PrivateMessage): Promise<ModalView> {
    const locale = await localeOf(w.people, person.userId);
    if (typeof reply === 'function') return inWords(() => reply(locale).text, locale);
    if (reply.kind === 'nothingToConnect') return inWords((say) => say.verbs.nothingToConnect(), locale);
    const reference = 'reference' in reply ? reply.reference : undefined;
    const isUnknown = reply.kind === 'actionInDoubt';
    return inWords(
      ({ notices }) => (isUnknown ? notices.actionInDoubt() : notices.actionNotTaken()),
      locale,
      reference,
    );
  }

  function notTaken(error: unknown): PrivateMessage {
    if (!isAppError(error)) throw error;
    const failure = { event: 'button_not_taken', kind: error.kind };
    const kind = isInDoubt(error) ? 'actionInDoubt' : 'actionNotTaken';
    return { kind, reference: logFailure(w.log, 'error', failure, error) };
  }

  function readPress(body: unknown, teamId = w.slack.identity.teamId): AccountPress | undefined {
    const parsed = press.safeParse(body);
    if (!parsed.success) {
      w.log.warn({ event: 'button_unreadable' });
      return undefined;
    }
    const { user, trigger_id: triggerId, response_url: responseUrl, channel, container } = parsed.data;
    const threadTs = container?.thread_ts;
    // On Home, Slack sends no channel.
    const channelId = channel?.id || undefined;
    return {
      person: { teamId, userId: user.id },
      teamId: user.team_id,
      triggerId,
      isOnHome: channelId === undefined,
      recipient: {
        channelId: channelId ?? user.id,
        userId: user.id,
        threadTs,
        responseUrl,
      },
    };
  }
}

/** A place where no setting admits guests: the person's own messages with the app. */
function homeOf({ teamId, userId }: Person): { teamId: string; channelId: string } {
  return { teamId, channelId: userId };
}

function inWords(words: (say: Say) => string, locale: string | undefined, reference?: string): ModalView {
  return renderWords(words, locale, reference);
}

function wrong(problem: string): Reply {
  return { kind: 'errors', errors: { [TOKEN_FIELD]: problem } };
}
