import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts';
import { createCaller, startTestService } from '../support/service.ts';

let server: ConversationServer;

beforeAll(async () => {
  server = await startConversationServer();
});

afterAll(async () => {
  await server.stop();
});

const refusal = (status: number) => ({
  message: expect.any(String),
  error: { status, message: expect.any(String) },
});

describe('X-Requested-With', () => {
  test.each([undefined, '', ' ', '1.0', '-/-'])('of "%s" is refused on a write with 400', async (value) => {
    for (const [method, path, body] of [
      ['POST', '', { question: 'x' }],
      ['POST', '/1/questions', { question: 'x' }],
      ['POST', '/1/questions/1/cancel', undefined],
      ['DELETE', '/1', undefined],
    ] as const) {
      const response = await server.call(method, path, body, { 'X-Requested-With': value });
      expect([response.status, await response.json()]).toEqual([
        400,
        { message: expect.stringContaining('X-Requested-With'), error: { status: 400, message: expect.any(String) } },
      ]);
    }
  });

  test.each(['my-client 1.0', 'my-client/1.0', 'XMLHttpRequest', 'Müller'])('of "%s" is enough', async (value) => {
    const { status } = await server.call('POST', '', { question: 'x' }, { 'X-Requested-With': value });
    expect(status).toBe(202);
  });

  test('is not needed on a GET', async () => {
    expect((await server.call('GET', '', undefined, { 'X-Requested-With': undefined })).status).toBe(200);
  });
});

