import type { Viewer } from '../../accounts/viewer.ts';
import { ConversationError } from '../../conversations/conversation-error.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { hasBody, isJson, readJsonObject } from '../body.ts';
import { HttpError } from '../http-error.ts';
import { readQuestionText } from '../question-text.ts';
import { json, type Reply } from '../reply.ts';
import { parseListQuery } from '../rest-list-query.ts';
import { conversationToWire, questionToWire, readConversationToWire, singleConversationToWire } from '../rest-wire.ts';
import { type Route, type RouteRequest, requireMethod } from '../route.ts';

const PREFIX = ['.api', 'deepsearch', 'v1'];

/** The methods an API path allows; empty for an unknown path. */
function allowedMethods(segments: readonly string[]): string[] {
  const [id, questions, questionId, cancel, ...rest] = segments;
  if (rest.length > 0 || (id !== undefined && !isId(id))) return [];
  if (id === undefined) return ['GET', 'POST'];
  if (questions === undefined) return ['GET', 'DELETE'];
  if (questions !== 'questions') return [];
  if (questionId === undefined) return ['POST'];
  if (!isId(questionId)) return [];
  if (cancel === undefined) return ['GET'];
  return cancel === 'cancel' ? ['POST'] : [];
}

/**
 * The first generation of the conversation API: the six operations of `/.api/deepsearch/v1`, and a question alone. Every refusal is an
 * {@link HttpError}; a missing or wrong token is refused before anything else. While `hidden`, every path is unknown.
 */
export function createConversationRoute(conversations: Conversations, baseUrl: () => string, hidden: boolean): Route {
  return async (request) => {
    if (!PREFIX.every((part, index) => request.segments[index] === part)) return undefined;
    const viewer = await request.viewer();
    if (hidden) return { kind: 'text', status: 404, text: 'no route' };
    const segments = request.segments.slice(PREFIX.length);
    requireMethod(request.method, allowedMethods(segments));
    if (request.method !== 'GET') checkWrite(request);
    try {
      return await answer(request, segments, viewer);
    } catch (error) {
      throw error instanceof ConversationError ? conversationRefusal(error) : error;
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
        const { question } = await readJsonObject(incoming);
        const created = await conversations.create(userId, readQuestionText(question, 'question'));
        return json(202, conversationToWire(created, baseUrl()));
      }
      return json(200, list(viewer, new URLSearchParams(search)));
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
      const text = readQuestionText(sent.question, 'question');
      if ((sent.conversation_id ?? id) !== id) {
        throw new HttpError(400, 'conversation_id in the body differs from the one in the path.');
      }
      return json(202, questionToWire(await conversations.followUp(userId, id, text), id, baseUrl()));
    }
    const question =
      method === 'GET'
        ? conversations.question(userId, id, Number(third))
        : await conversations.cancel(userId, id, Number(third));
    return json(200, questionToWire(question, id, baseUrl()));
  }

  /** A read token selects one conversation, perhaps of another user, so the reply says whose it is. */
  function list(viewer: Viewer, parameters: URLSearchParams) {
    const query = parseListQuery(parameters);
    const page = conversations.list(viewer, query);
    return {
      conversations: page.conversations.map((conversation) =>
        query.readToken === undefined
          ? conversationToWire(conversation, baseUrl())
          : readConversationToWire(conversation, viewer.userId, baseUrl()),
      ),
      page_info: { end_cursor: page.endCursor, has_next_page: page.hasNextPage },
    };
  }
}

/** Refuses a write that names no client, with 400, and a body of another type than JSON, with 415. */
function checkWrite({ headers }: RouteRequest): void {
  if (!/\p{L}/u.test(String(headers['x-requested-with'] ?? ''))) {
    throw new HttpError(400, 'The header X-Requested-With is required: the name and version of the client.');
  }
  if (hasBody(headers) && !isJson(headers)) {
    throw new HttpError(415, 'Content-Type must be application/json.', { 'Accept-Post': 'application/json' });
  }
}

/** The HTTP error for a refusal of the conversations. */
export function conversationRefusal({ kind, message }: ConversationError): HttpError {
  switch (kind) {
    case 'notFound':
      return new HttpError(404, message);
    case 'stillProcessing':
    case 'tooLong':
      return new HttpError(400, message);
    case 'tooManyOpen':
      return new HttpError(429, message, { 'Retry-After': '5' });
  }
}

function isId(segment: string): boolean {
  return /^[1-9]\d{0,14}$/.test(segment);
}
