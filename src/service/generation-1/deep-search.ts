import { AppError, hasCode, isAppError, serviceCodes } from '../../core/errors.ts';
import type { CancelTarget, Conversation, UpstreamError, UpstreamQuestion } from '../../core/ports.ts';
import {
  type ConversationId,
  conversationIdOf,
  literalId,
  plainId,
  type Quota,
  type Source,
  type UpstreamId,
} from '../../core/question/question.ts';
import { isUnderWay } from '../../core/question/upstream.ts';
import {
  apiGone,
  busyConversation,
  type DeepSearchAdapter,
  type Generation,
  isApiGone,
  searchCut,
} from '../generation.ts';
import type { HttpReply } from '../http.ts';
import { parseBaseUrl, pathBelow, rememberLinks, repositoryOf, webAddress } from '../links.ts';
import { defined, followUpsOf, parseTime, replyFailure } from '../replies.ts';
import type { FailureReader, ServiceCall, ServiceClient } from '../service-client.ts';
import {
  type ApiConversation,
  type ApiQuestion,
  type ApiSource,
  type ConversationPage,
  conversationPageSchema,
  conversationSchema,
  followUpSchema,
} from './schemas.ts';

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

/** The parameters of the list. */
export interface ListParams {
  /** Finds another person's conversation, if sharing is enabled on the instance. */
  readToken?: string;
  /** Conversations per page. */
  first?: number;
  /** `nextCursor` of the previous page. */
  after?: string;
  /** Default `-updated_at`. */
  sort?: 'created_at' | '-created_at' | '-updated_at';
}

/** The first generation of the conversation API. */
export type ConversationApi = ReturnType<typeof createConversationApi>;

const API = '/.api/deepsearch/v1';

/** The most conversations to ask for at once. */
const LONGEST_PAGE = 1_000;

/** An instance without this generation replies 404 with this text. Any other 404 is about one conversation. */
const NO_ROUTE = 'no route';

/** How unsuccessful replies of the first generation become errors: by their status, and `apiGone` where it is missing. */
export const firstGenerationFailures = failuresWhere([404], isNoRoute);

/**
 * The same for calls that name no conversation: there, nothing but the address can be missing, whether the service or a
 * gateway before it says so.
 */
const failuresWithoutConversation = failuresWhere([404, 405, 410], () => true);

/** `isMissing` is asked about replies with one of these statuses. */
function failuresWhere(statuses: readonly number[], isMissing: (reply: HttpReply) => boolean): FailureReader {
  return {
    needsBody: (status) => statuses.includes(status),
    errorOf(reply, request, nowMs) {
      const error = replyFailure(reply, request, nowMs);
      return error !== undefined && statuses.includes(reply.status) && isMissing(reply) ? apiGone(error) : error;
    },
  };
}

/** Whether the instance says that it does not have this generation. */
export function isNoRoute({ status, body }: HttpReply): boolean {
  return status === 404 && body.trim().toLowerCase() === NO_ROUTE;
}

