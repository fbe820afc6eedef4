import { LRUCache } from 'lru-cache';
import { AppError, type ErrorKind, isAppError } from '../../core/errors.ts';
import type {
  CancelTarget,
  Conversation,
  ConversationSearch,
  DeepSearch,
  UpstreamError,
  UpstreamQuestion,
} from '../../core/ports.ts';
import { type ConversationId, conversationIdOf, plainId, type Quota } from '../../core/question/question.ts';
import { isSameText } from '../../core/question/upstream.ts';
import {
  apiGone,
  busyConversation,
  type DeepSearchAdapter,
  type Generation,
  isApiGone,
  searchCut,
} from '../generation.ts';
import { parseBaseUrl, rememberLinks, rememberSources, webAddress } from '../links.ts';
import {
  defined,
  followUpsOf,
  isHtml,
  jsonIn,
  parseRetryAfterMs,
  parseTime,
  replyFailure,
  signInPage,
} from '../replies.ts';
import type { FailureReader, ServiceCall, ServiceClient } from '../service-client.ts';
import {
  type ApiConversation,
  type ApiError,
  type ApiQuestion,
  type ApiState,
  type ApiSummariesPage,
  type ApiSummary,
  conversationSchema,
  questionSchema,
  summariesSchema,
} from './schemas.ts';

/** How much the times of one question may differ between two replies. */
const sameTimeMs = 1_000;

/** How an answer is read. Each function may cache. */
interface AnswerReading {
  baseHref: string;
  /** Makes the links of an answer absolute. */
  withAbsoluteLinks: (markdown: string) => string;
  /** Finds what an answer cites. */
  sourcesOf: (markdown: string) => UpstreamQuestion['sources'];
}

/** The second generation of the API, as the account of `service` sees it. */
export function createGeneration2(
  service: ServiceClient,
  baseUrl: string,
  withAbsoluteLinks = rememberLinks(baseUrl),
  sourcesOf = rememberSources(baseUrl),
  readQuota: () => Promise<Quota | undefined> = async () => undefined,
): Generation {
  const reading = { baseHref: parseBaseUrl(baseUrl).href, withAbsoluteLinks, sourcesOf };
  return {
    number: 2,
    deepSearch: createDeepSearch(createConversationApi(service), reading, readQuota),
  };
}

