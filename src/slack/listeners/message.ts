import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Disposition } from '../../core/history/lists.ts';
import { type Acceptance, accept, idOf, type NewQuestion } from '../../core/intake/accept.ts';
import { cancelStartedBy } from '../../core/intake/cancel.ts';
import { asksNothing } from '../../core/intake/courtesies.ts';
import { startedBy } from '../../core/intake/find-question.ts';
import { readIntent } from '../../core/intake/intents.ts';
import { noteEdit } from '../../core/intake/requests.ts';
import { within } from '../../core/pacing.ts';
import { mayWantMute, withReplier } from '../../core/question/conversations.ts';
import { isInThread, type Place, type Question, type Thread, type ThreadPlace } from '../../core/question/question.ts';
import { maxQuestionLength } from '../../core/settings.ts';
import type { Notice } from '../../render/notices.ts';
import { permalink } from '../../render/text.ts';
import { takesOnlyMentions } from '../access/policy.ts';
import { mentions, slackId, timestamp } from '../content/incoming-text.ts';
import { type MessageContent, readContent, wholeText } from '../content/message-content.ts';
import { notify, type Recipient } from '../messages/private-messages.ts';
import {
  addresseeOf,
  askedBy,
  type IgnoreReason,
  type IncomingMessage,
  type Route,
  routeTo,
  saidNothing,
} from '../routing.ts';
import { lookUpPatienceMs } from '../settings.ts';
import { quoteForwards, readPage } from '../threads/thread-reader.ts';
import { type ListenerContext, noticeOfAcceptance } from './frame.ts';
import { createVerbs, messageKey } from './verbs.ts';

/** What is read of `message` and `app_mention` events. Slack may add or leave out other fields. */
const messageEvent = z.object({
  type: z.enum(['message', 'app_mention']),
  channel: slackId,
  channel_type: z.string().optional(),
  subtype: z.string().optional(),
  hidden: z.boolean().optional(),
  user: slackId.optional(),
  bot_id: slackId.nullish(),
  bot_profile: z.unknown().optional(),
  ts: timestamp,
  thread_ts: timestamp.optional(),
  edited: z.unknown().optional(),
  files: z.unknown().optional(),
});

/** An event and what its message contains. */
type MessageEvent = z.infer<typeof messageEvent> & { content: MessageContent };

/**
 * Mentions, plain replies and direct messages. One message may arrive as both event types and several times; its
 * timestamp identifies it. When the listener throws, the event is not acknowledged and Slack sends it again.
 */
export function registerMessages(app: App, w: ListenerContext): void {
  const handle = createHandleMessage(w);
  app.event('app_mention', async ({ event, context }) => handle(event, context.teamId));
  app.event('message', async ({ event, context }) => handle(event, context.teamId));
}

/** How to handle a message that came while the app was away. */
interface Missed {
  /** It is too old to be asked without a further word. */
  isLate: boolean;
  /** It came before the app was away, so its author may know already why it was not asked. */
  mayBeTold: boolean;
  sayAway(to: Recipient, notice: Notice): Promise<void>;
}

/** Handles a `message` or `app_mention` event, or one that is made of a message that was missed. */
export type HandleMessage = (raw: unknown, contextTeamId: string | undefined, missed?: Missed) => Promise<void>;

