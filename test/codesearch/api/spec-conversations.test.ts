import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import {
  type ConversationServer,
  OAUTH_TOKEN,
  OTHER,
  startConversationServer,
} from '../support/conversation-server.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { createCaller, startTestService, type WireConversation, type WireQuestion } from '../support/service.ts';

// One test for each sentence and table row of the specification about the conversation API.

let server: ConversationServer;
let sharing: ConversationServer;
/** As the reply to create shows it, and once it has finished. */
let fresh: WireConversation;
let finished: WireConversation;

beforeAll(async () => {
  server = await startConversationServer({ quota: 1_000 });
  sharing = await startConversationServer({ sharing: true });
  fresh = await server.create('Where is the retry limit?');
  finished = await server.finished(fresh.id);
});

afterAll(async () => {
  await server.stop();
  await sharing.stop();
});

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isInteger = (value: unknown) => expect(Number.isInteger(value)).toBe(true);
const isTime = (value: unknown) => expect(value).toMatch(ISO);
const isText = (value: unknown) => expect(value).toMatch(/\S/);
const questionOf = (conversation: WireConversation) => conversation.questions[0] as WireQuestion;

async function statusOf(method: string, path: string, body?: unknown, headers = {}): Promise<number> {
  return (await server.call(method, path, body, headers)).status;
}

/** A question that works until it is cancelled. */
async function held(on = server): Promise<{ id: number; questionId: number; end: () => Promise<Response> }> {
  const { id, questions } = await on.create('hold');
  const questionId = questions[0]?.id ?? 0;
  return { id, questionId, end: () => on.call('POST', `/${id}/questions/${questionId}/cancel`) };
}

describe('spec 1', () => {
  test('spec 1: a conversation holds an ordered list of questions; each receives an answer, a title, sources and follow-ups', async () => {
    const { id } = await server.create('first');
    await server.finished(id);
    await server.call('POST', `/${id}/questions`, { question: 'second' });
    const { questions } = await server.finished(id);
    expect(questions.map(({ question }) => question)).toEqual(['first', 'second']);
    for (const question of questions) {
      expect(question).toMatchObject({ answer: expect.any(String), title: expect.any(String) });
      expect(question.sources).not.toEqual([]);
      expect(question.suggested_followups).not.toEqual([]);
    }
  });

  test('spec 1: creating returns at once with the first question processing; the client polls until it is finished', async () => {
    const { id, end } = await held();
    expect(questionOf(await server.get(id)).status).toBe('processing');
    await end();
    expect(questionOf(await server.finished(id)).status).toBe('completed');
  });

  test('spec 1: the service claims a version from 6.7 on, which has the conversation API', async () => {
    const repository = createHarbourRepository();
    const service = await startTestService({ repos: [repository.path] });
    try {
      const [major = 0, minor = 0] = (await (await fetch(`${service.url}/__version`)).text()).split('.').map(Number);
      expect(major * 100 + minor).toBeGreaterThanOrEqual(607);
    } finally {
      await service.stop();
      repository.remove();
    }
  });
});

