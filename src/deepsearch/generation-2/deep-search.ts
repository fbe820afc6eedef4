import { AppError, isAppError } from '../../core/errors.ts';
import type { CancelTarget, Conversation, UpstreamError, UpstreamQuestion } from '../../core/ports.ts';
import type { ConversationId, Quota } from '../../core/question/question.ts';
import { conversationIdOf } from '../../core/question/service-ids.ts';
import { isSameText } from '../../core/question/upstream.ts';
import { isApiGone } from '../api-gone.ts';
import { busyConversation } from '../busy-conversation.ts';
import { capabilitiesOf, type DeepSearchAdapter, type Generation } from '../generation.ts';
import { rememberLinks, rememberSources } from '../remembered.ts';
import { defined, followUpsOf, parseTime, webAddress } from '../reply-values.ts';
import { parseBaseUrl, type ServiceClient } from '../service-client.ts';
import { type ConversationApi, createConversationApi } from './conversation-api.ts';
import { createNewest } from './newest.ts';
import type { ApiConversation, ApiError, ApiQuestion, ApiState } from './schemas.ts';

/** How much the times of one question may differ between two replies. */
const sameTimeMs = 1_000;

/** How an answer is read. Each function may cache. */
export interface AnswerReading {
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
    capabilities: capabilitiesOf[2],
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
