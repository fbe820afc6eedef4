import type { ActionsBlock, Button, KnownBlock, ModalView } from '@slack/types';
import type { AccountMode, AccountStatus } from '../core/accounts/accounts.ts';
import { longestToken } from '../core/settings.ts';
import { actions, context, type RenderedMessage, section } from './blocks.ts';
import { privateContact } from './contact.ts';
import { ACTIONS, FORMS } from './ids.ts';
import { type Say, sayIn } from './say.ts';
import { inertCut, mrkdwnLink, slackDayTime } from './text.ts';

/** The field of the form: block id and action id. */
export const TOKEN_FIELD = 'token';

/** Most characters, as written, of the user's name at the service. */
const MAX_NAME = 100;

/** A person's own account at the service, as that person sees it. */
export type ShownAccount =
  /** Everyone asks with the app's account. */
  | { kind: 'shared' }
  /** The operator set no keys to encrypt accounts with. */
  | { kind: 'noKeys'; mode: AccountMode }
  /** The storage did not answer. */
  | { kind: 'unreadable'; reference: string }
  /** None of the keys decrypts the account. */
  | { kind: 'lost' }
  | { kind: 'own'; mode: AccountMode; status: AccountStatus };

type OwnAccount = Exclude<ShownAccount, { kind: 'shared' }>;

export interface AccountOptions {
  locale: string | undefined;
  /** The contact that the operator set, if any. */
  contact?: string;
}

/** The reply to a wish to connect. `signInUrl`: starts the sign-in, if it is offered. */
export function renderAccount(
  account: OwnAccount,
  { locale, contact, signInUrl }: AccountOptions & { signInUrl?: string | undefined },
): RenderedMessage {
  const say = sayIn(locale);
  const lines = [...new Set([accessLine(account, say), stateLine(account, say, contact)])].filter(
    (line) => line !== '',
  );
  const text = lines.join('\n');
  const buttons = isToConnect(account) ? waysOf(signInUrl, say) : changesOf(account, say);
  const note = isToConnect(account) && signInUrl !== undefined ? [context(say.accounts.signInNote())] : [];
  const more = account.kind === 'own' && account.status.state === 'refused' ? [disconnectButton(say)] : [];
  return { text, blocks: [section(text), ...row([...buttons, ...more]), ...note, ...referenceOf(account, say)] };
}

/** Whose access the person's questions use: a line of the Home tab. */
export function accessLine(account: ShownAccount, { accounts, home }: Say): string {
  switch (account.kind) {
    case 'shared':
      return home.access();
    case 'noKeys':
      return account.mode === 'required' ? accounts.needsOwn() : home.access();
    case 'unreadable':
    case 'lost':
      return '';
    case 'own':
      if (account.status.state === 'connected') return accounts.usesOwn();
      if (account.status.state === 'refused') return accounts.usesNone();
      return account.mode === 'required' ? accounts.needsOwn() : accounts.usesApp();
  }
}

/** The account and its buttons on the Home tab. Nothing where everyone asks with the app's account. */
export function accountBlocks(account: ShownAccount, say: Say, contact: string | undefined): KnownBlock[] {
  if (account.kind === 'shared') return [];
  return [
    section(stateLine(account, say, contact)),
    ...row(isToConnect(account) ? [connectButton(say)] : changesOf(account, say)),
    ...referenceOf(account, say),
  ];
}

/** Opens the form to connect with. For messages that stay, because the address of a sign-in soon expires. */
export function connectButton({ accounts }: Say, label = accounts.connect()): Button {
  return plainButton(label, ACTIONS.connect, 'primary');
}

/**
 * The form to connect with: the sign-in, if it is offered, and the field for an access token. `userId` is the person for
 * whom it was opened. `tokensUrl`: where people create and revoke tokens.
 */
