import type { KnownBlock } from '@slack/types';
import type { PrivateNotice } from '../core/ports.ts';
import { maxQuestionLength } from '../core/settings.ts';
import { actions, button, context, section } from './blocks.ts';
import { ACTIONS, COMMAND } from './ids.ts';
import { mrkdwnLink } from './links.ts';
import type { RenderedMessage } from './message.ts';
import { quote } from './quote.ts';
import { SAY } from './sentences.ts';

/** Everything that is said to one person only; `text` is what they wrote, given back. */
export type Notice =
  | PrivateNotice
  | { kind: 'emptyQuestion' }
  | { kind: 'questionTooLong'; text: string }
  /** Our storage did not take the question of a command or a message. */
  | { kind: 'notTaken'; text: string }
  /** Our storage did not take the press of a button. */
  | { kind: 'pressNotTaken' }
  | { kind: 'alreadyAsked'; byUserId?: string }
  | { kind: 'queueFull'; limit: number }
  | { kind: 'nothingToCancel' }
  | { kind: 'expiredButton' };

/** A private word, for `chat.postEphemeral` or a `response_url`. Fits Slack's limits whatever is given back. */
export function renderNotice(notice: Notice, options: { botUserId: string }): RenderedMessage {
  const bot = `<@${options.botUserId}>`;
  switch (notice.kind) {
    case 'answeredBeforeCancel':
      return said(SAY.answeredBeforeCancel());
    case 'notInChannel': {
      const value = { questionId: notice.questionId };
      const askInDm = button(SAY.askInDm(), ACTIONS.askInDm, value);
      if (!notice.canInvite)
        return givenBack(`${SAY.closedChannel()} ${SAY.closedChannelDo()}`, notice.text, [actions([askInDm])]);
      return givenBack(`${SAY.notInChannel()} ${SAY.notInChannelDo(bot)}`, notice.text, [
        actions([button(SAY.askHere(), ACTIONS.askHere, value, 'primary'), askInDm]),
      ]);
    }
    case 'undeliverable': {
      const link = notice.shareUrl === undefined ? undefined : mrkdwnLink(notice.shareUrl, SAY.openInDeepSearch());
      return said(`${SAY.undeliverablePrivately(`<#${notice.place.channelId}>`)} ${SAY.undeliverableDo(link)}`);
    }
    case 'emptyQuestion':
      return said(SAY.emptyQuestion(COMMAND));
    case 'questionTooLong':
      return givenBack(SAY.questionTooLong(notice.text.length, maxQuestionLength), notice.text);
    case 'notTaken':
      return givenBack(SAY.notTaken(), notice.text);
    case 'pressNotTaken':
      return said(SAY.pressNotTaken());
    case 'alreadyAsked':
      return said(SAY.alreadyAsked(notice.byUserId === undefined ? undefined : `<@${notice.byUserId}>`));
    case 'queueFull':
      return said(SAY.queueFull(notice.limit));
    case 'nothingToCancel':
      return said(SAY.nothingToCancel());
    case 'expiredButton':
      return said(SAY.expiredButton());
  }
}

/** What the app can do and how to ask it; `commandName` with its slash. */
export function renderHelp(options: { commandName: string; botUserId: string }): RenderedMessage {
  const lines = [
    SAY.helpTitle(),
    SAY.helpAsk(options.commandName, `<@${options.botUserId}>`),
    SAY.helpFollowUp(`<@${options.botUserId}>`),
    SAY.helpCancel(),
  ];
  return {
    text: SAY.helpTitle(),
    blocks: [...lines.map((line) => section(line)), context(SAY.helpCommand(options.commandName))],
  };
}

function said(text: string): RenderedMessage {
  return { text, blocks: [section(text)] };
}

function givenBack(sentence: string, text: string, more: KnownBlock[] = []): RenderedMessage {
  const back = quote(sentence, text);
  return {
    text: sentence,
    blocks: [
      ...back.sections.map((part) => section(part)),
      ...(back.shortened === undefined ? [] : [context(SAY.shortened(back.shortened))]),
      ...more,
    ],
  };
}
