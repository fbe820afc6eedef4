import type { Person } from '../../core/accounts/accounts.ts';
import { isAppError } from '../../core/errors.ts';
import type { MessageLogEntry } from '../../core/history/lists.ts';
import { openInChannel, openInThread, overviewOf } from '../../core/history/overview.ts';
import { within } from '../../core/pacing.ts';
import {
  type ConversationId,
  isInThread,
  type Place,
  type Thread,
  type ThreadPlace,
} from '../../core/question/question.ts';
import { getReadable } from '../../core/question/readable.ts';
import { keptPrivateClaim, shareUrlFor } from '../../core/question/readers.ts';
import { type ReadOverview, renderHistory } from '../../render/home.ts';
import { type PlaceRule, renderStatus, ruleOf } from '../../render/status.ts';
import { renderWhy, type WhyEntry } from '../../render/why.ts';
import { anyWorkspaceUrl } from '../api/slack-api.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import type { PrivateMessage } from '../messages/private-messages.ts';
import { linkPatienceMs, mostMessagesReported } from '../settings.ts';

/** Reports what runs and waits in a thread. Throws `AppError` of kind `storage`, as the next two. */
export async function reportThread(
  w: WorkspaceContext,
  asked: {
    userId: string;
    place: ThreadPlace;
    thread: Thread | undefined;
    isDirect: boolean;
    /** The channel's settings take only mentions. */
    onlyMentions: boolean;
  },
): Promise<PrivateMessage> {
  const { userId, place, thread, isDirect, onlyMentions } = asked;
  const [open, service] = await Promise.all([
    thread === undefined ? [] : openInThread(w, thread, userId),
    w.serviceState(),
  ]);
  const conversationUrl = thread === undefined ? undefined : await linkOf(w, thread, place, userId);
  const rule = isDirect ? 'direct' : ruleOf(true, thread, onlyMentions);
  const { botUserId, contact } = w.slack.identity;
  return (locale) =>
    renderStatus(
      { of: 'thread', open, elsewhere: [], conversationUrl, rule, service },
      { userId, locale, botUserId, contact },
    );
}

export async function reportChannel(
  w: WorkspaceContext,
  {
    userId,
    place,
    rule,
  }: {
    userId: string;
    place: Place;
    rule: PlaceRule;
  },
): Promise<PrivateMessage> {
  const [open, own, service] = await Promise.all([
    openInChannel(w, place, userId),
    overviewOf(w, place.teamId, userId),
    w.serviceState(),
  ]);
  const elsewhere = own.open.filter(({ question }) => question.place.channelId !== place.channelId);
  const { botUserId, contact } = w.slack.identity;
  return (locale) =>
    renderStatus(
      { of: rule === 'direct' ? 'direct' : 'channel', open, elsewhere, rule, service, quota: own.quota },
      { userId, locale, botUserId, contact },
    );
}

/** Reports on the messages of one thread, or of a whole channel. */
export async function reportWhy(
  w: WorkspaceContext,
  asked: {
    userId: string;
    place: Place;
    threadTs?: string;
    rule: PlaceRule;
  },
): Promise<PrivateMessage> {
  const { userId, place, threadTs, rule } = asked;
  const noted = await w.messageLog.read(place);
  const here =
    threadTs === undefined ? noted : noted.filter((note) => note.threadTs === threadTs || note.ts === threadTs);
  const entries = await Promise.all(latest(here).map((notes) => withQuestion(w, notes)));
  const { channelId } = place;
  const { botUserId, workspaceUrl = anyWorkspaceUrl } = w.slack.identity;
  const reader = { userId, botUserId, workspaceUrl, channelId };
  return (locale) => renderWhy({ entries, rule }, { ...reader, locale, nowMs: w.now() });
}

/** Lists a person's recent questions for them, as Home does. Never throws `AppError`: the list says when they can't be read. */
export async function reportHistory(w: WorkspaceContext, person: Person): Promise<PrivateMessage> {
  const read = await readOverview(w, person, 'history_not_read');
  const { workspaceUrl = anyWorkspaceUrl } = w.slack.identity;
  return (locale) => renderHistory(read, { locale, workspaceUrl });
}

/** What a person asked lately, or the reference of the failure, which is logged as `event`. */
export async function readOverview(
  w: WorkspaceContext,
  { teamId, userId }: Person,
  event: string,
): Promise<ReadOverview> {
  try {
    return { overview: await overviewOf(w, teamId, userId) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { unreadable: logFailure(w.log, 'warn', { event, kind: error.kind }, error) };
  }
}

async function withQuestion(w: WorkspaceContext, notes: WhyEntry['notes']): Promise<WhyEntry> {
  const id = notes.find(({ questionId }) => questionId !== undefined)?.questionId;
  const question = id === undefined ? undefined : await getReadable(w.questions, id);
  if (question === undefined || !isInThread(question.place)) return { notes, positionInQueue: 0 };
  const thread = question.outcome === undefined ? await w.threads.get(question.place) : undefined;
  return { notes, question, positionInQueue: Math.max(0, thread?.queue.indexOf(question.id) ?? 0) };
}

/**
 * The link of the reader's own conversation, else of the app's account: from a stored question of the thread, else from
 * the service if it answers in time.
 */
async function linkOf(
  w: WorkspaceContext,
  { conversationId, ownConversations = [], queue }: Thread,
  place: ThreadPlace,
  userId: string,
): Promise<string | undefined> {
  const ownId = ownConversations.findLast((each) => each.userId === userId)?.conversationId;
  const wantedId = ownId ?? conversationId;
  if (wantedId === undefined || (await isKeptFrom(w, wantedId, userId))) return undefined;
  const noted = (await w.messageLog.read(place)).filter(({ threadTs, ts }) => (threadTs ?? ts) === place.threadTs);
  for (const id of [...queue, ...noted.flatMap(({ questionId }) => questionId ?? []).slice(0, mostMessagesReported)]) {
    const question = await getReadable(w.questions, id);
    const shareUrl = question === undefined ? undefined : shareUrlFor(question, { userId });
    if (question?.upstream.conversationId === wantedId && shareUrl !== undefined) return shareUrl;
  }
  return ownId === undefined ? linkFromService(w, wantedId) : undefined;
}

/** Whether the conversation has an answer that only another person sees. Its link would open all of it. */
async function isKeptFrom(w: WorkspaceContext, conversationId: ConversationId, userId: string): Promise<boolean> {
  const questionId = await w.claims.ownerOf(keptPrivateClaim(conversationId));
  if (questionId === undefined) return false;
  return (await getReadable(w.questions, questionId))?.askerId !== userId;
}

async function linkFromService(w: WorkspaceContext, conversationId: ConversationId): Promise<string | undefined> {
  const reading = w
    .deepSearch('app')
    .read(conversationId)
    .catch((error: unknown) => {
      w.log.debug({ event: 'conversation_not_read', kind: isAppError(error) ? error.kind : 'internal' });
      return undefined;
    });
  const conversation = await within(reading, linkPatienceMs);
  return conversation?.shareUrl;
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
