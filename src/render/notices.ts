import type { Button, KnownBlock } from '@slack/types';
import type { PrivateNotice } from '../core/ports.ts';
import { hasNoWords } from '../core/question/prompt.ts';
import type { Refusal } from '../core/question/question.ts';
import { referenceOf } from '../core/question/question.ts';
import { canAskElsewhere } from '../core/question/refused-text.ts';
import { maxQuestionLength, mostRepositories } from '../core/settings.ts';
import { connectButton } from './accounts.ts';
import { actions, button, context, quote, type RenderedMessage, section } from './blocks.ts';
import { privateContact } from './contact.ts';
import { ACTIONS, type ButtonValue, buttonValue, COMMAND, type MessageInChannel } from './ids.ts';
import { LIMITS } from './limits.ts';
import { openingOf } from './markdown/opening.ts';
import { type Say, sayIn } from './say.ts';
import { cut, mrkdwnLink, namesOf, oneLine, shownText, slackDayTime } from './text.ts';

/** Most characters of a question that is only named. */
const MAX_TO_CONFIRM = 150;
/** Most characters of the beginning of an answer, for the person who chooses who sees it. */
const MAX_OPENING = 600;
/** Most characters of the list of allowed repositories. */
const MAX_ALLOWED = 1_500;

/** The notices that are one sentence. */
const sentences = {
  alreadyAskedByYou: (say) => say.notices.alreadyAskedByYou(),
  /** Someone already pressed **Check again**, so the app is waiting for the answer again. */
  alreadyWatched: (say) => say.notices.alreadyWatched(),
  nothingToCancel: (say) => say.notices.nothingToCancel(),
  /** The question of a **Cancel** button has already ended. */
  alreadyEnded: (say) => say.notices.alreadyEnded(),
  /** There is nothing to cancel in the person's direct messages. Shown when they write outside of a thread. */
  nothingToCancelInDirect: (say) => say.notices.nothingToCancelInDirect(),
  severalToCancel: (say) => say.notices.severalToCancel(),
  askedPrivately: (say) => say.notices.askedPrivately(),
  /** The app shows a withheld answer to its asker in their direct messages. */
  shownPrivately: (say) => say.notices.shownPrivately(),
  alreadyShown: (say) => say.notices.alreadyShown(),
  /** The person has already chosen who sees the answer. */
  readersChosen: (say) => say.notices.readersChosen(),
  /** The time in which the person could choose who sees the answer is over. */
  choiceTooLate: (say) => say.notices.choiceTooLate(),
  /** Direct messages have no settings. */
  settingsNeedChannel: (say) => say.verbs.settingsNeedChannel(),
  /** Direct messages can't be muted. */
  muteDirect: (say) => say.verbs.muteDirect(),
  /** The app takes only mentions there anyway. */
  muteNeedless: (say) => say.verbs.muteNeedless(),
  nothingToConnect: (say) => say.verbs.nothingToConnect(),
  /** The doctor runs in the background. */
  doctorChecking: (say) => say.doctor.checking(),
  /** Someone who is not in `ADMINS` asked for the doctor. */
  doctorNotYours: (say) => say.doctor.notYours(),
  /** A missed message is being asked now. */
  missedAsked: (say) => say.notices.missedAsked(),
  /** A missed message could not be asked. A reply beside it may say why. */
  missedNotAsked: (say) => say.notices.missedNotAsked(),
  /** The question was answered before its edited version could be asked. */
  editedAfterAnswer: (say) => say.verbs.editedAfterAnswer(),
} satisfies Record<string, (say: Say) => string>;

/** The failures that are one sentence. A line below it names the reference. */
const failures = {
  /** The app's storage gave no reply about the press of a button. */
  actionInDoubt: (say) => say.notices.actionInDoubt(),
  /** The app's storage did not take the press of a button. */
  actionNotTaken: (say) => say.notices.actionNotTaken(),
  /** Slack did not say in time whether the person who pressed the button may do that. */
  actionNotChecked: (say) => `${say.refusals.notChecked()} ${say.refusals.notCheckedDo()}`,
  expiredButton: (say) => say.notices.expiredButton(),
  /** The time that Slack allows for opening a form was over. */
  formNotOpened: (say) => say.notices.formNotOpened(),
  /** Someone wants to see a withheld answer to another person's question. */
  notYours: (say) => say.notices.notYours(),
} satisfies Record<string, (say: Say) => string>;

