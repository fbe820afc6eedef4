import type { Button, KnownBlock } from '@slack/types';
import type { PrivateNotice } from '../core/ports.ts';
import { hasNoWords } from '../core/question/prompt.ts';
import type { Refusal } from '../core/question/question.ts';
import { referenceOf } from '../core/question/reference.ts';
import { canAskElsewhere } from '../core/question/refused-text.ts';
import { maxQuestionLength, mostRepositories } from '../core/settings.ts';
import { connectButton } from './accounts.ts';
import { actions, button, context, section } from './blocks.ts';
import { privateContact } from './contact.ts';
import { ACTIONS, COMMAND, type MessageInChannel } from './ids.ts';
import { mrkdwnLink } from './links.ts';
import { openingOf } from './markdown/opening.ts';
import type { RenderedMessage } from './message.ts';
import { quote } from './quote.ts';
import { namesOf } from './repositories.ts';
import { type Say, sayIn } from './say.ts';
import { shownText } from './shown-text.ts';
import { cut, oneLine } from './text.ts';
import { slackDayTime } from './time.ts';

/** Most characters of a question that is only named. */
const MAX_TO_CONFIRM = 150;
/** Most characters of the beginning of an answer, for the person who chooses who sees it. */
const MAX_OPENING = 600;
/** Most characters of the list of allowed repositories. */
const MAX_ALLOWED = 1_500;

/**
 * All messages to one person only. `text` is the person's own text, returned to them. `reference` finds the log line of
 * the failure; other failures of a question are found by the question's id.
 */
export type Notice =
  | PrivateNotice
  /** `after` is what the person wrote without a question. */
  | { kind: 'emptyQuestion'; after?: 'command' | 'new' }
  /** A greeting, marks or thanks to the app. */
  | { kind: 'nothingAsked'; after: 'greeting' | 'thanks' }
  | { kind: 'questionTooLong'; text: string }
  /** The app's storage did not take the question of a command or a message. */
  | { kind: 'notTaken'; text: string; reference: string }
  /** The app's storage did not take the press of a button. */
  | { kind: 'actionNotTaken'; reference: string }
  /** The person who pressed the button may not do that. Nothing was done. */
  | { kind: 'actionNotAllowed'; reason: Refusal; reference: string }
  /** Slack did not say in time whether the person who pressed the button may do that. */
  | { kind: 'actionNotChecked'; reference: string }
  | { kind: 'alreadyAsked'; byUserId?: string }
  | { kind: 'alreadyAskedByYou' }
  /** Only the person who asked the question may do that. */
  | { kind: 'notAsker'; askerId: string }
  /** Someone already pressed **Check again**, so the app is waiting for the answer again. */
  | { kind: 'alreadyWatched' }
  | { kind: 'queueFull'; limit: number; reference: string }
  | { kind: 'nothingToCancel' }
  /** The question of a **Cancel** button has already ended. */
  | { kind: 'alreadyEnded' }
  /** There is nothing to cancel in the person's direct messages. Shown when they write outside of a thread. */
  | { kind: 'nothingToCancelInDirect' }
  | { kind: 'severalToCancel' }
  /** A person who did not ask the running question replied to stop it. `text` is the question. */
  | { kind: 'confirmCancel'; questionId: string; askerId: string; text: string }
  | { kind: 'expiredButton'; reference: string }
  /** The time that Slack allows for opening a form was over. */
  | { kind: 'formNotOpened'; reference: string }
  | { kind: 'askedPrivately' }
  /** The app shows a withheld answer to its asker in their direct messages. */
  | { kind: 'shownPrivately' }
  | { kind: 'alreadyShown' }
  /** Someone wants to see a withheld answer to another person's question. */
  | { kind: 'notYours'; reference: string }
  /** From now on, the person's answers are shown in this channel. */
  | { kind: 'shownHere'; channelId: string }
  | { kind: 'alwaysShown'; channelId: string }
  /** The person has already chosen who sees the answer. */
  | { kind: 'readersChosen' }
  /** The time in which the person could choose who sees the answer is over. */
  | { kind: 'choiceTooLate' }
  | { kind: 'sharing'; channelId: string }
  | { kind: 'muted' }
  /** `isInVain`: the channel's settings take only mentions anyway. */
  | { kind: 'unmuted'; isInVain?: boolean }
  /** Direct messages have no settings. */
  | { kind: 'settingsNeedChannel' }
  /** Direct messages can't be muted. */
  | { kind: 'muteDirect' }
  /** The app takes only mentions there anyway. */
  | { kind: 'muteNeedless' }
  /** A verb that needs a thread, written outside of one. */
  | { kind: 'threadVerb'; verb: string }
  | { kind: 'nothingToConnect' }
  /** The doctor runs in the background. */
  | { kind: 'doctorChecking' }
  /** Someone who is not in `ADMINS` asked for the doctor. */
  | { kind: 'doctorNotYours' }
  /** Someone edited the message of a running question. `text` is the new question. */
  | { kind: 'edited'; questionId: string; text: string }
  /**
   * The app was away when this was written. `questionId` is the id that its question will get. `url`: Slack's address of
   * the message, for a line that stands elsewhere.
   */
  | { kind: 'away'; questionId: string; message: MessageInChannel; text: string; url?: string | undefined }
  /** A missed message is being asked now. */
  | { kind: 'missedAsked' }
  /** A missed message could not be asked. A reply beside it may say why. */
  | { kind: 'missedNotAsked' }
  /** The question was answered before its edited version could be asked. */
  | { kind: 'editedAfterAnswer' };

