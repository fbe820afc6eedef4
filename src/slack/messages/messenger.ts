import { AppError, isAppError, threadGone } from '../../core/errors.ts';
import type { CardView, Confirm, Messenger, PreparedOutcome } from '../../core/ports.ts';
import type { PendingCall, Question } from '../../core/question/question.ts';
import { answerFileName, renderAnswerFile } from '../../render/answer-file.ts';
import { FORMAT_LADDER, type MessageFormat, type RenderedMessage } from '../../render/blocks.ts';
import { renderCard } from '../../render/card.ts';
import { cardMarker, hasMarker, partMarker } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import { prepareOutcome } from '../../render/outcome.ts';
import { oneLine } from '../../render/text.ts';
import type { SlackContext } from '../context.ts';
import { responseUrlLifeMs, uploadTimeoutMs } from '../settings.ts';
import { findOwn, removeCopies, removeOutsideThread } from './own-messages.ts';
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
