import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Attendance, type Gap, withHolder, withSearched, withStart } from '../../core/attendance.ts';
import { AppError, isAppError } from '../../core/errors.ts';
import { startedBy } from '../../core/intake/find-question.ts';
import { isInThread, type Question, type ThreadPlace } from '../../core/question/question.ts';
import { getReadable } from '../../core/question/readable.ts';
import { mostOpenRead } from '../../core/settings.ts';
import type { Notice } from '../../render/notices.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { ArgumentsOf, Identity, ResultOf } from '../api/slack-api.ts';
import { mentions, slackId, timestamp } from '../content/incoming-text.ts';
import { readContent } from '../content/message-content.ts';
import type { WorkspaceContext } from '../context.ts';
import type { HandleMessage } from '../listeners/message.ts';
import { messageKey } from '../listeners/verbs.ts';
import { type Recipient, sendPrivately } from '../messages/private-messages.ts';
import {
  absenceOverlapMs,
  askedUpToMs,
  longestAbsenceMs,
  longestMissedSearchMs,
  missedAgainMs,
  missedLeaseMs,
  missedPerPage,
  mostAwayNotices,
  mostMissedCalls,
  mostMissedPages,
  mostMissedTries,
  mostQuestionsRead,
} from '../settings.ts';

type Method = keyof typeof mostMissedCalls;

/** One search for what a workspace's copies of the app missed. */
interface Search {
  fromMs: number;
  startedMs: number;
  /** What is older was handled, or is too old. */
  oldestTs: string;
  left: Record<Method, number>;
  noticesLeft: number;
  renewMs: number;
  /** The threads whose replies were read, by channel and root. */
  read: Set<string>;
  /** The messages by which each author lately asked, by their timestamps. */
  askedBy: Map<string, Set<string>>;
  asked: number;
  toldAway: number;
  /** Something was not read for lack of calls or time. */
  isCut: boolean;
}

/**
 * Looks for what people wrote while Slack could not reach the app, and hands it to the listener of live messages: the ids
 * of questions come from their messages, so nothing is asked twice. One copy of the app does it. After a crash another
 * start repeats it.
 */
