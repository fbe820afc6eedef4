import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { DEFAULT_COST_LIMITS, parseSiteConfiguration } from '../../../src/codesearch/graphql/site-configuration.ts';
import { createTestGraphql, nothingFound } from '../support/graphql.ts';

const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join(' ');

/** For each limit, a query that costs exactly this much. */
const queries = {
  graphQLMaxDepth: (cost: number) => `${'{ a '.repeat(cost)}${'}'.repeat(cost)}`,
  // Four fields, and one for each entry of a list: its length is the text of the search.
  graphQLMaxFieldCount: (cost: number) =>
    `{ search(query: "${cost - 4}") { results { alert { proposedQueries { query } } } } }`,
  graphQLMaxAliases: (cost: number) => `{ ${many(cost, (index) => `a${index}: currentUser { username }`)} }`,
  GraphqlMaxDuplicateFieldCount: (cost: number) => `{ currentUser { ${many(cost, () => 'username')} } }`,
  GraphqlMaxUniqueFieldCount: (cost: number) => `{ ${many(cost, (index) => `f${index}`)} }`,
} as const;

const search = async ({ query }: { query: string }) => {
  const proposedQueries = Array.from({ length: Number(query) || 0 }, () => ({ description: '', query: 'x' }));
  return { ...nothingFound, alert: { kind: 'x', title: 'x', description: 'x', proposedQueries } };
};

const types = {
  graphQLMaxDepth: 'query depth',
  graphQLMaxFieldCount: 'field count',
  graphQLMaxAliases: 'alias count',
  GraphqlMaxDuplicateFieldCount: 'duplicate field count',
  GraphqlMaxUniqueFieldCount: 'unique field count',
} as const;

const names = Object.keys(types) as (keyof typeof types)[];
const cases = names.flatMap((name) => [
  { name, kind: 'its default', limit: DEFAULT_COST_LIMITS[name], limits: undefined },
  { name, kind: 'a configured limit', limit: 7, limits: { ...DEFAULT_COST_LIMITS, [name]: 7 } },
]);

describe('spec 8: a query may cost as much as the limit and no more', () => {
  test.each(cases)('$name at $kind', async ({ name, limit, limits }) => {
    const graphql = createTestGraphql({ limits, search });
    const allowed = await graphql.ask(queries[name](limit));
    expect(allowed.status).toBe(200);
    const refused = await graphql.ask(queries[name](limit + 1));
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      errors: [
        {
          message: expect.stringContaining(types[name]),
          extensions: { code: 'ErrQueryComplexityLimitExceeded', type: types[name], limit, actual: limit + 1 },
        },
      ],
    });
  });

  test('spec 8: the defaults are those of the documentation', () => {
    expect(DEFAULT_COST_LIMITS).toEqual({
      graphQLMaxDepth: 30,
      graphQLMaxFieldCount: 500_000,
      graphQLMaxAliases: 500,
      GraphqlMaxDuplicateFieldCount: 500,
      GraphqlMaxUniqueFieldCount: 500,
    });
  });
});