/** Creates what handles the messages of a workspace. It keeps nothing. */
export function createHandleMessage(w: ListenerContext): HandleMessage {
  const verbs = createVerbs(w);
  const edits = createEdits(w);

  return handle;

  async function handle(raw: unknown, contextTeamId: string | undefined, missed?: Missed): Promise<void> {
    const parsed = messageEvent.safeParse(raw);
    if (!parsed.success) {
      w.log.debug({ event: 'message_ignored', reason: 'unreadable' });
      return;
    }
    const teamId = contextTeamId ?? w.slack.identity.teamId;
    if (parsed.data.subtype === 'message_deleted') return edits.deleted(raw, teamId);
    if (parsed.data.subtype === 'message_changed') {
      const mention = await edits.changed(raw, teamId);
      return mention === undefined ? undefined : handle(mention, teamId);
    }
    const event = await withLookedUp({ ...parsed.data, content: readContent(raw, w.slack.identity) ?? noContent });
    const message = toIncoming(event);
    const threadTs = event.thread_ts ?? event.ts;
    const place: ThreadPlace = { teamId, channelId: event.channel, threadTs };
    // Most messages are not for the app. Drop them before any I/O.
    const addressee = addresseeOf(message, w.slack.identity.botUserId);
    if (typeof addressee === 'object') return ignoreEarly(event, message, place, addressee.ignored);
    const thread = event.thread_ts === undefined ? undefined : await w.threads.get(place);
    const text = await w.read(event.content.text);
    const followsReplies = addressee === 'thread' && thread?.followsReplies === true;
    const onlyMentions = followsReplies && (await takesOnlyMentions(w.chosenRules, place));
    const decided = routeTo(addressee, message, text, thread, w.slack.identity.botUserId, onlyMentions);
    if (thread !== undefined && isPlainReply(decided, event)) await noteReplier(place, thread, message.userId);
    if (decided.to === 'ignore') {
      if (thread !== undefined && isThreadNote(decided.reason, event)) addThreadNote(event, place);
      if (thread !== undefined || decided.reason === 'asks_nothing') noteIgnored(event, place, decided.reason);
      return ignore(event, decided.reason);
    }
    w.attendance.heard(place);
    await follow(decided, event, place, text, thread, missed);
  }

  /** Stores that a second person replied, before their question: from then on answers offer "Only when mentioned". */
  async function noteReplier(place: ThreadPlace, thread: Thread, userId = ''): Promise<void> {
    if (!thread.followsReplies || withReplier(thread, userId) === thread) return;
    const noted = await w.threads.update(place, (stored = thread) => withReplier(stored, userId));
    if (thread.hasSecondPerson !== true && mayWantMute(noted)) w.answerUpdates.muteOffered(noted.asked ?? []);
  }

  /** A person said it in a thread that follows replies, without mentioning the app. */
  function isPlainReply(decided: Route, event: MessageEvent): boolean {
    if (originOf(event, w.slack.identity.botUserId) !== 'reply') return false;
    if (decided.to === 'ignore' && decided.reason === 'only_mentions') return false;
    return decided.to !== 'ignore' || notedReasons.has(decided.reason) || decided.reason === 'asks_nothing';
  }

  async function follow(
    decided: Exclude<Route, { to: 'ignore' }>,
    event: MessageEvent,
    place: ThreadPlace,
    text: string,
    thread: Thread | undefined,
    missed: Missed | undefined,
  ): Promise<void> {
    const userId = event.user ?? '';
    const key = messageKey(place.teamId, place.channelId, event.ts);
    const recipient = {
      channelId: place.channelId,
      userId,
      threadTs: event.thread_ts,
    };
    const isReply = event.thread_ts !== undefined && event.thread_ts !== event.ts;
    if (decided.to === 'verb') {
      const { verb } = decided;
      // A reply to "help" of long ago helps no one.
      if (missed?.isLate === true && verb !== 'cancel') return;
      // People may have asked another question since a missed "cancel".
      const askedBeforeMs = missed === undefined ? undefined : Number(event.ts) * 1000;
      const isDirect = event.channel_type === 'im';
      const isPlain = originOf(event, w.slack.identity.botUserId) === 'reply';
      await verbs.runVerb({
        ...{ verb, place, thread, isReply, isDirect, isPlain, userId, key, recipient, askedBeforeMs },
        deliveredAs: event.type,
      });
      // The report of `why` does not need to list the request for it.
      if (verb !== 'why') note(event, place, verb === 'cancel' ? 'cancelled' : 'verbCarriedOut');
      return;
    }
    const forwarded = await quoteForwards(event.content.forwards, w.read);
    const request: NewQuestion = {
      key,
      place,
      askerId: userId,
      ...askedBy(decided),
      origin: originOf(event, w.slack.identity.botUserId),
      beginsThread: !isReply,
      writtenMs: Number(event.ts) * 1000 || undefined,
      ...readingOf(event),
      ...(forwarded === undefined ? {} : { forwarded }),
    };
    if (missed?.isLate === true) {
      if (missed.mayBeTold) return;
      const questionId = idOf(w, key);
      const { channelId, threadTs } = place;
      const message = { channelId, ts: event.ts, ...(isReply ? { threadTs } : {}) };
      const { workspaceUrl } = w.slack.identity;
      const isHere = event.channel_type === 'im' || workspaceUrl === undefined;
      const url = isHere ? undefined : permalink(workspaceUrl, message);
      return missed.sayAway(
        { ...recipient, mayBeAway: true },
        { kind: 'away', questionId, message, text: request.text, url },
      );
    }
    const acceptance = await taken(request, event);
    const disposition = dispositionOf(acceptance);
    // In a group, and with a file, the same mention may come as two kinds of events, which both are routed.
    const comesTwice = event.channel_type === 'mpim' || bringsOf(event) !== undefined;
    const isEcho = disposition === 'duplicate' && comesTwice;
    if (!isEcho) note(event, place, disposition, 'question' in acceptance ? acceptance.question.id : undefined);
    // The only message to the app without a question is a bare "new".
    const refusal = acceptance.kind === 'empty' ? emptyAfterNew : noticeOfAcceptance(acceptance, text);
    if (refusal !== undefined && missed?.mayBeTold !== true) notify(w, recipient, refusal);
  }

  async function taken(request: NewQuestion, event: MessageEvent): Promise<Acceptance> {
    try {
      return await accept(w, request);
    } catch (error) {
      note(event, request.place, 'notTaken');
      throw error;
    }
  }

  /** Ignores a message early. In threads of the app it is noted that a message of another app was ignored. */
  function ignoreEarly(event: MessageEvent, message: IncomingMessage, place: ThreadPlace, reason: IgnoreReason): void {
    ignore(event, reason);
    if ((reason !== 'from_bot' && reason !== 'edited') || isOwn(event)) return;
    if (message.isMention || message.channelType === 'im') {
      noteIgnored(event, place, reason);
      return;
    }
    if (event.thread_ts === undefined) return;
    void w.tasks.run({ event: 'message_log_not_written', entries: 1 }, async () => {
      if ((await w.threads.get(place)) !== undefined) noteIgnored(event, place, reason);
    });
  }

  function isOwn({ user, bot_id: botId }: MessageEvent): boolean {
    return user === w.slack.identity.botUserId || (botId != null && botId === w.slack.identity.botId);
  }

  function noteIgnored(event: MessageEvent, place: ThreadPlace, reason: IgnoreReason): void {
    const disposition = dispositionOfIgnored(reason);
    if (disposition !== undefined) note(event, place, disposition);
  }

  function note(
    event: MessageEvent,
    { teamId, channelId }: Place,
    disposition: Disposition,
    questionId?: string,
  ): void {
    w.messageLog.note(
      { teamId, channelId },
      {
        ts: event.ts,
        userId: event.user ?? event.bot_id ?? '',
        atMs: Date.now(),
        reached: originOf(event, w.slack.identity.botUserId),
        disposition,
        threadTs: event.thread_ts,
        questionId,
      },
    );
  }

  /** Keeps what people say to each other in the app's threads: the next question may be about it. */
  function addThreadNote({ ts, user, content }: MessageEvent, place: ThreadPlace): void {
    if (user === undefined) return;
    w.noteKeeper.add(place, { ts, userId: user, text: wholeText(content), files: content.files });
  }

  /**
   * A mention may come without its files (NousResearch/hermes-agent#77141). Where it also has no words, or only a greeting or
   * thanks, the files are the question, so the message is looked up. Slack waits for this, so it is short.
   */
  async function withLookedUp(event: MessageEvent): Promise<MessageEvent> {
    const { content, channel, ts, thread_ts: threadTs = ts } = event;
    if (event.type !== 'app_mention' || event.files !== undefined || bringsOf(event) !== undefined) return event;
    if (!mentions(content.text, w.slack.identity.botUserId) || saidNothing(content) === undefined) return event;
    const window = { oldest: ts, latest: ts, inclusive: true, limit: 2 };
    const looking = w.slack
      .call('conversations.replies', { channel, ts: threadTs, ...window }, { priority: 'private' })
      .catch(() => undefined);
    const page = await within(looking, lookUpPatienceMs);
    const found = readPage(page?.messages ?? [], w.slack.identity, threadTs).messages.find((each) => each.ts === ts);
    return found === undefined ? event : { ...event, content: found };
  }

  function ignore(event: MessageEvent, reason: string): void {
    w.log.debug({ event: 'message_ignored', reason, channelId: event.channel, ts: event.ts });
  }
}