/**
 * All messages to one person only. `text` is the person's own text, returned to them. `reference` finds the log line of
 * the failure; other failures of a question are found by the question's id.
 */
export type Notice =
  | PrivateNotice
  | { [Kind in keyof typeof sentences]: { kind: Kind } }[keyof typeof sentences]
  | { [Kind in keyof typeof failures]: { kind: Kind; reference: string } }[keyof typeof failures]
  /** `after` is what the person wrote without a question. */
  | { kind: 'emptyQuestion'; after?: 'command' | 'new' }
  /** A greeting, marks or thanks to the app. */
  | { kind: 'nothingAsked'; after: 'greeting' | 'thanks' }
  | { kind: 'questionTooLong'; text: string }
  /** The app's storage did not take the question of a command or a message. */
  | { kind: 'notTaken'; text: string; reference: string }
  /** The app's storage gave no reply about the question of a command. `triggerId`: of the command. */
  | { kind: 'inDoubt'; questionId: string; triggerId: string; text: string; reference: string }
  /** The person who pressed the button may not do that. Nothing was done. */
  | { kind: 'actionNotAllowed'; reason: Refusal; reference: string }
  | { kind: 'alreadyAsked'; byUserId?: string }
  /** Only the person who asked the question may do that. */
  | { kind: 'notAsker'; askerId: string }
  | { kind: 'queueFull'; limit: number; reference: string }
  /** A person who did not ask the running question replied to stop it. `text` is the question. */
  | { kind: 'confirmCancel'; questionId: string; askerId: string; text: string }
  | { kind: 'shownHere'; channelId: string }
  /** From now on, the person's answers are shown in this channel. */
  | { kind: 'alwaysShown'; channelId: string }
  | { kind: 'sharing'; channelId: string }
  | { kind: 'muted' }
  /** `isInVain`: the channel's settings take only mentions anyway. */
  | { kind: 'unmuted'; isInVain?: boolean }
  /** A verb that needs a thread, written outside of one. */
  | { kind: 'threadVerb'; verb: string }
  /** Someone edited the message of a running question. `text` is the new question. */
  | { kind: 'edited'; questionId: string; text: string }
  /**
   * The app was away when this was written. `questionId` is the id that its question will get. `url`: Slack's address of
   * the message, where the notice stands in another place.
   */
  | { kind: 'away'; questionId: string; message: MessageInChannel; text: string; url?: string };

export interface NoticeOptions {
  botUserId: string;
  locale: string | undefined;
  /** The contact that the operator set, if any. */
  contact?: string;
}

/**
 * Renders a message for one person, for `chat.postEphemeral` or a `response_url`, in the reader's language. Fits
 * Slack's limits.
 */
export function renderNotice(notice: Notice, { botUserId, locale, contact }: NoticeOptions): RenderedMessage {
  const say = sayIn(locale);
  const message = isSentence(notice)
    ? said(oneSentence[notice.kind](say))
    : written(notice, say, `<@${botUserId}>`, privateContact(contact));
  const reference = referenceIn(notice);
  if (reference === undefined) return message;
  return { ...message, blocks: [...(message.blocks ?? []), context(say.failures.reference(reference))] };
}

/** The reference by which the operator finds a failure. Undefined if the notice is no failure. */
function referenceIn(notice: Notice): string | undefined {
  switch (notice.kind) {
    case 'notInChannel':
    case 'undeliverable':
    case 'shareUndeliverable':
    case 'notAllowed':
      return referenceOf(notice.questionId);
    default:
      return 'reference' in notice ? notice.reference : undefined;
  }
}

const oneSentence = { ...sentences, ...failures };

type Sentence = Extract<Notice, { kind: keyof typeof oneSentence }>;

