import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarbourRepository } from '../support/repository.ts';
import { createCaller, startTestService, type WireConversation, type WireQuestion } from '../support/service.ts';

const repository = createHarbourRepository();
let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService({
    repos: [repository.path],
    tokens: [
      { username: 'alice', token: 'test-token' },
      { username: 'bob', token: 'bob-token' },
    ],
  });
});

afterAll(async () => {
  await service.stop();
  repository.remove();
});

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('creating and reading a conversation', () => {
  test('returns 202 at once with one question in progress, as the contract shows it', async () => {
    const response = await service.call('POST', '', { question: 'Where is retryDelay defined?' });
    expect(response.status).toBe(202);
    expect(response.headers.get('content-type')).toContain('application/json');
    const conversation = (await response.json()) as WireConversation;
    const [question] = conversation.questions;
    expect(conversation).toMatchObject({
      user_id: expect.any(Number),
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
    });
    expect(conversation.read_token).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(conversation.share_url).toBe(`${service.url}/deepsearch/${conversation.read_token}`);
    expect(conversation).not.toHaveProperty('viewer');
    expect(question).toMatchObject({
      conversation_id: conversation.id,
      question: 'Where is retryDelay defined?',
      status: 'processing',
      suggested_followups: null,
      turns: [{ role: 'user', timestamp: expect.any(Number), reasoning: 'Where is retryDelay defined?' }],
    });
    expect(Object.values(question?.stats ?? {})).toEqual(Array(9).fill(0));
    expect(question).not.toHaveProperty('answer');
  });

  test('returns every field of a finished question, and with the conversation its viewer and quota', async () => {
    const created = await service.create('Where is retryDelay defined?');
    const conversation = await service.finished(created.id);
    const question = conversation.questions[0] as WireQuestion;
    expect(question.title).toContain('retryDelay');
    expect(question.answer).toContain('`retryDelay`');
    const head = repository.git('rev-parse', 'HEAD').trim();
    const place = `/github.com/harbour-org/harbour@${head}/-/blob/src/retry.ts?L4-7`;
    expect(question.answer).toContain(`](${service.url}${place})`);
    expect(question.sources).toContainEqual({
      type: 'File',
      link: place,
      label: 'src/retry.ts:4-7',
    });
    expect(question.sources).toContainEqual({
      type: 'Repository',
      link: '/github.com/harbour-org/harbour',
      label: 'github.com/harbour-org/harbour',
    });
    expect(question.suggested_followups).toHaveLength(3);
    expect(question.stats).toMatchObject({
      credits: 1,
      tool_calls: expect.any(Number),
      total_tokens: expect.any(Number),
    });
    expect(question.stats.tool_calls).toBeGreaterThan(0);
    expect(question.turns.map(({ role }) => role)).toEqual([
      'user',
      ...Array(question.turns.length - 1).fill('assistant'),
    ]);
    expect(question.turns.length).toBeGreaterThan(3);
    expect(question.turns.at(-1)?.reasoning).toBe(question.answer);
    expect(conversation.viewer).toEqual({ is_owner: true });
    expect(conversation.quota_usage).toMatchObject({ quota_limit: -1, reset_time: expect.stringMatching(ISO) });
    expect(conversation.updated_at).toBe(question.updated_at);
  });

  test('returns only links that open', async () => {
    for (const asked of ['How does withRetries work?', 'why was the delay capped?', 'what is this repository about?']) {
      const { answer = '', sources = [] } = await service.answer(asked);
      const links = [...answer.matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => link ?? '');
      expect(links.length).toBeGreaterThan(0);
      for (const link of [...links, ...sources.map((source) => `${service.url}${source.link}`)]) {
        expect([link, (await fetch(link)).status]).toEqual([link, 200]);
      }
    }
  });

  test.each([[{}], [{ question: 3 }], [{ question: '' }], [{ question: ' \n\t' }], [[]], ['{'], ['"text"']])(
    'refuses %j with 400',
    async (body) => {
      const response = await service.call('POST', '', body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        message: expect.any(String),
        error: { status: 400, message: expect.any(String) },
      });
    },
  );

  test('refuses a body over the limit with 413', async () => {
    expect((await service.call('POST', '', { question: 'x'.repeat(1_100_000) })).status).toBe(413);
  });

  test('accepts a huge question, which fails as too long', async () => {
    const { status, error, suggested_followups } = await service.answer('x'.repeat(100_000));
    expect(status).toBe('completed');
    expect(error).toMatchObject({
      kind: 'TokenLimitExceeded',
      title: expect.any(String),
      message: expect.any(String),
      details: expect.any(String),
    });
    expect(suggested_followups).toEqual([]);
  });

  test.each(['/999999', '/999999/questions', '/999999/questions/1/cancel'])('does not find %s', async (path) => {
    const method = path === '/999999' ? 'GET' : 'POST';
    const response = await service.call(method, path, method === 'POST' ? { question: 'x' } : undefined);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: expect.any(String),
      error: { status: 404, message: expect.any(String) },
    });
  });

  test.each(['/abc', '/0', '/1/x', '/1/questions/2', '/1/questions/2/stop', '/1/questions/2/cancel/3'])(
    'does not know the path %s',
    async (path) => {
      expect((await service.call('GET', path)).status).toBe(404);
    },
  );

  test.each([
    ['PUT', ''],
    ['PATCH', '/1'],
    ['DELETE', ''],
    ['GET', '/1/questions'],
    ['GET', '/1/questions/1/cancel'],
  ])('does not allow %s %s', async (method, path) => {
    const response = await service.call(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBeTruthy();
    expect(await response.json()).toMatchObject({ error: { status: 405 } });
  });
});