const emptyAfterNew: Notice = { kind: 'emptyQuestion', after: 'new' };

/** Reasons to ignore a message that is still kept as a thread note. */
const notedReasons: ReadonlySet<string> = new Set([
  'thread_started_by_people',
  'addresses_another_person',
  'thread_muted',
  'only_mentions',
  'no_text',
]);

/** A message of thanks is kept only when it has files or forwards. */
function isThreadNote(reason: IgnoreReason, event: MessageEvent): boolean {
  return notedReasons.has(reason) || (reason === 'asks_nothing' && bringsOf(event) !== undefined);
}

/** A question in a thread may be about its messages and files. `app_mention` events may come without files. */
function readingOf(event: MessageEvent): Pick<NewQuestion, 'messageTs' | 'files' | 'readsThread'> {
  const { files: known } = event.content;
  const isUncertain = event.type === 'app_mention' && event.files === undefined && known.length === 0;
  const files = isUncertain ? undefined : known;
  const isInThread = event.thread_ts !== undefined && event.thread_ts !== event.ts;
  return { messageTs: event.ts, files, readsThread: isInThread || files === undefined || files.length > 0 };
}

function originOf(event: MessageEvent, botUserId: string): 'mention' | 'reply' | 'direct' {
  if (event.type === 'app_mention') return 'mention';
  if (event.channel_type === 'im') return 'direct';
  return mentions(event.content.text, botUserId) ? 'mention' : 'reply';
}

