import { AppError, isAppError, threadGone } from '../../core/errors.ts';
import { isInThread, type PendingCall, type Question } from '../../core/question/question.ts';
import { answerFileName } from '../../render/answer-file.ts';
import { cardMarker, type MarkedMessage, markerOf } from '../../render/ids.ts';
import type { Identity } from '../api/slack-api.ts';
import type { SlackContext } from '../context.ts';
import { blindWaitMs, messagesPerPage, mostMessagePages } from '../settings.ts';

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
export async function findOwn(
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
export async function removeOutsideThread(s: SlackContext, question: Question, ts?: string): Promise<void> {
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
      ...(cursor ? { cursor } : {}),
    };
    const found = isInThread(place)
      ? await slack.call('conversations.replies', { ...window, ts: place.threadTs }, { priority: 'answer' })
      : await slack.call('conversations.history', window, { priority: 'answer' });
    const messages: FoundMessage[] = found.messages ?? [];
    yield messages.filter((message) => isOurs(message, slack.identity));
    cursor = found.response_metadata?.next_cursor;
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
export async function removeCopies(s: SlackContext, question: Question): Promise<number> {
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