describe('spec 2', () => {
  test.each<[keyof WireConversation, string, (value: unknown) => void]>([
    ['id', 'an integer', isInteger],
    ['questions', 'an array', (value) => expect(Array.isArray(value)).toBe(true)],
    ['created_at', 'an ISO 8601 UTC timestamp', isTime],
    ['updated_at', 'an ISO 8601 UTC timestamp', isTime],
    ['user_id', 'an integer', isInteger],
    ['read_token', 'shaped like a UUID', (value) => expect(value).toMatch(UUID)],
    [
      'share_url',
      'a URL that ends with the read token',
      (value) => expect(String(value).endsWith(finished.read_token)).toBe(true),
    ],
  ])('spec 2: %s of a conversation is %s, before and after completion', (field, _what, check) => {
    for (const conversation of [fresh, finished]) check(conversation[field]);
    expect(URL.canParse(finished.share_url)).toBe(true);
  });

  test('spec 2: id of a conversation is unique', async () => {
    expect((await server.create('another')).id).not.toBe(finished.id);
  });

  test('spec 2: user_id of a conversation is its owner', async () => {
    expect(finished.user_id).toBe(await server.userId('alice'));
  });

  test('spec 2: viewer is in the single-conversation response after completion, as {is_owner}', async () => {
    expect(finished.viewer).toEqual({ is_owner: true });
    const { id, end } = await held();
    expect(await server.get(id)).not.toHaveProperty('viewer');
    await end();
  });

  test('spec 2: quota_usage is in the single-conversation response after completion', async () => {
    expect(Object.keys(finished.quota_usage ?? {})).toEqual(['total_quota', 'quota_limit', 'reset_time']);
    const { id, end } = await held();
    expect(await server.get(id)).not.toHaveProperty('quota_usage');
    await end();
    const listed = (await server.list(`?filter_id=${finished.id}`)).conversations[0];
    expect(listed).not.toHaveProperty('quota_usage');
    expect(listed).not.toHaveProperty('viewer');
  });

  test.each<['total_quota' | 'quota_limit' | 'reset_time', string, (value: unknown) => void]>([
    ['total_quota', 'an integer', isInteger],
    ['quota_limit', 'an integer', isInteger],
    ['reset_time', 'an ISO 8601 UTC timestamp', isTime],
  ])('spec 2: %s of quota_usage is %s', (field, _what, check) => {
    check(finished.quota_usage?.[field]);
  });

  test('spec 2: quota_limit is the limit of the service, and -1 without one', async () => {
    expect(finished.quota_usage?.quota_limit).toBe(1_000);
    const { id } = await sharing.create('no limit');
    expect((await sharing.finished(id)).quota_usage).toMatchObject({ quota_limit: -1, total_quota: 1 });
  });

  test.each<[keyof WireQuestion, string, (value: unknown) => void]>([
    ['id', 'an integer', isInteger],
    ['conversation_id', 'the owning conversation', (value) => expect(value).toBe(fresh.id)],
    ['question', 'the original text', (value) => expect(value).toBe('Where is the retry limit?')],
    ['created_at', 'an ISO 8601 UTC timestamp', isTime],
    ['updated_at', 'an ISO 8601 UTC timestamp', isTime],
    ['status', 'one of the four', (value) => expect(['pending', 'processing', 'completed', 'failed']).toContain(value)],
    ['turns', 'an array', (value) => expect(Array.isArray(value)).toBe(true)],
    ['stats', 'an object', (value) => expect(value).toBeTypeOf('object')],
  ])('spec 2: %s of a question is %s, before and after completion', (field, _what, check) => {
    for (const conversation of [fresh, finished]) check(questionOf(conversation)[field]);
  });

  test.each<[keyof WireQuestion, (value: unknown) => void]>([
    ['title', isText],
    ['answer', (value) => expect(value).toMatch(/\]\(http:\/\/127\.0\.0\.1:\d+\/[^)]+\)/)],
    ['sources', (value) => expect(value).toHaveLength(2)],
  ])('spec 2: %s of a question is present when completed, and not before', (field, check) => {
    expect(questionOf(fresh)).not.toHaveProperty(field);
    check(questionOf(finished)[field]);
  });

  test('spec 2: turns are present while processing', () => {
    expect(questionOf(fresh).turns.length).toBeGreaterThan(0);
  });

  test('spec 2: suggested_followups is null while processing, and a list of questions when completed', () => {
    expect(questionOf(fresh).suggested_followups).toBeNull();
    expect(questionOf(finished).suggested_followups).toEqual(['Where is it used?', 'How is it tested?']);
  });

  test('spec 2: a turn has its reasoning, its time in Unix seconds and its role; the first is of the user', () => {
    const nowSeconds = Date.now() / 1_000;
    for (const turn of questionOf(finished).turns) {
      isText(turn.reasoning);
      isInteger(turn.timestamp);
      expect(Math.abs(turn.timestamp - nowSeconds)).toBeLessThan(3_600);
    }
    expect(questionOf(fresh).turns[0]).toMatchObject({ role: 'user', reasoning: 'Where is the retry limit?' });
  });

  test('spec 2: other roles of turns (not shown) are assistant; the last turn of an answered question holds the answer', () => {
    const { turns, answer } = questionOf(finished);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(turns.at(-1)?.reasoning).toBe(answer);
  });

  test.each([
    'time_millis',
    'tool_calls',
    'total_input_tokens',
    'cached_tokens',
    'cache_creation_input_tokens',
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
    'credits',
  ])('spec 2: %s of stats is an integer, 0 on a new question', (name) => {
    expect(questionOf(fresh).stats[name]).toBe(0);
    isInteger(questionOf(finished).stats[name]);
    expect(Object.keys(questionOf(finished).stats)).toHaveLength(9);
  });

  test('spec 2: stats of an answered question are what is known: time, tool calls, estimated tokens, one credit', () => {
    const { stats, answer } = questionOf(finished);
    expect(stats.tool_calls).toBe(3);
    expect(stats.completion_tokens).toBeGreaterThan((answer?.length ?? 0) / 5);
    expect(stats.prompt_tokens).toBe(100 + Math.ceil('Where is the retry limit?'.length / 4));
    expect(stats.total_input_tokens).toBe(stats.prompt_tokens);
    expect(stats.total_tokens).toBe((stats.prompt_tokens ?? 0) + (stats.completion_tokens ?? 0));
    expect([stats.cached_tokens, stats.cache_creation_input_tokens, stats.credits]).toEqual([0, 0, 1]);
    expect(stats.time_millis).toBeGreaterThan(0);
  });

  test('spec 2: a source has a type, a link relative to the instance and a label; other types (not shown) are File and Commit', () => {
    const { sources = [] } = questionOf(finished);
    expect(sources.map(({ type }) => type)).toEqual(['Repository', 'File']);
    for (const { link, label } of sources) {
      expect(link).toMatch(/^\/[^/]/);
      isText(label);
    }
  });
});

