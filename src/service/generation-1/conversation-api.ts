import { AppError, hasCode, isAppError, serviceCodes } from '../../core/errors.ts';
import { type ConversationId, literalId, plainId, type UpstreamId } from '../../core/question/question.ts';
import { apiGone, isApiGone, searchCut } from '../generation.ts';
import type { HttpReply } from '../http.ts';
import { replyFailure } from '../reply-failure.ts';
import type { FailureReader, ServiceCall, ServiceClient } from '../service-client.ts';
import {
  type ApiConversation,
  type ConversationPage,
  conversationPageSchema,
  conversationSchema,
  followUpSchema,
} from './schemas.ts';

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