export function createCatchUp(w: WorkspaceContext, handle: HandleMessage): () => Promise<void> {
  const { slack, storedAttendance: attendance, attendance: keeper, now, log } = w;
  const { teamId } = slack.identity;
  const holder = randomUUID();
  const notBegun = withStart(undefined, now());
  let notBeforeMs = 0;
  let tries = 0;

  return async function catchUp() {
    if (!keeper.mayMiss() || now() < notBeforeMs || w.tasks.isStopping()) return;
    const taken = await attendance.update(teamId, (stored = notBegun) =>
      withHolder(stored, holder, now(), missedLeaseMs),
    );
    const { gap, threads } = taken;
    if (gap === undefined) return keeper.nothingMissed();
    if (gap.holder?.id !== holder) return;
    let isComplete = false;
    try {
      const search = beginSearch(gap);
      await checkAskedMessages(search);
      await readChannels(search, threads);
      isComplete = true;
      const { asked, toldAway, isCut } = search;
      const outcome = isCut ? 'cut' : 'ok';
      log[isCut ? 'warn' : 'info']({ event: 'missed_messages', outcome, teamId, asked, toldAway });
    } catch (error) {
      if (!isAppError(error)) throw error;
      tries += 1;
      notBeforeMs = now() + missedAgainMs;
      // It is not repeated for ever: what comes later is more important, and a later start looks again.
      isComplete = tries >= mostMissedTries;
      if (!w.tasks.isStopping()) log.warn({ event: 'missed_messages', outcome: 'failed', teamId, tries }, error);
    } finally {
      await attendance.update(teamId, (stored = notBegun) => withSearched(stored, holder, gap.openedMs, isComplete));
    }
    if (isComplete) tries = 0;
  };

  function beginSearch({ fromMs }: Gap): Search {
    const startedMs = now();
    const oldestMs = Math.max(fromMs - absenceOverlapMs, startedMs - longestAbsenceMs);
    return {
      ...{ fromMs, startedMs, oldestTs: toTs(oldestMs), left: { ...mostMissedCalls }, noticesLeft: mostAwayNotices },
      ...{ renewMs: startedMs, read: new Set(), askedBy: new Map(), asked: 0, toldAway: 0, isCut: false },
    };
  }

  /** The messages of questions that did not end yet may have been deleted or edited, and people may have cancelled them. */
  async function checkAskedMessages(search: Search): Promise<void> {
    const asked: (Question & { place: ThreadPlace; messageTs: string })[] = [];
    for (const id of (await w.questions.openIds()).slice(0, mostOpenRead)) {
      const question = await getReadable(w.questions, id);
      if (question !== undefined && isAskedByMessage(question, teamId)) asked.push(question);
    }
    const newest = asked.toSorted((one, other) => other.acceptedMs - one.acceptedMs).slice(0, mostQuestionsRead);
    for (const { place, messageTs, askerId } of newest) {
      const messages = await readThread(search, place.channelId, place.threadTs, messageTs);
      if (messages === undefined) continue;
      const message = messages.find(({ ts }) => ts === messageTs);
      const isGone =
        message === undefined ? await isDeleted(search, place, messageTs) : message.subtype === 'tombstone';
      if (isGone) {
        await handle(toDeletion(place.channelId, messageTs, place.threadTs, askerId), teamId);
      } else if (message?.edited !== undefined && Number(message.edited.ts) >= Number(search.oldestTs)) {
        await handle(toChange(message, place.channelId), teamId);
      }
      await take(search, place.channelId, messages);
    }
  }

  /** Whether Slack has a message no more. A long list may end before it, so a window with only this message is read. */
  async function isDeleted(
    search: Search,
    { channelId: channel, threadTs: ts }: ThreadPlace,
    messageTs: string,
  ): Promise<boolean> {
    const window = { oldest: messageTs, latest: messageTs, inclusive: true, limit: 2 };
    const found = await call(search, 'conversations.replies', { channel, ts, ...window });
    if (found === undefined || found === 'gone') return found === 'gone';
    return found.has_more !== true && !readPage(found.messages).some((message) => message.ts === messageTs);
  }

  async function readChannels(search: Search, threads: Attendance['threads']): Promise<void> {
    // A thread whose first message is older than the gap may have replies in it, so first messages are read from further back.
    const window = {
      oldest: toTs(search.startedMs - longestAbsenceMs),
      latest: toTs(search.startedMs + absenceOverlapMs),
      inclusive: true,
    };
    for (const channelId of inReadingOrder(await channelIds(search), threads)) {
      const roots = await pages(search, 'conversations.history', (cursor) => ({
        ...{ channel: channelId, ...window, limit: missedPerPage },
        cursor,
      }));
      if (roots === 'gone') continue;
      await take(search, channelId, roots ?? []);
      const known = threads.filter((thread) => thread.channelId === channelId).map(({ threadTs }) => threadTs);
      // The history shows the newest reply of each root in it. Other threads of the app are read to find out.
      const shown = new Set((roots ?? []).map(({ ts }) => ts));
      const others = known.filter((ts) => !shown.has(ts));
      for (const rootTs of [...repliedSince(roots ?? [], search.oldestTs).map(({ ts }) => ts), ...others]) {
        if (search.read.has(`${channelId}:${rootTs}`)) continue;
        await take(search, channelId, (await readThread(search, channelId, rootTs)) ?? []);
      }
    }
  }

  /** All messages of a thread since `sinceTs`. Empty if the thread is gone, undefined if it could not be read. */
  async function readThread(
    search: Search,
    channelId: string,
    rootTs: string,
    sinceTs = search.oldestTs,
  ): Promise<HistoryMessage[] | undefined> {
    search.read.add(`${channelId}:${rootTs}`);
    const gone = { ts: rootTs, subtype: 'tombstone' };
    const oldest = Number(sinceTs) < Number(search.oldestTs) ? sinceTs : search.oldestTs;
    return pages(search, 'conversations.replies', (cursor) => ({
      ...{ channel: channelId, ts: rootTs, oldest, inclusive: true, limit: missedPerPage },
      cursor,
    })).then((messages) => (messages === 'gone' ? [gone] : messages));
  }

  /** Hands the messages that were not handled yet to the listener, oldest first. */
  async function take(search: Search, channelId: string, messages: readonly HistoryMessage[]): Promise<void> {
    const missed = messages
      .filter((message) => mayConcernApp(message, channelId, slack.identity))
      .filter(({ ts }) => Number(ts) >= Number(search.oldestTs) && toMs(ts) <= search.startedMs + absenceOverlapMs)
      .toSorted((one, other) => Number(one.ts) - Number(other.ts));
    for (const message of missed) {
      const key = messageKey(teamId, channelId, message.ts);
      const known = await startedBy(w, key);
      if (known !== undefined) continue;
      // If Slack changed the channel's id since a message was asked, its question has an id that comes from the old one.
      const asked = await askedBy(search, message.user);
      if (asked.has(message.ts)) continue;
      const isLate = search.startedMs - toMs(message.ts) > askedUpToMs;
      await handle(toEvent(message, channelId, slack.identity), teamId, {
        isLate,
        mayBeTold: toMs(message.ts) < search.fromMs,
        sayAway: async (to, notice) => {
          // Without the channel, whose id may change.
          const told = `away:${teamId}:${message.user}:${message.ts}`;
          if ((await w.claims.ownerOf(told)) !== undefined) return;
          if (search.noticesLeft <= 0) {
            search.isCut = true;
            return;
          }
          search.noticesLeft -= 1;
          await tell(search, to, notice);
          // After the notice: a crash in between repeats it, which is better than silence.
          await w.claims.claim(told, holder);
          search.toldAway += 1;
        },
      });
      if (isLate || (await startedBy(w, key)) === undefined) continue;
      asked.add(message.ts);
      search.asked += 1;
    }
  }

  async function askedBy(search: Search, userId = ''): Promise<Set<string>> {
    const known = search.askedBy.get(userId);
    if (known !== undefined) return known;
    const timestamps = new Set<string>();
    for (const id of await w.askedQuestions.of(teamId, userId)) {
      const question = await getReadable(w.questions, id);
      if (question?.messageTs !== undefined) timestamps.add(question.messageTs);
    }
    search.askedBy.set(userId, timestamps);
    return timestamps;
  }

  /** A person who can't be reached is no reason to stop the search. */
  async function tell(search: Search, to: Recipient, notice: Notice): Promise<void> {
    await keepHold(search);
    try {
      await sendPrivately(w, to, notice);
    } catch (error) {
      if (!isAppError(error, 'undeliverable', 'refused', 'notFound')) throw error;
      log.debug({ event: 'away_not_told', outcome: error.kind });
    }
  }

  async function channelIds(search: Search): Promise<string[]> {
    const ids: string[] = [];
    for (const types of ['public_channel,private_channel,mpim', 'im']) {
      let cursor: string | undefined;
      do {
        const list = await call(search, 'users.conversations', {
          ...{ types, exclude_archived: true, limit: missedPerPage },
          cursor,
        });
        if (list === undefined || list === 'gone') break;
        for (const { id } of list.channels ?? []) if (id !== undefined) ids.push(id);
        cursor = list.response_metadata?.next_cursor || undefined;
      } while (cursor !== undefined);
    }
    return ids;
  }

  async function pages<ReadMethod extends 'conversations.history' | 'conversations.replies'>(
    search: Search,
    method: ReadMethod,
    argsFor: (cursor: string | undefined) => ArgumentsOf<ReadMethod>,
  ): Promise<HistoryMessage[] | 'gone' | undefined> {
    const messages: HistoryMessage[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostMissedPages; page += 1) {
      const found = await call(search, method, argsFor(cursor));
      if (found === 'gone') return found;
      if (found === undefined) return page === 0 ? undefined : messages;
      messages.push(...readPage(found.messages));
      cursor = found.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return messages;
    }
    search.isCut = true;
    return messages;
  }

  /**
   * One call, in the room that live messages leave. Undefined if Slack refuses it, so that places which the app may not read
   * are passed over, and if the search has no calls left. Throws `AppError` if Slack can't be reached.
   */
  async function call<ReadMethod extends Method>(
    search: Search,
    method: ReadMethod,
    args: ArgumentsOf<ReadMethod>,
  ): Promise<ResultOf<ReadMethod> | 'gone' | undefined> {
    if (search.left[method] <= 0 || now() - search.startedMs > longestMissedSearchMs) {
      search.isCut = true;
      return undefined;
    }
    search.left[method] -= 1;
    for (;;) {
      await keepHold(search);
      try {
        return await slack.call(method, args, { priority: 'edit' });
      } catch (error) {
        if (!isAppError(error) || isTokenRefused(error) || error.kind === 'unavailable') throw error;
        if (error.code === 'thread_not_found') return 'gone';
        if (error.kind !== 'rateLimited') {
          log.debug({ event: 'missed_not_read', outcome: error.kind, method });
          return undefined;
        }
        if (now() - search.startedMs > longestMissedSearchMs) throw error;
        await delay(Math.min(Math.max(error.retryAfterMs ?? 1_000, 100), missedLeaseMs / 2));
      }
    }
  }

  /** Throws if the app stops, or another copy took the search. */
  async function keepHold(search: Search): Promise<void> {
    if (w.tasks.isStopping()) throw new AppError('unavailable', 'the app stops');
    if (now() - search.renewMs < missedLeaseMs / 3) return;
    search.renewMs = now();
    const kept = await attendance.update(teamId, (stored = notBegun) =>
      withHolder(stored, holder, now(), missedLeaseMs),
    );
    if (kept.gap?.holder?.id !== holder) throw new AppError('unavailable', 'another copy took the search');
  }
}