describe('the cost of a query', () => {
  const typeOf = async (query: string, variables?: Record<string, unknown>, limits = {}) => {
    const graphql = createTestGraphql({ limits: { ...DEFAULT_COST_LIMITS, ...limits } });
    const { status, body } = await graphql.ask(query, variables);
    expect([200, 400]).toContain(status);
    return status === 400 ? (body.errors ?? []).map(({ extensions }) => extensions?.type) : [];
  };

  test('counts all limits that a query exceeds', async () => {
    const query = `{ ${many(501, (index) => `a${index}: f${index}`)} }`;
    expect(await typeOf(query)).toEqual(['alias count', 'unique field count']);
  });

  test('lets 500 aliases of one field, and 500 duplicates in two places, pass every other limit', async () => {
    expect(
      await typeOf(`{ ${many(500, (index) => `a${index}: search(query: "x") { results { matchCount } }`)} }`),
    ).toEqual([]);
    const graphql = createTestGraphql();
    const user = many(500, () => 'username displayName');
    expect((await graphql.ask(`{ currentUser { ${user} } }`)).body).toEqual({
      data: { currentUser: { username: 'alice', displayName: 'Alice' } },
    });
  });

  test('lets a larger number of duplicates be configured', async () => {
    const graphql = createTestGraphql({ limits: { ...DEFAULT_COST_LIMITS, GraphqlMaxDuplicateFieldCount: 3_000 } });
    const { body } = await graphql.ask(`{ ${many(3_000, () => 'currentUser { username }')} }`);
    expect(body).toEqual({ data: { currentUser: { username: 'alice' } } });
  });

  test('counts duplicates that merge from several selections and fragments', async () => {
    const limits = { GraphqlMaxDuplicateFieldCount: 3 };
    const same = '{ currentUser { username username } ...F ...F } fragment F on Query { currentUser { username } }';
    expect(await typeOf(same, {}, limits)).toEqual([]);
    expect(await typeOf(same.replace('username }', 'username username }'), {}, limits)).toEqual([
      'duplicate field count',
    ]);
  });

  test('counts what a list has, not what is asked of it', async () => {
    const nested = 'repositories(first: 1000) { nodes { branches(first: 1000) { nodes { name } } } }';
    expect(await typeOf(`{ a: ${nested} b: ${nested} }`)).toEqual([]);
  });

  test('does not count fragments as depth, but counts what they contain', async () => {
    const deep = (levels: number) => `${'{ parents '.repeat(levels)}{ oid }${'}'.repeat(levels)}`;
    const query = (levels: number) =>
      `{ repository(name: "a") { ... on Repository { commit(rev: "a") ${deep(levels)} } } }`;
    expect(await typeOf(query(27))).toEqual([]);
    expect(await typeOf(query(28))).toEqual(['query depth']);
    const spread = (levels: number) =>
      `{ repository(name: "a") { ...F } } fragment F on Repository { commit(rev: "a") ${deep(levels)} }`;
    expect(await typeOf(spread(27))).toEqual([]);
    expect(await typeOf(spread(28))).toEqual(['query depth']);
  });

  test('of fragments that double at each level is found without writing them out', async () => {
    const levels = 20;
    const fragment = (index: number) =>
      `fragment F${index} on Query { a: node(id: "a") { ...F${index + 1} } b: node(id: "b") { ...F${index + 1} } }`;
    const query = `{ ...F0 } ${many(levels, fragment)} fragment F${levels} on Query { __typename }`;
    expect(await typeOf(query)).toEqual(['field count']);
    // Fields that are merged in one place are not written out twice.
    expect(await typeOf(query.replaceAll(/[ab]: node/g, 'nodes'))).toEqual([]);
  });

  test('of introspection counts the lists of the schema, so that it can be asked for once but not hundreds of times', async () => {
    expect(await typeOf(getIntrospectionQuery())).toEqual([]);
    expect(
      await typeOf(`{ ${many(200, (index) => `a${index}: __schema { types { fields { name args { name } } } }`)} }`),
    ).toEqual(['field count']);
  });

  test('is not computed for fragments in a circle, which are named as an error', async () => {
    const { status, body } = await createTestGraphql().ask(
      '{ ...A } fragment A on Query { currentUser { username } ...B } fragment B on Query { ...A }',
    );
    expect(status).toBe(200);
    expect(body.errors?.[0]?.message).toContain('Cannot spread fragment "A" within itself');
  });

  test.each([
    ['objects', `${'{a'.repeat(10_000)}${'}'.repeat(10_000)}`, 'nesting'],
    ['lists', `{ a(b: ${'['.repeat(5_000)}${']'.repeat(5_000)}) }`, 'nesting'],
    ['inline fragments', `${'{...'.repeat(5_000)}`, 'nesting'],
    ['fragments', `{ ...F0 } ${many(2_000, (index) => `fragment F${index} on Query { ...F${index + 1} }`)}`, 'nesting'],
    ['tokens', `{ ${'a '.repeat(60_000)} }`, 'token count'],
  ])('is refused for %s without end', async (_, query, type) => {
    expect(await typeOf(query)).toEqual([type]);
  });
});

describe('the site configuration', () => {
  test('spec 8: sets the limits under rateLimits, with comments and other keys', () => {
    const text = `{
      // a comment with "quotes"
      "externalURL": "https://example.org//path", // kept
      "rateLimits": { "graphQLMaxDepth": 12, "GraphqlMaxUniqueFieldCount": 40 }
    }`;
    expect(parseSiteConfiguration(text)).toEqual({
      costLimits: { ...DEFAULT_COST_LIMITS, graphQLMaxDepth: 12, GraphqlMaxUniqueFieldCount: 40 },
      problems: [],
    });
    expect(parseSiteConfiguration('{}')).toEqual({ costLimits: DEFAULT_COST_LIMITS, problems: [] });
  });

  test.each([
    ['{', /not valid JSON/],
    ['[]', /the whole/],
    ['{"rateLimits": {"graphQLMaxDepth": 0}}', /graphQLMaxDepth/],
    ['{"rateLimits": {"graphQLMaxDepth": 401}}', /graphQLMaxDepth/],
    ['{"rateLimits": {"graphQLMaxAliases": "9"}}', /graphQLMaxAliases/],
    ['{"rateLimits": {"graphQLMaxFieldCount": 1.5}}', /graphQLMaxFieldCount/],
    ['{"rateLimits": {"graphQLMaxDuplicateFieldCount": 9}}', /graphQLMaxDuplicateFieldCount/],
    ['{"rateLimits": 3}', /rateLimits/],
  ])('with a mistake is reported: %s', (text, problem) => {
    expect(parseSiteConfiguration(text).problems).toEqual([expect.stringMatching(problem)]);
  });

  test('reports every mistake at once', () => {
    const text = '{"rateLimits": {"graphQLMaxDepth": -1, "graphQLMaxAliases": null}}';
    expect(parseSiteConfiguration(text).problems).toHaveLength(2);
  });
});