/** Implements the core's port with the second generation of the service's API. */
function createDeepSearch(
  api: ConversationApi,
  reading: AnswerReading,
  readQuota: () => Promise<Quota | undefined>,
): DeepSearchAdapter {
  const read = async (conversationId: ConversationId) => mapConversation(await api.get(conversationId), reading);

  return {
    async create(text) {
      const conversation = mapConversation(await api.create(text), reading);
      if (conversation.questions.length > 0) return conversation;
      // The reply may leave out the question. It is the only one.
      return { ...conversation, questions: [{ ...sentQuestion(text), ordinal: 0 }] };
    },
    async followUp(conversationId, text) {
      const sent = await addQuestion(conversationId, text);
      return (await findAdded(conversationId, sent)) ?? sent;
    },
    read: readWithQuota,
    async byReadToken(readToken) {
      if (/^[1-9]\d*$/.test(readToken)) return read(conversationIdOf(readToken));
      throw new AppError('notFound', 'this generation of the API finds no conversation by a read token', {
        code: 'noReadTokens',
      });
    },
    newest: createNewest(api, (raw) => mapConversation(raw, withoutAnswers(reading))),
    async changes(most, after = '') {
      const page = await api.summariesPage(most, after);
      return {
        conversations: page.conversationSummaries.map(({ name, updateTime }) => ({
          id: name,
          mark: updateTime,
          ...defined('updatedMs', parseTime(updateTime)),
        })),
        ...(page.nextPageToken === '' ? {} : { next: page.nextPageToken }),
      };
    },
    async cancel(conversationId, target) {
      try {
        if (await wouldStop(conversationId, target)) await api.cancel(conversationId);
      } catch (error) {
        // The question has finished or is gone. The next read shows which.
        const isOver = isAppError(error, 'notFound') || (isAppError(error) && error.code === 'failed_precondition');
        if (!isOver || isApiGone(error)) throw error;
      }
    },
    async delete(conversationId) {
      try {
        await api.delete(conversationId);
      } catch (error) {
        if (!isAppError(error, 'notFound') || isApiGone(error)) throw error;
      }
    },
  };

  /**
   * Whether a cancellation would stop this question: the API stops whatever runs in the conversation, and its state is that
   * of the last question.
   */
  async function wouldStop(conversationId: ConversationId, target: CancelTarget): Promise<boolean> {
    const conversation = await read(conversationId);
    const found = await target.find(conversation);
    const last = conversation.questions.at(-1);
    return found !== undefined && found.ordinal === last?.ordinal && last?.state === 'processing';
  }

  /** Only the end of a question shows the quota, so it is not asked for before. */
  async function readWithQuota(conversationId: ConversationId): Promise<Conversation> {
    const conversation = await read(conversationId);
    if (conversation.questions.some(({ state }) => state === 'processing')) return conversation;
    return { ...conversation, ...defined('quota', await readQuota()) };
  }

  async function addQuestion(conversationId: ConversationId, text: string): Promise<UpstreamQuestion> {
    try {
      const { input, createTime } = await api.addQuestion(conversationId, text);
      // The service may have changed the text.
      return { ...sentQuestion(input || text), ...defined('createdMs', parseTime(createTime)) };
    } catch (error) {
      if (isAppError(error, 'refused') && !isApiGone(error)) await throwIfBusy(conversationId, error);
      throw error;
    }
  }

  /** The service takes no follow-up while it processes a question of the conversation. That passes. */
  async function throwIfBusy(conversationId: ConversationId, cause: AppError): Promise<void> {
    const { questions } = await read(conversationId);
    if (questions.some(({ state }) => state === 'processing')) throw busyConversation(cause);
  }

  /**
   * Reads the position and state of an added question, which the reply to it does not tell. Undefined if that fails:
   * the question is asked all the same.
   */
  async function findAdded(
    conversationId: ConversationId,
    sent: UpstreamQuestion,
  ): Promise<UpstreamQuestion | undefined> {
    try {
      const { questions } = await read(conversationId);
      return questions.findLast((question) => isSent(question, sent, question === questions.at(-1)));
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  }
}

/** The same text may have been asked before, so the times must agree. Without times, only the last question counts. */
function isSent(question: UpstreamQuestion, sent: UpstreamQuestion, isLast: boolean): boolean {
  if (!isSameText(question.text, sent.text)) return false;
  if (question.createdMs === undefined || sent.createdMs === undefined) return isLast;
  return Math.abs(question.createdMs - sent.createdMs) <= sameTimeMs;
}

/** A question as it was sent, before the service tells anything about it. */
function sentQuestion(text: string): UpstreamQuestion {
  return { text, state: 'processing', sources: [], citedOnly: true, followUps: [] };
}

function withoutAnswers(reading: AnswerReading): AnswerReading {
  return { ...reading, withAbsoluteLinks: (markdown) => markdown, sourcesOf: () => [] };
}

/** Maps a conversation to the core's type. */
export function mapConversation(raw: ApiConversation, reading: AnswerReading): Conversation {
  const last = raw.questions.length - 1;
  const questions = raw.questions.map((question, ordinal) => ({
    ...mapQuestion(question, ordinal === last ? raw.state : stateOfEarlier(question, raw.state), reading),
    ordinal,
    ...(ordinal === 0 && raw.title !== '' ? { title: raw.title } : {}),
  }));
  return {
    id: raw.name,
    questions,
    ...defined('createdMs', parseTime(raw.createTime)),
    ...defined('shareUrl', raw.url === '' ? undefined : webAddress(raw.url, reading.baseHref)),
  };
}

/**
 * The state of a conversation belongs to its last question, and no description of the API says whether two can run at the
 * same time. So an earlier one without an answer may run as long as the conversation does. Then it has failed.
 */
function stateOfEarlier({ answer }: ApiQuestion, { is }: ApiState): ApiState {
  if (answer.text !== '') return { is: 'completed' };
  return is === 'processing' ? { is } : { is: 'failed', error: { code: '', message: '', retryTime: '' } };
}

function mapQuestion(raw: ApiQuestion, state: ApiState, reading: AnswerReading): UpstreamQuestion {
  return {
    text: raw.input,
    state: state.is,
    sources: reading.sourcesOf(raw.answer.text),
    citedOnly: true,
    ...(raw.answer.hasMore ? { hasMore: true } : {}),
    followUps: followUpsOf(raw.suggestedFollowups),
    ...defined('createdMs', parseTime(raw.createTime)),
    ...defined('answer', raw.answer.text === '' ? undefined : reading.withAbsoluteLinks(raw.answer.text)),
    ...(state.is === 'failed' && { error: mapError(state.error) }),
  };
}

function mapError({ code, message, retryTime }: ApiError): UpstreamError {
  const cause = causes.get(code) ?? 'service';
  const retryAtMs = cause === 'limited' ? parseTime(retryTime) : undefined;
  return { cause, title: '', message: message || code, ...defined('retryAtMs', retryAtMs) };
}

const causes = new Map<string, UpstreamError['cause']>([
  ['ERROR_TOKEN_LIMIT_EXCEEDED', 'tooLong'],
  ['ERROR_QUOTA_EXCEEDED', 'limited'],
  ['ERROR_ENTITLEMENT_EXCEEDED', 'limited'],
]);

/** The most conversations that a search looks at, over all its repetitions. */
const MAX_NEWEST = 1_000;
/** The most conversations that one search for a conversation reads, each with a request of its own. */
const MAX_READS = 100;
const PAGE_SIZE = 100;
/** The most pages of a list that is not sorted by time. */
const MAX_PAGES = 100;
const READS_AT_ONCE = 4;
/** How long one search sends requests. */
const MAX_SEARCH_MS = 60_000;
/**
 * How many characters of questions are remembered. A conversation that has not changed since is not read again, so
 * searches at the same time share what they read, and a repeated search goes on where it stopped.
 */
const MAX_REMEMBERED_LENGTH = 5_000_000;

/**
 * Creates `newest` of the core's port. The list of this generation has no texts of questions, so it reads each
 * conversation that was created since `sinceMs`, those created about the time of the search first, until it finds the sought
 * one. A conversation was changed when it was created or later, so a list with the last changed first ends at `sinceMs`. The
 * order of the list is in no description of the API: in a list without order the search reads all pages, at most 100.
 */
export function createNewest(
  api: Pick<ConversationApi, 'get' | 'summaries'>,
  toConversation: (raw: ApiConversation) => Conversation,
  now: () => number = () => performance.now(),
): DeepSearch['newest'] {
  const known = new LRUCache<ApiSummary['name'], { updateTime: string; conversation: Conversation }>({
    maxSize: MAX_REMEMBERED_LENGTH,
    sizeCalculation: ({ conversation }) => lengthOf(conversation),
  });

  return async function newest(limit, sinceMs = 0, search = undefined) {
    const endsAtMs = now() + MAX_SEARCH_MS;
    const checkTime = () => {
      if (now() > endsAtMs) throw searchCut('it took too long');
    };
    const beforeRequest = async () => {
      checkTime();
      await search?.beforeRequest?.();
    };
    const wanted = Math.min(Math.max(1, limit), MAX_NEWEST);
    const { summaries, isCut } = await list(wanted, sinceMs, search, beforeRequest);
    const found: Conversation[] = [];
    let reads = 0;
    let isFound = false;
    for (let at = 0; at < summaries.length && !isFound; at += READS_AT_ONCE) {
      checkTime();
      const next = summaries.slice(at, at + READS_AT_ONCE);
      reads += next.filter((summary) => rememberedOf(summary) === undefined).length;
      if (search !== undefined && reads > MAX_READS) throw searchCut(`more than ${MAX_READS} conversations to read`);
      const read = await Promise.all(next.map((summary) => readBare(summary, beforeRequest)));
      for (const conversation of read.filter((each) => each !== undefined)) {
        found.push(conversation);
        isFound ||= (await search?.isSought(conversation)) ?? false;
      }
    }
    if (isCut && !isFound && search !== undefined) throw searchCut(`more than ${wanted} conversations`);
    return found
      .filter(({ createdMs = sinceMs }) => createdMs >= sinceMs)
      .toSorted((one, other) => (other.createdMs ?? 0) - (one.createdMs ?? 0));
  };

  /**
   * The newest conversations of the list that may have been created since `sinceMs`, newest first. For a search those that
   * were created nearest to its time first. `isCut`: there may be more.
   */
  async function list(
    wanted: number,
    sinceMs: number,
    search: ConversationSearch | undefined,
    beforeRequest: () => Promise<void>,
  ): Promise<{ summaries: ApiSummary[]; isCut: boolean }> {
    const found = new Map<ApiSummary['name'], ApiSummary>();
    const orders = [createOrder(({ updateTime }) => updateTime), createOrder(({ createTime }) => createTime)];
    const pageSize = sinceMs > 0 ? PAGE_SIZE : Math.min(wanted, PAGE_SIZE);
    const add = (page: ApiSummary[]) => {
      for (const summary of page) {
        const isTooLate = search !== undefined && createdMs(summary, sinceMs) > search.untilMs;
        if (createdMs(summary, sinceMs) >= sinceMs && !isTooLate) found.set(summary.name, summary);
      }
    };
    let pages = 0;
    for await (const page of api.summaries(pageSize, beforeRequest)) {
      pages += 1;
      add(page);
      // Each order has to see every page.
      const isPast = orders.map((order) => order.isPast(page, sinceMs)).includes(true);
      if (isPast || (sinceMs <= 0 && found.size >= wanted) || pages === MAX_PAGES) break;
    }
    // A conversation that changes meanwhile moves from a later page to the first one.
    if (pages > 1) {
      await beforeRequest();
      add((await api.summaries(pageSize).next()).value ?? []);
    }
    const latestMs = Number.POSITIVE_INFINITY;
    const rank = (summary: ApiSummary): number =>
      search === undefined
        ? -createdMs(summary, latestMs)
        : Math.abs(createdMs(summary, search.aboutMs) - search.aboutMs);
    const summaries = [...found.values()].toSorted((one, other) => rank(one) - rank(other)).slice(0, wanted);
    return { summaries, isCut: found.size > wanted || pages === MAX_PAGES };
  }

  /** Undefined if the conversation was deleted meanwhile. */
  async function readBare(summary: ApiSummary, beforeRequest: () => Promise<void>): Promise<Conversation | undefined> {
    const remembered = rememberedOf(summary);
    if (remembered !== undefined) return remembered;
    const { name, updateTime } = summary;
    await beforeRequest();
    try {
      const conversation = bare(toConversation(await api.get(name)));
      known.set(name, { updateTime, conversation });
      return conversation;
    } catch (error) {
      if (isAppError(error, 'notFound') && !isApiGone(error)) return undefined;
      throw error;
    }
  }

  /** What was read of a conversation that has not changed since. */
  function rememberedOf({ name, updateTime }: ApiSummary): Conversation | undefined {
    const remembered = known.get(name);
    return updateTime !== '' && remembered?.updateTime === updateTime ? remembered.conversation : undefined;
  }
}

function createdMs({ createTime }: ApiSummary, otherwiseMs: number): number {
  return parseTime(createTime) ?? otherwiseMs;
}

/** Watches whether a list has the latest of these times first, and says when all that follows is before a time. */
function createOrder(timeOf: (summary: ApiSummary) => string) {
  let isSorted = true;
  let seen = 0;
  let earliestMs = Number.POSITIVE_INFINITY;
  return {
    isPast(page: ApiSummary[], sinceMs: number): boolean {
      for (const timeMs of page.map((summary) => parseTime(timeOf(summary)))) {
        if (timeMs === undefined) continue;
        seen += 1;
        if (timeMs > earliestMs) isSorted = false;
        earliestMs = Math.min(earliestMs, timeMs);
      }
      // One time alone shows no order.
      return isSorted && seen > 1 && earliestMs < sinceMs;
    },
  };
}

/** The questions without what `newest` does not return. */
function bare(conversation: Conversation): Conversation {
  const questions = conversation.questions.map(({ answer: _, ...question }) => ({ ...question, followUps: [] }));
  return { ...conversation, questions };
}

function lengthOf({ questions }: Conversation): number {
  return questions.reduce((length, { text }) => length + text.length, 1_000);
}

/** The second generation of the conversation API. */
export type ConversationApi = ReturnType<typeof createConversationApi>;

const API = '/api/deepsearch.v1.Service';
/** The user that the credential belongs to. */
const PARENT = 'users/~self';

/** Creating a conversation, adding a question and cancelling are never retried, all other calls are. */
export function createConversationApi(service: ServiceClient) {
  /** One page of the list. Both tokens are empty for the first and after the last page. */
  function summariesPage(pageSize: number, pageToken: string): Promise<ApiSummariesPage> {
    const body = { parent: PARENT, pageSize, ...(pageToken !== '' && { pageToken }) };
    const call = callOf('ListConversationSummaries', body, true);
    return service.ask({ ...call, failures: failuresWithoutConversation }, summariesSchema);
  }

  /**
   * The pages of the list. In this generation the last page is the one without a token. Throws {@link searchCut} when a page
   * repeats a token. `beforeNext` runs before each page but the first.
   */
  async function* summaries(pageSize: number, beforeNext?: () => Promise<void>) {
    const used = new Set<string>();
    let pageToken = '';
    for (;;) {
      if (used.size > 0) await beforeNext?.();
      used.add(pageToken);
      const page = await summariesPage(pageSize, pageToken);
      yield page.conversationSummaries;
      if (page.nextPageToken === '') return;
      pageToken = page.nextPageToken;
      if (used.has(pageToken)) throw searchCut('the list repeats a token');
    }
  }

  return {
    create(text: string) {
      const body = { parent: PARENT, conversation: { questions: [questionOf(text)] } };
      const call = callOf('CreateConversation', body, false);
      return service.ask({ ...call, failures: failuresWithoutConversation }, conversationSchema);
    },
    get: async (conversationId: ConversationId) =>
      service.ask(callOf('GetConversation', { name: nameOf(conversationId) }, true), conversationSchema),
    /** Returns the new question, without its position and state. */
    addQuestion: async (conversationId: ConversationId, text: string) =>
      service.ask(
        callOf('AddConversationQuestion', { parent: nameOf(conversationId), question: questionOf(text) }, false),
        questionSchema,
      ),
    /** Stops whatever question is in progress. Not retried, because that may be another one by then. */
    async cancel(conversationId: ConversationId): Promise<void> {
      const call = callOf('CancelConversation', { name: nameOf(conversationId) }, true);
      await service.send({ ...call, failures: { ...secondGenerationFailures, isRetried: () => false } });
    },
    async delete(conversationId: ConversationId): Promise<void> {
      await service.send(callOf('DeleteConversation', { name: nameOf(conversationId) }, true));
    },
    summaries,
    summariesPage,
  };
}

function callOf(method: string, body: object, safe: boolean): ServiceCall {
  const headers = { 'connect-protocol-version': '1' };
  return { method: 'POST', path: `${API}/${method}`, headers, body, safe, failures: secondGenerationFailures };
}

function nameOf(conversationId: ConversationId): string {
  return `${PARENT}/conversations/${plainId(conversationId)}`;
}

function questionOf(text: string): object {
  return { input: [{ question: { text } }] };
}

/** The error codes of the Connect protocol (connectrpc.com/docs/protocol), and the kind of error that each one is here. */
const kinds = {
  invalid_argument: 'refused',
  out_of_range: 'refused',
  failed_precondition: 'refused',
  already_exists: 'refused',
  unauthenticated: 'unauthorized',
  permission_denied: 'unauthorized',
  not_found: 'notFound',
  resource_exhausted: 'rateLimited',
  unavailable: 'unavailable',
  deadline_exceeded: 'unavailable',
  aborted: 'unavailable',
  canceled: 'unavailable',
  unknown: 'unavailable',
  internal: 'unavailable',
  data_loss: 'unavailable',
  unimplemented: 'unavailable',
} satisfies Record<string, ErrorKind>;

type ConnectCode = keyof typeof kinds;

const lastingCodes = ['canceled', 'unknown', 'internal', 'data_loss'];
const passingStatuses = [429, 502, 503, 504];

/**
 * How unsuccessful replies of the second generation become errors: by the `code` of their body, because its status
 * differs between releases, otherwise by the status. A refused credential has the code 401 or 403 as in the first
 * generation, any other error the code of the protocol or the status.
 */
const secondGenerationFailures: FailureReader = {
  needsBody: (status) => status >= 400,
  errorOf(reply, request, nowMs) {
    const { status, headers, body } = reply;
    const byStatus = replyFailure(reply, request, nowMs);
    if (byStatus === undefined) return isHtml(reply) && request.safe ? pageInstead(request.label) : undefined;
    if (status < 400) return leadsToOwnSignIn(headers.location) ? apiGone(byStatus) : byStatus;
    const connectCode = connectCodeOf(body);
    if (connectCode === 'unimplemented') return apiGone(byStatus);
    if (connectCode !== undefined) {
      const kind = kinds[connectCode];
      return new AppError(kind, `${byStatus.message} (${connectCode})`, {
        code: shownCode(connectCode),
        outcomeUnknown: kind === 'unavailable' && !request.safe,
        retryAfterMs: parseRetryAfterMs(headers['retry-after'], nowMs),
        said: byStatus.said,
      });
    }
    if (status === 404 || status === 405) return apiGone(byStatus);
    if (status !== 400) return byStatus;
    // The protocol reads a 400 that the API did not send as an internal error, not as a refusal of the request.
    return new AppError('unavailable', byStatus.message, {
      code: 'internal',
      outcomeUnknown: !request.safe,
      said: byStatus.said,
    });
  },
  isRetried(error) {
    if (typeof error.code === 'number') return passingStatuses.includes(error.code);
    return !isApiGone(error) && !lastingCodes.includes(error.code ?? '');
  },
};

/** The same for calls that name no conversation: there, nothing but the address can be missing. */
const failuresWithoutConversation: FailureReader = {
  ...secondGenerationFailures,
  errorOf(reply, request, nowMs) {
    const error = secondGenerationFailures.errorOf(reply, request, nowMs);
    return error?.kind === 'notFound' ? apiGone(error) : error;
  },
};

/** The protocol's code in the body of a failure. Undefined if the API did not send this body. */
function connectCodeOf(body: string): ConnectCode | undefined {
  const value = jsonIn(body);
  if (typeof value !== 'object' || value === null || !('code' in value)) return undefined;
  const { code } = value;
  return typeof code === 'string' && isConnectCode(code) ? code : undefined;
}

function isConnectCode(code: string): code is ConnectCode {
  return Object.hasOwn(kinds, code);
}

function shownCode(code: ConnectCode): string | number {
  if (code === 'unauthenticated') return 401;
  return code === 'permission_denied' ? 403 : code;
}

/**
 * An instance without this API shows its web page instead. A creation is not told so, because a page in between may hide
 * that it took effect.
 */
function pageInstead(label: string): AppError {
  return apiGone(signInPage(`${label} answered with an HTML page`));
}

/** An instance without this API sends such a request to the sign-in of its web page. */
function leadsToOwnSignIn(location = ''): boolean {
  const base = 'http://instance.invalid';
  return URL.canParse(location, base) && new URL(location, base).pathname.endsWith('/sign-in');
}
