import type { KnownBlock } from '@slack/types';
import type { Confirm } from '../../core/access-policy.ts';
import { AppError, isAppError, threadGone } from '../../core/errors.ts';
import type { CardView, Clock, Log, Messenger, PreparedOutcome } from '../../core/ports.ts';
import type { PendingCall, Question } from '../../core/question/question.ts';
import { renderCard } from '../../render/card.ts';
import { cardMarker, hasMarker, partMarker } from '../../render/ids.ts';
import { FORMAT_LADDER, type MessageFormat, type RenderedMessage } from '../../render/message.ts';
import { type Notice, renderNotice } from '../../render/notices.ts';
import { prepareOutcome } from '../../render/outcome.ts';
import type { Outbound } from '../api/outbound-fetch.ts';
import { respond } from '../api/response-url.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { responseUrlLifeMs } from '../settings.ts';
import { createAnswerFile } from './answer-file.ts';
import { createRemoveCopies } from './copies.ts';
import { createOwnMessages } from './own-messages.ts';

export interface MessengerDeps {
  slack: SlackApi;
  outbound: Outbound;
  /** Address of the Web API. */
  slackApiUrl: string;
  format: Exclude<MessageFormat, 'plain'>;
  log: Log;
  now: Clock;
  /** The language of a reader. Undefined when it is not known in time. Never throws. */
  localeOf: (userId: string) => Promise<string | undefined>;
}

/** Posts cards and answers for the core. When Slack refuses a format, it tries a simpler one. */
export function createMessenger(deps: MessengerDeps): Messenger & PrivateSender {
  const { slack, outbound, format, log, now } = deps;
  const own = createOwnMessages(deps);
  const ladder = FORMAT_LADDER.slice(FORMAT_LADDER.indexOf(format));
  const sendPrivately = createPrivateSender(deps);

  return {
    postCard,
    findCard,
    updateCard,
    prepare,
    findPart,
    ...createAnswerFile({ slack, outbound, own }),
    removeCopies: createRemoveCopies({ slack, own }),
    notifyPrivately,
    sendPrivately,
    removePressed: (responseUrl) => respond(deps, responseUrl, { delete_original: true }),
  };

  async function postCard(question: Question, view: CardView): Promise<{ ts: string }> {
    return post(question, 'card', (asFormat) => renderCard(question, view, { format: asFormat }));
  }

  async function updateCard(question: Question, view: CardView, confirm?: Confirm): Promise<void> {
    const ts = question.card.ts;
    if (ts === undefined) return;
    const priority = question.outcome === undefined ? 'edit' : 'final';
    await inSomeFormat(question, async (asFormat) => {
      const { metadata: _, ...message } = renderCard(question, view, { format: asFormat });
      await slack.call(
        'chat.update',
        { channel: question.place.channelId, ts, blocks: [], ...message },
        { priority, confirm },
      );
    });
  }

  function prepare(prepared: Question): PreparedOutcome {
    const { contact, workspaceUrl } = slack.identity;
    const { parts, render } = prepareOutcome(prepared);
    return {
      parts,
      postPart: (question, part, confirm) =>
        post(
          question,
          'answer',
          (asFormat) => render(question, part, { format: asFormat, contact, workspaceUrl }),
          confirm,
        ),
    };
  }

  function findCard(question: Question): Promise<string | undefined> {
    return find(question, cardMarker(question), question.card);
  }

  function findPart(question: Question, part: number): Promise<string | undefined> {
    return find(question, partMarker(question, part), question.delivery);
  }

  function find(question: Question, marker: string, call: PendingCall) {
    return own.find(question, (message) => hasMarker(message, marker), call);
  }

  async function notifyPrivately(question: Question, userId: string, notice: Notice): Promise<void> {
    const isAsker = userId === question.askerId;
    const responseUrl = isAsker && now() - question.acceptedMs < responseUrlLifeMs ? question.responseUrl : undefined;
    const locale = isAsker ? question.locale : undefined;
    const { channelId, threadTs } = question.place;
    // Slack shows a private message in a thread only when the thread has replies:
    // docs.slack.dev/reference/methods/chat.postEphemeral.
    const isPlaceLost = notice.kind === 'undeliverable' || (notice.kind === 'notInChannel' && notice.isThreadGone);
    const isRepliedTo = !question.beginsThread || question.card.ts !== undefined || question.delivery.posted.length > 0;
    await sendPrivately(
      {
        channelId,
        userId,
        ...(threadTs === undefined || !isRepliedTo || isPlaceLost === true ? {} : { threadTs }),
        locale,
        responseUrl,
      },
      notice,
    );
  }

  async function post(
    question: Question,
    priority: 'answer' | 'card',
    render: (asFormat: MessageFormat) => RenderedMessage,
    confirm: Confirm = async () => {},
  ): Promise<{ ts: string }> {
    const { channelId, threadTs } = question.place;
    // A message that Slack refused does not appear in the channel, so only the first try takes room there.
    let roomIn: string | undefined = channelId;
    return inSomeFormat(question, async (asFormat) => {
      const args = {
        channel: channelId,
        thread_ts: threadTs,
        unfurl_links: false,
        unfurl_media: false,
        ...render(asFormat),
      };
      const posted = await joiningWhereNeeded(channelId, async () => {
        await confirm();
        const options = { priority, channelId: roomIn };
        roomIn = undefined;
        return slack.call('chat.postMessage', args, options);
      });
      if (posted.ts === undefined) {
        throw new AppError('badReply', 'chat.postMessage: no timestamp', { outcomeUnknown: true });
      }
      // Slack posts a reply to a deleted message into the channel, and says so only by this missing field.
      if (threadTs !== undefined && posted.message !== undefined && posted.message.thread_ts === undefined) {
        await own.removeOutsideThread(question, posted.ts);
        throw new AppError('undeliverable', 'the thread is gone', { code: threadGone });
      }
      return { ts: posted.ts };
    });
  }

  /**
   * A command may come from a public channel that the app is not in. The app then joins, because only members can read
   * replies in a thread. It cannot join private channels, so there the refusal is final.
   */
  async function joiningWhereNeeded<Result>(channelId: string, send: () => Promise<Result>): Promise<Result> {
    try {
      return await send();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'not_in_channel') throw error;
      try {
        await slack.call('conversations.join', { channel: channelId }, { priority: 'answer' });
      } catch (notJoined) {
        // When Slack's limits leave no room for joining, the core tries the whole post again later.
        throw isAppError(notJoined, 'rateLimited') ? notJoined : error;
      }
      return send();
    }
  }

  /** Tries the preferred format first, then simpler ones while Slack refuses the form of the message. */
  async function inSomeFormat<Result>(
    question: Question,
    send: (asFormat: MessageFormat) => Promise<Result>,
  ): Promise<Result> {
    for (const asFormat of ladder) {
      try {
        return await send(asFormat);
      } catch (error) {
        if (!isAppError(error, 'unrenderable') || asFormat === ladder.at(-1)) throw error;
        log.warn({ event: 'format_refused', questionId: question.id, format: asFormat }, error);
      }
    }
    throw new Error('the ladder of formats is empty');
  }
}

