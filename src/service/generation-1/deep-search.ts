import { AppError, isAppError } from '../../core/errors.ts';
import type { CancelTarget, Conversation, UpstreamError, UpstreamQuestion } from '../../core/ports.ts';
import {
  type ConversationId,
  conversationIdOf,
  type Quota,
  type Source,
  type UpstreamId,
} from '../../core/question/question.ts';
import { isUnderWay } from '../../core/question/upstream.ts';
import { busyConversation, type DeepSearchAdapter, type Generation, isApiGone, searchCut } from '../generation.ts';
import { parseBaseUrl, pathBelow, rememberLinks, repositoryOf, webAddress } from '../links.ts';
import { defined, followUpsOf, parseTime } from '../reply-values.ts';
import type { ServiceClient } from '../service-client.ts';
import { type ConversationApi, createConversationApi, type ListParams } from './conversation-api.ts';
import type { ApiConversation, ApiQuestion, ApiSource, ConversationPage } from './schemas.ts';

const MAX_NEWEST = 1_000;
/** Each conversation contains all its answers, so a page of 100 would exceed the reply limit. */
const NEWEST_PAGE = 20;
/** Conversations on a page of changes to which the reply limit may reduce all pages. A single page may have fewer. */
const SHORTEST_CHANGES_PAGE = 5;
const MAX_LAST_STEP_CHARACTERS = 300;

/** The first generation of the API, as the account of `service` sees it. */
export function createGeneration1(
  service: ServiceClient,
  baseUrl: string,
  withAbsoluteLinks = rememberLinks(baseUrl),
): Generation {
  const deepSearch = createDeepSearch(createConversationApi(service), baseUrl, withAbsoluteLinks);
  return { number: 1, deepSearch };
}