describe('a follow-up', () => {
  test('returns the question alone with 202 and builds on the conversation', async () => {
    const { id } = await service.create('Where is retryDelay defined?');
    await service.finished(id);
    const response = await service.call('POST', `/${id}/questions`, {
      conversation_id: id,
      question: 'And where is it used?',
    });
    expect(response.status).toBe(202);
    const question = (await response.json()) as WireQuestion;
    expect(question).toMatchObject({ conversation_id: id, question: 'And where is it used?', status: 'processing' });
    expect(question).not.toHaveProperty('questions');
    const { questions } = await service.finished(id);
    expect(questions.map(({ id: own }) => own)).toEqual([expect.any(Number), question.id]);
    expect(questions[1]?.answer).toContain('`retryDelay`');
    expect(questions[1]?.answer).toContain('withRetries');
  });

  test('is refused with a different conversation_id', async () => {
    const { id } = await service.create('retry');
    await service.finished(id);
    expect((await service.call('POST', `/${id}/questions`, { conversation_id: id + 1, question: 'x' })).status).toBe(
      400,
    );
    expect((await service.call('POST', `/${id}/questions`, { conversation_id: id })).status).toBe(400);
  });
});

describe('deleting a conversation', () => {
  test('returns 204 without a body, and removes the conversation', async () => {
    const { id } = await service.create('retry');
    const response = await service.call('DELETE', `/${id}`);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect((await service.call('GET', `/${id}`)).status).toBe(404);
    expect((await service.call('DELETE', `/${id}`)).status).toBe(404);
  });
});

describe('a user', () => {
  test('sees, changes and lists only their conversations', async () => {
    const { id, user_id } = await service.create('retry');
    const bob = createCaller(service.url, 'bob-token');
    expect((await bob.call('GET', `/${id}`)).status).toBe(404);
    expect((await bob.call('DELETE', `/${id}`)).status).toBe(404);
    expect((await bob.call('POST', `/${id}/questions`, { question: 'x' })).status).toBe(404);
    expect((await bob.list()).conversations).toEqual([]);
    expect((await bob.list(`?filter_user_id=${user_id}`)).conversations).toEqual([]);
  });
});