function isSentence(notice: Notice): notice is Sentence {
  return Object.hasOwn(oneSentence, notice.kind);
}

function written(
  notice: Exclude<Notice, Sentence>,
  say: Say,
  bot: string,
  contact: string | undefined,
): RenderedMessage {
  switch (notice.kind) {
    case 'answeredBeforeCancel':
      return said(say.notices.answeredBeforeCancel());
    case 'shareUndeliverable':
      return said(say.sharing.undeliverable(`<#${notice.channelId}>`, bot));
    case 'connectFirst':
      return notice.isRefused
        ? givenBack(say, say.notices.reconnectFirst(), notice.text, [actions([reconnectButton(say)])])
        : givenBack(say, say.notices.connectFirst(), notice.text, [actions([connectButton(say)])]);
    case 'reconnect':
      return withButtons(say.notices.reconnect(), [reconnectButton(say)]);
    case 'notInChannel': {
      const value = { questionId: notice.questionId };
      const askInDm = isAboutThread(notice) ? [] : [button(say.buttons.askInDm(), ACTIONS.askInDm, value)];
      if (!notice.canInvite)
        return givenBack(
          say,
          notice.isThreadGone === true
            ? say.notices.threadGone()
            : `${notice.isBetweenTwo === true ? say.notices.closedDirect() : say.notices.closedChannel()} ${say.notices.closedChannelDo()}`,
          notice.text,
          askInDm.length === 0 ? [] : [actions(askInDm)],
        );
      return givenBack(say, `${say.notices.notInChannel()} ${say.notices.notInChannelDo(bot)}`, notice.text, [
        actions([button(say.buttons.askHere(), ACTIONS.askHere, value, 'primary'), ...askInDm]),
      ]);
    }
    case 'undeliverable': {
      const link =
        notice.shareUrl === undefined ? undefined : mrkdwnLink(notice.shareUrl, say.words.openInDeepSearch());
      return said(`${say.notices.undeliverable(`<#${notice.place.channelId}>`)} ${say.notices.undeliverableDo(link)}`);
    }
    case 'notAllowed': {
      if (notice.resetMs !== undefined) return overCap({ ...notice, resetMs: notice.resetMs }, say);
      if (notice.reason === 'repositoryRefused') return repositoriesRefused(notice, say);
      if (notice.unknown !== undefined) return repositoryUnknown(notice.unknown, notice, say);
      const so = notice.withheld === undefined ? say.refusals.soNotAsked() : say.refusals.soNotShown();
      if (notice.withheld === 'share') return givenBack(say, refusal(say, notice.reason, so, contact).why, notice.text);
      const isWithheld = notice.withheld === 'answer';
      const otherwise = isWithheld ? say.refusals.showDo() : say.refusals.elsewhereDo();
      const { sentence, canAskInDm } = refusal(say, notice.reason, so, contact, otherwise);
      return givenBack(say, sentence, notice.text, canAskInDm ? inDm(notice, isWithheld, say) : []);
    }
    case 'actionNotAllowed':
      return said(refusalSentence(say, notice.reason, contact, say.refusals.soNothingDone()));
    case 'emptyQuestion':
      if (notice.after === 'command')
        return said(`${say.notices.emptyQuestion(COMMAND)} ${say.notices.emptyQuestionDo(COMMAND)}`);
      return said(say.notices.emptyQuestion(notice.after));
    case 'nothingAsked': {
      const { promptWhere, promptHow, promptChanges } = say.home;
      const examples = [promptWhere(), promptHow(), promptChanges()];
      return said(
        notice.after === 'thanks'
          ? say.notices.thanked()
          : say.notices.greeted(examples.map((example) => `_${example}_`).join(' · '), COMMAND),
      );
    }
    case 'questionTooLong':
      return givenBack(say, say.notices.questionTooLong(notice.text.length, maxQuestionLength), notice.text);
    case 'notTaken':
      return givenBack(say, say.notices.notTaken(), notice.text);
    case 'inDoubt': {
      const { questionId, triggerId, text } = notice;
      const value: ButtonValue = { questionId, command: { triggerId, text } };
      const fits = buttonValue(value).length <= LIMITS.buttonValue;
      const again = fits ? [actions([button(say.buttons.askAgain(), ACTIONS.askCommand, value)])] : [];
      return givenBack(say, say.notices.inDoubt(), text, again);
    }
    case 'alreadyAsked':
      return said(say.notices.alreadyAsked(notice.byUserId === undefined ? undefined : `<@${notice.byUserId}>`));
    case 'notAsker':
      return said(say.notices.notAsker(`<@${notice.askerId}>`));
    case 'queueFull':
      return said(say.notices.queueFull(notice.limit));
    case 'confirmCancel': {
      const cancelIt = button(say.buttons.cancelIt(), ACTIONS.cancel, { questionId: notice.questionId }, 'danger');
      const shortly = cut(oneLine(shownText(notice.text, say)), MAX_TO_CONFIRM);
      return givenBack(say, say.notices.confirmCancel(`<@${notice.askerId}>`), shortly, [actions([cancelIt])]);
    }
    case 'muted':
      return said(say.verbs.muted(bot));
    case 'unmuted':
      return said(notice.isInVain === true ? say.verbs.unmutedInVain() : say.verbs.unmuted());
    case 'threadVerb':
      return said(say.verbs.threadVerb(bot, notice.verb));
    case 'edited':
      return givenBack(say, say.verbs.edited(), notice.text, [
        actions([button(say.buttons.askEdited(), ACTIONS.askEdited, { questionId: notice.questionId })]),
      ]);
    case 'away': {
      const { questionId, message, text, url } = notice;
      const asked = say.notices.youAsked();
      return givenBack(say, say.notices.away(url === undefined ? asked : mrkdwnLink(url, asked)), text, [
        actions([button(say.buttons.askMissed(), ACTIONS.askMissed, { questionId, message })]),
      ]);
    }
    case 'chooseReaders': {
      const value = { questionId: notice.questionId };
      const opening = openingOf(notice.answer ?? '', MAX_OPENING);
      const asked = opening === '' ? notice.text : cut(oneLine(shownText(notice.text, say)), MAX_TO_CONFIRM);
      return givenBack(say, say.notices.chooseReaders(`<#${notice.channelId}>`, notice.people), asked, [
        ...(opening === '' ? [] : [section(opening)]),
        actions([
          button(say.buttons.showHere(), ACTIONS.showHere, value),
          button(say.buttons.onlyForMe(), ACTIONS.onlyForMe, value),
          button(say.buttons.alwaysHere(), ACTIONS.alwaysHere, value),
        ]),
        context(say.notices.chooseReadersLater()),
      ]);
    }
    case 'shownHere':
      return said(say.notices.shownHere(`<#${notice.channelId}>`));
    case 'alwaysShown':
      return said(say.notices.alwaysShown(`<#${notice.channelId}>`));
    case 'sharing':
      return said(say.sharing.sharing(`<#${notice.channelId}>`));
  }
}

/** The question stays stored, so the button can ask it after the reset. */
function overCap(notice: Extract<Notice, { kind: 'notAllowed' }> & { resetMs: number }, say: Say): RenderedMessage {
  const { refusals } = say;
  const again = refusals.capDo(slackDayTime(notice.resetMs, say));
  const isOfChannel = notice.reason === 'channelCap' && !isAboutThread(notice);
  const sentence = [
    refusals[notice.reason](refusals.soNotAsked()),
    again,
    ...(isOfChannel ? [refusals.elsewhereNowDo()] : []),
  ].join(' ');
  const value = { questionId: notice.questionId };
  const askInDm = isOfChannel ? [button(say.buttons.askInDm(), ACTIONS.askInDm, value)] : [];
  return givenBack(say, sentence, notice.text, [
    actions([button(say.buttons.askHere(), ACTIONS.askHere, value), ...askInDm]),
  ]);
}

function repositoriesRefused(notice: { text: string; repositories?: readonly string[] }, say: Say): RenderedMessage {
  const { refusals } = say;
  const { repositories = [] } = notice;
  if (repositories.length === 0) return givenBack(say, refusals.tooManyRepositories(mostRepositories), notice.text);
  const allowed = context(refusals.repositoriesAllowed(namesOf(repositories, MAX_ALLOWED, say)));
  return givenBack(say, refusals.repositoryRefused(refusals.soNotAsked()), notice.text, [allowed]);
}

function repositoryUnknown(
  { name, total }: { name: string; total: number },
  { text, repositories = [] }: { text: string; repositories?: readonly string[] },
  say: Say,
): RenderedMessage {
  const none = say.refusals.noSuchRepository(namesOf([name], MAX_TO_CONFIRM, say));
  const there = say.refusals.repositoriesThere(namesOf(repositories, MAX_ALLOWED, say, total));
  return givenBack(say, `${none} ${there}`, text);
}

/** The button that shows an existing answer in direct messages, or asks the question there. */
function inDm(notice: { questionId: string; text: string }, isWithheld: boolean, say: Say): KnownBlock[] {
  const value = { questionId: notice.questionId };
  if (isWithheld) return [actions([button(say.buttons.showInDm(), ACTIONS.showInDm, value)])];
  return isAboutThread(notice) ? [] : [actions([button(say.buttons.askInDm(), ACTIONS.askInDm, value)])];
}

/** Whether the question comes from a mention without text, which asks about its thread. */
function isAboutThread({ text }: { text: string }): boolean {
  return hasNoWords(text);
}

/**
 * Says why someone may not do something, what happened as a result (`so`), and what they can do. `contact` must be in
 * the form for this place.
 */
export function refusalSentence(
  say: Say,
  reason: Refusal,
  contact: string | undefined,
  so = say.refusals.soNotAsked(),
): string {
  return refusal(say, reason, so, contact).sentence;
}

function refusal(
  { refusals }: Say,
  reason: Refusal,
  so: string,
  contact: string | undefined,
  otherwise = refusals.elsewhereDo(),
): { why: string; sentence: string; canAskInDm: boolean } {
  const why = refusals[reason](so);
  const canAskInDm = canAskElsewhere(reason);
  // Without a contact, the other suggestion is enough.
  const operator = contact === undefined ? [] : [refusals.operatorDo(contact)];
  switch (reason) {
    case 'guest':
    case 'outsider':
      return { why, sentence: `${why} ${refusals.operatorDo(contact)}`, canAskInDm };
    case 'unknownPerson':
      return { why, sentence: `${why} ${refusals.unknownPersonDo()}`, canAskInDm };
    case 'noKeys':
      return { why, sentence: `${why} ${refusals.noKeysDo(contact)}`, canAskInDm };
    case 'notConnected':
    case 'tooManyWaiting':
      return { why, sentence: `${why} ${refusals.connectDo()}`, canAskInDm };
    case 'channelTooLarge':
      return { why, sentence: `${why} ${otherwise} ${refusals.tooLargeDo(contact)}`, canAskInDm };
    case 'unknownChannel':
    case 'sharedChannel':
    case 'guestsInChannel':
    case 'channelRefused':
    case 'channelOff':
      return { why, sentence: [why, otherwise, ...operator].join(' '), canAskInDm };
    case 'personCap':
    case 'channelCap':
    case 'repositoryRefused':
    case 'repositoryUnknown':
      return { why, sentence: why, canAskInDm };
  }
}

function reconnectButton(say: Say): Button {
  return connectButton(say, say.accounts.connectAgain());
}

function withButtons(text: string, buttons: Button[]): RenderedMessage {
  return { text, blocks: [section(text), actions(buttons)] };
}

function said(text: string): RenderedMessage {
  return { text, blocks: [section(text)] };
}

function givenBack(say: Say, sentence: string, text: string, more: KnownBlock[] = []): RenderedMessage {
  const back = quote(sentence, shownText(text, say));
  return { text: sentence, blocks: [...back.map((part) => section(part)), ...more] };
}