describe('spec 3', () => {
  test('spec 3: a valid POST leads to processing, returned immediately, with stats 0 and one turn of the user', () => {
    const question = questionOf(fresh);
    expect(question.status).toBe('processing');
    expect(new Set(Object.values(question.stats))).toEqual(new Set([0]));
    expect(question.turns.map(({ role }) => role)).toEqual(['user']);
  });

  test('spec 3: processing leads to completed once the answer is there, and updated_at advances', () => {
    expect(questionOf(finished)).toMatchObject({
      status: 'completed',
      title: expect.any(String),
      answer: expect.any(String),
      sources: expect.any(Array),
      suggested_followups: expect.any(Array),
    });
    expect(Date.parse(finished.updated_at)).toBeGreaterThan(Date.parse(fresh.updated_at));
    expect(finished).toMatchObject({ viewer: expect.any(Object), quota_usage: expect.any(Object) });
  });

  test('spec 3: pending (not shown) never occurs: a question that waits for its turn is processing', async () => {
    const three = [await held(), await held(), await held()];
    for (const { id } of three) expect(questionOf(await server.get(id)).status).toBe('processing');
    for (const { end } of three) await end();
  });

  test('spec 3: failed (not shown) never occurs: a failed question is completed with an error', async () => {
    const { id } = await server.create('fail');
    const question = questionOf(await server.finished(id));
    expect(question).toMatchObject({
      status: 'completed',
      error: { kind: 'InternalError', title: expect.any(String), message: expect.any(String), details: '' },
      suggested_followups: [],
    });
    expect(question).toMatchObject({ title: expect.any(String), answer: '', sources: [] });
    expect(server.problems.splice(0)).toHaveLength(1);
  });

  test('spec 3: after cancel (not shown) a question is completed with the error Cancelled', async () => {
    const { id, end } = await held();
    await end();
    expect(questionOf(await server.get(id))).toMatchObject({ status: 'completed', error: { kind: 'Cancelled' } });
  });

  test('spec 3: the question of a follow-up (not shown) is processing at first', async () => {
    const reply = await server.call('POST', `/${finished.id}/questions`, { question: 'and then?' });
    expect(((await reply.json()) as WireQuestion).status).toBe('processing');
    await server.finished(finished.id);
  });
});

