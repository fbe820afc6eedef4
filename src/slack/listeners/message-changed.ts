import { z } from 'zod';
import { asksNothing } from '../../core/intake/courtesies.ts';
import { readIntent } from '../../core/intake/intents.ts';
import type { Requests } from '../../core/intake/requests.ts';
import type { EditedQuestion } from '../../core/question/edited-question.ts';
import { isInThread, type Question } from '../../core/question/question.ts';
import { maxQuestionLength } from '../../core/settings.ts';
import { readFiles } from '../content/files.ts';
import { mentions } from '../content/incoming-text.ts';
import type { MessageLog } from '../reports/message-log.ts';
import type { ThreadNoteKeeper } from '../threads/thread-note-keeper.ts';
import { type AddedMentionDeps, createAddedMentions } from './added-mentions.ts';
import { messageKey } from './message-key.ts';

const nestedMessage = z.object({
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  subtype: z.string().optional(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  edited: z.unknown().optional(),
  files: z.unknown().optional(),
});

/** What is read of `message_changed` events. Only the nested messages name the author. */
const changeEvent = z.object({
  channel: z.string(),
  channel_type: z.string().optional(),
  /** The timestamp of the change, the same in each delivery. */
  ts: z.string(),
  message: nestedMessage,
  previous_message: nestedMessage.optional().catch(undefined),
});

/** What is read of `message_deleted` events. */
const deletionEvent = z.object({
  channel: z.string(),
  deleted_ts: z.string(),
  /** The timestamp of the deletion, the same in each delivery. Without it the deletion counts as later than any edit. */
  ts: z.string().optional(),
  previous_message: z
    .object({ user: z.string().optional(), text: z.string().optional(), thread_ts: z.string().optional() })
    .optional()
    .catch(undefined),
});

type ChangeEvent = z.infer<typeof changeEvent>;
type NestedMessage = z.infer<typeof nestedMessage>;

export type EditDeps = AddedMentionDeps & {
  requests: Pick<Requests, 'startedBy' | 'cancelStartedBy' | 'noteEdit'>;
  threadNotes: Pick<ThreadNoteKeeper, 'replace' | 'remove'>;
  messageLog: Pick<MessageLog, 'note'>;
};

/** Handles messages that are edited or deleted. Throws `AppError` of kind `storage` when nothing was done. */
export function createEdits(deps: EditDeps) {
  const addedMentions = createAddedMentions(deps);

  return { changed, deleted };

  /** Only edits of the text matter. An edited question is offered by a button, and is not asked automatically. */
  async function changed(raw: unknown, teamId: string): Promise<void> {
    const parsed = changeEvent.safeParse(raw);
    if (!parsed.success) return;
    const event = parsed.data;
    const { message, previous_message: previous, channel: channelId } = event;
    // A deleted message with replies stays as a `tombstone`.
    if (message.subtype === 'tombstone') {
      return takeBack({ teamId, channelId, ts: message.ts, atMs: timeOf(event.ts) }, previous);
    }
    if (message.bot_id != null || message.user === undefined || message.user === deps.slack.identity.botUserId) return;
    const hasNewText = previous === undefined ? message.edited !== undefined : previous.text !== message.text;
    if (hasNewText || hasOtherFiles(message, previous)) await replaceThreadNote(event, teamId);
    if (!hasNewText) return;
    const question = await deps.requests.startedBy(messageKey(teamId, channelId, message.ts));
    if (question !== undefined) return offer(event, question, teamId);
    // Slack marks a message as edited when a person edits it, and not when it gets a preview.
    const atMs = timeOf(event.ts);
    if (event.channel_type !== 'im' && previous !== undefined && message.edited !== undefined && atMs !== undefined) {
      const place = { teamId, channelId, threadTs: message.thread_ts ?? message.ts };
      const { user: userId, ts, subtype, text } = message;
      const files = readFiles(message.files);
      await addedMentions.edited({ place, userId, ts, subtype, text, before: previous.text, files, atMs });
    }
    const isForApp = event.channel_type === 'im' || mentions(message.text, deps.slack.identity.botUserId);
    if (isForApp) note(event, teamId, undefined);
  }

  async function deleted(raw: unknown, teamId: string): Promise<void> {
    const parsed = deletionEvent.safeParse(raw);
    if (!parsed.success) return;
    const { channel: channelId, deleted_ts: ts, previous_message: previous, ts: deletedTs } = parsed.data;
    const atMs = deletedTs === undefined ? Date.now() : timeOf(deletedTs);
    await takeBack({ teamId, channelId, ts, atMs }, previous);
  }

  /** A person who deletes their question cancels it. */
  async function takeBack(
    { teamId, channelId, ts, atMs }: { teamId: string; channelId: string; ts: string; atMs: number | undefined },
    previous: { user?: string | undefined; text?: string | undefined; thread_ts?: string | undefined } | undefined,
  ): Promise<void> {
    const threadTs = previous?.thread_ts;
    const didMention = mentions(previous?.text ?? '', deps.slack.identity.botUserId);
    await Promise.all([
      threadTs === undefined ? undefined : deps.threadNotes.remove({ teamId, channelId, threadTs }, ts),
      deps.requests.cancelStartedBy(messageKey(teamId, channelId, ts), previous?.user),
      didMention && atMs !== undefined
        ? addedMentions.deleted({
            place: { teamId, channelId, threadTs: threadTs ?? ts },
            userId: previous?.user,
            ts,
            atMs,
          })
        : undefined,
    ]);
  }

  /** Text that people remove from a message is not sent to the service. */
  async function replaceThreadNote({ message, channel: channelId }: ChangeEvent, teamId: string): Promise<void> {
    const { ts, text, user: userId, thread_ts: threadTs } = message;
    if (userId === undefined || threadTs === undefined) return;
    await deps.threadNotes.replace(
      { teamId, channelId, threadTs },
      { ts, userId, text, files: readFiles(message.files) },
    );
  }

  async function offer(event: ChangeEvent, question: Question, teamId: string): Promise<void> {
    const { message, channel: channelId } = event;
    note(event, teamId, question.id);
    const edited = readEdited(question, await deps.read(message.text));
    if (edited === undefined) return;
    const atMs = timeOf(event.ts);
    if (atMs === undefined) return;
    const edit = await deps.requests.noteEdit(messageKey(teamId, channelId, message.ts), { ...edited, atMs });
    if (edit.kind !== 'noted') return;
    const { id, askerId, place } = edit.question;
    const isReply = isInThread(place) && place.threadTs !== message.ts;
    deps.notify(
      { channelId, userId: askerId, ...(isReply ? { threadTs: place.threadTs } : {}) },
      { kind: 'edited', questionId: id, text: edited.text },
    );
  }

  function note({ message, channel: channelId }: ChangeEvent, teamId: string, questionId: string | undefined): void {
    deps.messageLog.note(
      { teamId, channelId },
      {
        ts: message.ts,
        userId: message.user ?? '',
        atMs: Date.now(),
        disposition: 'edited',
        ...(message.thread_ts === undefined ? {} : { threadTs: message.thread_ts }),
        ...(questionId === undefined ? {} : { questionId }),
      },
    );
  }
}

/** Slack's timestamps have microseconds, so two edits differ. Undefined if it is not a number. */
function timeOf(ts: string): number | undefined {
  const ms = Math.round(Number(ts) * 1_000_000) / 1000;
  return Number.isFinite(ms) ? ms : undefined;
}

/** A deleted file stays in its message, but without its name and type. */
function hasOtherFiles(message: NestedMessage, previous: NestedMessage | undefined): boolean {
  return JSON.stringify(readFiles(message.files)) !== JSON.stringify(readFiles(previous?.files));
}

/** The question in an edited message, read like the first version. Undefined when there is none. */
function readEdited({ origin, fresh }: Question, plainText: string): Omit<EditedQuestion, 'atMs'> | undefined {
  const intent = readIntent(plainText);
  if (intent.kind !== 'ask')
    return origin === 'reply' && intent.kind === 'verb' && intent.verb !== 'cancel' ? { text: plainText } : undefined;
  if (asksNothing(plainText)) return undefined;
  const text = fresh ? (intent.freshText ?? intent.text) : intent.text;
  if (text.length > maxQuestionLength) return undefined;
  return fresh && intent.freshText !== undefined ? { text, wholeText: intent.text } : { text };
}
