import { AppError, isAppError, threadGone } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { isInThread, type PendingCall, type Question } from '../../core/question/question.ts';
import { answerFileName } from '../../render/answer-file.ts';
import { type MarkedMessage, markerOf } from '../../render/ids.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { blindWaitMs, messagesPerPage, mostMessagePages } from '../settings.ts';

/** A message as Slack sends it. Every field may be missing. */
export interface FoundMessage extends MarkedMessage {
  ts?: string;
  user?: string;
  bot_id?: string;
  files?: { id?: string; name?: string | null }[];
}

/** Finds the app's own messages in the place of a question. Both methods throw `AppError`. */
export interface OwnMessages {
  /** The timestamp of the oldest message that `isIt`. `call`: the call that may have posted it. */
  find(
    question: Question,
    isIt: (message: FoundMessage) => boolean,
    call: PendingCall | undefined,
  ): Promise<string | undefined>;
  /**
   * All messages since the question was accepted: in its thread, and in the channel when its card begins the thread.
   */
  list(question: Question): Promise<FoundMessage[]>;
  /**
   * Deletes what was posted for the question into its channel because its thread is gone: `ts`, and what a process posted
   * that ended before it could delete it. If that fails, the error has an unknown outcome, so that the app searches again.
   */
  removeOutsideThread(question: Question, ts?: string): Promise<void>;
}

/**
 * Searches the app's own messages. Without the scope to read, the app does not know whether a message was posted. After
 * a minute it assumes that it was not, because a missing answer is worse than an answer that rarely comes twice.
 */
export function createOwnMessages(deps: { slack: SlackApi; log: Log; now: Clock }): OwnMessages {
  const { slack, log, now } = deps;

  return { find, list, removeOutsideThread };

  async function find(
    question: Question,
    isIt: (message: FoundMessage) => boolean,
    call: PendingCall = {},
  ): Promise<string | undefined> {
    try {
      for await (const page of pages(question)) {
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
      if (isAppError(error) && error.code === threadGone) await removeOutsideThread(question);
      if (!isAppError(error, 'unauthorized') || error.code !== 'missing_scope') throw error;
      log.error({ event: 'advance_not_allowed', questionId: question.id, channelId: question.place.channelId }, error);
      if (now() - (call.givenUpMs ?? call.intentMs ?? 0) <= blindWaitMs) throw error;
      return undefined;
    }
  }

  async function list(question: Question): Promise<FoundMessage[]> {
    const { place, card } = question;
    const { threadTs: _, ...channel } = place;
    const beginsThread = card.ts !== undefined && card.ts === place.threadTs;
    const places = beginsThread ? [place, channel] : [place];
    const found = new Map<string, FoundMessage>();
    for (const one of places) {
      for await (const page of pages({ ...question, place: one })) {
        for (const message of page) if (message.ts !== undefined) found.set(message.ts, message);
      }
    }
    return [...found.values()];
  }

  async function removeOutsideThread(question: Question, ts?: string): Promise<void> {
    const { channelId: channel, teamId } = question.place;
    const inThread = new Set([question.card.ts, ...question.delivery.posted]);
    try {
      if (ts !== undefined) await unlessGone(slack.call('chat.delete', { channel, ts }, { priority: 'answer' }));
      for await (const page of pages({ ...question, place: { teamId, channelId: channel } })) {
        for (const message of page) {
          if (message.ts === undefined || inThread.has(message.ts)) continue;
          const file = message.files?.find(({ name }) => name === answerFileName(question));
          if (file?.id !== undefined)
            await unlessGone(slack.call('files.delete', { file: file.id }, { priority: 'answer' }));
          else if (markerOf(message, question) !== undefined)
            await unlessGone(slack.call('chat.delete', { channel, ts: message.ts }, { priority: 'answer' }));
        }
      }
    } catch (error) {
      if (!isAppError(error)) throw error;
      const details = { cause: error, outcomeUnknown: true, retryAfterMs: error.retryAfterMs };
      throw new AppError(error.kind, 'a message outside its thread was not removed', details);
    }
  }

  /** Pages of the app's messages, from the thread, or from the channel when there is no thread yet. */
  async function* pages({ place, acceptedMs }: Question): AsyncGenerator<FoundMessage[]> {
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
      yield messages.filter(isOurs);
      cursor = found.response_metadata?.next_cursor;
      if (!cursor) return;
    }
  }

  /** Others can copy the app's markers, so the author counts. When none is named, the marker alone decides. */
  function isOurs({ user, bot_id }: FoundMessage): boolean {
    const { botUserId, botId } = slack.identity;
    if (user === undefined && (bot_id === undefined || botId === undefined)) return true;
    return user === botUserId || (botId !== undefined && bot_id === botId);
  }
}

/** Ignores that a message or file is gone already. */
export async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isAppError(error, 'notFound')) throw error;
  }
}
