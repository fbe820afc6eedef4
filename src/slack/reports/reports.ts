import { isAppError } from '../../core/errors.ts';
import type { MessageLogEntry } from '../../core/history/message-log.ts';
import type { createOpenIn, createOverview } from '../../core/history/overview.ts';
import type { Claims, Clock, DeepSearch, Log, QuestionStore, ThreadStore } from '../../core/ports.ts';
import {
  type ConversationId,
  isInThread,
  type Place,
  type Thread,
  type ThreadPlace,
} from '../../core/question/question.ts';
import { getReadable } from '../../core/question/readable.ts';
import { keptPrivateClaim, shareUrlFor } from '../../core/question/readers.ts';
import { within } from '../../core/timeout.ts';
import type { ServiceState } from '../../render/home.ts';
import { type PlaceRule, renderStatus, ruleOf } from '../../render/status.ts';
import { renderWhy, type WhyEntry } from '../../render/why.ts';
import { anyWorkspaceUrl, type Identity } from '../api/identity.ts';
import type { PrivateMessage } from '../messages/messenger.ts';
import { linkPatienceMs, mostMessagesReported } from '../settings.ts';
import type { MessageLog } from './message-log.ts';

export interface ReportsDeps {
  questions: Pick<QuestionStore, 'get'>;
  threads: Pick<ThreadStore, 'get'>;
  claims: Pick<Claims, 'ownerOf'>;
  messageLog: Pick<MessageLog, 'read'>;
  deepSearch: Pick<DeepSearch, 'read'>;
  openIn: ReturnType<typeof createOpenIn>;
  overviewOf: ReturnType<typeof createOverview>;
  serviceState: () => Promise<ServiceState>;
  identity: Pick<Identity, 'botUserId' | 'workspaceUrl' | 'contact'>;
  log: Log;
  now: Clock;
}

export type Reports = ReturnType<typeof createReports>;

/** Reports what runs in a place and what was done with its messages. Throws `AppError` of kind `storage`. */
export function createReports(deps: ReportsDeps) {
  const { questions, threads, claims, messageLog, deepSearch, openIn, overviewOf, serviceState, identity, log, now } =
    deps;
  const { botUserId, contact, workspaceUrl = anyWorkspaceUrl } = identity;

  return { ofThread, ofChannel, why };

  async function ofThread(asked: {
    userId: string;
    place: ThreadPlace;
    thread: Thread | undefined;
    isDirect: boolean;
    /** The channel's settings take only mentions. */
    onlyMentions: boolean;
  }): Promise<PrivateMessage> {
    const { userId, place, thread, isDirect, onlyMentions } = asked;
    const [open, service] = await Promise.all([
      thread === undefined ? [] : openIn.thread(thread, userId),
      serviceState(),
    ]);
    const conversationUrl = thread === undefined ? undefined : await linkOf(thread, place, userId);
    const rule = isDirect ? 'direct' : ruleOf(true, thread, onlyMentions);
    return (locale) =>
      renderStatus(
        { of: 'thread', open, elsewhere: [], conversationUrl, rule, service },
        { userId, locale, botUserId, contact },
      );
  }

  async function ofChannel({
    userId,
    place,
    rule,
  }: {
    userId: string;
    place: Place;
    rule: PlaceRule;
  }): Promise<PrivateMessage> {
    const [open, own, service] = await Promise.all([
      openIn.channel(place, userId),
      overviewOf(place.teamId, userId),
      serviceState(),
    ]);
    const elsewhere = own.open.filter(({ question }) => question.place.channelId !== place.channelId);
    return (locale) =>
      renderStatus(
        { of: rule === 'direct' ? 'direct' : 'channel', open, elsewhere, rule, service, quota: own.quota },
        { userId, locale, botUserId, contact },
      );
  }

  /** Reports on the messages of one thread, or of a whole channel. */
  async function why(asked: {
    userId: string;
    place: Place;
    threadTs?: string;
    rule: PlaceRule;
  }): Promise<PrivateMessage> {
    const { userId, place, threadTs, rule } = asked;
    const noted = await messageLog.read(place);
    const here =
      threadTs === undefined ? noted : noted.filter((note) => note.threadTs === threadTs || note.ts === threadTs);
    const entries = await Promise.all(latest(here).map(withQuestion));
    const { channelId } = place;
    const reader = { userId, botUserId, workspaceUrl, channelId };
    return (locale) => renderWhy({ entries, rule }, { ...reader, locale, nowMs: now() });
  }

  async function withQuestion(notes: WhyEntry['notes']): Promise<WhyEntry> {
    const id = notes.find(({ questionId }) => questionId !== undefined)?.questionId;
    const question = id === undefined ? undefined : await getReadable(questions, id);
    if (question === undefined || !isInThread(question.place)) return { notes, positionInQueue: 0 };
    const thread = question.outcome === undefined ? await threads.get(question.place) : undefined;
    return { notes, question, positionInQueue: Math.max(0, thread?.queue.indexOf(question.id) ?? 0) };
  }

  /**
   * The link of the reader's own conversation, else of the app's account: from a stored question of the thread, else from
   * the service if it answers in time.
   */
  async function linkOf(
    { conversationId, ownConversations = [], queue }: Thread,
    place: ThreadPlace,
    userId: string,
  ): Promise<string | undefined> {
    const ownId = ownConversations.findLast((each) => each.userId === userId)?.conversationId;
    const wantedId = ownId ?? conversationId;
    if (wantedId === undefined || (await isKeptFrom(wantedId, userId))) return undefined;
    const noted = (await messageLog.read(place)).filter(({ threadTs, ts }) => (threadTs ?? ts) === place.threadTs);
    for (const id of [
      ...queue,
      ...noted.flatMap(({ questionId }) => questionId ?? []).slice(0, mostMessagesReported),
    ]) {
      const question = await getReadable(questions, id);
      const shareUrl = question === undefined ? undefined : shareUrlFor(question, { userId });
      if (question?.upstream.conversationId === wantedId && shareUrl !== undefined) return shareUrl;
    }
    return ownId === undefined ? linkFromService(wantedId) : undefined;
  }

  /** Whether the conversation has an answer that only another person sees. Its link would open all of it. */
  async function isKeptFrom(conversationId: ConversationId, userId: string): Promise<boolean> {
    const questionId = await claims.ownerOf(keptPrivateClaim(conversationId));
    if (questionId === undefined) return false;
    return (await getReadable(questions, questionId))?.askerId !== userId;
  }

  async function linkFromService(conversationId: ConversationId): Promise<string | undefined> {
    const reading = deepSearch.read(conversationId).catch((error: unknown) => {
      log.debug({ event: 'conversation_not_read', kind: isAppError(error) ? error.kind : 'internal' });
      return undefined;
    });
    const conversation = await within(reading, linkPatienceMs);
    return conversation?.shareUrl;
  }
}

/** The newest messages, oldest first, each with all its notes, newest first. */
function latest(noted: MessageLogEntry[]): WhyEntry['notes'][] {
  const byMessage = new Map<string, WhyEntry['notes']>();
  for (const note of noted) {
    const notes = byMessage.get(note.ts);
    if (notes === undefined) byMessage.set(note.ts, [note]);
    else notes.push(note);
  }
  return [...byMessage.values()]
    .toSorted(([one], [other]) => Number(other.ts) - Number(one.ts))
    .slice(0, mostMessagesReported)
    .toReversed();
}
