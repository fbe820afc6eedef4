import { type ConversationApi, createConversationApi } from '../../../src/service/generation-1/deep-search.ts';
import { createGraphql, type Graphql } from '../../../src/service/graphql.ts';
import {
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from '../../../src/service/service-client.ts';

/**
 * The conversation API (first generation, `/.api/deepsearch/v1`) and the GraphQL queries that the app needs. Every
 * method throws only `AppError`, within its time limit. Reads, cancel and delete are retried after temporary failures.
 * Creating a conversation and adding a follow-up are never retried; `outcomeUnknown` on their error says that they may
 * have taken effect.
 */
export type DeepSearchClient = ConversationApi & Graphql & Pick<ServiceClient, 'close'>;

/** Throws `refused` for an unusable address and `unauthorized` for an unusable credential, before sending anything. */
export function createDeepSearchClient(options: ServiceClientOptions): DeepSearchClient {
  const service = createServiceClient(options);
  return { ...createConversationApi(service), ...createGraphql(service), close: service.close };
}
