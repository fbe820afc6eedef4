import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHarbourRepository } from '../support/repository.ts';
import { createCaller, startTestService } from '../support/service.ts';

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

test.each([
  undefined,
  'token wrong',
  'Bearer wrong',
  'Basic dGVzdA==',
  'token',
  'test-token',
  'Bearer test-token',
  'token-sudo user="alice",token="wrong"',
])('the header Authorization: %s is refused with 401', async (header) => {
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/.api/graphql'],
  ] as const) {
    const response = await service.call(
      method,
      path,
      method === 'POST' ? { query: '{ currentUser { username } }' } : undefined,
      { Authorization: header },
    );
    expect(response.status).toBe(401);
    const message = expect.any(String);
    const inGraphql = { errors: [{ message, extensions: { code: 'UNAUTHENTICATED', status: 401 } }] };
    expect(await response.json()).toEqual(path === '' ? { message, error: { status: 401, message } } : inGraphql);
  }
});

test.each([
  ['token test-token', 'alice'],
  ['Token bob-token', 'bob'],
  ['token-sudo user="bob", token="test-token"', 'bob'],
])('the header %s admits %s', async (header, username) => {
  const response = await service.call(
    'POST',
    '/.api/graphql',
    { query: '{ currentUser { username } }' },
    { Authorization: header },
  );
  expect(await response.json()).toEqual({ data: { currentUser: { username } } });
  expect((await service.call('GET', '', undefined, { Authorization: header })).status).toBe(200);
});

test('a user named by sudo owns what was asked in that name', async () => {
  const sudo = { Authorization: 'token-sudo user="bob",token="test-token"' };
  const response = await service.call('POST', '', { question: 'retry' }, sudo);
  const { id } = (await response.json()) as { id: number };
  expect((await service.call('GET', `/${id}`)).status).toBe(404);
  expect((await createCaller(service.url, 'bob-token').call('GET', `/${id}`)).status).toBe(200);
});

describe('the paths of the service', () => {
  test('answer a health check without a token', async () => {
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({
      status: 'ok',
      repositories: 1,
      files: 7,
      unread: 0,
      unreadable: 0,
    });
  });

  test.each(['/nothing', '/favicon.ico', '/github.com/harbour-org/other'])('do not include %s', async (path) => {
    const response = await fetch(`${service.url}${path}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: expect.any(String),
      error: { status: 404, message: expect.any(String) },
    });
  });

  test('are refused to a foreign host name, so that no web page reads a local service by DNS rebinding', async () => {
    const { hostname, port } = new URL(service.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request({ hostname, port, path: '/', headers: { Host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });
});

describe('the limits of the service', () => {
  test('answer too many requests of one user with 429 and the time to wait', async () => {
    const limited = await startTestService({
      repos: [],
      tokens: [
        { username: 'alice', token: 'test-token' },
        { username: 'bob', token: 'bob-token' },
      ],
      rateLimit: 2,
      clock: () => 1_700_000_000_000,
    });
    try {
      await limited.list();
      await limited.list();
      const response = await limited.call('POST', '', { question: 'retry' });
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe('30');
      expect(await response.json()).toEqual({
        message: expect.any(String),
        error: { status: 429, message: expect.any(String) },
      });
      expect((await createCaller(limited.url, 'bob-token').call('GET', '/1')).status).toBe(404);
    } finally {
      await limited.stop();
    }
  });

  test.each(['hello', 'Where is the blockchain consensus?'])(
    'cost nothing for %j, which gets no answer',
    async (question) => {
      const limited = await startTestService({ repos: [repository.path], quota: 1 });
      try {
        const { id } = await limited.create(question);
        const { questions, quota_usage } = await limited.finished(id);
        expect([questions[0]?.status, questions[0]?.stats.credits, quota_usage?.total_quota]).toEqual([
          'completed',
          0,
          0,
        ]);
      } finally {
        await limited.stop();
      }
    },
  );

  test('count a quota, show it, and end a question beyond it with a failure that says so', async () => {
    const limited = await startTestService({ repos: [repository.path], quota: 1 });
    try {
      const first = await limited.create('Where is retryDelay?');
      expect((await limited.finished(first.id)).quota_usage).toMatchObject({ total_quota: 1, quota_limit: 1 });
      const second = await limited.answer('Where is withRetries?');
      expect(second).toMatchObject({ status: 'completed', error: { kind: 'RateLimitExceeded' } });
      expect(second).toMatchObject({ title: 'Quota used up', answer: '', sources: [] });
    } finally {
      await limited.stop();
    }
  });
});

describe('sharing of conversations', () => {
  test('that is off lets a read token open only the reader’s conversations', async () => {
    const { read_token } = await service.create('retry');
    expect((await service.list(`?filter_read_token=${read_token}`)).conversations).toHaveLength(1);
    expect(
      (await createCaller(service.url, 'bob-token').list(`?filter_read_token=${read_token}`)).conversations,
    ).toEqual([]);
  });

  test('that is on lets a read token open another user’s conversation, for reading only', async () => {
    const shared = await startTestService({
      repos: [repository.path],
      sharing: true,
      tokens: [
        { username: 'alice', token: 'test-token' },
        { username: 'bob', token: 'bob-token' },
      ],
    });
    try {
      const { id, read_token } = await shared.create('retry');
      const bob = createCaller(shared.url, 'bob-token');
      expect(
        (await bob.list(`?filter_read_token=${read_token}`)).conversations.map((conversation) => conversation.id),
      ).toEqual([id]);
      expect((await bob.list()).conversations).toEqual([]);
      expect((await bob.call('DELETE', `/${id}`)).status).toBe(404);
    } finally {
      await shared.stop();
    }
  });
});
