import { AppError, isAppError, threadGone } from '../../core/errors.ts';
import type { CardView, Confirm, Messenger, PreparedOutcome } from '../../core/ports.ts';
import { isInThread, type PendingCall, type Question } from '../../core/question/question.ts';
import { answerFileName, renderAnswerFile } from '../../render/answer-file.ts';
import { FORMAT_LADDER, type MessageFormat, type RenderedMessage } from '../../render/blocks.ts';
import { renderCard } from '../../render/card.ts';
import { cardMarker, hasMarker, type MarkedMessage, markerOf, partMarker } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import { prepareOutcome } from '../../render/outcome.ts';
import { oneLine } from '../../render/text.ts';
import type { Identity } from '../api/slack-api.ts';
import type { SlackContext } from '../context.ts';
import { blindWaitMs, messagesPerPage, mostMessagePages, responseUrlLifeMs, uploadTimeoutMs } from '../settings.ts';
import { sendPrivately } from './private-messages.ts';

/** Posts cards and answers for the core. When Slack refuses a format, it tries a simpler one. */
export function createMessenger(s: SlackContext): Messenger {
  const { slack, format, log, now } = s;
  const ladder = FORMAT_LADDER.slice(FORMAT_LADDER.indexOf(format));

  return {
    postCard,
    findCard,
    updateCard,
    prepare,
    findPart,
    attachAnswer,
    findAttachment,
    removeCopies: (question) => removeCopies(s, question),
    notifyPrivately,
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
    return findOwn(s, question, (message) => hasMarker(message, marker), call);
  }

  /**
   * Attaches a whole answer as a Markdown file, by the three steps of docs.slack.dev/messaging/working-with-files. People
   * see the file only after the last step, so only its outcome can be unknown. The file's name identifies the answer.
   */
  async function attachAnswer(question: Question, confirm: Confirm): Promise<void> {
    if (question.outcome?.kind !== 'answered') throw new Error('only an answer is attached');
    const { answer } = question.outcome;
    const { channelId, threadTs } = question.place;
    const bytes = new TextEncoder().encode(renderAnswerFile(question, answer));
    const filename = answerFileName(question);
    const { upload_url: uploadUrl, file_id: id } = await slack.call(
      'files.getUploadURLExternal',
      { filename, length: bytes.length },
      { priority: 'answer' },
    );
    if (uploadUrl === undefined || id === undefined) {
      throw new AppError('badReply', 'files.getUploadURLExternal: no address or no id');
    }
    await upload(s, uploadUrl, bytes);
    const title = oneLine(answer.title) || filename;
    const share = threadTs === undefined ? { channel_id: channelId } : { channel_id: channelId, thread_ts: threadTs };
    // Only from here on people see the file, and the upload may have taken long.
    await confirm();
    await slack.call('files.completeUploadExternal', { files: [{ id, title }], ...share }, { priority: 'answer' });
    if (threadTs !== undefined) await checkThread(question);
  }

  /**
   * Throws if the thread of a file that was just shared is gone: the reply does not say where the file is, and the search
   * removes it from the channel. If another error said that nothing happened, the file would come a second time.
   */
  async function checkThread(question: Question): Promise<void> {
    try {
      await findAttachment(question);
    } catch (error) {
      if (!isAppError(error) || error.code === threadGone) throw error;
      // A later search is not allowed either.
      if (error.code === 'missing_scope') return;
      const { kind, retryAfterMs, isHeldBack, code } = error;
      const details = { cause: error, outcomeUnknown: true, retryAfterMs, isHeldBack, code };
      throw new AppError(kind, 'not known whether the file is in its thread', details);
    }
  }

  async function findAttachment(question: Question): Promise<boolean> {
    const name = answerFileName(question);
    const ts = await findOwn(
      s,
      question,
      ({ files = [] }) => files.some((file) => file.name === name),
      question.delivery.file,
    );
    return ts !== undefined;
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
      s,
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
        await removeOutsideThread(s, question, posted.ts);
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

/** The address itself is a secret, so the app's token is not sent there, and no redirect is followed. */
async function upload({ outbound }: SlackContext, uploadUrl: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  let status: number;
  try {
    const response = await outbound.fetch(uploadUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(uploadTimeoutMs),
    });
    status = response.status;
    await response.body?.cancel();
  } catch (error) {
    throw new AppError('unavailable', 'upload of a file: no answer', { cause: error });
  }
  if (status === 429) throw new AppError('rateLimited', 'upload of a file: HTTP 429', { code: status });
  if (status >= 300) {
    const kind = status >= 500 ? 'unavailable' : 'refused';
    throw new AppError(kind, `upload of a file: HTTP ${status}`, { code: status });
  }
}

/** A message as Slack sends it. Every field may be missing. */
interface FoundMessage extends MarkedMessage {
  ts?: string;
  user?: string;
  bot_id?: string;
  files?: { id?: string; name?: string | null }[];
}

/**
 * The timestamp of the oldest message of the app that `isIt`, in the place of a question. `call`: the call that may have
 * posted it. Without the scope to read, the app does not know whether a message was posted. After a minute it assumes that
 * it was not, because a missing answer is worse than an answer that rarely comes twice. Throws `AppError`.
 */
async function findOwn(
  s: SlackContext,
  question: Question,
  isIt: (message: FoundMessage) => boolean,
  call: PendingCall = {},
): Promise<string | undefined> {
  try {
    for await (const page of pages(s, question)) {
      const [oldest] = page
        .filter(isIt)
        .flatMap(({ ts }) => ts ?? [])
        .toSorted();
      if (oldest !== undefined) return oldest;
    }
    return undefined;
  } catch (error) {
    // In a public channel only members post. The app joins when it posts, so it has posted nothing yet.
    if (isAppError(error) && error.code === 'not_in_channel') return undefined;
    if (isAppError(error) && error.code === threadGone) await removeOutsideThread(s, question);
    if (!isAppError(error, 'unauthorized') || error.code !== 'missing_scope') throw error;
    s.log.error({ event: 'advance_not_allowed', questionId: question.id, channelId: question.place.channelId }, error);
    if (s.now() - (call.givenUpMs ?? call.intentMs ?? 0) <= blindWaitMs) throw error;
    return undefined;
  }
}

/**
 * All messages of the app since the question was accepted: in its thread, and in the channel when its card begins the
 * thread.
 */
async function listOwn(s: SlackContext, question: Question): Promise<FoundMessage[]> {
  const { place, card } = question;
  const { threadTs: _, ...channel } = place;
  const beginsThread = card.ts !== undefined && card.ts === place.threadTs;
  const places = beginsThread ? [place, channel] : [place];
  const found = new Map<string, FoundMessage>();
  for (const one of places) {
    for await (const page of pages(s, { ...question, place: one })) {
      for (const message of page) if (message.ts !== undefined) found.set(message.ts, message);
    }
  }
  return [...found.values()];
}

/**
 * Deletes what was posted for the question into its channel because its thread is gone: `ts`, and what a process posted
 * that ended before it could delete it. If that fails, the error has an unknown outcome, so that the app searches again.
 */
async function removeOutsideThread(s: SlackContext, question: Question, ts?: string): Promise<void> {
  const { channelId: channel, teamId } = question.place;
  const inThread = new Set([question.card.ts, ...question.delivery.posted]);
  try {
    if (ts !== undefined) await deleteMessage(s, channel, ts);
    for await (const page of pages(s, { ...question, place: { teamId, channelId: channel } })) {
      for (const message of page) {
        if (message.ts === undefined || inThread.has(message.ts)) continue;
        const file = message.files?.find(({ name }) => name === answerFileName(question));
        if (file?.id !== undefined) await deleteFile(s, file.id);
        else if (markerOf(message, question) !== undefined) await deleteMessage(s, channel, message.ts);
      }
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
    const details = { cause: error, outcomeUnknown: true, retryAfterMs: error.retryAfterMs };
    throw new AppError(error.kind, 'a message outside its thread was not removed', details);
  }
}

/** Pages of the app's messages, from the thread, or from the channel when there is no thread yet. */
async function* pages({ slack }: SlackContext, { place, acceptedMs }: Question): AsyncGenerator<FoundMessage[]> {
  // Older messages cannot be about the question. A minute is added, because clocks differ.
  const oldest = String(Math.floor(acceptedMs / 1000) - 60);
  let cursor: string | undefined;
  for (let page = 0; page < mostMessagePages; page += 1) {
    const window = {
      channel: place.channelId,
      oldest,
      limit: messagesPerPage,
      include_all_metadata: true,
      cursor,
    };
    const found = isInThread(place)
      ? await slack.call('conversations.replies', { ...window, ts: place.threadTs }, { priority: 'answer' })
      : await slack.call('conversations.history', window, { priority: 'answer' });
    const messages: FoundMessage[] = found.messages ?? [];
    yield messages.filter((message) => isOurs(message, slack.identity));
    cursor = found.response_metadata?.next_cursor || undefined;
    if (!cursor) return;
  }
}

/** Others can copy the app's markers, so the author counts. When none is named, the marker alone decides. */
function isOurs({ user, bot_id }: FoundMessage, { botUserId, botId }: Identity): boolean {
  if (user === undefined && (bot_id === undefined || botId === undefined)) return true;
  return user === botUserId || (botId !== undefined && bot_id === botId);
}

async function deleteMessage({ slack }: SlackContext, channel: string, ts: string): Promise<void> {
  await unlessGone(slack.call('chat.delete', { channel, ts }, { priority: 'answer' }));
}

async function deleteFile({ slack }: SlackContext, file: string): Promise<void> {
  await unlessGone(slack.call('files.delete', { file }, { priority: 'answer' }));
}

/** Ignores that a message or file is gone already. */
async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isAppError(error, 'notFound')) throw error;
  }
}

