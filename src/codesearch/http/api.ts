import { ConversationError } from '../conversations/conversation-error.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { HttpError } from './http-error.ts';
import { parseListQuery } from './list-query.ts';
import { json, type Reply } from './reply.ts';
import { conversationToWire, questionToWire, singleConversationToWire } from './wire.ts';

/** An authenticated request; call `body`, which reads the JSON object, once. */
export interface ApiRequest {
  method: string;
  /** Path segments after the prefix of the API. */
  segments: readonly string[];
  parameters: URLSearchParams;
  username: string;
  body: () => Promise<Record<string, unknown>>;
}

/** The methods an API path allows; empty for an unknown path. */
export function apiMethods(segments: readonly string[]): string[] {
  const [id, questions, questionId, cancel, ...rest] = segments;
  if (rest.length > 0 || (id !== undefined && !isId(id))) return [];
  if (id === undefined) return ['GET', 'POST'];
  if (questions === undefined) return ['GET', 'DELETE'];
  if (questions !== 'questions') return [];
  if (questionId === undefined) return ['POST'];
  return isId(questionId) && cancel === 'cancel' ? ['POST'] : [];
}

/** The six operations of `/.api/deepsearch/v1`; every refusal is an {@link HttpError}. */
export function createApi(conversations: Conversations, baseUrl: () => string) {
  return async (request: ApiRequest): Promise<Reply> => {
    try {
      return await answer(request);
    } catch (error) {
      throw error instanceof ConversationError ? asHttpError(error) : error;
    }
  };

  async function answer({ method, segments, parameters, username, body }: ApiRequest): Promise<Reply> {
    const userId = await conversations.userId(username);
    const [first, questions, third] = segments;
    const id = Number(first);
    if (first === undefined) {
      if (method === 'POST') {
        const created = await conversations.create(userId, readQuestion(await body()));
        return json(202, conversationToWire(created, baseUrl()));
      }
      const page = conversations.list(userId, parseListQuery(parameters));
      return json(200, {
        conversations: page.conversations.map((conversation) => conversationToWire(conversation, baseUrl())),
        page_info: { end_cursor: page.endCursor, has_next_page: page.hasNextPage },
      });
    }
    if (questions === undefined) {
      if (method === 'DELETE') {
        await conversations.remove(userId, id);
        return json(204);
      }
      const conversation = conversations.get(userId, id);
      return json(200, singleConversationToWire(conversation, userId, conversations.quotaOf(userId), baseUrl()));
    }
    if (third === undefined) {
      const sent = await body();
      const text = readQuestion(sent);
      if (sent.conversation_id !== undefined && sent.conversation_id !== id) {
        throw new HttpError(400, 'conversation_id in the body differs from the one in the path.');
      }
      return json(202, questionToWire(await conversations.followUp(userId, id, text), id, baseUrl()));
    }
    return json(200, questionToWire(await conversations.cancel(userId, id, Number(third)), id, baseUrl()));
  }
}

function asHttpError({ kind, message }: ConversationError): HttpError {
  switch (kind) {
    case 'notFound':
      return new HttpError(404, message);
    case 'tooManyOpen':
      return new HttpError(429, message, { 'Retry-After': '5' });
  }
}

function readQuestion(body: Record<string, unknown>): string {
  const question = body.question;
  if (typeof question !== 'string') throw new HttpError(400, 'question must be a string.');
  if (question.trim() === '') throw new HttpError(400, 'question must not be empty.');
  return question;
}

function isId(segment: string): boolean {
  return /^[1-9]\d{0,14}$/.test(segment);
}
