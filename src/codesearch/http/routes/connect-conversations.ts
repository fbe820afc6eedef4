import type { Viewer } from '../../accounts/viewer.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import { ConversationError } from '../../conversations/records.ts';
import { isJson, readJsonObject } from '../body.ts';
import { ConnectError, connectErrorReply, isInternal } from '../connect-error.ts';
import {
  checkParent,
  conversationMessage,
  questionMessage,
  readAddedQuestion,
  readListQuery,
  readName,
  readNewConversation,
  type ServiceWireOptions,
  summaryMessage,
  writePageToken,
} from '../connect-wire.ts';
import { json, type Reply } from '../reply.ts';
import type { Route, RouteRequest } from '../route.ts';

const SERVICE = 'deepsearch.v1.Service';

type Message = Record<string, unknown>;

interface Method {
  scope: 'externalapi:read' | 'externalapi:write';
  answer(message: Message, viewer: Viewer): unknown;
}

export interface ConversationServiceSetup {
  conversations: Conversations;
  baseUrl: () => string;
  suggestedFollowups: boolean;
  /** Answers like an instance that does not offer this generation. */
  hidden: boolean;
  onProblem: (error: unknown) => void;
}

/**
 * The second generation of the conversation API: six methods under `POST /api/deepsearch.v1.Service/`, in the unary JSON
 * form of the Connect protocol. It shows the same conversations as the first generation.
 */
export function createConversationServiceRoute(setup: ConversationServiceSetup): Route {
  const { conversations } = setup;
  const options = (): ServiceWireOptions => ({
    baseUrl: setup.baseUrl(),
    suggestedFollowups: setup.suggestedFollowups,
  });

  const methods = new Map<string, Method>(
    Object.entries({
      CreateConversation: {
        scope: 'externalapi:write',
        async answer(message, viewer) {
          checkParent(message, viewer);
          const text = readNewConversation(message);
          return conversationMessage(await conversations.create(viewer.userId, text), options());
        },
      },
      GetConversation: {
        scope: 'externalapi:read',
        answer: (message, viewer) =>
          conversationMessage(conversations.get(viewer.userId, idOf(message, 'name', viewer)), options()),
      },
      AddConversationQuestion: {
        scope: 'externalapi:write',
        async answer(message, viewer) {
          const id = idOf(message, 'parent', viewer);
          const text = readAddedQuestion(message);
          return questionMessage(await conversations.followUp(viewer.userId, id, text), options());
        },
      },
      CancelConversation: {
        scope: 'externalapi:write',
        answer: async (message, viewer) =>
          conversationMessage(await conversations.cancelOpen(viewer.userId, idOf(message, 'name', viewer)), options()),
      },
      DeleteConversation: {
        scope: 'externalapi:write',
        async answer(message, viewer) {
          await conversations.remove(viewer.userId, idOf(message, 'name', viewer));
          return {};
        },
      },
      ListConversationSummaries: { scope: 'externalapi:read', answer: listSummaries },
    } satisfies Record<string, Method>),
  );

  function listSummaries(message: Message, viewer: Viewer): unknown {
    checkParent(message, viewer);
    const query = readListQuery(message);
    if (query === undefined) return {};
    const page = conversations.list(viewer, query);
    const summaries = page.conversations.map((conversation) => summaryMessage(conversation, options()));
    return {
      ...(summaries.length === 0 ? {} : { conversationSummaries: summaries }),
      ...(page.hasNextPage && page.endCursor !== null ? { nextPageToken: writePageToken(query, page.endCursor) } : {}),
    };
  }

  async function call(request: RouteRequest, method: Method): Promise<Reply> {
    try {
      checkProtocol(request);
      const viewer = await request.viewer({ scope: method.scope, bearerTakesAccessTokens: true });
      return json(200, await method.answer(await readJsonObject(request.incoming), viewer));
    } catch (error) {
      const known = error instanceof ConversationError ? asConnectError(error) : error;
      if (isInternal(known)) setup.onProblem(known);
      return connectErrorReply(known);
    }
  }

  return async (request) => {
    const [api, service, name = '', ...rest] = request.segments;
    if (api !== 'api' || service !== SERVICE) return undefined;
    if (setup.hidden) return request.method === 'GET' ? undefined : empty(405, { Allow: 'GET' });
    const method = rest.length === 0 ? methods.get(name) : undefined;
    if (method === undefined) return { kind: 'text', status: 404, text: '404 page not found\n' };
    if (request.method !== 'POST') return empty(request.method === 'OPTIONS' ? 204 : 405, { Allow: 'POST' });
    if (request.headers['content-type'] === undefined || !isJson(request.headers)) {
      return empty(415, { 'Accept-Post': 'application/json' });
    }
    return call(request, method);
  };
}

/** Refuses a version of the protocol or an encoding of the body that this service does not know. */
function checkProtocol({ headers }: RouteRequest): void {
  const version = headers['connect-protocol-version'];
  if (version !== undefined && version !== '1') {
    throw new ConnectError('invalid_argument', 'Connect-Protocol-Version must be 1.');
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'gzip' && encoding !== 'identity') {
    throw new ConnectError('unimplemented', 'Content-Encoding must be gzip or identity.');
  }
}

function idOf(message: Message, key: 'name' | 'parent', viewer: Viewer): number {
  const id = readName(message, key, viewer);
  if (id === undefined) throw new ConnectError('not_found', 'There is no conversation with this name.');
  return id;
}

function asConnectError({ kind, message }: ConversationError): ConnectError {
  switch (kind) {
    case 'notFound':
      return new ConnectError('not_found', message);
    case 'stillProcessing':
    case 'tooLong':
      return new ConnectError('failed_precondition', message);
    case 'tooManyOpen':
      return new ConnectError('resource_exhausted', message, { 'Retry-After': '5' });
  }
}

function empty(status: number, headers: Record<string, string>): Reply {
  return { kind: 'json', status, headers };
}