describe('spec 4', () => {
  test('spec 4: a write without X-Requested-With is refused, a GET without it is not', async () => {
    const none = { 'X-Requested-With': undefined };
    expect(await statusOf('POST', '', { question: 'x' }, none)).toBe(400);
    expect(await statusOf('GET', '', undefined, none)).toBe(200);
  });

  test('spec 4: a request without Authorization is refused', async () => {
    for (const [method, path] of [
      ['POST', ''],
      ['GET', ''],
      ['GET', `/${finished.id}`],
      ['DELETE', `/${finished.id}`],
      ['POST', `/${finished.id}/questions`],
      ['POST', `/${finished.id}/questions/1/cancel`],
    ] as const) {
      expect(await statusOf(method, path, undefined, { Authorization: undefined })).toBe(401);
    }
  });

  test('spec 4: requests with a body send Content-Type application/json, and others are refused', async () => {
    expect(await statusOf('POST', '', { question: 'x' }, { 'Content-Type': 'text/plain' })).toBe(415);
  });

  test('spec 4: POST creates a conversation whose single question is processing; the code (not shown) is 202', async () => {
    const response = await server.call('POST', '', { question: 'x' });
    expect(response.status).toBe(202);
    expect(((await response.json()) as WireConversation).questions).toMatchObject([{ status: 'processing' }]);
  });

  test('spec 4: GET lists conversations, in the envelope (not shown) conversations and page_info', async () => {
    expect(await server.list('?page_first=1')).toEqual({
      conversations: [expect.objectContaining({ id: expect.any(Number) })],
      page_info: { end_cursor: expect.any(String), has_next_page: true },
    });
  });

  test('spec 4: GET of an id returns the conversation', async () => {
    expect((await server.get(finished.id)).id).toBe(finished.id);
  });

  test('spec 4: DELETE deletes the conversation; the reply (not shown) is 204 without a body', async () => {
    const { id } = await server.create('to delete');
    const response = await server.call('DELETE', `/${id}`);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await statusOf('GET', `/${id}`)).toBe(404);
  });

  test('spec 4: POST of questions adds a follow-up; the reply (not shown) is the question alone with 202', async () => {
    const { id } = await server.create('first');
    await server.finished(id);
    const response = await server.call('POST', `/${id}/questions`, { question: 'second' });
    const question = (await response.json()) as WireQuestion;
    expect([response.status, question.question]).toEqual([202, 'second']);
    expect(question).not.toHaveProperty('questions');
    expect((await server.finished(id)).questions.map(({ id: own }) => own)).toContain(question.id);
  });

  test('spec 4: a follow-up may name its conversation, and must not name another', async () => {
    const { id } = await server.create('first');
    await server.finished(id);
    const follow = (conversation_id: unknown) =>
      statusOf('POST', `/${id}/questions`, { question: 'x', conversation_id });
    expect(await follow(id + 1)).toBe(400);
    expect(await follow(String(id))).toBe(400);
    expect(await follow(id)).toBe(202);
  });

  test('spec 4: a follow-up is refused with 400 while a question of the conversation is processing', async () => {
    const { id, end } = await held();
    expect(await statusOf('POST', `/${id}/questions`, { question: 'x' })).toBe(400);
    await end();
    expect(await statusOf('POST', `/${id}/questions`, { question: 'x' })).toBe(202);
  });

  test('spec 4: POST of cancel cancels a question in processing; the reply (not shown) is the question with 200', async () => {
    const { questionId, end } = await held();
    const response = await end();
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ id: questionId, error: expect.objectContaining({ kind: 'Cancelled' }) }),
    ]);
  });
});