describe('the body of a write', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('of the type %s is refused with 415', async (type) => {
    const response = await server.call('POST', '', { question: 'x' }, { 'Content-Type': type });
    expect([response.status, await response.json()]).toEqual([415, refusal(415)]);
    expect(response.headers.get('accept-post')).toBe('application/json');
  });

  test.each(['application/json', 'application/json;charset=UTF-8', 'Application/Json; charset=iso-8859-1'])(
    'of the type %s is read',
    async (type) => {
      expect((await server.call('POST', '', { question: 'x' }, { 'Content-Type': type })).status).toBe(202);
    },
  );

  test('without a type is read as JSON', async () => {
    const headers = { Authorization: 'token test-token', 'X-Requested-With': 'test 1.0' };
    // fetch adds no type to bytes.
    const body = new TextEncoder().encode('{"question":"x"}');
    const response = await fetch(`${server.url}/.api/deepsearch/v1`, { method: 'POST', headers, body });
    expect(response.status).toBe(202);
  });

  const postPacked = (text: string | Buffer) =>
    fetch(`${server.url}/.api/deepsearch/v1`, {
      method: 'POST',
      headers: {
        Authorization: 'token test-token',
        'X-Requested-With': 'test 1.0',
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
      },
      body: gzipSync(text),
    });

  test('may be packed with gzip', async () => {
    expect((await postPacked('{"question":"packed"}')).status).toBe(202);
  });

  test('that unpacks to more than the limit is refused with 413', async () => {
    const response = await postPacked(Buffer.alloc(20_000_000, ' '));
    expect([response.status, await response.json()]).toEqual([413, refusal(413)]);
  });

  test('in an encoding that is not known is refused with 415', async () => {
    const response = await server.call('POST', '', { question: 'x' }, { 'Content-Encoding': 'br' });
    expect([response.status, await response.json()]).toEqual([415, refusal(415)]);
  });

  test.each([
    'null',
    'true',
    '7',
    '"text"',
    '[]',
    '[{"question":"x"}]',
    '{}',
    '{"question":null}',
    '{"question":7}',
    '{"question":["x"]}',
    '{"question":{"toString":"x"}}',
    '{"__proto__":{"question":"x"}}',
    '{"constructor":{"prototype":{"question":"x"}}}',
    '{"question":"a\\u0000b"}',
    '{"question":"\\ud800 alone"}',
    '{"question":"alone \\udfff"}',
    JSON.stringify({ question: 'x'.repeat(100_001) }),
    `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ])('is refused with 400: %.60s', async (body) => {
    const { id } = await server.create('to follow up');
    await server.finished(id);
    for (const path of ['', `/${id}/questions`]) {
      const response = await server.call('POST', path, body);
      expect([response.status, await response.json()]).toEqual([400, refusal(400)]);
    }
  });

  test('that is refused is not repeated in the message, and is no problem of the service', async () => {
    const response = await server.call('POST', '', { question: 'secret words\0' });
    expect(await response.text()).not.toContain('secret');
    expect(server.problems).toEqual([]);
  });

  test('may hold 100,000 characters of any plane', async () => {
    expect((await server.call('POST', '', { question: '𝒳'.repeat(100_000) })).status).toBe(202);
  });
});

describe('the addresses of the API', () => {
  test.each(['/.api', '/.api/nothing', '/.api/deepsearch/v2', '/.api/deepsearch/v1/x/y', '/.api/deepsearch/v1/1/stop'])(
    'ask for a token before they say that %s is unknown',
    async (path) => {
      const without = await server.call('GET', path, undefined, { Authorization: undefined });
      expect([without.status, await without.json()]).toEqual([401, refusal(401)]);
      const known = await server.call('GET', path);
      expect([known.status, await known.json()]).toEqual([404, refusal(404)]);
    },
  );

  test('ask for a token before they refuse a method or a header', async () => {
    for (const method of ['PUT', 'POST']) {
      const none = { Authorization: undefined, 'X-Requested-With': undefined };
      expect((await server.call(method, '', undefined, none)).status).toBe(401);
    }
  });
});

describe('a service with a generation hidden', () => {
  const probe = async (url: string) => {
    const { call } = createCaller(url);
    const first = await call('GET', '?page_first=1');
    const second = await fetch(`${url}/api/deepsearch.v1.Service/ListConversationSummaries`, {
      method: 'POST',
      headers: { Authorization: 'token test-token', 'Content-Type': 'application/json' },
      body: '{"parent":"users/~self","pageSize":1}',
    });
    const version = await fetch(`${url}/__version`);
    return {
      first: [first.status, first.headers.get('content-type'), await first.text()],
      second: [second.status, await second.text()],
      version: [version.status, version.headers.get('content-type'), await version.text()],
    };
  };

  const shown = [200, 'application/json; charset=utf-8', expect.stringContaining('conversations')];
  const plain = 'text/plain; charset=utf-8';

  test.each([
    [undefined, undefined, { first: shown, second: [200, '{}'], version: [200, plain, '7.0.0'] }],
    [1, undefined, { first: [404, plain, 'no route'], second: [200, '{}'], version: [200, plain, '8.0.0'] }],
    [2, undefined, { first: shown, second: [405, ''], version: [200, plain, '6.12.0'] }],
    [2, '6.7.1', { first: shown, second: [405, ''], version: [200, plain, '6.7.1'] }],
  ] as const)(
    '%s, and the version %s, answers like an instance without it',
    async (hideGeneration, asVersion, seen) => {
      const service = await startTestService({ repos: [], hideGeneration, asVersion });
      try {
        expect(await probe(service.url)).toEqual(seen);
        if (hideGeneration === 1) {
          const { status } = await service.call('GET', '', undefined, { Authorization: undefined });
          expect(status).toBe(401);
        }
      } finally {
        await service.stop();
      }
    },
  );
});

describe('the methods of an address', () => {
  test('HEAD is answered as GET, without a body', async () => {
    const { id } = await server.create('x');
    for (const path of ['', `/${id}`]) {
      const [get, head] = [await server.call('GET', path), await server.call('HEAD', path)];
      expect([head.status, head.headers.get('content-type')]).toEqual([200, get.headers.get('content-type')]);
      expect(await head.text()).toBe('');
    }
    expect((await server.call('HEAD', '/999999')).status).toBe(404);
  });

  test.each([
    ['/.api/deepsearch/v1', 'GET, POST, HEAD'],
    ['/.api/deepsearch/v1/1', 'GET, DELETE, HEAD'],
    ['/.api/deepsearch/v1/1/questions', 'POST'],
    ['/api/deepsearch.v1.Service/GetConversation', 'POST'],
  ])('OPTIONS at %s names them: %s', async (path, allowed) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'OPTIONS',
      headers: { Authorization: 'token test-token' },
    });
    expect([response.status, response.headers.get('allow'), await response.text()]).toEqual([204, allowed, '']);
  });

  test('OPTIONS at the address of GraphQL names its method', async () => {
    const service = await startTestService({ repos: [] });
    try {
      const response = await fetch(`${service.url}/.api/graphql`, { method: 'OPTIONS' });
      expect([response.status, response.headers.get('allow'), await response.text()]).toEqual([204, 'POST', '']);
    } finally {
      await service.stop();
    }
  });

  test('GET at a question is that question', async () => {
    const { id } = await server.create('Where is it?');
    const { questions } = await server.finished(id);
    const response = await server.call('GET', `/${id}/questions/${questions[0]?.id}`);
    expect([response.status, await response.json()]).toEqual([200, questions[0]]);
    for (const path of [`/${id}/questions/999999`, `/999999/questions/${questions[0]?.id}`]) {
      expect((await server.call('GET', path)).status).toBe(404);
    }
  });
});
