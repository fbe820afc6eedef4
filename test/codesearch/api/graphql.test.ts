import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_COST_LIMITS } from '../../../src/codesearch/graphql/site-configuration.ts';
import { createHarbourRepository, createTestRepository } from '../support/repository.ts';
import { createCaller, startTestService } from '../support/service.ts';

interface GraphqlBody {
  data?: Record<string, unknown> | null;
  errors?: { message: string; locations?: unknown; path?: unknown; extensions?: Record<string, unknown> }[];
}

const HARBOUR = 'github.com/harbour-org/harbour';
const harbour = createHarbourRepository();
const secret = createTestRepository({ 'plan.txt': 'a secret harbour\n', 'src/deep/one.ts': 'one\n' });
let service: Awaited<ReturnType<typeof startTestService>>;
let bob: ReturnType<typeof createCaller>;

beforeAll(async () => {
  harbour.git('tag', '-a', 'v1', '-m', 'First', 'HEAD~1');
  harbour.git('branch', 'older', 'HEAD~2');
  secret.origin('git@github.com:harbour-org/secret.git');
  secret.commit('Plan');
  service = await startTestService({
    repos: [harbour.path, secret.path],
    tokens: [
      { username: 'alice', token: 'test-token' },
      { username: 'bob', token: 'bob-token' },
    ],
    repoAccess: { 'github.com/harbour-org/secret': ['alice'] },
    quota: 50,
    costLimits: { ...DEFAULT_COST_LIMITS, graphQLMaxDepth: 20 },
  });
  bob = createCaller(service.url, 'bob-token');
});

afterAll(async () => {
  await service.stop();
  harbour.remove();
  secret.remove();
});

/** Sends a query as clients of the public service do: no `X-Requested-With`. */
async function ask(query: string, variables?: unknown, caller: Pick<typeof service, 'call'> = service) {
  const response = await caller.call('POST', '/.api/graphql', { query, variables }, { 'X-Requested-With': undefined });
  return { status: response.status, body: (await response.json()) as GraphqlBody };
}

/** The data of a query that must have no errors. */
async function read(query: string, variables?: unknown): Promise<Record<string, unknown>> {
  const { status, body } = await ask(query, variables);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.data ?? {};
}

const inHarbour = (fields: string): string => `{ repository(name: "${HARBOUR}") ${fields} }`;

describe('spec 4: the GraphQL API', () => {
  test('spec 4: POST /.api/graphql returns a JSON object with the key data', async () => {
    const response = await service.call('POST', '/.api/graphql', { query: '{ currentUser { username } }' });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({ data: { currentUser: { username: 'alice' } } });
  });

  test('spec 4: currentUser { username } is the authenticated user', async () => {
    expect((await ask('{ currentUser { username } }', undefined, bob)).body.data).toEqual({
      currentUser: { username: 'bob' },
    });
  });

  test('spec 4: search(query: String!) { results { matchCount } } counts the matches, also with variables', async () => {
    const query = 'query S($query: String!) { search(query: $query) { results { matchCount } } }';
    expect(await read(query, { query: 'retryCapMs' })).toEqual({ search: { results: { matchCount: 2 } } });
    expect(await read('{ a: search(query: "repo:nowhere retry") { results { matchCount } } }')).toEqual({
      a: { results: { matchCount: 0 } },
    });
  });

  test('spec 5: a token-sudo request acts as the named user', async () => {
    const headers = { Authorization: 'token-sudo user="bob",token="test-token"' };
    const response = await service.call('POST', '/.api/graphql', { query: '{ currentUser { username } }' }, headers);
    expect(await response.json()).toEqual({ data: { currentUser: { username: 'bob' } } });
  });
});