/**
 * Deletes messages that were posted twice. Slack may carry out a call long after the app gave it up and repeated it.
 * The copy of a card would keep its Cancel button forever. Returns how many there were.
 */
async function removeCopies(s: SlackContext, question: Question): Promise<number> {
  const messages = (await listOwn(s, question)).toSorted(byTimestamp);
  const copies = copiesAmong(messages, question);
  for (const ts of copies) await deleteMessage(s, question.place.channelId, ts);
  const files = fileCopiesAmong(messages, question);
  for (const id of files) await deleteFile(s, id);
  return copies.length + files.length;
}

/**
 * Of each card and part, the message that the question names is kept, because people saw it change. Otherwise the
 * oldest is kept. When the card was deleted, a copy of it only shows the first state, with a Cancel button. So does a card
 * that appears after the question ended without one.
 */
function copiesAmong(messages: FoundMessage[], question: Question): string[] {
  const { card } = question;
  const named = new Set([card.ts, ...question.delivery.posted]);
  const byMarker = new Map<string, string[]>();
  for (const message of messages) {
    const marker = markerOf(message, question);
    if (marker !== undefined && message.ts !== undefined) {
      byMarker.set(marker, [...(byMarker.get(marker) ?? []), message.ts]);
    }
  }
  return [...byMarker].flatMap(([marker, group]) => {
    const isCard = marker === cardMarker(question) && (card.ts !== undefined || card.gone === true);
    const kept = isCard ? card.ts : (group.find((ts) => named.has(ts)) ?? group[0]);
    return group.filter((ts) => ts !== kept);
  });
}

/** Keeps the oldest file of this name. */
function fileCopiesAmong(messages: FoundMessage[], question: Question): string[] {
  const name = answerFileName(question);
  const [, ...copies] = messages.flatMap(({ files = [] }) => files.filter((file) => file.name === name));
  return copies.flatMap(({ id }) => id ?? []);
}

function byTimestamp({ ts: one = '' }: FoundMessage, { ts: other = '' }: FoundMessage): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
