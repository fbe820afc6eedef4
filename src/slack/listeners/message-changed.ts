import { z } from 'zod';
import { asksNothing } from '../../core/intake/courtesies.ts';
import { readIntent } from '../../core/intake/intents.ts';
import { isInThread, type Question } from '../../core/question/question.ts';
import { maxQuestionLength } from '../../core/settings.ts';
import { slackId, timestamp } from '../content/fields.ts';
import { mentions } from '../content/incoming-text.ts';
import { readContent, wholeText } from '../content/message-content.ts';
import { notify } from '../messages/private-messages.ts';
import type { ListenerContext } from './frame.ts';
import { messageKey } from './verbs.ts';

const nestedMessage = z.looseObject({
  user: slackId.optional(),
  bot_id: slackId.nullish(),
  subtype: z.string().optional(),
  text: z.string().default(''),
  ts: timestamp,
  thread_ts: timestamp.optional(),
  edited: z.unknown().optional(),
});

/** What is read of `message_changed` events. Only the nested messages name the author. */
const changeEvent = z.object({
  channel: slackId,
  channel_type: z.string().optional(),
  /** The timestamp of the change, the same in each delivery. */
  ts: timestamp,
  message: nestedMessage,
  previous_message: nestedMessage.optional().catch(undefined),
});

/** What is read of `message_deleted` events. */
const deletionEvent = z.object({
  channel: slackId,
  deleted_ts: timestamp,
  previous_message: z.object({ user: slackId.optional(), thread_ts: timestamp.optional() }).optional().catch(undefined),
});

type ChangeEvent = z.infer<typeof changeEvent>;
type NestedMessage = z.infer<typeof nestedMessage>;

/** Handles messages that are edited or deleted. Throws `AppError` of kind `storage` when nothing was done. */
export function createEdits(w: ListenerContext) {
  return { changed, deleted };

  /**
   * Only edits of the text matter. An edited question is offered by a button, and is not asked automatically. Returns the
   * message, if it asked nothing and the edit makes it one for the app: it is handled as if it had been written so. Its question has the id of the message, so that it is asked once.
   */
  async function changed(raw: unknown, teamId: string): Promise<object | undefined> {
    const parsed = changeEvent.safeParse(raw);
    if (!parsed.success) return undefined;
    const event = parsed.data;
    const { message, previous_message: previous, channel: channelId } = event;
    // A deleted message with replies stays as a `tombstone`.
    if (message.subtype === 'tombstone') {
      await takeBack({ teamId, channelId, ts: message.ts }, previous);
      return undefined;
    }
    const { botUserId } = w.slack.identity;
    if (message.bot_id != null || message.user === undefined || message.user === botUserId) return undefined;
    const hasNewText = previous === undefined ? message.edited !== undefined : previous.text !== message.text;
    if (hasNewText || hasOtherFiles(message, previous)) await replaceThreadNote(event, teamId);
    if (!hasNewText) return undefined;
    const question = await w.requests.startedBy(messageKey(teamId, channelId, message.ts));
    if (question !== undefined) {
      await offer(event, question, teamId);
      return undefined;
    }
    const isDirect = event.channel_type === 'im';
    const isForApp = isDirect || mentions(textOf(message), botUserId);
    // Slack marks a message as edited when a person edits it, and not when it gets a preview.
    const isEdit = previous !== undefined && message.edited !== undefined;
    if (isEdit && isForApp) {
      const { thread_ts: threadTs, ts } = message;
      // Its own words are no context of the question.
      if (threadTs !== undefined) await w.noteKeeper.remove({ teamId, channelId, threadTs }, ts);
      const { edited: _, ...unedited } = message;
      return {
        ...unedited,
        type: isDirect ? 'message' : 'app_mention',
        channel: channelId,
        channel_type: event.channel_type,
      };
    }
    if (isForApp) note(event, teamId, undefined);
    return undefined;
  }

  async function deleted(raw: unknown, teamId: string): Promise<void> {
    const parsed = deletionEvent.safeParse(raw);
    if (!parsed.success) return;
    const { channel: channelId, deleted_ts: ts, previous_message: previous } = parsed.data;
    await takeBack({ teamId, channelId, ts }, previous);
  }

  /** A person who deletes their question cancels it. */
  async function takeBack(
    { teamId, channelId, ts }: { teamId: string; channelId: string; ts: string },
    previous: { user?: string; thread_ts?: string | undefined } | undefined,
  ): Promise<void> {
    const threadTs = previous?.thread_ts;
    await Promise.all([
      threadTs === undefined ? undefined : w.noteKeeper.remove({ teamId, channelId, threadTs }, ts),
      w.requests.cancelStartedBy(messageKey(teamId, channelId, ts), previous?.user),
    ]);
  }

  /** Text that people remove from a message is not sent to the service. */
  async function replaceThreadNote({ message, channel: channelId }: ChangeEvent, teamId: string): Promise<void> {
    const { ts, user: userId, thread_ts: threadTs } = message;
    const content = readContent(message, w.slack.identity);
    if (userId === undefined || threadTs === undefined || content === undefined) return;
    const place = { teamId, channelId, threadTs };
    await w.noteKeeper.replace(place, { ts, userId, text: wholeText(content), files: content.files });
  }

  async function offer(event: ChangeEvent, question: Question, teamId: string): Promise<void> {
    const { message, channel: channelId } = event;
    note(event, teamId, question.id);
    const text = readEdited(question, await w.read(textOf(message)));
    if (text === undefined) return;
    const atMs = timeOf(event.ts);
    if (atMs === undefined) return;
    const edit = await w.requests.noteEdit(messageKey(teamId, channelId, message.ts), { text, atMs });
    if (edit.kind !== 'noted') return;
    const { id, askerId, place } = edit.question;
    const isReply = isInThread(place) && place.threadTs !== message.ts;
    notify(
      w,
      { channelId, userId: askerId, ...(isReply ? { threadTs: place.threadTs } : {}) },
      { kind: 'edited', questionId: id, text },
    );
  }

  function textOf(message: NestedMessage): string {
    return readContent(message, w.slack.identity)?.text ?? '';
  }

  /** A deleted file stays in its message, but without its name and type. */
  function hasOtherFiles(message: NestedMessage, previous: NestedMessage | undefined): boolean {
    const filesOf = (each: NestedMessage | undefined) =>
      JSON.stringify(readContent(each, w.slack.identity)?.files ?? []);
    return filesOf(message) !== filesOf(previous);
  }

  function note({ message, channel: channelId }: ChangeEvent, teamId: string, questionId: string | undefined): void {
    w.messageLog.note(
      { teamId, channelId },
      {
        ts: message.ts,
        userId: message.user ?? '',
        atMs: Date.now(),
        disposition: 'edited',
        threadTs: message.thread_ts,
        questionId,
      },
    );
  }
}

/** Slack's timestamps have microseconds, so two edits differ. Undefined if it is not a number. */
function timeOf(ts: string): number | undefined {
  const ms = Math.round(Number(ts) * 1_000_000) / 1000;
  return Number.isFinite(ms) ? ms : undefined;
}

/** The question in an edited message, read like the first version. Undefined when there is none. */
function readEdited({ origin, fresh }: Question, plainText: string): string | undefined {
  const intent = readIntent(plainText);
  if (intent.kind !== 'ask')
    return origin === 'reply' && intent.kind === 'verb' && intent.verb !== 'cancel' ? plainText : undefined;
  if (asksNothing(plainText)) return undefined;
  const text = fresh ? (intent.freshText ?? intent.text) : intent.text;
  return text.length > maxQuestionLength ? undefined : text;
}
