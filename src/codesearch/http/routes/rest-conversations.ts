import type { Viewer } from '../../accounts/viewer.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { type ListQuery, readCursor } from '../../conversations/list.ts';
import { ConversationError } from '../../conversations/records.ts';
import { LIMITS } from '../../limits.ts';
import { hasBody, isJson, readJsonObject, readQuestionText } from '../body.ts';
import { HttpError } from '../http-error.ts';
import { json, type Reply } from '../reply.ts';
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

const SORTS = ['id', '-id', 'created_at', '-created_at', 'updated_at', '-updated_at'];

/** Reads the parameters of a list; throws 400 with the name of the first wrong one. */
export function parseListQuery(parameters: URLSearchParams): ListQuery {
  const sort = parameters.get('sort') || '-updated_at';
  if (!SORTS.includes(sort)) throw new HttpError(400, `sort must be one of ${SORTS.join(', ')}.`);
  const query: ListQuery = { sort, first: LIMITS.pageSizeDefault };
  const id = readNumber(parameters, 'filter_id');
  if (id !== undefined) query.id = id;
  const userId = readNumber(parameters, 'filter_user_id');
  if (userId !== undefined) query.userId = userId;
  const readToken = parameters.get('filter_read_token');
  if (readToken) query.readToken = readToken;
  const starred = parameters.get('filter_is_starred');
  if (starred) {
    if (starred !== 'true' && starred !== 'false') throw new HttpError(400, 'filter_is_starred must be true or false.');
    query.starred = starred === 'true';
  }
  const first = readNumber(parameters, 'page_first');
  if (first === 0) throw new HttpError(400, 'page_first must be at least 1.');
  if (first !== undefined) query.first = Math.min(first, LIMITS.pageSizeMax);
  const cursor = parameters.get('page_after');
  if (cursor) query.after = readAfter(cursor, sort);
  return query;
}

function readNumber(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400, `${name} must be a whole number.`);
  return Number(text);
}

function readAfter(cursor: string, sort: string): { value: number; id: number } {
  const read = readCursor(cursor);
  if (read === undefined) throw new HttpError(400, 'page_after is not a cursor of this list.');
  if (read.sort !== sort) throw new HttpError(400, 'page_after belongs to a list with another sort.');
  return read.place;
}