function isAskedByMessage(
  question: Question,
  teamId: string,
): question is Question & { place: ThreadPlace; messageTs: string } {
  const { place, messageTs, origin, outcome, cancel } = question;
  if (place.teamId !== teamId || messageTs === undefined || !isInThread(place)) return false;
  const isOpen = outcome === undefined && cancel === undefined;
  return isOpen && (origin === 'mention' || origin === 'reply' || origin === 'direct');
}

/** What is read of a message of `conversations.history` and `.replies`. The rest of it goes along. */
const historyMessage = z.looseObject({
  ts: timestamp,
  user: slackId.optional(),
  subtype: z.string().optional(),
  thread_ts: timestamp.optional(),
  latest_reply: timestamp.optional(),
  edited: z.looseObject({ ts: timestamp }).optional().catch(undefined),
});

export type HistoryMessage = z.infer<typeof historyMessage>;

/** The messages of one page. Those that can't be read are left out. */
export function readPage(messages: unknown): HistoryMessage[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) => {
    const parsed = historyMessage.safeParse(message);
    return parsed.success ? [parsed.data] : [];
  });
}

/**
 * The event that Slack would have sent for a message. Only events have a channel. An edit of a message that was never
 * asked is read like the first version. A mention in a channel is an `app_mention`, as the app ignores its `message` twin.
 */
