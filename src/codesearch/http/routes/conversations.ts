import type { Viewer } from '../../accounts/viewer.ts';
import { ConversationError } from '../../conversations/conversation-error.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { readJsonObject } from '../body.ts';
import { HttpError } from '../http-error.ts';
import { parseListQuery } from '../list-query.ts';
import { json, type Reply } from '../reply.ts';
import { type Route, type RouteRequest, requireMethod } from '../route.ts';
import { conversationToWire, questionToWire, singleConversationToWire } from '../wire.ts';

const PREFIX = ['.api', 'deepsearch', 'v1'];

/** The methods an API path allows; empty for an unknown path. */
function allowedMethods(segments: readonly string[]): string[] {
  const [id, questions, questionId, cancel, ...rest] = segments;
  if (rest.length > 0 || (id !== undefined && !isId(id))) return [];
  if (id === undefined) return ['GET', 'POST'];
  if (questions === undefined) return ['GET', 'DELETE'];
  if (questions !== 'questions') return [];
  if (questionId === undefined) return ['POST'];
  return isId(questionId) && cancel === 'cancel' ? ['POST'] : [];
}

/** The six operations of `/.api/deepsearch/v1`; every refusal is an {@link HttpError}. */
export function createConversationRoute(conversations: Conversations, baseUrl: () => string): Route {
  return async (request) => {
    if (!PREFIX.every((part, index) => request.segments[index] === part)) return undefined;
    const segments = request.segments.slice(PREFIX.length);
    requireMethod(request.method, allowedMethods(segments));
    if (!request.headers['x-requested-with']) {
      throw new HttpError(400, 'The header X-Requested-With is required: the name and version of the client.');
    }
    try {
      return await answer(request, segments, await request.viewer());
    } catch (error) {
      throw error instanceof ConversationError ? asHttpError(error) : error;
    }
  };

  async function answer(
    { method, search, incoming }: RouteRequest,
    segments: readonly string[],
    viewer: Viewer,
  ): Promise<Reply> {
    const { userId } = viewer;
    const [first, questions, third] = segments;
    const id = Number(first);
    if (first === undefined) {
      if (method === 'POST') {
        const created = await conversations.create(userId, readQuestion(await readJsonObject(incoming)));
        return json(202, conversationToWire(created, baseUrl()));
      }
      const page = conversations.list(viewer, parseListQuery(new URLSearchParams(search)));
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
      const sent = await readJsonObject(incoming);
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
    case 'stillProcessing':
      return new HttpError(400, message);
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