/** One person in one place, and the `response_url` that some payloads carry for a short time. */
export interface Recipient {
  channelId: string;
  threadTs?: string;
  userId: string;
  responseUrl?: string;
  /** The message takes the place of the private one with the button that was pressed, where `responseUrl` still works. */
  replacesPressed?: boolean;
  /**
   * The person may not be there now. Slack does not keep ephemeral messages for them, so the message goes to their direct
   * messages with the app.
   */
  mayBeAway?: boolean;
  /** Their language, where it is known. */
  locale?: string;
}

/** A message to one person: a notice, or a function that writes it in their language. */
export type PrivateMessage = Notice | ((locale: string | undefined) => RenderedMessage);

export interface PrivateSender {
  /**
   * Tells one person something: by the response URL, else by an ephemeral message, else by a direct message. For a person
   * who may be away, a direct message comes first.
   */
  sendPrivately(to: Recipient, word: PrivateMessage): Promise<void>;
  /** Removes the private message whose button was pressed with this response URL. Throws `AppError`. */
  removePressed(responseUrl: string): Promise<void>;
}

function createPrivateSender({
  slack,
  outbound,
  slackApiUrl,
  localeOf,
}: MessengerDeps): PrivateSender['sendPrivately'] {
  const { botUserId, contact } = slack.identity;
  return async function sendPrivately(to, word) {
    const locale = to.locale ?? (await localeOf(to.userId));
    const message = typeof word === 'function' ? word(locale) : renderNotice(word, { botUserId, locale, contact });
    const private_: { text: string; blocks?: KnownBlock[] } = { text: message.text };
    if (message.blocks !== undefined) private_.blocks = message.blocks;
    // Without it, Slack shows the response in the channel: docs.slack.dev/interactivity/handling-user-interaction.
    const thread = to.threadTs === undefined ? {} : { thread_ts: to.threadTs };
    if (to.responseUrl !== undefined) {
      try {
        const replace_original = to.replacesPressed ?? false;
        const response = { response_type: 'ephemeral', replace_original, ...thread, ...private_ };
        return await respond({ outbound, slackApiUrl }, to.responseUrl, response);
      } catch {
        // The URL may have expired. The other two ways do not need it.
      }
    }
    const isDirect = to.channelId.startsWith('D');
    const channelId = isDirect && to.mayBeAway === true ? to.channelId : to.userId;
    const post = (): Promise<unknown> =>
      slack.call(
        'chat.postMessage',
        {
          ...{ channel: channelId, unfurl_links: false, unfurl_media: false, ...private_ },
          ...(channelId === to.channelId ? thread : {}),
        },
        { priority: 'private', channelId },
      );
    const show = (): Promise<unknown> =>
      slack.call(
        'chat.postEphemeral',
        { channel: to.channelId, user: to.userId, ...thread, ...private_ },
        { priority: 'private' },
      );
    const [first, second] = to.mayBeAway === true ? [post, show] : [show, post];
    try {
      await first();
    } catch (error) {
      if (!isAppError(error, 'undeliverable')) throw error;
      await second();
    }
  };
}
