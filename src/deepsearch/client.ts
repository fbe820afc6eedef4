import { setMaxListeners } from 'node:events';
import type { z } from 'zod';
import { AppError, isAppError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { type Auth, createAuthorizer } from './auth.ts';
import { type Deadline, startDeadline, waitMs } from './deadline.ts';
import { createHttp, type Http, type HttpRequest } from './http.ts';
import type { ProxySettings } from './proxy.ts';
import { replyFailure } from './reply-failure.ts';
import { retryDelayMs } from './retry.ts';
import {
  type ApiConversation,
  type ApiQuestion,
  type ConversationPage,
  conversationPageSchema,
  conversationSchema,
  currentUserSchema,
  followUpSchema,
  graphqlSchema,
  matchCountSchema,
  repositoryNamesSchema,
} from './schemas.ts';

export interface DeepSearchClientOptions {
  /** Address of the instance. It may have a path prefix and a trailing slash. */
  baseUrl: string;
  auth: Auth;
  /** Version of this application, for the `X-Requested-With` header that the service requires. */
  userAgentVersion: string;
  /** Time limit of one call, including retries. Default 15 s. */
  timeoutMs?: number | undefined;
  /**
   * Time limit of creating a conversation or adding a follow-up. Default 60 s: early releases reply only when the
   * answer is ready.
   */
  createTimeoutMs?: number | undefined;
  /** Default 10 s. */
  connectTimeoutMs?: number | undefined;
  /** Default 10 MiB. */
  maxResponseBytes?: number | undefined;
  /** Most open connections. Further calls wait within their time limit. Default 16. */
  maxConnections?: number | undefined;
  proxy?: ProxySettings | undefined;
  /** Connections that several clients share. They stay open when a client closes. Default: connections of its own. */
  http?: Http | undefined;
  /** PEM of certificate authorities to trust in addition to the usual ones. */
  ca?: string | undefined;
  clock?: Clock | undefined;
  /** Uniform in [0, 1). Spreads retries over time. */
  random?: (() => number) | undefined;
}

/** The parameters of the list, in the order of the API's specification. */
export interface ListParams {
  id?: number;
  userId?: number;
  /** Finds another person's conversation, if sharing is enabled on the instance. */
  readToken?: string;
  isStarred?: boolean;
  /** Conversations per page. */
  first?: number;
  /** `nextCursor` of the previous page. */
  after?: string;
  /** Default `-updated_at`. */
  sort?: 'id' | '-id' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at';
}

/**
 * The conversation API (first generation, `/.api/deepsearch/v1`) and the GraphQL queries that the app needs. Every
 * method throws only `AppError`, within its time limit. Reads, cancel and delete are retried after temporary failures.
 * Creating a conversation and adding a follow-up are never retried; `outcomeUnknown` on their error says that they may
 * have taken effect.
 */
export interface DeepSearchClient {
  create(question: string): Promise<ApiConversation>;
  list(params?: ListParams): Promise<ConversationPage>;
  /** All pages in order. Ends when a page has no cursor or repeats one that was already used. */
  conversations(params?: ListParams): AsyncGenerator<ApiConversation, void, undefined>;
  get(conversationId: number): Promise<ApiConversation>;
  /** Succeeds when the conversation is already gone. */
  delete(conversationId: number): Promise<void>;
  /** Returns the new question. */
  addQuestion(conversationId: number, question: string): Promise<ApiQuestion>;
  /** Fails as `refused` or `notFound` when there is nothing left to cancel. */
  cancelQuestion(conversationId: number, questionId: number): Promise<void>;
  /** Fails as `notFound` when the token is unknown or sharing is off. */
  readByToken(readToken: string): Promise<ApiConversation>;
  /** Fails as `unauthorized` when the credential belongs to no user. */
  currentUser(): Promise<{ username: string }>;
  /** Those of these names that belong to a repository which the credential may read, as the service writes them. */
  repositoryNames(names: readonly string[]): Promise<string[]>;
  /** Number of matches of a search. `query` is in the service's query syntax. */
  matchCount(query: string): Promise<number>;
  /** Aborts running calls and closes all connections. Later calls fail as `unavailable`. */
  close(): Promise<void>;
}

interface Call {
  method: HttpRequest['method'];
  /** Path below the base address. */
  path: string;
  query?: URLSearchParams;
  body?: object;
  headers?: Record<string, string>;
  /** Whether the call may be repeated. */
  safe: boolean;
}

const API = '/.api/deepsearch/v1';
const GRAPHQL = '/.api/graphql';
/** How often one call may obtain a new credential after a 401. */
const MAX_RENEWALS = 2;
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/** Creates connections to the service. Throws `refused` for an unusable address. */
export function createServiceHttp(options: Omit<DeepSearchClientOptions, 'auth' | 'http'>): Http {
  return createHttp({
    origin: parseBaseUrl(options.baseUrl).origin,
    maxConnections: options.maxConnections ?? 16,
    maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    proxy: options.proxy,
    ca: options.ca,
  });
}

/** Throws `refused` for an unusable address and `unauthorized` for an unusable credential, before sending anything. */
export function createDeepSearchClient(options: DeepSearchClientOptions): DeepSearchClient {
  const { timeoutMs = 15_000, createTimeoutMs = 60_000, clock = Date.now, random = Math.random } = options;
  const base = parseBaseUrl(options.baseUrl);
  const authorizer = createAuthorizer(options.auth);
  const closing = new AbortController();
  // Every running call adds a listener. This is no leak: each call removes its listener when it ends.
  setMaxListeners(0, closing.signal);
  const http = options.http ?? createServiceHttp(options);

  async function attempt(call: Call, authorization: string, deadline: Deadline): Promise<string> {
    const request: HttpRequest = {
      method: call.method,
      path: base.prefix + call.path + (call.query?.size ? `?${call.query}` : ''),
      label: `${call.method} ${call.path}`,
      safe: call.safe,
      headers: {
        accept: 'application/json',
        authorization,
        'x-requested-with': `deepsearch-slack ${options.userAgentVersion}`,
        ...(call.body && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body && { body: JSON.stringify(call.body) }),
    };
    const reply = await http.send(request, deadline.signal);
    const failure = replyFailure(reply, request, clock());
    if (failure) throw failure;
    if (reply.headers['content-type']?.toLowerCase().includes('html')) {
      throw badReply(call, 'an HTML page');
    }
    return reply.body;
  }

  /**
   * Sends every request: applies the time limit, adds the credential, renews it after a 401, and retries safe calls. A
   * second 401 is reported too, so that a new credential that is refused at once counts as refused.
   */
  async function send(call: Call): Promise<string> {
    const deadline = startDeadline(call.safe ? timeoutMs : createTimeoutMs, closing.signal);
    let retries = 0;
    let renewals = 0;
    try {
      for (;;) {
        const authorization = await authorizer.header(deadline.signal);
        try {
          return await attempt(call, authorization, deadline);
        } catch (error) {
          if (!isAppError(error)) throw error;
          // A 401 had no effect, so even a creation may be repeated with a new credential.
          if (error.code === 401 && renewals < MAX_RENEWALS) {
            renewals += 1;
            if (await authorizer.renew(authorization, deadline.signal)) continue;
          }
          const delayMs = call.safe
            ? retryDelayMs(error, { retries, remainingMs: deadline.remainingMs(), random })
            : undefined;
          if (delayMs === undefined) throw error;
          retries += 1;
          await waitMs(delayMs, deadline.signal);
        }
      }
    } finally {
      deadline.stop();
    }
  }

  async function ask<T>(call: Call, schema: z.ZodType<T>): Promise<T> {
    const body = await send(call);
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      // The parser's message quotes the body, which may contain private text.
      throw badReply(call, 'invalid JSON');
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw badReply(call, `the wrong shape: ${describe(parsed.error)}`);
  }

  async function graphql<T>(query: string, variables: object, schema: z.ZodType<T>): Promise<T> {
    const call: Call = { method: 'POST', path: GRAPHQL, body: { query, variables }, safe: true };
    const reply = await ask(call, graphqlSchema);
    if (reply.errors?.length) {
      throw new AppError('refused', `POST ${GRAPHQL} answered with ${reply.errors.length} GraphQL errors`, {
        code: 'graphql',
      });
    }
    const parsed = schema.safeParse(reply.data);
    if (parsed.success) return parsed.data;
    throw badReply(call, `the wrong shape: ${describe(parsed.error)}`);
  }

  const list = (params: ListParams = {}) =>
    ask({ method: 'GET', path: API, query: listQuery(params), safe: true }, conversationPageSchema);

  async function* conversations(params: ListParams = {}) {
    const used = new Set<string | undefined>();
    let after = params.after;
    while (!used.has(after)) {
      used.add(after);
      const page = await list({ ...params, ...(after !== undefined && { after }) });
      yield* page.conversations;
      if (page.nextCursor === undefined) return;
      after = page.nextCursor;
    }
  }

  return {
    create: (question) =>
      ask(
        // With this header early releases reply at once instead of when the answer is ready. Later releases ignore it.
        { method: 'POST', path: API, body: { question }, headers: { prefer: 'respond-async' }, safe: false },
        conversationSchema,
      ),
    list,
    conversations,
    get: (conversationId) => ask({ method: 'GET', path: `${API}/${conversationId}`, safe: true }, conversationSchema),
    async delete(conversationId) {
      try {
        await send({ method: 'DELETE', path: `${API}/${conversationId}`, safe: true });
      } catch (error) {
        if (!isAppError(error, 'notFound')) throw error;
      }
    },
    addQuestion: (conversationId, question) =>
      ask(
        {
          method: 'POST',
          path: `${API}/${conversationId}/questions`,
          // In practice the service requires the id in the body too, not only in the path.
          body: { conversation_id: conversationId, question },
          headers: { prefer: 'respond-async' },
          safe: false,
        },
        followUpSchema,
      ),
    async cancelQuestion(conversationId, questionId) {
      await send({ method: 'POST', path: `${API}/${conversationId}/questions/${questionId}/cancel`, safe: true });
    },
    async readByToken(readToken) {
      const page = await list({ readToken });
      // A service without this filter returns other conversations, so check the token.
      const conversation = page.conversations.find((each) => opensWith(each, readToken));
      if (conversation) return conversation;
      throw new AppError('notFound', 'no conversation is readable with this token');
    },
    async currentUser() {
      const { currentUser } = await graphql('query CurrentUser { currentUser { username } }', {}, currentUserSchema);
      if (currentUser) return currentUser;
      throw new AppError('unauthorized', 'the credential belongs to no user');
    },
    async repositoryNames(names) {
      const { repositories } = await graphql(
        'query RepositoryNames($names: [String!], $first: Int) { repositories(names: $names, first: $first) { nodes { name } } }',
        { names, first: names.length },
        repositoryNamesSchema,
      );
      return repositories.nodes.map(({ name }) => name);
    },
    async matchCount(query) {
      const { search } = await graphql(
        'query MatchCount($query: String!) { search(query: $query) { results { matchCount } } }',
        { query },
        matchCountSchema,
      );
      return search.results.matchCount;
    },
    async close() {
      closing.abort(new AppError('unavailable', 'the client is closed', { code: 'closed' }));
      if (options.http === undefined) await http.close();
    },
  };
}

/** Splits the address of an instance. `href` has no trailing slash. Throws `refused` unless it is http or https. */
export function parseBaseUrl(baseUrl: string): { origin: string; prefix: string; href: string } {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new AppError('refused', 'the address of the code search service is not an http or https address');
  }
  const prefix = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, prefix, href: url.origin + prefix };
}

function listQuery(params: ListParams): URLSearchParams {
  const named = {
    filter_id: params.id,
    filter_user_id: params.userId,
    filter_read_token: params.readToken,
    filter_is_starred: params.isStarred,
    page_first: params.first,
    page_after: params.after,
    sort: params.sort,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** The API's contract says that a share URL ends with the read token. */
function opensWith({ read_token: token, share_url: url }: ApiConversation, readToken: string): boolean {
  return (token ?? url?.slice(-readToken.length))?.toLowerCase() === readToken.toLowerCase();
}

function badReply({ method, path, safe }: Call, what: string): AppError {
  return new AppError('badReply', `${method} ${path} answered with ${what}`, { outcomeUnknown: !safe });
}

/** Says where the reply has the wrong shape, without any value of the reply. */
function describe({ issues }: z.core.$ZodError): string {
  const [issue] = issues;
  return issue ? `${issue.message} at ${issue.path.join('.') || 'the top'}` : 'unknown';
}