export function toEvent(message: HistoryMessage, channelId: string, identity: Identity): Record<string, unknown> {
  const { edited: _edited, latest_reply: _latest, ...rest } = message;
  const isDirect = channelId.startsWith('D');
  const isMention = !isDirect && mentionsApp(message, identity);
  return {
    ...rest,
    type: isMention ? 'app_mention' : 'message',
    channel: channelId,
    channel_type: isDirect ? 'im' : 'channel',
  };
}

/** The event that Slack would have sent for the deletion of a message of a person. */
export function toDeletion(channelId: string, ts: string, threadTs: string, userId: string): Record<string, unknown> {
  const previous = { user: userId, ts, ...(threadTs === ts ? {} : { thread_ts: threadTs }) };
  return {
    type: 'message',
    subtype: 'message_deleted',
    channel: channelId,
    deleted_ts: ts,
    ts,
    previous_message: previous,
  };
}

/** The event that Slack would have sent for the edit of a message. */
export function toChange(message: HistoryMessage, channelId: string): Record<string, unknown> {
  const ts = message.edited?.ts ?? message.ts;
  const channelType = channelId.startsWith('D') ? 'im' : 'channel';
  return { type: 'message', subtype: 'message_changed', channel: channelId, channel_type: channelType, ts, message };
}

/** Whether a message is worth a look: a person wrote it to the app, or in a thread. */
export function mayConcernApp(message: HistoryMessage, channelId: string, identity: Identity): boolean {
  const content = readContent(message, identity);
  if (typeof content?.author !== 'object' || !('userId' in content.author)) return false;
  const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts;
  return channelId.startsWith('D') || isReply || mentions(content.text, identity.botUserId);
}

/** Reads mentions like a live message. */
function mentionsApp(message: HistoryMessage, identity: Identity): boolean {
  return mentions(readContent(message, identity)?.text ?? '', identity.botUserId);
}

/** Slack's timestamp of a time in milliseconds. */
export function toTs(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(6);
}

function toMs(ts: string): number {
  return Number(ts) * 1000;
}

/** The threads to read: those with a reply after `sinceTs`. */
export function repliedSince(messages: readonly HistoryMessage[], sinceTs: string): HistoryMessage[] {
  return messages.filter(({ latest_reply: latest }) => latest !== undefined && Number(latest) >= Number(sinceTs));
}

/** The channels in the order in which they are read: first those where people last asked, newest first. */
export function inReadingOrder(
  channelIds: readonly string[],
  threads: readonly { channelId: string; atMs: number }[],
): string[] {
  const newest = new Map<string, number>();
  for (const { channelId, atMs } of threads) newest.set(channelId, Math.max(atMs, newest.get(channelId) ?? 0));
  const all = [...new Set([...channelIds, ...newest.keys()])];
  const direct = (id: string): number => Number(id.startsWith('D'));
  // Direct messages where no one asked lately are many and rarely have any, so they come last.
  return all.toSorted((one, other) => (newest.get(other) ?? 0) - (newest.get(one) ?? 0) || direct(one) - direct(other));
}