describe('spec 4, the list parameters', () => {
  let own: ConversationServer;
  let nowMs = Date.UTC(2026, 2, 5);
  const ids: number[] = [];

  beforeAll(async () => {
    own = await startConversationServer({ sharing: true, clock: () => (nowMs += 10) });
    for (const text of ['a', 'b', 'c', 'd', 'e']) {
      const { id } = await own.create(text);
      await own.finished(id);
      ids.push(id);
    }
    await own.call('POST', `/${ids[1]}/questions`, { question: 'later' });
    await own.finished(ids[1] ?? 0);
    await own.conversations.star(await own.userId('alice'), ids[2] ?? 0, true);
  });

  afterAll(() => own.stop());

  const list = async (query: string) => (await own.list(query)).conversations.map(({ id }) => id);

  test('spec 4: filter_id filters by conversation', async () => {
    expect(await list(`?filter_id=${ids[3]}`)).toEqual([ids[3]]);
  });

  test('spec 4: filter_user_id filters by user', async () => {
    expect(await list(`?filter_user_id=${await own.userId('alice')}&sort=id`)).toEqual(ids);
    expect(await list('?filter_user_id=4711')).toEqual([]);
  });

  test('spec 4: filter_is_starred is true or false', async () => {
    expect(await list('?filter_is_starred=true')).toEqual([ids[2]]);
    expect(await list('?filter_is_starred=false&sort=id')).toEqual(ids.filter((id) => id !== ids[2]));
    expect((await own.list('?filter_is_starred=true')).conversations[0]).toMatchObject({ starred: true });
  });

  test('spec 4: filters are combined', async () => {
    const user = await own.userId('alice');
    const { read_token: token } = (await own.get(ids[2] ?? 0)) as WireConversation;
    expect(
      await list(`?filter_id=${ids[2]}&filter_user_id=${user}&filter_read_token=${token}&filter_is_starred=true`),
    ).toEqual([ids[2]]);
    expect(await list(`?filter_id=${ids[2]}&filter_is_starred=false`)).toEqual([]);
    expect(await list(`?filter_id=${ids[1]}&filter_read_token=${token}`)).toEqual([]);
  });

  test.each([
    ['id', [0, 1, 2, 3, 4]],
    ['-id', [4, 3, 2, 1, 0]],
    ['created_at', [0, 1, 2, 3, 4]],
    ['-created_at', [4, 3, 2, 1, 0]],
    ['updated_at', [0, 2, 3, 4, 1]],
    ['-updated_at', [1, 4, 3, 2, 0]],
    ['', [1, 4, 3, 2, 0]],
  ])('spec 4: sort may be %s; the default is -updated_at', async (sort, places) => {
    expect(await list(sort === '' ? '' : `?sort=${sort}`)).toEqual(places.map((place) => ids[place]));
  });

  test('spec 4: page_first is the number of results per page; its bounds (not shown) are 1 and 100', async () => {
    expect(await list('?sort=id&page_first=2')).toEqual(ids.slice(0, 2));
    expect(await list('?sort=id&page_first=100000')).toEqual(ids);
    expect((await own.call('GET', '?page_first=0')).status).toBe(400);
  });

  test('spec 4: page_after continues after page_info.end_cursor (not shown), also while conversations come, go and change', async () => {
    const page = async (cursor: string | null) =>
      own.list(`?sort=-id&page_first=2${cursor === null ? '' : `&page_after=${cursor}`}`);
    const doomed = await own.create('doomed');
    await own.finished(doomed.id);
    const first = await page(null);
    expect(first.conversations.map(({ id }) => id)).toEqual([doomed.id, ids[4]]);
    // The page's own conversations change and go; a new one comes.
    await own.call('DELETE', `/${doomed.id}`);
    await own.call('POST', `/${ids[4]}/questions`, { question: 'changes' });
    const late = await own.create('late');
    const second = await page(first.page_info.end_cursor);
    const third = await page(second.page_info.end_cursor);
    expect([...second.conversations, ...third.conversations].map(({ id }) => id)).toEqual([
      ids[3],
      ids[2],
      ids[1],
      ids[0],
    ]);
    expect(third.page_info.has_next_page).toBe(false);
    await own.call('DELETE', `/${late.id}`);
    await own.finished(ids[4] ?? 0);
  });

  test.each([
    ['filter_id=x', 'filter_id'],
    ['filter_user_id=-1', 'filter_user_id'],
    ['filter_is_starred=yes', 'filter_is_starred'],
    ['page_first=ten', 'page_first'],
    ['page_after=x', 'page_after'],
    ['sort=name', 'sort'],
  ])('spec 4: a wrong parameter is named by the refusal: %s', async (query, name) => {
    const response = await own.call('GET', `?${query}`);
    const { message } = (await response.json()) as { message: string };
    expect([response.status, message.startsWith(name)]).toEqual([400, true]);
  });
});