export interface NoticeOptions {
  botUserId: string;
  locale: string | undefined;
  /** The contact that the operator set, if any. */
  contact?: string | undefined;
}

/**
 * Renders a message for one person, for `chat.postEphemeral` or a `response_url`, in the reader's language. Fits
 * Slack's limits.
 */
export function renderNotice(notice: Notice, { botUserId, locale, contact }: NoticeOptions): RenderedMessage {
  const say = sayIn(locale);
  const message = written(notice, say, `<@${botUserId}>`, privateContact(contact));
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

function written(notice: Notice, say: Say, bot: string, contact: string | undefined): RenderedMessage {
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
    case 'actionNotChecked':
      return said(`${say.refusals.notChecked()} ${say.refusals.notCheckedDo()}`);
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
    case 'actionNotTaken':
      return said(say.notices.actionNotTaken());
    case 'alreadyAsked':
      return said(say.notices.alreadyAsked(notice.byUserId === undefined ? undefined : `<@${notice.byUserId}>`));
    case 'alreadyAskedByYou':
      return said(say.notices.alreadyAskedByYou());
    case 'notAsker':
      return said(say.notices.notAsker(`<@${notice.askerId}>`));
    case 'alreadyWatched':
      return said(say.notices.alreadyWatched());
    case 'queueFull':
      return said(say.notices.queueFull(notice.limit));
    case 'nothingToCancel':
      return said(say.notices.nothingToCancel());
    case 'alreadyEnded':
      return said(say.notices.alreadyEnded());
    case 'nothingToCancelInDirect':
      return said(say.notices.nothingToCancelInDirect());
    case 'severalToCancel':
      return said(say.notices.severalToCancel());
    case 'confirmCancel': {
      const cancelIt = button(say.buttons.cancelIt(), ACTIONS.cancel, { questionId: notice.questionId }, 'danger');
      const shortly = cut(oneLine(shownText(notice.text, say)), MAX_TO_CONFIRM);
      return givenBack(say, say.notices.confirmCancel(`<@${notice.askerId}>`), shortly, [actions([cancelIt])]);
    }
    case 'expiredButton':
      return said(say.notices.expiredButton());
    case 'muted':
      return said(say.verbs.muted(bot));
    case 'unmuted':
      return said(notice.isInVain === true ? say.verbs.unmutedInVain() : say.verbs.unmuted());
    case 'settingsNeedChannel':
      return said(say.verbs.settingsNeedChannel());
    case 'muteDirect':
      return said(say.verbs.muteDirect());
    case 'muteNeedless':
      return said(say.verbs.muteNeedless());
    case 'threadVerb':
      return said(say.verbs.threadVerb(bot, notice.verb));
    case 'nothingToConnect':
      return said(say.verbs.nothingToConnect());
    case 'doctorChecking':
      return said(say.doctor.checking());
    case 'doctorNotYours':
      return said(say.doctor.notYours());
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
    case 'missedAsked':
      return said(say.notices.missedAsked());
    case 'missedNotAsked':
      return said(say.notices.missedNotAsked());
    case 'editedAfterAnswer':
      return said(say.verbs.editedAfterAnswer());
    case 'formNotOpened':
      return said(say.notices.formNotOpened());
    case 'askedPrivately':
      return said(say.notices.askedPrivately());
    case 'shownPrivately':
      return said(say.notices.shownPrivately());
    case 'alreadyShown':
      return said(say.notices.alreadyShown());
    case 'notYours':
      return said(say.notices.notYours());
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
    case 'readersChosen':
      return said(say.notices.readersChosen());
    case 'choiceTooLate':
      return said(say.notices.choiceTooLate());
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

/** Whether the question comes from a mention without text, which makes no sense outside of its thread. */
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
