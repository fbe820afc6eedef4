import { type BothGenerationsOptions, createBothGenerations } from './both-generations.ts';
import type { DeepSearchAdapter } from './generation.ts';
import { createGeneration1 } from './generation-1/deep-search.ts';
import { createGeneration2 } from './generation-2/deep-search.ts';
import { createQuotaReader } from './generation-2/quota.ts';
import { createGraphql } from './graphql.ts';
import { rememberLinks, rememberSources } from './remembered.ts';
import type { ServiceClient } from './service-client.ts';

/** The service as the account of this client sees it. */
export type DeepSearchOfClient = (client: ServiceClient) => DeepSearchAdapter;

/** Creates adapters that use the chosen generation of the API. They share the choice, and the links and sources of answers. */
export function createDeepSearchOfClient({
  baseUrl,
  ...shared
}: { baseUrl: string } & Omit<BothGenerationsOptions, 'generations'>): DeepSearchOfClient {
  const withAbsoluteLinks = rememberLinks(baseUrl);
  const sourcesOf = rememberSources(baseUrl);
  return (client) =>
    createBothGenerations({
      generations: {
        1: createGeneration1(client, baseUrl, withAbsoluteLinks),
        2: createGeneration2(
          client,
          baseUrl,
          withAbsoluteLinks,
          sourcesOf,
          createQuotaReader(createGraphql(client), shared.now),
        ),
      },
      ...shared,
    });
}
