import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { graphql as executeDirectly } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGraphql } from '../../../src/codesearch/graphql/graphql.ts';
import { createRoot } from '../../../src/codesearch/graphql/root.ts';
import { createSchema } from '../../../src/codesearch/graphql/schema.ts';
import { DEFAULT_COST_LIMITS } from '../../../src/codesearch/graphql/site-configuration.ts';
import { createFieldResolver, createWork } from '../../../src/codesearch/graphql/work.ts';
import { createRateLimit } from '../../../src/codesearch/http/rate-limit.ts';
import { createGraphqlRoute } from '../../../src/codesearch/http/routes/graphql.ts';
import { createHttpServer } from '../../../src/codesearch/http/server.ts';
import { openCorpus } from '../../../src/codesearch/index/corpus.ts';
import type { SearchResults } from '../../../src/codesearch/query/results.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';
import { alice, createGraphqlSetup, nothingFound } from '../support/graphql.ts';
import { validQueries } from '../support/graphql-queries.ts';
import { createHarbourRepository } from '../support/repository.ts';

const repository = createHarbourRepository();
const HARBOUR = 'github.com/harbour-org/harbour';
const schema = createSchema();
const problems: unknown[] = [];
const fieldResolver = createFieldResolver((error) => problems.push(error));
let root: object;
let server: ReturnType<typeof createHttpServer>;
let address: string;

beforeAll(async () => {
  const corpus = await openCorpus([repository.path]);
  const { setup } = createGraphqlSetup();
  const commit = repository.git('rev-parse', 'HEAD').trim();
  const place = { repository: HARBOUR, commit, revision: 'main' };
  const person = { name: 'Ada', email: 'a@example.org', date: '2024-06-03T10:00:00Z' };
  const found: SearchResults = {
    ...nothingFound,
    matchCount: 4,
    limitHit: true,
    missing: [HARBOUR, 'nowhere'],
    alert: { kind: 'x', title: 'x', description: 'y', proposedQueries: [{ description: 'z', query: 'q' }] },
    results: [
      { kind: 'repository', nameMatches: [], ...place },
      {
        kind: 'file',
        path: 'src/retry.ts',
        language: 'typescript',
        lineMatches: [{ line: 'retry', lineNumber: 3, ranges: [{ start: 0, length: 5 }] }],
        symbols: [{ name: 'retryDelay', kind: 'FUNCTION', line: 4 }],
        pathMatches: [{ start: 4, length: 5 }],
        limitHit: false,
        ...place,
      },
      {
        kind: 'commit',
        message: 'Queue jobs',
        author: person,
        committer: person,
        highlights: [{ line: 0, character: 0, length: 5 }],
        ...place,
      },
    ],
  };
  const host = { ...setup, search: async () => found, repositories: corpus.repositories };
  root = createRoot(host);
  const graphql = createGraphql({ ...host, onProblem: (error) => problems.push(error) });
  server = createHttpServer({
    routes: [createGraphqlRoute(graphql)],
    authentication: { authenticate: async () => alice, pageViewer: async () => alice },
    rateLimit: createRateLimit(undefined, Date.now),
    allowsHost: () => true,
    onProblem: (error) => problems.push(error),
  });
  // A reused connection must not end while a slow machine works on the next query.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/.api/graphql`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  repository.remove();
});

const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(address, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });

const queries = validQueries(
  schema,
  {
    name: [HARBOUR, HARBOUR, HARBOUR, 'GitHub.com/harbour-org/HARBOUR', 'nowhere'],
    rev: ['HEAD', 'main', 'HEAD~1', 'HEAD~2', 'nowhere', '--all', ''],
    base: ['HEAD~1', 'nowhere', 'HEAD~2'],
    head: ['HEAD', '-x'],
    path: ['src/retry.ts', 'src', 'src/retry.ts', '', 'nowhere', '../x', '/src'],
    first: [0, 1, 2, 100, -1],
    after: ['b2Zmc2V0OjE=', 'nonsense', ''],
    query: ['re', '', '\u2028"'],
    startLine: [0, 3, 90],
    endLine: [-1, 5, 1],
    recursive: [true, false],
    id: ['VXNlcjox', 'U2l0ZTpzaXRl', 'nonsense', ''],
    username: ['alice', 'bob'],
    descending: [true],
    names: [['nowhere'], []],
  },
  new Set(['SearchResults.elapsedMilliseconds']),
);

/** Text near a valid query: with pieces removed, doubled, exchanged or put in. */
const mutatedTexts = fc
  .tuple(
    queries,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 20 }),
        fc.constantFrom('', '{', '}', '"', '(', '$', '...', '@', '\\', '"""', ':', '!', 'é'),
      ),
    ),
  )
  .map(([{ query }, changes]) =>
    changes.reduce((text, [at, length, put]) => {
      const start = at % (text.length + 1);
      return `${text.slice(0, start)}${put}${text.slice(start + length)}`;
    }, query),
  );

const nested = fc
  .tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom('{a', '{...', '[', '(', '{a(b:{c:', '{a(b:['))
  .map(([times, piece]) => piece.repeat(times));

const aliased = fc
  .integer({ min: 1, max: 6_000 })
  .map((times) => `{ ${Array.from({ length: times }, (_, index) => `a${index}: __typename`).join(' ')} }`);

describe('the GraphQL endpoint', () => {
  test('answers a valid query as the reference implementation does on the same data', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async ({ query, variables }) => {
        const response = await post(JSON.stringify({ query, variables }));
        const expected = await executeDirectly({
          schema,
          source: query,
          rootValue: root,
          contextValue: createWork(alice, new AbortController().signal, DEFAULT_COST_LIMITS.graphQLMaxFieldCount),
          variableValues: variables,
          fieldResolver,
        });
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
      runs(60),
    );
    expect(problems).toEqual([]);
  });

  test('never fails or hangs for text that is almost a query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutatedTexts, nested, aliased, fc.string({ unit: anyCharacter })), async (query) => {
        const response = await post(JSON.stringify({ query }));
        expect([200, 400]).toContain(response.status);
        const body = (await response.json()) as object;
        expect('data' in body || 'errors' in body).toBe(true);
      }),
      runs(80),
    );
    expect(problems).toEqual([]);
  });

  test('never fails or hangs for a body that is no request', async () => {
    const json = fc
      .tuple(fc.json(), fc.json(), fc.json())
      .map(([query, variables, operationName]) =>
        Buffer.from(`{"query": ${query}, "variables": ${variables}, "operationName": ${operationName}}`),
      );
    const encodings = fc.constantFrom<Record<string, string>>(
      {},
      { 'Content-Encoding': 'gzip' },
      { 'Content-Encoding': 'br' },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array(), json), encodings, async (body, headers) => {
        const response = await post(body, headers);
        expect([200, 400, 413, 415]).toContain(response.status);
        expect(await response.json()).toMatchObject({ errors: expect.any(Array) });
      }),
      runs(100),
    );
    expect(problems).toEqual([]);
  });
});
