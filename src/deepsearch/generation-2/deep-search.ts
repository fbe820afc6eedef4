import { AppError, isAppError } from '../../core/errors.ts';
import type { Conversation, UpstreamError, UpstreamQuestion } from '../../core/ports.ts';
import type { ConversationId } from '../../core/question/question.ts';
import { isSameText } from '../../core/question/upstream.ts';
import { isApiGone } from '../api-gone.ts';
import { busyConversation } from '../busy-conversation.ts';
import type { Capabilities, DeepSearchAdapter, Generation } from '../generation.ts';
import { rememberLinks, rememberSources } from '../remembered.ts';
import { defined, followUpsOf, parseTime, webAddress } from '../reply-values.ts';
import { parseBaseUrl, type ServiceClient } from '../service-client.ts';
import { type ConversationApi, createConversationApi } from './conversation-api.ts';
import { createNewest } from './newest.ts';
import { type ApiConversation, type ApiError, type ApiQuestion, type ApiState, conversationIdOf } from './schemas.ts';

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

const capabilities: Capabilities = {
  sources: false,
  followUps: false,
  stats: false,
  progress: false,
  readToken: false,
  cancelQuestion: false,
  listStates: false,
};

/** The second generation of the API, as the account of `service` sees it. */
export function createGeneration2(
  service: ServiceClient,
  baseUrl: string,
  withAbsoluteLinks = rememberLinks(baseUrl),
  sourcesOf = rememberSources(baseUrl),
): Generation {
  const reading = { baseHref: parseBaseUrl(baseUrl).href, withAbsoluteLinks, sourcesOf };
  return { number: 2, capabilities, deepSearch: createDeepSearch(createConversationApi(service), reading) };
}

/** Implements the core's port with the second generation of the service's API. */
function createDeepSearch(api: ConversationApi, reading: AnswerReading): DeepSearchAdapter {
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
    read,
    async byReadToken(readToken) {
      const conversationId = conversationIdOf(readToken);
      if (typeof conversationId === 'number') return read(conversationId);
      throw new AppError('notFound', 'this generation of the API finds no conversation by a read token', {
        code: 'noReadTokens',
      });
    },
    newest: createNewest(api, (raw) => mapConversation(raw, withoutAnswers(reading))),
    async cancel(conversationId) {
      try {
        await api.cancel(conversationId);
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

  async function addQuestion(conversationId: ConversationId, text: string): Promise<UpstreamQuestion> {
    try {
      const { createTime } = await api.addQuestion(conversationId, text);
      return { ...sentQuestion(text), ...defined('createdMs', parseTime(createTime)) };
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
    ...mapQuestion(question, ordinal === last ? raw.state : endOf(question), reading),
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

/** The state of a conversation belongs to its last question. An earlier one has ended, with or without an answer. */
function endOf({ answer }: ApiQuestion): ApiState {
  return answer === '' ? { is: 'failed', error: { code: '', message: '', retryTime: '' } } : { is: 'completed' };
}

function mapQuestion(raw: ApiQuestion, state: ApiState, reading: AnswerReading): UpstreamQuestion {
  return {
    text: raw.input,
    state: state.is,
    sources: reading.sourcesOf(raw.answer),
    citedOnly: true,
    followUps: followUpsOf(raw.suggestedFollowups),
    ...defined('createdMs', parseTime(raw.createTime)),
    ...defined('answer', raw.answer === '' ? undefined : reading.withAbsoluteLinks(raw.answer)),
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