describe('spec 4 and 5, reading another user’s conversation', () => {
  const readAs = async (on: ConversationServer, user: 'alice' | 'bob', token: string) => {
    const caller = createCaller(on.url, user === 'alice' ? 'test-token' : 'bob-token');
    return (await caller.list(`?filter_read_token=${token}`)).conversations;
  };

  test('spec 5: filter_read_token returns the own conversation, also while sharing is off', async () => {
    expect(await readAs(server, 'alice', finished.read_token)).toMatchObject([
      { id: finished.id, viewer: { is_owner: true } },
    ]);
  });

  test('spec 4: filter_read_token returns no conversation of another user while sharing is off', async () => {
    expect(await readAs(server, 'bob', finished.read_token)).toEqual([]);
  });

  test('spec 5: filter_read_token returns another user’s conversation while sharing is on, for reading only', async () => {
    const { id, read_token } = await sharing.create('shared');
    await sharing.finished(id);
    expect(await readAs(sharing, 'bob', read_token)).toMatchObject([{ id, viewer: { is_owner: false } }]);
    const bob = createCaller(sharing.url, 'bob-token');
    expect((await bob.list()).conversations).toEqual([]);
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/questions`],
    ] as const) {
      const { status } = await bob.call(method, path, method === 'POST' ? { question: 'x' } : undefined);
      expect(status).toBe(404);
    }
  });

  test('spec 5: a shared conversation stays closed to a reader who may not read a repository it cites', async () => {
    const restricted = await startConversationServer({ sharing: true, repoAccess: { '*': ['alice'] } });
    try {
      const { id, read_token } = await restricted.create('restricted');
      await restricted.finished(id);
      expect(await readAs(restricted, 'alice', read_token)).toHaveLength(1);
      const unknown = await createCaller(restricted.url, 'bob-token').list(`?filter_read_token=${'0'.repeat(36)}`);
      expect(await createCaller(restricted.url, 'bob-token').list(`?filter_read_token=${read_token}`)).toEqual(unknown);
      expect(unknown).toEqual({ conversations: [], page_info: { end_cursor: null, has_next_page: false } });
    } finally {
      await restricted.stop();
    }
  });

  test('a reader who may not read a repository sees no answer that links to it and no steps of work', async () => {
    const restricted = await startConversationServer({ sharing: true, repoAccess: { [OTHER]: ['alice'] } });
    try {
      const { id, read_token } = await restricted.create('shown');
      const own = (await restricted.finished(id)).questions[0];
      const [shown] = await readAs(restricted, 'bob', read_token);
      expect(shown?.questions[0]?.answer).toBe(own?.answer);
      expect(own?.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
      expect(shown?.questions[0]?.turns).toEqual([own?.turns[0], own?.turns[2]]);
      const linked = await restricted.create('beside');
      await restricted.finished(linked.id);
      expect(await readAs(restricted, 'bob', linked.read_token)).toEqual([]);
    } finally {
      await restricted.stop();
    }
  });
});

describe('spec 5', () => {
  test('spec 5: the access token is required on all requests, as Authorization: token', async () => {
    expect(await statusOf('GET', '', undefined, { Authorization: 'token test-token' })).toBe(200);
    expect(await statusOf('GET', '', undefined, { Authorization: 'token wrong' })).toBe(401);
  });

  test('spec 5: bearer OAuth tokens (not shown) are accepted; an access token under Bearer is not', async () => {
    expect(await statusOf('GET', '', undefined, { Authorization: `Bearer ${OAUTH_TOKEN}` })).toBe(200);
    expect(await statusOf('GET', '', undefined, { Authorization: 'Bearer test-token' })).toBe(401);
  });

  test('spec 5: a token without user:all is forbidden', async () => {
    const token = await server.tokenWith(['externalapi:read', 'externalapi:write']);
    expect(await statusOf('GET', '', undefined, { Authorization: `token ${token}` })).toBe(403);
  });
});

describe('spec 6', () => {
  test('spec 6: a client learns of completion by polling: updated_at in the list moves when a question ends', async () => {
    const { id, end } = await held();
    // Each step takes a few milliseconds.
    await eventually(async () => expect(questionOf(await server.get(id)).turns.length).toBeGreaterThan(2));
    const { created_at } = await server.get(id);
    await end();
    const after = (await server.list(`?filter_id=${id}`)).conversations[0];
    expect(after?.questions[0]?.status).toBe('completed');
    expect(after?.updated_at).toBe(after?.questions[0]?.updated_at);
    expect(Date.parse(after?.updated_at ?? '')).toBeGreaterThan(Date.parse(created_at));
  });
});

describe('spec 7', () => {
  test.each([
    [200, 'GET', '', undefined, {}],
    [202, 'POST', '', { question: 'x' }, {}],
    [400, 'POST', '', { question: '' }, {}],
    [401, 'GET', '', undefined, { Authorization: 'token wrong' }],
    [404, 'GET', '/999999', undefined, {}],
  ])('spec 7: status %s is used as listed: %s %s', async (status, method, path, body, headers) => {
    const response = await server.call(method, path, body, headers);
    expect(response.status).toBe(status);
    // A refusal (form not shown) says in words what is wrong, at the top and under `error`.
    if (status >= 400) {
      const { message, error } = (await response.json()) as { message: string; error: unknown };
      isText(message);
      expect(error).toEqual({ status, message });
    }
  });

  test('spec 7: status 500 is an internal error, without its details', async () => {
    const broken = await startConversationServer();
    const { id } = await broken.create('x');
    await broken.finished(id);
    // A part of the service breaks.
    broken.conversations.get = () => {
      throw new Error('secret detail');
    };
    try {
      const response = await broken.call('GET', `/${id}`);
      expect([response.status, await response.json()]).toEqual([
        500,
        { message: 'Internal server error.', error: { status: 500, message: 'Internal server error.' } },
      ]);
      expect(broken.problems).toHaveLength(1);
    } finally {
      await broken.stop();
    }
  });
});

describe('spec 8', () => {
  test('spec 8: quota_usage counts answered questions up to the limit; beyond it a question ends with RateLimitExceeded', async () => {
    const limited = await startConversationServer({ quota: 1, clock: () => Date.UTC(2026, 2, 5, 9) });
    try {
      const first = await limited.create('one');
      expect((await limited.finished(first.id)).quota_usage).toEqual({
        total_quota: 1,
        quota_limit: 1,
        reset_time: '2026-03-06T00:00:00.000Z',
      });
      const refused = await limited.call('POST', '', { question: 'two' });
      expect(refused.status).toBe(202);
      const question = questionOf(await limited.finished(((await refused.json()) as WireConversation).id));
      expect(question).toMatchObject({ status: 'completed', error: { kind: 'RateLimitExceeded' } });
      expect(Object.keys(question.error ?? {}).toSorted()).toEqual(['details', 'kind', 'message', 'title']);
    } finally {
      await limited.stop();
    }
  });

  test('spec 8: two questions at once do not share the last credit', async () => {
    const limited = await startConversationServer({ quota: 1 });
    try {
      const { id, end } = await held(limited);
      const second = await limited.create('two');
      expect(questionOf(await limited.finished(second.id)).error?.kind).toBe('RateLimitExceeded');
      await end();
      expect((await limited.finished(id)).quota_usage?.total_quota).toBe(0);
      const third = await limited.create('three');
      expect(questionOf(await limited.finished(third.id))).toHaveProperty('answer');
    } finally {
      await limited.stop();
    }
  });

  test('spec 8: the request rate limit (not shown) is 429 with Retry-After when it is set', async () => {
    const limited = await startConversationServer({ rateLimit: 2, clock: () => 1_700_000_000_000 });
    try {
      await limited.list();
      await limited.list();
      const response = await limited.call('GET', '');
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30']);
      expect(await response.json()).toMatchObject({ error: { status: 429 } });
    } finally {
      await limited.stop();
    }
  });
});

describe('spec 9', () => {
  test('spec 9: the version v1 is in the path prefix, and no other is known', async () => {
    expect(await statusOf('GET', '/.api/deepsearch/v1')).toBe(200);
    for (const path of ['/.api/deepsearch', '/.api/deepsearch/v0', '/.api/deepsearch/v2']) {
      expect(await statusOf('GET', path)).toBe(404);
    }
  });
});