/** Implements the core's port with the first generation of the service's API. */
export function createDeepSearch(
  client: ConversationApi,
  baseUrl: string,
  withAbsoluteLinks = rememberLinks(baseUrl),
): DeepSearchAdapter {
  const baseHref = parseBaseUrl(baseUrl).href;
  const toConversation = (raw: ApiConversation) => mapConversation(raw, baseHref, withAbsoluteLinks);

  let longestChangesPage = Number.POSITIVE_INFINITY;

  return {
    async create(text) {
      const conversation = toConversation(await client.create(text));
      if (conversation.questions.length > 0) return conversation;
      throw new AppError('badReply', 'a new conversation came back without its question', { outcomeUnknown: true });
    },
    async followUp(conversationId, text) {
      try {
        return mapQuestion(await client.addQuestion(conversationId, text), baseHref, withAbsoluteLinks);
      } catch (error) {
        if (isAppError(error, 'refused') && error.code === 400) await throwIfBusy(conversationId, error);
        throw error;
      }
    },
    delete: (conversationId) => client.delete(conversationId),
    read: async (conversationId) => toConversation(await client.get(conversationId)),
    async byReadToken(readToken) {
      const isNumber = /^[1-9]\d*$/.test(readToken);
      const reading = isNumber ? client.get(conversationIdOf(readToken)) : client.readByToken(readToken);
      return toConversation(await reading);
    },
    async newest(limit, sinceMs = 0, search = undefined) {
      const wanted = Math.min(Math.max(1, limit), MAX_NEWEST);
      const newest: Conversation[] = [];
      for await (const raw of client.conversations(Math.min(wanted, NEWEST_PAGE), search?.beforeRequest)) {
        const conversation = mapConversation(withoutAnswers(raw), baseHref, withAbsoluteLinks);
        const { createdMs = sinceMs } = conversation;
        if (createdMs < sinceMs) break;
        if (search !== undefined && createdMs > search.untilMs) continue;
        newest.push(conversation);
        if (await search?.isSought(conversation)) break;
        if (newest.length < wanted) continue;
        if (search !== undefined) throw searchCut(`more than ${wanted} conversations`);
        break;
      }
      return newest;
    },
    async changes(most, after) {
      const page = await listChanges(most, { sort: '-updated_at', ...(after === undefined ? {} : { after }) });
      return {
        conversations: page.conversations.map((raw) => ({
          id: raw.id,
          mark: markOf(raw),
          ...defined('updatedMs', parseTime(raw.updated_at)),
          conversation: () => toConversation(raw),
        })),
        ...(page.nextCursor === undefined ? {} : { next: page.nextCursor }),
      };
    },
    async cancel(conversationId, target) {
      const id = target.id ?? (await runningId(conversationId, target));
      try {
        if (id !== undefined) await client.cancelQuestion(conversationId, id);
      } catch (error) {
        // The question has finished or is gone. The next read shows which.
        const over = isAppError(error, 'notFound') || (isAppError(error) && (error.code === 400 || error.code === 409));
        if (!over || isApiGone(error)) throw error;
      }
    },
  };

  /** The id of a question that was asked over the other generation. Undefined if it no longer runs. */
  async function runningId(conversationId: ConversationId, target: CancelTarget): Promise<UpstreamId | undefined> {
    const found = await target.find(toConversation(await client.get(conversationId)));
    return found !== undefined && isUnderWay(found) ? found.id : undefined;
  }

  /** Pages that exceed the reply limit become shorter for good. Each conversation contains all its answers. */
  async function listChanges(most: number, params: ListParams): Promise<ConversationPage> {
    const first = Math.min(most, longestChangesPage);
    try {
      return await client.list({ ...params, first });
    } catch (error) {
      if (!isAppError(error, 'badReply') || error.code !== 'tooLarge' || first <= 1) throw error;
      const fewer = Math.floor(first / 2);
      longestChangesPage = Math.max(SHORTEST_CHANGES_PAGE, fewer);
      return listChanges(fewer, params);
    }
  }

  /**
   * The service takes no follow-up while it processes a question of the conversation, for example one that was asked in
   * the browser. That passes, so it is no refusal of this question.
   */
  async function throwIfBusy(conversationId: ConversationId, cause: AppError): Promise<void> {
    const { questions } = toConversation(await client.get(conversationId));
    if (!questions.some(isUnderWay)) return;
    throw busyConversation(cause);
  }
}

/** Turns count too, because the service may add them without a new time. */
function markOf({ updated_at: updated, questions }: ApiConversation): string {
  const last = questions.at(-1);
  return [updated, questions.length, last?.status, last?.error?.kind, last?.turns?.length].join(' ');
}

function withoutAnswers(raw: ApiConversation): ApiConversation {
  const bare = raw.questions.map((question) => ({
    ...question,
    answer: null,
    sources: null,
    suggested_followups: null,
  }));
  return { ...raw, questions: bare };
}

/** Maps a conversation to the core's type. `toMarkdown` makes the links of an answer absolute. */
export function mapConversation(
  raw: ApiConversation,
  baseHref: string,
  toMarkdown: (answer: string) => string,
): Conversation {
  const questions = raw.questions.map((question, ordinal) => ({
    ...mapQuestion(question, baseHref, toMarkdown),
    ordinal,
  }));
  const [first] = questions;
  if (first && first.title === undefined && raw.title) first.title = raw.title;
  const quota = mapQuota(raw.quota_usage);
  for (const { error } of questions) {
    if (error?.cause !== 'limited') continue;
    Object.assign(error, defined('retryAtMs', limitEnd(quota)));
  }
  const shareUrl = raw.share_url ? webAddress(raw.share_url, baseHref) : undefined;
  return {
    id: raw.id,
    questions,
    ...defined('createdMs', parseTime(raw.created_at)),
    mark: markOf(raw),
    ...defined('shareUrl', shareUrl),
    ...defined('quota', quota),
  };
}

/**
 * When a limit ends that stopped a question. A quota with room tells when the next period ends: it was reset since, or
 * another limit stopped the question.
 */