/** Creating a conversation and adding a follow-up are never retried, all other calls are. */
export function createConversationApi(service: ServiceClient) {
  const send = (call: ServiceCall) => service.send({ ...call, failures: firstGenerationFailures });
  const ask: ServiceClient['ask'] = (call, schema) =>
    service.ask({ ...call, failures: firstGenerationFailures }, schema);

  const list = (params: ListParams = {}) =>
    service.ask(
      { method: 'GET', path: API, query: listQuery(params), safe: true, failures: failuresWithoutConversation },
      conversationPageSchema,
    );

  /**
   * All conversations in order, latest created first. `first`: how many the first page has. `beforeNext` runs before each
   * request but the first. Throws {@link searchCut} where it can't tell whether there are more.
   *
   * A full page without a cursor is not the end: then this asks for the same page, but longer. A longer page that is not
   * full may be the end, or as much as the service ever lists at once.
   */
  async function* conversations(first: number, beforeNext?: () => Promise<void>) {
    const seen = new Set<ConversationId>();
    const used = new Set<string>();
    let length = first;
    let after: string | undefined;
    for (;;) {
      const params = { sort: '-created_at', first: length, ...(after !== undefined && { after }) } as const;
      const page = await (length > first ? listLonger(params) : list(params));
      for (const conversation of page.conversations) {
        if (seen.has(conversation.id)) continue;
        seen.add(conversation.id);
        yield conversation;
      }
      if (page.hasMore === false) return;
      if (page.nextCursor !== undefined) {
        if (used.has(page.nextCursor)) throw searchCut('the list repeats a cursor');
        after = page.nextCursor;
        used.add(after);
      } else {
        const { length: listed } = page.conversations;
        if (listed < first && page.hasMore === undefined) return;
        if (listed < length) {
          await beforeNext?.();
          if (await endsWith(page.conversations.at(-1))) return;
          throw searchCut(`the list shows no more than ${listed} conversations`);
        }
        if (length >= LONGEST_PAGE) throw searchCut(`more than ${LONGEST_PAGE} conversations`);
        length = Math.min(length * 2, LONGEST_PAGE);
      }
      await beforeNext?.();
    }
  }

  /** Lists a longer page than before. The service may refuse its length, or the app may refuse the reply's size. */
  async function listLonger(params: ListParams): Promise<ConversationPage> {
    try {
      return await list(params);
    } catch (error) {
      if (!isAppError(error, 'refused') && !hasCode(error, serviceCodes.tooLarge)) throw error;
      throw searchCut(`no page of ${params.first} conversations`);
    }
  }

  /** Whether this conversation is the first that the account created. False where the service ignores the order. */
  async function endsWith(last: ApiConversation | undefined): Promise<boolean> {
    const { conversations: oldest } = await list({ sort: 'created_at', first: 1 });
    return last !== undefined && oldest[0]?.id === last.id;
  }

  return {
    create: (question: string) =>
      service.ask(
        {
          method: 'POST',
          path: API,
          body: { question },
          // With this header early releases reply at once instead of when the answer is ready. Later releases ignore it.
          headers: { prefer: 'respond-async' },
          safe: false,
          failures: failuresWithoutConversation,
        },
        conversationSchema,
      ),
    list,
    conversations,
    get: async (conversationId: ConversationId) =>
      ask({ method: 'GET', path: pathOf(conversationId), template: `${API}/{id}`, safe: true }, conversationSchema),
    /** Succeeds when the conversation is already gone. */
    async delete(conversationId: ConversationId): Promise<void> {
      const path = pathOf(conversationId);
      try {
        await send({ method: 'DELETE', path, template: `${API}/{id}`, safe: true });
      } catch (error) {
        if (!isAppError(error, 'notFound') || isApiGone(error)) throw error;
      }
    },
    /** Returns the new question. */
    addQuestion: async (conversationId: ConversationId, question: string) =>
      ask(
        {
          method: 'POST',
          path: `${pathOf(conversationId)}/questions`,
          template: `${API}/{id}/questions`,
          // In practice the service requires the id in the body too, not only in the path.
          body: `{"conversation_id":${literalId(conversationId)},"question":${JSON.stringify(question)}}`,
          headers: { prefer: 'respond-async' },
          safe: false,
        },
        followUpSchema,
      ),
    /** Fails as `refused` or `notFound` when there is nothing left to cancel. */
    async cancelQuestion(conversationId: ConversationId, questionId: UpstreamId): Promise<void> {
      await send({
        method: 'POST',
        path: `${pathOf(conversationId)}/questions/${questionId}/cancel`,
        template: `${API}/{id}/questions/{questionId}/cancel`,
        safe: true,
      });
    },
    /** Fails as `notFound` when the token is unknown or sharing is off. */
    async readByToken(readToken: string) {
      const page = await list({ readToken });
      // A service without this filter returns other conversations, so check the token.
      const conversation = page.conversations.find((each) => opensWith(each, readToken));
      if (conversation) return conversation;
      throw new AppError('notFound', 'no conversation is readable with this token');
    },
  };
}

function pathOf(conversationId: ConversationId): string {
  if (literalId(conversationId) !== undefined) return `${API}/${plainId(conversationId)}`;
  throw new AppError('notFound', 'the first generation of the API has no conversation with this id');
}

function listQuery({ readToken, first, after, sort }: ListParams): URLSearchParams {
  const named = { filter_read_token: readToken, page_first: first, page_after: after, sort };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** The API's contract says that a share URL ends with the read token. */
function opensWith({ read_token: token, share_url: url }: ApiConversation, readToken: string): boolean {
  return (token ?? url?.slice(-readToken.length))?.toLowerCase() === readToken.toLowerCase();
}