function dispositionOf({ kind }: Acceptance): Disposition {
  switch (kind) {
    case 'accepted':
      return 'asked';
    case 'empty':
      return 'noText';
    case 'duplicate':
    case 'tooLong':
    case 'queueFull':
      return kind;
  }
}

function dispositionOfIgnored(reason: IgnoreReason): Disposition | undefined {
  switch (reason) {
    case 'from_bot':
      return 'fromBot';
    case 'edited':
      return 'edited';
    case 'thread_started_by_people':
      return 'peoplesThread';
    case 'addresses_another_person':
      return 'addressesAnother';
    case 'thread_muted':
      return 'muted';
    case 'only_mentions':
      return 'onlyMentions';
    case 'no_text':
      return 'noText';
    case 'asks_nothing':
      return 'asksNothing';
    default:
      return undefined;
  }
}

function bringsOf({ content: { forwards, files } }: MessageEvent): IncomingMessage['brings'] {
  if (forwards.length > 0) return 'forward';
  return files.length > 0 ? 'file' : undefined;
}

const noContent: MessageContent = { author: 'app', text: '', forwards: [], files: [] };

function toIncoming(event: MessageEvent): IncomingMessage {
  const isBot = event.bot_id != null || event.bot_profile !== undefined;
  return {
    isMention: event.type === 'app_mention',
    channelType: event.channel_type,
    subtype: event.hidden === true ? (event.subtype ?? 'hidden') : event.subtype,
    userId: event.user,
    botId: isBot ? (event.bot_id ?? 'bot') : undefined,
    text: event.content.text,
    brings: bringsOf(event),
    ts: event.ts,
    threadTs: event.thread_ts,
    edited: event.edited !== undefined,
  };
}

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
function createEdits(w: ListenerContext) {
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
    const question = await startedBy(w, messageKey(teamId, channelId, message.ts));
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
      cancelStartedBy(w, messageKey(teamId, channelId, ts), previous?.user),
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
    const edit = await noteEdit(w, messageKey(teamId, channelId, message.ts), { text, atMs });
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