describe('a GraphQL request', () => {
  test('may name its operation in the address and in the body', async () => {
    const query = 'query A { currentUser { username } } query B { site { productVersion } }';
    const send = async (body: object) =>
      (await service.call('POST', '/.api/graphql?B', body)).json() as Promise<GraphqlBody>;
    expect((await send({ query, operationName: 'B' })).data).toEqual({ site: { productVersion: '7.0.0' } });
    expect((await send({ query })).errors?.[0]?.message).toContain('operation name');
    expect((await send({ query, operationName: 'C' })).errors?.[0]?.message).toContain('"C"');
    expect((await send({ query: 'query B { site { productVersion } }', operationName: '' })).errors).toBeUndefined();
  });

  test('may be compressed with gzip', async () => {
    const body = gzipSync(JSON.stringify({ query: '{ currentUser { username } }' }));
    expect(await (await raw(body, { 'Content-Encoding': 'gzip' })).json()).toEqual({
      data: { currentUser: { username: 'alice' } },
    });
  });

  test('may be JSON that curl calls a form, as in the public examples, with an Authorization header', async () => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = Buffer.from('{"query": "{ currentUser { username } }"}');
    expect(await (await raw(body, type)).json()).toEqual({ data: { currentUser: { username: 'alice' } } });
    const anonymous = await fetch(`${service.url}/.api/graphql`, { method: 'POST', body, headers: type });
    await expectRefusal(anonymous, 401, 'UNAUTHENTICATED');
  });

  test('is refused with 413 when it inflates beyond the limit', async () => {
    // Not gzipSync: while it blocks this process, the server closes connections that are then used again.
    const bomb = await promisify(gzip)(JSON.stringify({ query: `{ ${' '.repeat(50_000_000)} }` }));
    expect(bomb.length).toBeLessThan(100_000);
    await expectRefusal(await raw(bomb, { 'Content-Encoding': 'gzip' }), 413, 'REQUEST_TOO_LARGE');
  });

  test.each([
    ['a form', 'query=x', { 'Content-Type': 'application/x-www-form-urlencoded' }, 400],
    ['parts of a form', '{}', { 'Content-Type': 'multipart/form-data; boundary=x' }, 415],
    ['plain text', '{}', { 'Content-Type': 'text/plain' }, 415],
    ['another compression', '{}', { 'Content-Encoding': 'br' }, 415],
    ['broken gzip', '{}', { 'Content-Encoding': 'gzip' }, 400],
    ['no JSON', '{', {}, 400],
    ['a list of queries', '[]', {}, 400],
    ['no query', '{}', {}, 400],
    ['a query that is no text', '{"query": 1}', {}, 400],
    ['variables that are no object', '{"query": "{ x }", "variables": [1]}', {}, 400],
    ['an operation name that is no text', '{"query": "{ x }", "operationName": 3}', {}, 400],
  ])('is refused in the form of GraphQL for %s', async (_, body, headers, status) => {
    await expectRefusal(await raw(Buffer.from(body), headers), status);
    expect(service.problems).toEqual([]);
  });

  test('is refused with 401 in the form of GraphQL without a valid token', async () => {
    for (const authorization of [undefined, 'token wrong', 'Basic x']) {
      const response = await service.call(
        'POST',
        '/.api/graphql',
        { query: '{ x }' },
        { Authorization: authorization },
      );
      await expectRefusal(response, 401, 'UNAUTHENTICATED');
    }
  });

  test('is refused with 429 in the form of GraphQL beyond the rate limit', async () => {
    const limited = await startTestService({ repos: [harbour.path], rateLimit: 1 });
    try {
      const send = () => limited.call('POST', '/.api/graphql', { query: '{ currentUser { username } }' });
      expect((await send()).status).toBe(200);
      const refused = await send();
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      await expectRefusal(refused, 429, 'TOO_MANY_REQUESTS');
    } finally {
      await limited.stop();
    }
  });

  test.each(['GET', 'PUT', 'DELETE'])('is refused with 405 for %s', async (method) => {
    const response = await service.call(method, '/.api/graphql');
    expect(response.headers.get('allow')).toBe('POST');
    await expectRefusal(response, 405, 'METHOD_NOT_ALLOWED');
  });

  test('spec 8: is refused with 400 beyond a configured cost limit', async () => {
    const nested = (depth: number) => `${'{ a'.repeat(depth)}${'}'.repeat(depth)}`;
    expect((await ask(nested(20))).status).toBe(200);
    const { status, body } = await ask(nested(21));
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ extensions: { type: 'query depth', limit: 20, actual: 21 } }]);
  });

  async function raw(body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${service.url}/.api/graphql`, {
      method: 'POST',
      body,
      headers: { Authorization: 'token test-token', 'Content-Type': 'application/json', ...headers },
    });
  }

  async function expectRefusal(response: Response, status: number, code = 'BAD_REQUEST'): Promise<void> {
    expect(response.status).toBe(status);
    const expected = status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : code;
    expect(await response.json()).toEqual({
      errors: [{ message: expect.any(String), extensions: expect.objectContaining({ code: expected }) }],
    });
  }
});

describe('a GraphQL query', () => {
  test.each([
    ['{ nothing }', 'Cannot query field "nothing" on type "Query".'],
    ['{ currentUser }', 'must have a selection of subfields'],
    ['{ currentUser { username { x } } }', 'must not have a selection'],
    ['{ search(query: 3) { results { matchCount } } }', 'String cannot represent a non string value'],
    ['query ($q: String!) { search(query: $q) { results { matchCount } } }', 'Variable "$q" of required type'],
    ['query ($n: Int) { users(first: $m) { totalCount } }', 'Variable "$m" is not defined'],
    ['{ currentUser { a: username a: displayName } }', 'conflict'],
    ['subscription { x }', 'subscription'],
    ['mutation { x }', 'Schema is not configured to execute mutation'],
    ['{ a\0 }', 'Unexpected character: U+0000'],
    ['{ users(query: "a\\u0000") { totalCount } }', 'NUL'],
    ['query ($names: [String!] = ["a\\u0000"]) { repositories(names: $names) { totalCount } }', 'NUL'],
    ['{ ...F }', 'Unknown fragment "F"'],
    ['{', 'Syntax Error'],
    ['', 'Syntax Error'],
  ])('that is wrong has status 200 and errors: %s', async (query, message) => {
    const { status, body } = await ask(query);
    expect(status).toBe(200);
    expect(body.data ?? null).toBeNull();
    expect(body.errors?.map((error) => error.message).join('\n')).toContain(message);
  });

  test('may use fragments, directives, aliases and __typename', async () => {
    const query = `query Q($with: Boolean!) {
      me: currentUser { ...Name ... on User @include(if: $with) { siteAdmin } __typename id @skip(if: true) }
    }
    fragment Name on User { username }`;
    expect(await read(query, { with: true })).toEqual({
      me: { username: 'alice', siteAdmin: true, __typename: 'User' },
    });
    expect(await read(query, { with: false })).toEqual({ me: { username: 'alice', __typename: 'User' } });
  });

  test('may ask for the schema, which has a description for every type of data', async () => {
    const schema = buildClientSchema((await read(getIntrospectionQuery())) as unknown as IntrospectionQuery);
    expect(
      schema
        .getQueryType()
        ?.getFields()
        .search?.args.map(({ name }) => name),
    ).toEqual(['version', 'patternType', 'query']);
    for (const { name, description } of Object.values(schema.getQueryType()?.getFields() ?? {})) {
      expect([name, description]).toEqual([name, expect.any(String)]);
    }
  });

  test('returns the data beside the errors of single fields, with their places and paths', async () => {
    const { status, body } = await ask(
      inHarbour(
        '{ name\n good: commit(rev: "main") { subject }\n bad: commit(rev: "--all") { oid }\n comparison(base: "nowhere") { commits { totalCount } } }',
      ),
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({
      repository: {
        name: HARBOUR,
        good: { subject: 'Queue jobs in the order of arrival' },
        bad: null,
        comparison: null,
      },
    });
    expect(body.errors).toEqual(
      expect.arrayContaining([
        {
          message: 'The revision is not the name or id of a commit.',
          locations: [{ line: 3, column: 2 }],
          path: ['repository', 'bad'],
          extensions: { code: 'BAD_REQUEST' },
        },
        {
          message: 'There is no revision "nowhere".',
          locations: [{ line: 4, column: 2 }],
          path: ['repository', 'comparison'],
          extensions: { code: 'NOT_FOUND' },
        },
      ]),
    );
  });
});

describe('the data', () => {
  test('tells about the viewer, users and the site', async () => {
    const data = await read(`{
      currentUser { databaseID displayName email emails { email verified } siteAdmin url organizations { nodes { id } } }
      user(username: "bob") { username siteAdmin viewerCanAdminister }
      unknown: user(username: "nowhere") { username }
      users(first: 1) { nodes { username } totalCount pageInfo { hasNextPage endCursor } }
      site { productVersion buildVersion }
      deepSearchQuotaUsage { limit consumed resetTime }
    }`);
    expect(data).toEqual({
      currentUser: {
        databaseID: expect.any(Number),
        displayName: 'alice',
        email: '',
        emails: [],
        siteAdmin: true,
        url: '/users/alice',
        organizations: { nodes: [] },
      },
      user: { username: 'bob', siteAdmin: false, viewerCanAdminister: true },
      unknown: null,
      users: {
        nodes: [{ username: 'alice' }],
        totalCount: 2,
        pageInfo: { hasNextPage: true, endCursor: expect.any(String) },
      },
      site: { productVersion: '7.0.0', buildVersion: '7.0.0' },
      deepSearchQuotaUsage: { limit: 50, consumed: 0, resetTime: expect.stringMatching(/T00:00:00.000Z$/) },
    });
  });

  test('lists repositories page by page, by query and by name', async () => {
    const page = 'nodes { name url } totalCount pageInfo { hasNextPage endCursor }';
    const { repositories } = (await read(`{ repositories(first: 1) { ${page} } }`)) as {
      repositories: { pageInfo: { endCursor: string } };
    };
    expect(repositories).toMatchObject({
      nodes: [{ name: HARBOUR, url: `/${HARBOUR}` }],
      totalCount: 2,
      pageInfo: { hasNextPage: true },
    });
    const after = repositories.pageInfo.endCursor;
    expect(
      await read(`query ($after: String) { repositories(first: 1, after: $after) { ${page} } }`, { after }),
    ).toEqual({
      repositories: {
        nodes: [{ name: 'github.com/harbour-org/secret', url: '/github.com/harbour-org/secret' }],
        totalCount: 2,
        pageInfo: { hasNextPage: false, endCursor: null },
      },
    });
    const found = await read(`{
      a: repositories(query: "SECR") { totalCount }
      b: repositories(names: ["${HARBOUR}"], descending: true, orderBy: REPOSITORY_NAME) { totalCount }
      c: repositories(cloned: false) { totalCount }
    }`);
    expect(found).toEqual({ a: { totalCount: 1 }, b: { totalCount: 1 }, c: { totalCount: 0 } });
  });

  test('shows refs and commits with their people and parents', async () => {
    const { repository } = await read(
      inHarbour(`{
        defaultBranch { name displayName target { commit { subject } } }
        branches { nodes { displayName } }
        tags(query: "V") { nodes { name target { oid } } }
        first: branches(first: 1) { nodes { abbrevName } pageInfo { hasNextPage } }
        commit(rev: "v1") {
          oid abbreviatedOID message subject body url
          author { date person { name email displayName } }
          committer { person { name } }
          parents { oid subject }
          ancestors { nodes { oid } totalCount }
          newest: ancestors(first: 1) { nodes { oid } totalCount }
          ofFile: ancestors(path: "src/retry.ts") { totalCount }
        }
        missing: commit(rev: "nowhere") { oid }
      }`),
    );
    const oid = harbour.git('rev-parse', 'v1^{commit}').trim();
    const parent = harbour.git('rev-parse', 'v1~1').trim();
    expect(repository).toMatchObject({
      defaultBranch: {
        name: 'refs/heads/main',
        displayName: 'main',
        target: { commit: { subject: 'Queue jobs in the order of arrival' } },
      },
      branches: { nodes: [{ displayName: 'main' }, { displayName: 'older' }] },
      tags: { nodes: [{ name: 'refs/tags/v1', target: { oid } }] },
      first: { nodes: [{ abbrevName: 'main' }], pageInfo: { hasNextPage: true } },
      commit: {
        oid,
        abbreviatedOID: oid.slice(0, 7),
        message: 'Cap the retry delay\n\nWithout a cap a crane waited for two days after an outage.',
        subject: 'Cap the retry delay',
        body: 'Without a cap a crane waited for two days after an outage.',
        url: `/${HARBOUR}/-/commit/${oid}`,
        author: {
          date: '2024-05-02T10:00:00+00:00',
          person: { name: 'Grace Hopper', email: 'a@example.org', displayName: 'Grace Hopper' },
        },
        committer: { person: { name: 'Grace Hopper' } },
        parents: [{ oid: parent, subject: 'Retry failed tasks with growing delays' }],
        ancestors: { nodes: [{ oid }, { oid: parent }], totalCount: 2 },
        newest: { nodes: [{ oid }], totalCount: null },
        ofFile: { totalCount: 2 },
      },
      missing: null,
    });
  });

  test('shows folders and files at a revision', async () => {
    const oid = harbour.git('rev-parse', 'HEAD').trim();
    const { repository } = await read(
      inHarbour(`{ commit(rev: "main") {
        tree { isRoot entries { __typename path isDirectory ... on GitBlob { byteSize } } }
        deep: tree(path: "", recursive: true) { entries { path isDirectory } }
        src: tree(path: "src") { name entries(first: 1) { path name url } }
        blob(path: "src/retry.ts") {
          name binary contentType byteSize totalLines languages url content(startLine: 10, endLine: 10)
        }
        file(path: "README.md") { content ... on GitBlob { commit { oid } } }
        path(path: "docs") { ... on GitTree { path } }
        noBlob: blob(path: "src") { path }
        noTree: tree(path: "src/retry.ts") { path }
        outside: blob(path: "../../etc/passwd") { content }
        languages
      } }`),
    );
    expect(repository).toMatchObject({
      commit: {
        tree: {
          isRoot: true,
          entries: [
            { __typename: 'GitTree', path: 'docs', isDirectory: true },
            { path: 'src' },
            { path: 'test' },
            { __typename: 'GitBlob', path: 'README.md', isDirectory: false, byteSize: 86 },
            { path: 'package.json' },
          ],
        },
        deep: {
          entries: expect.arrayContaining([
            { path: 'src', isDirectory: true },
            { path: 'src/retry.ts', isDirectory: false },
          ]),
        },
        src: {
          name: 'src',
          entries: [
            {
              path: 'src/config.ts',
              name: 'config.ts',
              url: `/${HARBOUR}@main/-/blob/src/config.ts`,
            },
          ],
        },
        blob: {
          name: 'retry.ts',
          binary: false,
          byteSize: 766,
          totalLines: 23,
          contentType: 'text/plain',
          languages: ['TypeScript'],
          content: 'export async function withRetries<T>(task: () => Promise<T>, attempts = 3): Promise<T> {\n',
        },
        file: { content: expect.stringContaining('# Harbour'), commit: { oid } },
        path: { path: 'docs' },
        noBlob: null,
        noTree: null,
        outside: null,
        languages: ['TypeScript', 'Markdown', 'JSON'],
      },
    });
  });

  test('blames lines and compares revisions', async () => {
    const { repository } = await read(
      inHarbour(`{
        commit(rev: "main") { blob(path: "src/retry.ts") {
          blame(startLine: 3, endLine: 4) { startLine endLine author { person { name } } commit { subject message } }
          beyond: blame(startLine: 900) { startLine }
        } file(path: "src/retry.ts") { blame(startLine: 3, endLine: 3) { startLine endLine } } }
        comparison(base: "older", head: "main") {
          commits { nodes { subject } totalCount } fileDiffs(first: 3) { totalCount nodes { oldPath newPath stat { added deleted } } }
        }
      }`),
    );
    expect(repository).toMatchObject({
      commit: {
        blob: {
          blame: [
            {
              startLine: 3,
              endLine: 4,
              author: { person: { name: 'Grace Hopper' } },
              commit: { subject: 'Cap the retry delay' },
            },
            { startLine: 4, endLine: 5, commit: { message: 'Retry failed tasks with growing delays' } },
          ],
          beyond: [],
        },
        file: { blame: [{ startLine: 3, endLine: 4 }] },
      },
      comparison: {
        commits: {
          nodes: [{ subject: 'Queue jobs in the order of arrival' }, { subject: 'Cap the retry delay' }],
          totalCount: 2,
        },
        fileDiffs: {
          totalCount: 4,
          nodes: expect.arrayContaining([
            { oldPath: null, newPath: 'src/queue.ts', stat: { added: 23, deleted: 0 } },
            expect.objectContaining({ oldPath: 'src/retry.ts', newPath: 'src/retry.ts' }),
          ]),
        },
      },
    });
  });

  test('shows results of a search as clients print them', async () => {
    const query = `query ($query: String!) {
      site { buildVersion }
      search(query: $query) { results {
        matchCount resultCount limitHit approximateResultCount elapsedMilliseconds
        cloning { name } missing { name } timedout { name } repositories { name }
        alert { title description kind proposedQueries { description query } }
        results {
          __typename
          ... on FileMatch {
            repository { name url }
            file { name path url content commit { oid } }
            lineMatches { preview lineNumber offsetAndLengths limitHit }
            chunkMatches { content contentStart { line } ranges { start { line character } } }
            symbols { name kind url }
          }
          ... on CommitSearchResult {
            url label { html } messagePreview { value highlights { line character length } }
            commit { oid subject author { date person { displayName } } repository { name } }
          }
          ... on Repository { name url label { html } externalURLs { url serviceType } }
        }
      } }
    }`;
    const search = async (text: string) =>
      ((await read(query, { query: text })) as { search: { results: object } }).search.results;
    const oid = harbour.git('rev-parse', 'HEAD').trim();
    expect(await search('repo:harbour$ retryCapMs file:retry.ts')).toMatchObject({
      matchCount: 1,
      resultCount: 1,
      limitHit: false,
      cloning: [],
      missing: [],
      timedout: [],
      repositories: [{ name: HARBOUR }],
      alert: null,
      results: [
        {
          __typename: 'FileMatch',
          repository: { name: HARBOUR, url: `/${HARBOUR}` },
          file: { path: 'src/retry.ts', content: expect.stringContaining('retryDelay'), commit: { oid } },
          lineMatches: [
            { preview: '  return Math.min(base, settings.retryCapMs);', lineNumber: 5, offsetAndLengths: [[33, 10]] },
          ],
          chunkMatches: [{ contentStart: { line: 5 }, ranges: [{ start: { line: 5, character: 33 } }] }],
        },
      ],
    });
    expect(await search('repo:harbour$ type:commit cap')).toMatchObject({
      results: [
        {
          __typename: 'CommitSearchResult',
          label: { html: expect.stringContaining('<a href=') },
          messagePreview: { highlights: expect.arrayContaining([{ line: 1, character: 1, length: 3 }]) },
          commit: { subject: 'Cap the retry delay', author: { person: { displayName: 'Grace Hopper' } } },
        },
      ],
    });
    expect(await search('type:repo harbour-org/harb')).toMatchObject({
      results: [{ __typename: 'Repository', name: HARBOUR, externalURLs: [{ serviceType: 'github' }] }],
    });
    expect(await search('/(/')).toMatchObject({
      matchCount: 0,
      alert: { title: expect.any(String), kind: expect.any(String) },
    });
  });

  test('gives addresses that open', async () => {
    const { repository } = (await read(
      inHarbour(`{
        url
        defaultBranch { url }
        commit(rev: "v1") { url tree(path: "src") { url } blob(path: "src/retry.ts") { url symbols(first: 1) { nodes { url canonicalURL } } } }
      }`),
    )) as { repository: object };
    const addresses = [...JSON.stringify(repository).matchAll(/"[a-zA-Z]*(?:url|URL)":"([^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(addresses).toHaveLength(7);
    for (const path of addresses) {
      expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 200]);
    }
  });
});

describe('a restricted repository', () => {
  const SECRET = 'github.com/harbour-org/secret';

  test('is null and unlisted for a user who may not read it, like an unknown one', async () => {
    const { body } = await ask(
      `{
        repository(name: "${SECRET}") { name }
        byAddress: repository(cloneURL: "https://github.com/harbour-org/secret.git") { name }
        redirect: repositoryRedirect(name: "${SECRET}") { __typename }
        repositories(query: "harbour") { nodes { name } totalCount }
        search(query: "secret") { results { matchCount repositories { name } results { __typename } } }
      }`,
      undefined,
      bob,
    );
    expect(body).toEqual({
      data: {
        repository: null,
        byAddress: null,
        redirect: null,
        repositories: { nodes: [{ name: HARBOUR }], totalCount: 1 },
        search: { results: { matchCount: 0, repositories: [], results: [] } },
      },
    });
  });
});