export function renderConnectForm(
  form: { userId: string; tokensUrl: string; signInUrl?: string | undefined },
  locale: string | undefined,
): ModalView {
  const say = sayIn(locale);
  const { accounts, buttons } = say;
  const { userId, tokensUrl, signInUrl } = form;
  return {
    type: 'modal',
    callback_id: FORMS.connect,
    private_metadata: userId,
    title: plain(accounts.title()),
    submit: plain(accounts.submit()),
    close: plain(buttons.cancel()),
    blocks: [
      ...(signInUrl === undefined
        ? []
        : [section(accounts.signInNote()), actions([signInButton(signInUrl, say)]), { type: 'divider' as const }]),
      section(accounts.tokenAbout(tokensLink(tokensUrl, say))),
      {
        type: 'input',
        block_id: TOKEN_FIELD,
        label: plain(accounts.token()),
        hint: plain(accounts.tokenHint()),
        element: { type: 'plain_text_input', action_id: TOKEN_FIELD, max_length: longestToken },
      },
    ],
  };
}

/** Says that an account was connected, in a form or in a message. */
export function connectedText(username: string, { accounts }: Say): string {
  return `${accounts.done(shownName(username))} ${accounts.doneNext()}`;
}

/** Says what came of disconnecting. `hadOne`: there was an account. */
export function disconnectedText(
  { hadOne, mode, tokensUrl }: { hadOne: boolean; mode: AccountMode; tokensUrl: string },
  say: Say,
): string {
  const { accounts } = say;
  if (!hadOne) return accounts.notConnected();
  const next = mode === 'required' ? accounts.disconnectedRequired() : accounts.disconnectedPreferred();
  return [accounts.disconnected(), next, accounts.revoke(tokensLink(tokensUrl, say))].join(' ');
}

/** Why no one can connect; undefined where people can. */
export function whyNotToConnect(account: ShownAccount, say: Say, contact: string | undefined): string | undefined {
  if (account.kind === 'shared') return say.verbs.nothingToConnect();
  return account.kind === 'noKeys' ? stateLine(account, say, contact) : undefined;
}

function stateLine(account: OwnAccount, say: Say, contact: string | undefined): string {
  const { accounts } = say;
  switch (account.kind) {
    case 'noKeys':
      return accounts.noKeys(privateContact(contact));
    case 'unreadable':
      return accounts.unreadable();
    case 'lost':
      return accounts.lost();
    case 'own': {
      const { status, mode } = account;
      if (status.state === 'none') return mode === 'required' ? accounts.noneRequired() : accounts.none();
      const name = shownName(status.username);
      if (status.state === 'refused') return accounts.refused(name);
      const since = slackDayTime(status.connectedMs, say);
      return status.kind === 'oauth' ? accounts.signedIn(name, since) : accounts.connected(name, since);
    }
  }
}

/** Whether the account has to be connected before it can be used. */
function isToConnect(account: ShownAccount): boolean {
  return account.kind === 'lost' || (account.kind === 'own' && account.status.state !== 'connected');
}

function waysOf(signInUrl: string | undefined, say: Say): Button[] {
  const byToken = plainButton(say.accounts.useToken(), ACTIONS.connectByToken);
  return signInUrl === undefined ? [{ ...byToken, style: 'primary' }] : [signInButton(signInUrl, say), byToken];
}

function changesOf(account: ShownAccount, say: Say): Button[] {
  if (account.kind !== 'own') return [];
  return [plainButton(say.accounts.connectAgain(), ACTIONS.connect), disconnectButton(say)];
}

function disconnectButton({ accounts }: Say): Button {
  return plainButton(accounts.disconnect(), ACTIONS.disconnect, 'danger');
}

function signInButton(url: string, { accounts }: Say): Button {
  return { ...plainButton(accounts.signIn(), ACTIONS.signIn, 'primary'), url };
}

function referenceOf(account: ShownAccount, say: Say): KnownBlock[] {
  return account.kind === 'unreadable' ? [context(say.failures.reference(account.reference))] : [];
}

function row(buttons: Button[]): ActionsBlock[] {
  return buttons.length === 0 ? [] : [actions(buttons)];
}

function tokensLink(url: string, { accounts }: Say): string {
  return mrkdwnLink(url, accounts.tokensPage());
}

function shownName(username: string): string {
  return inertCut(username, MAX_NAME);
}

function plainButton(label: string, actionId: string, style?: 'primary' | 'danger'): Button {
  const text = plain(label);
  return { type: 'button', action_id: actionId, text, style };
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false } as const;
}
