import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts';

type Json = Record<string, unknown>;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
let server: ConversationServer;

beforeAll(async () => {
  server = await startConversationServer();
});

afterAll(async () => {
  await server.stop();
});

/** Calls a method of the second generation; a header set to undefined is left out. */
async function call(
  method: string,
  body: unknown,
  headers: Record<string, string | undefined> = {},
  on: ConversationServer = server,
) {
  const all = { Authorization: 'token test-token', 'Content-Type': 'application/json', ...headers };
  const response = await fetch(`${on.url}/api/deepsearch.v1.Service/${method}`, {
    method: 'POST',
    headers: Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    headers: response.headers,
    text,
    body: (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}) as Json,
  };
}

const input = (text: string) => ({ input: [{ question: { text } }] });
const asking = (text: string) => ({ parent: 'users/~self', conversation: { questions: [input(text)] } });

async function createNamed(text: string, on = server): Promise<string> {
  return String((await call('CreateConversation', asking(text), {}, on)).body.name);
}

async function completed(name: string, on = server): Promise<Json> {
  return eventually(async () => {
    const { body } = await call('GetConversation', { name }, {}, on);
    expect(body.state).not.toEqual({ processing: {} });
    return body;
  });
}

describe('the conversation message', () => {
  test('has a name, a state, times, its question and a url from the start, and no title', async () => {
    const { status, type, body } = await call('CreateConversation', asking('Where is the retry limit?'));
    expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      name: expect.stringMatching(/^users\/~self\/conversations\/\d+$/),
      state: { processing: {} },
      createTime: expect.stringMatching(TIME),
      updateTime: expect.stringMatching(TIME),
      questions: [{ ...input('Where is the retry limit?'), createTime: expect.stringMatching(TIME) }],
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/deepsearch\/[0-9a-f-]{36}$/),
    });
  });

  test('has a title and the whole answer in one block with absolute links once it is completed', async () => {
    const name = await createNamed('retries');
    expect(await completed(name)).toEqual({
      name,
      state: { completed: {} },
      title: 'About retries',
      createTime: expect.any(String),
      updateTime: expect.any(String),
      url: expect.any(String),
      questions: [
        {
          ...input('retries'),
          answer: [
            {
              markdown: {
                text: `See [retry.ts](${server.url}/r/github.com/harbour-org/harbour/-/blob/src/retry.ts?L4-7).\n\nIt is short.`,
              },
            },
          ],
          createTime: expect.any(String),
        },
      ],
    });
  });

  test('has the url that the first generation shows as share_url', async () => {
    const { name, url } = (await call('CreateConversation', asking('url'))).body;
    expect((await server.get(Number(String(name).split('/').at(-1)))).share_url).toBe(url);
  });

  test('carries suggestedFollowups only with the setting', async () => {
    const suggesting = await startConversationServer({ suggestedFollowups: true });
    try {
      const { questions } = await completed(await createNamed('x', suggesting), suggesting);
      expect(questions).toMatchObject([{ suggestedFollowups: ['Where is it used?', 'How is it tested?'] }]);
    } finally {
      await suggesting.stop();
    }
  });

  test('is in the state error with ERROR_INTERNAL where the search failed', async () => {
    expect(await completed(await createNamed('fail'))).toMatchObject({
      state: { error: { code: 'ERROR_INTERNAL', message: expect.stringContaining('internal error') } },
    });
  });

  test('is in the state error with ERROR_TOKEN_LIMIT_EXCEEDED where the question is too long to read', async () => {
    const { state } = await completed(await createNamed('x'.repeat(100_000)));
    expect(state).toEqual({ error: { code: 'ERROR_TOKEN_LIMIT_EXCEEDED', message: expect.any(String) } });
  });

  test('is in the state error with ERROR_QUOTA_EXCEEDED and a retryTime where the quota is used up', async () => {
    const nowMs = Date.UTC(2026, 2, 5, 9);
    const limited = await startConversationServer({ quota: 1, clock: () => nowMs });
    try {
      await completed(await createNamed('one', limited), limited);
      const { state } = await completed(await createNamed('two', limited), limited);
      expect(state).toEqual({
        error: {
          code: 'ERROR_QUOTA_EXCEEDED',
          message: expect.any(String),
          retryTime: '2026-03-06T00:00:00.000Z',
        },
      });
    } finally {
      await limited.stop();
    }
  });
});