function limitEnd(quota: Quota | undefined): number | undefined {
  return quota !== undefined && quota.used >= quota.limit ? quota.resetAtMs : undefined;
}

/** Maps one question; see {@link mapConversation}. */
export function mapQuestion(
  raw: ApiQuestion,
  baseHref: string,
  toMarkdown: (answer: string) => string,
): UpstreamQuestion {
  const work = (raw.turns ?? []).filter((turn) => turn.role !== 'user');
  const state = stateOf(raw);
  return {
    id: raw.id,
    text: raw.question,
    state,
    // Counts turns as long as there are any, so that the number does not jump when the stats arrive at the end.
    steps: work.length > 0 ? work.length : (raw.stats?.tool_calls ?? 0),
    sources: mapSources(raw.sources ?? [], baseHref),
    followUps: followUpsOf(raw.suggested_followups ?? []),
    ...defined('createdMs', parseTime(raw.created_at)),
    ...defined('lastStep', lastStep(work.map((turn) => turn.reasoning ?? ''))),
    ...defined('title', raw.title || undefined),
    ...defined('answer', raw.answer ? toMarkdown(raw.answer) : undefined),
    // A counter of 0 means that it has no value yet.
    ...defined('durationMs', raw.stats?.time_millis || undefined),
    ...defined('credits', raw.stats?.credits || undefined),
    ...(state === 'failed' && {
      error: {
        cause: causeOf(raw.error?.kind ?? ''),
        title: raw.error?.title ?? '',
        message: raw.error?.message ?? '',
      },
    }),
  };
}

function stateOf({ status, error }: ApiQuestion): UpstreamQuestion['state'] {
  // A question with an error has finished, whatever its status says. Cancelled questions are `completed` with a cancel
  // error.
  if (error && (error.kind || error.title || error.message))
    return isCancelled(error.kind ?? '') ? 'cancelled' : 'failed';
  switch (status) {
    case 'pending':
    case 'completed':
    case 'failed':
      return status;
    default:
      // An unknown status does not end the question: the app keeps reading it until it ends or patience runs out.
      return isCancelled(status) ? 'cancelled' : 'processing';
  }
}

function causeOf(kind: string): UpstreamError['cause'] {
  if (kind === 'TokenLimitExceeded') return 'tooLong';
  return kind === 'RateLimitExceeded' ? 'limited' : 'service';
}

function isCancelled(word: string): boolean {
  return ['cancelled', 'canceled'].includes(word.toLowerCase());
}

function mapSources(raw: ApiSource[], baseHref: string): Source[] {
  const byUrl = new Map<string, Source>();
  for (const { link, label, type, metadata } of raw) {
    const url = link ? webAddress(link, baseHref) : undefined;
    if (url === undefined || byUrl.has(url)) continue;
    const path = pathBelow(url, baseHref);
    const repository = metadata?.repoName || repositoryOf(path, type ?? '');
    byUrl.set(url, { url, label: label || path || url, ...defined('repository', repository) });
  }
  return [...byUrl.values()];
}

function lastStep(reasonings: string[]): string | undefined {
  const last = reasonings.findLast((reasoning) => reasoning.trim() !== '');
  const line = last?.trim().split(/\r?\n/, 1)[0];
  if (line === undefined) return undefined;
  const characters = [...line];
  if (characters.length <= MAX_LAST_STEP_CHARACTERS) return line;
  return `${characters.slice(0, MAX_LAST_STEP_CHARACTERS - 1).join('')}…`;
}

/** A limit of −1 means unlimited, so there is no quota to show. */
function mapQuota(raw: ApiConversation['quota_usage']): Quota | undefined {
  const limit = raw?.quota_limit ?? 0;
  if (limit <= 0) return undefined;
  return { used: raw?.total_quota ?? 0, limit, ...defined('resetAtMs', parseTime(raw?.reset_time)) };
}
