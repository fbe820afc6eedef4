import type { Confirm } from '../../core/access-policy.ts';
import { AppError, isAppError, threadGone } from '../../core/errors.ts';
import type { Messenger } from '../../core/ports.ts';
import type { Question } from '../../core/question/question.ts';
import { answerFileName, renderAnswerFile } from '../../render/answer-file.ts';
import { oneLine } from '../../render/text.ts';
import type { Outbound } from '../api/outbound-fetch.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { uploadTimeoutMs } from '../settings.ts';
import type { OwnMessages } from './own-messages.ts';

export interface AnswerFileDeps {
  slack: Pick<SlackApi, 'call'>;
  outbound: Outbound;
  own: OwnMessages;
}

/**
 * Attaches whole answers as Markdown files, by the three steps of docs.slack.dev/messaging/working-with-files. People
 * see the file only after the last step, so only its outcome can be unknown. The file's name identifies the answer.
 */
export function createAnswerFile(deps: AnswerFileDeps): Pick<Messenger, 'attachAnswer' | 'findAttachment'> {
  const { slack, outbound, own } = deps;

  return { attachAnswer, findAttachment };

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
    await send(outbound, uploadUrl, bytes);
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
    const ts = await own.find(
      question,
      ({ files = [] }) => files.some((file) => file.name === name),
      question.delivery.file,
    );
    return ts !== undefined;
  }
}

/** The address itself is a secret, so the app's token is not sent there, and no redirect is followed. */
async function send(outbound: Outbound, uploadUrl: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
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
