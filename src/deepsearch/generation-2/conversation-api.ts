import type { ConversationId } from '../../core/question/question.ts';
import { plainId } from '../../core/question/service-ids.ts';
import { searchCut } from '../search-cut.ts';
import type { ServiceCall, ServiceClient } from '../service-client.ts';
import { failuresWithoutConversation, secondGenerationFailures } from './connect-errors.ts';
import {
  type ApiConversation,
  type ApiQuestion,
  type ApiSummariesPage,
  type ApiSummary,
  conversationSchema,
  questionSchema,
  summariesSchema,
} from './schemas.ts';

/** The second generation of the conversation API, `/api/deepsearch.v1.Service`, which has these six methods. */
export interface ConversationApi {
  create(text: string): Promise<ApiConversation>;
  get(conversationId: ConversationId): Promise<ApiConversation>;
  /** Returns the new question, without its position and state. */
  addQuestion(conversationId: ConversationId, text: string): Promise<ApiQuestion>;
  /** Stops whatever question is in progress. Never retried, because that may be another one by then. */
  cancel(conversationId: ConversationId): Promise<void>;
  delete(conversationId: ConversationId): Promise<void>;
  /**
   * The pages of the list. In this generation the last page is the one without a token. Throws {@link searchCut} when a page
   * repeats a token. `beforeNext` runs before each page but the first.
   */
  summaries(pageSize: number, beforeNext?: () => Promise<void>): AsyncGenerator<ApiSummary[], void, undefined>;
  /** One page of the list. Both tokens are empty for the first and after the last page. */
  summariesPage(pageSize: number, pageToken: string): Promise<ApiSummariesPage>;
}

const API = '/api/deepsearch.v1.Service';
/** The user that the credential belongs to. */
const PARENT = 'users/~self';

/** Creating a conversation, adding a question and cancelling are never retried, all other calls are. */
export function createConversationApi(service: ServiceClient): ConversationApi {
  function summariesPage(pageSize: number, pageToken: string): Promise<ApiSummariesPage> {
    const body = { parent: PARENT, pageSize, ...(pageToken !== '' && { pageToken }) };
    const call = callOf('ListConversationSummaries', body, true);
    return service.ask({ ...call, failures: failuresWithoutConversation }, summariesSchema);
  }

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
    create(text) {
      const body = { parent: PARENT, conversation: { questions: [questionOf(text)] } };
      const call = callOf('CreateConversation', body, false);
      return service.ask({ ...call, failures: failuresWithoutConversation }, conversationSchema);
    },
    get: (conversationId) =>
      service.ask(callOf('GetConversation', { name: nameOf(conversationId) }, true), conversationSchema),
    addQuestion: (conversationId, text) =>
      service.ask(
        callOf('AddConversationQuestion', { parent: nameOf(conversationId), question: questionOf(text) }, false),
        questionSchema,
      ),
    async cancel(conversationId) {
      const call = callOf('CancelConversation', { name: nameOf(conversationId) }, true);
      await service.send({ ...call, failures: { ...secondGenerationFailures, isRetried: () => false } });
    },
    async delete(conversationId) {
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