describe('the methods', () => {
  test('AddConversationQuestion returns the new question alone, without id and state', async () => {
    const name = await createNamed('first');
    await completed(name);
    const { status, body } = await call('AddConversationQuestion', { parent: name, question: input('and then?') });
    expect([status, body]).toEqual([200, { ...input('and then?'), createTime: expect.stringMatching(TIME) }]);
    expect((await completed(name)).questions).toHaveLength(2);
  });

  test('AddConversationQuestion is a failed precondition while a question is processing', async () => {
    const name = await createNamed('hold');
    const { status, body } = await call('AddConversationQuestion', { parent: name, question: input('x') });
    expect([status, body.code]).toEqual([400, 'failed_precondition']);
    await call('CancelConversation', { name });
  });

  test('CancelConversation returns the conversation as canceled, and an idle one unchanged', async () => {
    const name = await createNamed('hold');
    const { status, body } = await call('CancelConversation', { name });
    expect([status, body.state]).toEqual([200, { canceled: {} }]);
    const idle = await completed(await createNamed('idle'));
    expect((await call('CancelConversation', { name: idle.name })).body).toEqual(idle);
  });

  test('DeleteConversation returns an empty message, and not_found the second time', async () => {
    const name = await createNamed('delete me');
    const { status, body } = await call('DeleteConversation', { name });
    expect([status, body]).toEqual([200, {}]);
    const again = await call('DeleteConversation', { name });
    expect([again.status, again.body.code]).toEqual([404, 'not_found']);
  });

  test.each(['users/~self', 'users/-', 'users/1', 'users/@alice', undefined])(
    'accept the parent %s for the own user',
    async (parent) => {
      const created = await call('CreateConversation', { ...asking('mine'), parent });
      expect(created.status).toBe(200);
      expect((await call('ListConversationSummaries', { parent, pageSize: 1 })).status).toBe(200);
      const user = (parent ?? 'users/~self').split('/')[1];
      const id = String(created.body.name).split('/').at(-1);
      expect((await call('GetConversation', { name: `users/${user}/conversations/${id}` })).body.name).toBe(
        created.body.name,
      );
    },
  );

  test.each(['users/2', 'users/@bob', 'users/bob@example.org'])('deny the parent %s', async (parent) => {
    for (const [method, body] of [
      ['CreateConversation', { ...asking('x'), parent }],
      ['ListConversationSummaries', { parent }],
    ] as const) {
      const reply = await call(method, body);
      expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied']);
    }
  });

  test.each(['users/~self/conversations/999999', 'users/~self/conversations/abc123', 'users/2/conversations/1'])(
    'do not find %s',
    async (name) => {
      const reply = await call('GetConversation', { name });
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    },
  );

  test.each([
    ['CreateConversation', {}],
    ['CreateConversation', { question: 'flat' }],
    ['CreateConversation', { conversation: { questions: [] } }],
    ['CreateConversation', { conversation: { questions: [null] } }],
    ['CreateConversation', { conversation: { questions: [input('a'), input('b')] } }],
    ['CreateConversation', { conversation: { questions: [{ input: [] }] } }],
    ['CreateConversation', { conversation: { questions: [{ input: [...input('a').input, ...input('b').input] }] } }],
    ['CreateConversation', { conversation: { questions: [{ input: [{ image: { uri: 'x' } }] }] } }],
    ['CreateConversation', { conversation: { questions: [{ input: [{ question: {} }] }] } }],
    ['CreateConversation', { conversation: { questions: [{ input: [{ question: 'flat' }] }] } }],
    ['CreateConversation', asking(' \n ')],
    ['CreateConversation', asking('a\0b')],
    ['CreateConversation', '{"conversation":{"questions":[{"input":[{"question":{"text":"\\ud800"}}]}]}}'],
    ['CreateConversation', asking('x'.repeat(100_001))],
    ['CreateConversation', { ...asking('x'), parent: 'alice' }],
    ['CreateConversation', { ...asking('x'), parent: 7 }],
    ['AddConversationQuestion', { question: input('x') }],
    ['AddConversationQuestion', { parent: 'users/~self/conversations/1' }],
    ['AddConversationQuestion', { parent: 'users/~self/conversations/1', question: 'flat' }],
    ['GetConversation', {}],
    ['GetConversation', { name: 'conversations/1' }],
    ['GetConversation', { name: ['users/~self/conversations/1'] }],
    ['ListConversationSummaries', { pageSize: -1 }],
    ['ListConversationSummaries', { pageSize: 1.5 }],
    ['ListConversationSummaries', { pageSize: 1, page_size: 1 }],
    ['ListConversationSummaries', { pageToken: 'nonsense' }],
    ['ListConversationSummaries', { filters: {} }],
    ['ListConversationSummaries', { filters: [{}] }],
    ['ListConversationSummaries', { filters: [{ starred: true, contentQuery: 'x' }] }],
    ['ListConversationSummaries', { filters: [{ starred: 'yes' }] }],
    ['GetConversation', ''],
    ['GetConversation', '{'],
    ['GetConversation', 'null'],
    ['GetConversation', '[]'],
    ['GetConversation', '"text"'],
    ['GetConversation', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['GetConversation', '{"__proto__":{"name":"users/~self/conversations/1"}}'],
  ])('%s refuses the body %j as invalid_argument', async (method, body) => {
    const reply = await call(method, body);
    expect([reply.status, reply.body]).toEqual([400, { code: 'invalid_argument', message: expect.any(String) }]);
  });

  test('read snake_case and camelCase, ignore unknown fields, and take null for absent', async () => {
    const name = await createNamed('spelling');
    await completed(name);
    const { body } = await call('ListConversationSummaries', {
      page_size: 1,
      page_token: null,
      filters: [{ content_query: 'spelling' }],
      unknown: 1,
    });
    expect(body.conversationSummaries).toMatchObject([{ name }]);
  });
});

describe('ListConversationSummaries', () => {
  let own: ConversationServer;
  const names: string[] = [];
  let nowMs = Date.UTC(2026, 2, 5);
  const list = async (body: unknown) => (await call('ListConversationSummaries', body, {}, own)).body;
  const namesOf = (body: Json) => ((body.conversationSummaries ?? []) as Json[]).map(({ name }) => name);

  beforeAll(async () => {
    own = await startConversationServer({ clock: () => (nowMs += 10) });
    expect(await list({})).toEqual({});
    for (const text of ['apples and pears', 'pears', 'plums', 'Apples', 'cherries']) {
      const name = await createNamed(text, own);
      await completed(name, own);
      names.unshift(name);
    }
    await own.conversations.star(await own.userId('alice'), 2, true);
  });

  afterAll(() => own.stop());

  test('holds name, title, times and url, last changed first', async () => {
    const body = await list({});
    expect(namesOf(body)).toEqual(names);
    expect(body).not.toHaveProperty('nextPageToken');
    expect((body.conversationSummaries as Json[])[0]).toEqual({
      name: names[0],
      title: 'About cherries',
      createTime: expect.stringMatching(TIME),
      updateTime: expect.stringMatching(TIME),
      url: expect.stringContaining('/deepsearch/'),
    });
  });

  test('continues with the page token until the list ends, also when a page ends exactly there', async () => {
    const seen: unknown[] = [];
    let pageToken = '';
    for (let page = 0; page < 3; page += 1) {
      const body = await list({ pageSize: page === 0 ? '2' : 2, pageToken });
      seen.push(...namesOf(body));
      pageToken = String(body.nextPageToken ?? '');
      expect(pageToken === '').toBe(page === 2);
    }
    expect(seen).toEqual(names);
    expect(await list({ pageSize: 5 })).not.toHaveProperty('nextPageToken');
  });

  test('cuts a page to 100', async () => {
    expect(namesOf(await list({ pageSize: 100_000 }))).toEqual(names);
  });

  test('refuses a page token with other filters', async () => {
    const { nextPageToken } = await list({ pageSize: 1, filters: [{ contentQuery: 'apples' }] });
    expect(namesOf(await list({ pageToken: nextPageToken, filters: [{ contentQuery: 'Apples' }] }))).toEqual([
      names[4],
    ]);
    for (const filters of [[], [{ contentQuery: 'pears' }], [{ starred: true }]]) {
      const reply = await call('ListConversationSummaries', { pageToken: nextPageToken, filters }, {}, own);
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_argument']);
    }
  });

  test.each([
    [[{ contentQuery: 'pears' }], [3, 4]],
    [[{ contentQuery: 'PEARS apples' }], [4]],
    [[{ contentQuery: 'pears' }, { contentQuery: 'apples' }], [4]],
    [[{ starred: true }], [3]],
    [[{ starred: true }, { contentQuery: 'plums' }], []],
    [[{ starred: true }, { starred: false }], []],
    [[{ contentQuery: '' }], [0, 1, 2, 3, 4]],
  ])('joins the filters %j by AND', async (filters, places) => {
    expect(namesOf(await list({ filters }))).toEqual(places.map((place) => names[place]));
  });

  test('searches only finished questions', async () => {
    const name = await createNamed('hold the bananas', own);
    expect(await list({ filters: [{ contentQuery: 'bananas' }] })).toEqual({});
    await call('DeleteConversation', { name }, {}, own);
  });
});

describe('the transport', () => {
  const list = (headers: Record<string, string | undefined>) =>
    call('ListConversationSummaries', { parent: 'users/~self', pageSize: 1 }, headers);

  test.each(['token test-token', 'Bearer test-token'])('takes Authorization: %s', async (Authorization) => {
    expect((await list({ Authorization })).status).toBe(200);
  });

  test.each([undefined, 'token wrong', 'Bearer wrong', 'Basic eA=='])(
    'is unauthenticated with Authorization: %s',
    async (Authorization) => {
      const reply = await list({ Authorization });
      expect([reply.status, reply.body]).toEqual([401, { code: 'unauthenticated', message: expect.any(String) }]);
    },
  );

  test('takes no cookie for a credential', async () => {
    const cookie = `codesearch_session=${'a'.repeat(64)}`;
    expect((await list({ Authorization: undefined, Cookie: cookie })).status).toBe(401);
  });

  test('allows reads with externalapi:read and writes with externalapi:write, and neither with the other', async () => {
    const [reader, writer] = [
      await server.tokenWith(['externalapi:read']),
      await server.tokenWith(['externalapi:write']),
    ];
    const as = (token: string) => ({ Authorization: `token ${token}` });
    expect((await list(as(reader))).status).toBe(200);
    const created = await call('CreateConversation', asking('scopes'), as(writer));
    expect(created.status).toBe(200);
    expect((await call('GetConversation', { name: created.body.name }, as(reader))).status).toBe(200);
    for (const denied of [
      await list(as(writer)),
      await call('CreateConversation', asking('x'), as(reader)),
      await call('DeleteConversation', { name: created.body.name }, as(reader)),
      await call('CancelConversation', { name: created.body.name }, as(reader)),
      await call('AddConversationQuestion', { parent: created.body.name, question: input('x') }, as(reader)),
    ]) {
      expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied']);
    }
    expect((await server.call('GET', '', undefined, as(reader))).status).toBe(403);
  });

  test('needs no X-Requested-With and no Connect-Protocol-Version, and refuses another version than 1', async () => {
    expect((await list({ 'Connect-Protocol-Version': '1' })).status).toBe(200);
    const reply = await list({ 'Connect-Protocol-Version': '2' });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_argument']);
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=latin1'])(
    'takes the type %s',
    async (type) => {
      expect((await list({ 'Content-Type': type })).status).toBe(200);
    },
  );

  test.each(['text/plain', 'application/proto', 'application/jsonx', 'application/x-www-form-urlencoded'])(
    'answers 415 to the type %s',
    async (type) => {
      const reply = await list({ 'Content-Type': type });
      expect([reply.status, reply.text, reply.headers.get('accept-post')]).toEqual([415, '', 'application/json']);
    },
  );

  test('takes a body in gzip, and answers unimplemented to an encoding it does not know', async () => {
    const zipped = gzipSync(JSON.stringify({ pageSize: 1 }));
    expect((await call('ListConversationSummaries', zipped, { 'Content-Encoding': 'gzip' })).status).toBe(200);
    const reply = await call('ListConversationSummaries', zipped, { 'Content-Encoding': 'br' });
    expect([reply.status, reply.body.code]).toEqual([501, 'unimplemented']);
  });

  test('refuses a small body that unpacks to a large one', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    const reply = await call('ListConversationSummaries', bomb, { 'Content-Encoding': 'gzip' });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_argument']);
  });

  test.each(['GET', 'PUT', 'DELETE', 'HEAD'])('answers 405 with Allow to %s', async (method) => {
    const response = await fetch(`${server.url}/api/deepsearch.v1.Service/GetConversation`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each(['StarConversation', 'getConversation', 'GetConversation/x', ''])(
    'answers 404 as plain text to the method %s',
    async (method) => {
      const reply = await call(method, {});
      expect([reply.status, reply.type]).toEqual([404, 'text/plain; charset=utf-8']);
    },
  );

  test('answers its request limit as resource_exhausted with Retry-After', async () => {
    const limited = await startConversationServer({ rateLimit: 1, clock: () => 1_700_000_000_000 });
    try {
      await call('ListConversationSummaries', {}, {}, limited);
      const reply = await call('ListConversationSummaries', {}, {}, limited);
      expect([reply.status, reply.body.code, reply.headers.get('retry-after')]).toEqual([
        429,
        'resource_exhausted',
        '60',
      ]);
    } finally {
      await limited.stop();
    }
  });
});
