import type { Viewer } from '../../../src/codesearch/accounts/viewer.ts';
import { createGraphql, type GraphqlSetup } from '../../../src/codesearch/graphql/graphql.ts';
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
export function createGraphqlSetup(overrides: Partial<GraphqlSetup> = {}) {
  const problems: unknown[] = [];
  const setup: GraphqlSetup = {
    repositories: [],
    search: async () => nothingFound,
    users: {
      users: () => [aliceRecord],
      userById: (id) => (id === 1 ? aliceRecord : undefined),
      userByName: (name) => (name === 'alice' ? aliceRecord : undefined),
    },
    quotaOf: () => ({ used: 2, limit: 9, resetMs: 0, exhausted: false }),
    version: '7.0.0',
    startedMs: 0,
    onProblem: (error) => problems.push(error),
    ...overrides,
  };
  return { setup, problems };
}

/** The GraphQL API without HTTP, asked by one user. */
export function createTestGraphql(overrides: Partial<GraphqlSetup> = {}) {
  const { setup, problems } = createGraphqlSetup(overrides);
  const graphql = createGraphql(setup);
  return {
    problems,
    ask: (query: string, variables: Record<string, unknown> = {}, viewer: Viewer = alice) =>
      graphql({ query, variables, operationName: undefined }, viewer),
  };
}
