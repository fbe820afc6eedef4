import type { Viewer } from '../../../src/codesearch/accounts/viewer.ts';
import { createGraphqlService, type GraphqlServiceSetup } from '../../../src/codesearch/graphql/graphql-service.ts';
import type { SearchResults } from '../../../src/codesearch/query/results.ts';

export const alice: Viewer = {
  userId: 1,
  username: 'alice',
  displayName: 'Alice',
  kind: 'user',
  siteAdmin: true,
  scopes: new Set(['user:all']),
  credential: 'token',
  canRead: () => true,
};

const aliceRecord = {
  id: 1,
  username: 'alice',
  displayName: 'Alice',
  siteAdmin: true,
  kind: 'user',
  createdMs: 0,
} as const;

export const nothingFound: SearchResults = {
  matchCount: 0,
  resultCount: 0,
  limitHit: false,
  missing: [],
  timedout: [],
  repositories: [],
  elapsedMilliseconds: 0,
  alert: undefined,
  results: [],
};

/** What the GraphQL API needs, with one user and nothing else. */
export function createGraphqlSetup(overrides: Partial<GraphqlServiceSetup> = {}) {
  const problems: unknown[] = [];
  const setup: GraphqlServiceSetup = {
    repositories: [],
    search: async () => nothingFound,
    users: {
      users: () => [aliceRecord],
      userById: (id) => (id === 1 ? aliceRecord : undefined),
      userByName: (name) => (name === 'alice' ? aliceRecord : undefined),
    },
    conversations: {
      get: () => {
        throw new Error('There are no conversations here.');
      },
      star: async () => {
        throw new Error('There are no conversations here.');
      },
      quotaOf: () => ({ used: 0, limit: -1, resetMs: 0, exhausted: false }),
    },
    services: [],
    baseUrl: () => 'http://127.0.0.1',
    version: '7.0.0',
    startedMs: 0,
    onProblem: (error) => problems.push(error),
    ...overrides,
  };
  return { setup, problems };
}

/** The GraphQL API without HTTP, asked by one user. */
export function createTestGraphql(overrides: Partial<GraphqlServiceSetup> = {}) {
  const { setup, problems } = createGraphqlSetup(overrides);
  const graphql = createGraphqlService(setup);
  return {
    problems,
    ask: (query: string, variables: Record<string, unknown> = {}, viewer: Viewer = alice) =>
      graphql({ query, variables, operationName: undefined }, viewer),
  };
}
