import { describe, expect, test } from 'vitest';
import { GitError } from '../../../src/codesearch/git/git.ts';
import { DEFAULT_COST_LIMITS } from '../../../src/codesearch/graphql/site-configuration.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { SearchError } from '../../../src/codesearch/query/results.ts';
import type { Search } from '../../../src/codesearch/query/search.ts';
import { createTestGraphql, nothingFound } from '../support/graphql.ts';

const searches = (count: number, query: (index: number) => string): string =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: search(query: ${JSON.stringify(query(index))}) { results { matchCount } }`).join(' ')} }`;

describe('the work of one request', () => {
  test('250 aliases of one search run it once', async () => {
    const asked: string[] = [];
    const graphql = createTestGraphql({
      search: async ({ query }) => {
        asked.push(query);
        return { ...nothingFound, matchCount: 3 };
      },
    });
    const { body } = await graphql.ask(searches(250, () => 'retry'));
    expect(Object.values(body.data as object)).toEqual(Array(250).fill({ results: { matchCount: 3 } }));
    expect(asked).toEqual(['retry']);
  });

  test('different searches run one after another, and those beyond the limit are errors beside the data', async () => {
    let running = 0;
    let most = 0;
    const graphql = createTestGraphql({
      async search() {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        return nothingFound;
      },
    });
    const { status, body } = await graphql.ask(searches(LIMITS.graphqlSearches + 5, (index) => `word${index}`));
    expect([status, most]).toEqual([200, 1]);
    expect(Object.values(body.data as object).filter((value) => value !== null)).toHaveLength(LIMITS.graphqlSearches);
    expect(body.errors).toHaveLength(5);
    expect(body.errors?.[0]).toMatchObject({
      path: [`a${LIMITS.graphqlSearches}`, 'results'],
      extensions: { code: 'TOO_MUCH_WORK' },
    });
  });

  test('ends at the deadline with the data that is there, and stops the search', async () => {
    let stopped: AbortSignal | undefined;
    const search: Search = ({ signal }) => {
      stopped = signal;
      return new Promise(() => {});
    };
    const graphql = createTestGraphql({ search, deadlineMs: 50 });
    const { status, body } = await graphql.ask(
      '{ currentUser { username } search(query: "x") { results { matchCount } } }',
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({ currentUser: { username: 'alice' }, search: null });
    expect(body.errors).toMatchObject([{ path: ['search', 'results'], extensions: { code: 'DEADLINE_EXCEEDED' } }]);
    expect(stopped?.aborted).toBe(true);
    expect(graphql.problems).toEqual([]);
  });

  test('ends when the response has more fields than the limit, whatever the query asked for', async () => {
    const limits = { ...DEFAULT_COST_LIMITS, graphQLMaxFieldCount: 10 };
    const results = Array.from({ length: 9 }, (_, index) => ({ description: `${index}`, query: 'x' }));
    const alert = { kind: 'x', title: 'x', description: 'x', proposedQueries: results };
    const graphql = createTestGraphql({ limits, search: async () => ({ ...nothingFound, alert }) });
    const { status, body } = await graphql.ask(
      '{ search(query: "x") { results { alert { proposedQueries { query } } } } }',
    );
    expect([status, body.data, body.errors?.[0]?.extensions?.type]).toEqual([400, undefined, 'field count']);
  });
});

test('entries of a list are counted before they are made, so that aliases of a long list end early', async () => {
  let made = 0;
  const results = Array.from({ length: 100 }, () => ({
    kind: 'repository' as const,
    get repository() {
      made += 1;
      return 'nowhere';
    },
    revision: '',
    nameMatches: [],
  }));
  const limits = { ...DEFAULT_COST_LIMITS, graphQLMaxFieldCount: 1_500 };
  const graphql = createTestGraphql({ limits, search: async () => ({ ...nothingFound, results }) });
  const aliases = Array.from({ length: 400 }, (_, index) => `a${index}: results { __typename }`).join(' ');
  const { body } = await graphql.ask(`{ search(query: "x") { results { ${aliases} } } }`);
  expect(body.errors?.[0]?.extensions?.code).toBe('TOO_MUCH_WORK');
  expect(made).toBeLessThan(3_000);
});

describe('an error within a field', () => {
  const failing = (error: unknown) =>
    createTestGraphql({
      search: async () => {
        throw error;
      },
    });
  const query = '{ currentUser { username } search(query: "x") { results { matchCount } } }';

  test('has a plain message without inner details when it is internal, and is reported', async () => {
    const error = new Error('ENOENT: no such file /secret/place');
    const graphql = failing(error);
    const { status, body } = await graphql.ask(query);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { currentUser: { username: 'alice' }, search: null },
      errors: [
        {
          message: 'Internal server error.',
          locations: [{ line: 1, column: 49 }],
          path: ['search', 'results'],
          extensions: { code: 'INTERNAL' },
        },
      ],
    });
    expect(graphql.problems).toEqual([error]);
  });

  test.each([
    [new SearchError('badRequest', 'The query is too long.'), 'BAD_REQUEST'],
    [new SearchError('busy', 'Too many searches wait.'), 'TOO_MANY_REQUESTS'],
    [new GitError('git log: took too long', { kind: 'timeout' }), 'DEADLINE_EXCEEDED'],
    [new GitError('git log: stopped', { kind: 'stopped' }), 'DEADLINE_EXCEEDED'],
    [new GitError('git log: wrote too much', { kind: 'tooMuch' }), 'TOO_MUCH_WORK'],
    [new GitError('git log: waits', { kind: 'busy' }), 'TOO_MANY_REQUESTS'],
  ])('is named when it is expected: %s', async (error, code) => {
    const graphql = failing(error);
    const { body } = await graphql.ask(query);
    expect(body.errors).toMatchObject([{ path: ['search', 'results'], extensions: { code } }]);
    expect(graphql.problems).toEqual([]);
  });
});
