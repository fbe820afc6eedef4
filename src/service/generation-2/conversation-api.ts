import { AppError, type ErrorKind } from '../../core/errors.ts';
import { type ConversationId, plainId } from '../../core/question/question.ts';
import { apiGone, isApiGone, searchCut } from '../generation.ts';
import { isHtml, jsonIn, parseRetryAfterMs, replyFailure, signInPage } from '../reply-failure.ts';
import type { FailureReader, ServiceCall, ServiceClient } from '../service-client.ts';
import { type ApiSummariesPage, conversationSchema, questionSchema, summariesSchema } from './schemas.ts';

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
