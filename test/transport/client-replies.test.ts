import { describe, expect, test } from 'vitest';
import { hangUp, json, type Reply, silence, status, text } from '../support/fake-service/scripted-server.ts';
import type { DeepSearchClient } from '../support/service/open-client.ts';
import { connect, conversation, errorOf, question } from './setup.ts';

const HTML = '<html><body>Bad gateway</body></html>';

describe('creating a conversation', () => {
  test.each([200, 201, 202])('accepts the status %i', async (code) => {
    const { client, server } = await connect();
    server.script(json(conversation(), code));

    await expect(client.create('where?')).resolves.toMatchObject({ id: 7, questions: [{ id: 11 }] });

    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/.api/deepsearch/v1', body: '{"question":"where?"}' });
    expect(request?.headers).toMatchObject({
      'x-requested-with': 'deepsearch-slack 1.2.3',
      authorization: 'token sgp_secret',
      accept: 'application/json',
      'content-type': 'application/json',
      prefer: 'respond-async',
    });
  });

  test('accepts a conversation that is completed at once', async () => {
    const { client, server } = await connect();
    server.script(json(conversation({ questions: [question({ status: 'completed', answer: 'There.' })] })));
    const created = await client.create('where?');
    expect(created.questions[0]).toMatchObject({ status: 'completed', answer: 'There.' });
  });

  test('ignores informational replies before the final one', async () => {
    const { client, server } = await connect();
    server.script((response, request) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      json(conversation(), 202)(response, request);
    });
    await expect(client.create('where?')).resolves.toMatchObject({ id: 7 });
  });
});

describe('a failed reply', () => {
  const cases: [string, Reply, Record<string, unknown>][] = [
    ['400', status(400), { kind: 'refused', code: 400, outcomeUnknown: false }],
    ['401', status(401), { kind: 'unauthorized', code: 401, outcomeUnknown: false }],
    ['403', status(403), { kind: 'unauthorized', code: 403, outcomeUnknown: false }],
    ['404', status(404), { kind: 'notFound', code: 404, outcomeUnknown: false }],
    ['422', status(422), { kind: 'refused', code: 422, outcomeUnknown: false }],
    ['429', status(429), { kind: 'rateLimited', retryAfterMs: undefined, outcomeUnknown: false }],
    ['429 with seconds', status(429, { 'retry-after': '90' }), { kind: 'rateLimited', retryAfterMs: 90_000 }],
    [
      '429 with a date',
      status(429, { 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }),
      { kind: 'rateLimited', retryAfterMs: 120_000 },
    ],
    ['429 with nonsense', status(429, { 'retry-after': 'soon' }), { kind: 'rateLimited', retryAfterMs: undefined }],
    ['500', json({ error: 'boom' }, 500), { kind: 'unavailable', code: 500, outcomeUnknown: true }],
    ['502 with a page', text(HTML, 'text/html', 502), { kind: 'unavailable', code: 502, outcomeUnknown: true }],
    ['503', status(503, { 'retry-after': '3' }), { kind: 'unavailable', retryAfterMs: 3_000, outcomeUnknown: true }],
    ['504', status(504), { kind: 'unavailable', code: 504, outcomeUnknown: true }],
    ['200 with a page', text(HTML, 'text/html; charset=utf-8'), { kind: 'badReply', outcomeUnknown: true }],
    ['invalid JSON', text('{"id": 7, "ques', 'application/json'), { kind: 'badReply', outcomeUnknown: true }],
    ['an empty body', status(200), { kind: 'badReply', outcomeUnknown: true }],
    [
      'an id that leads elsewhere',
      json({ ...conversation(), ...question({ id: '../7' }) }),
      { kind: 'badReply', outcomeUnknown: true },
    ],
    ['a list', json([]), { kind: 'badReply', outcomeUnknown: true }],
    ['null', json(null), { kind: 'badReply', outcomeUnknown: true }],
    ['a lost connection', hangUp, { kind: 'unavailable', outcomeUnknown: true }],
  ];

  test.each([404, 405, 410])('to a creation that no route takes says that the API is gone: %i', async (code) => {
    const { client, server } = await connect();
    server.script(status(code), json({ message: 'no Route matched with those values' }, code));
    expect(await errorOf(client.create('q'))).toMatchObject({ code: 'apiGone', outcomeUnknown: false });
    expect(await errorOf(client.create('q'))).toMatchObject({ code: 'apiGone', outcomeUnknown: false });
  });

  const ofCreation = cases.filter(([name]) => name !== '404');
  test.each(ofCreation)(
    'to a creation sets the kind and the outcome of the error: %s',
    async (_name, reply, expected) => {
      const { client, server } = await connect({ clock: () => Date.UTC(2026, 0, 1) });
      server.script(reply);
      expect(await errorOf(client.create('where?'))).toMatchObject(expected);
      expect(server.requests).toHaveLength(1);
    },
  );

  test.each(cases)('to a follow-up sets the kind and the outcome of the error: %s', async (_name, reply, expected) => {
    const { client, server } = await connect({ clock: () => Date.UTC(2026, 0, 1) });
    server.script(reply);
    expect(await errorOf(client.addQuestion(7, 'and?'))).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  test('never puts its body into the error', async () => {
    const { client, server } = await connect();
    server.script(text('{"private words', 'application/json'), json({ id: 'private words' }), json({}, 400));
    for (const _ of [1, 2, 3]) {
      const error = await errorOf(client.create('private words'));
      expect(`${error.message} ${error.cause}`).not.toContain('private');
    }
  });

  test('never puts a read token into the error', async () => {
    const { client, server } = await connect();
    server.script(status(400));
    expect((await errorOf(client.readByToken('b4d-t0ken'))).message).not.toContain('b4d-t0ken');
  });
});

describe('a compressed reply', () => {
  test('is not asked for, and its error names the coding', async () => {
    const { client, server } = await connect();
    const gzipped = (code: number) => json(conversation(), code, { 'content-encoding': 'gzip' });
    server.script(
      gzipped(200),
      gzipped(201),
      gzipped(400),
      json(conversation(), 200, { 'content-encoding': 'identity' }),
    );
    expect(await errorOf(client.get(7))).toMatchObject({
      kind: 'badReply',
      code: 'compressed_gzip',
      message: 'GET /.api/deepsearch/v1/7: the reply has the content coding gzip',
    });
    expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'badReply', outcomeUnknown: true });
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'refused', code: 400 });
    await client.get(7);
    expect(new Set(server.requests.map(({ headers }) => headers['accept-encoding']))).toEqual(new Set(['identity']));
  });
});

describe('the message of a failure', () => {
  const limit = 'question must have at most 10,000 characters';
  // Made up, and put together here, so that no scanner of this repository takes them for real.
  const credential = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const token = `eyJ${'a1B2c3D4e5'.repeat(20)}.eyJ${'a1B2c3D4e5'.repeat(20)}.${'a1B2c3D4e5'.repeat(4)}`;

  test.each<[string, Reply, string | undefined]>([
    ['a message', json({ message: limit }, 400), limit],
    ['an error with a message', json({ error: { status: 400, message: limit } }, 400), limit],
    ['an error that is a text', json({ error: limit }, 400), limit],
    ['plain text', text(`${limit}\n`, 'text/plain; charset=utf-8', 400), limit],
    [
      'several lines and marks',
      json({ message: 'question\n\tmust \u202ebe\u0000 short' }, 400),
      'question must be short',
    ],
    ['a long message', json({ message: 'x'.repeat(10_000) }, 400), `${'x'.repeat(299)}…`],
    [
      'a long message, without the part of a credential at the cut',
      json({ message: `${'not here '.repeat(31)}${credential} either` }, 400),
      `${'not here '.repeat(31)}…`,
    ],
    ['a credential that is longer than what is kept', json({ message: token }, 400), undefined],
    ['a page', text('<p>No</p>', 'text/html', 400), undefined],
    ['a page that is called text', text('<p>No</p>', 'text/plain', 400), undefined],
    ['no text', json({ message: 7, error: { message: null } }, 400), undefined],
    ['nothing', status(400), undefined],
    ['what was asked', json({ message: 'bad: where is "the secret plan" kept?' }, 400), undefined],
  ])('is read from %s', async (_name, reply, said) => {
    const { client, server } = await connect();
    server.script(reply);
    expect((await errorOf(client.create('where is "the secret plan" kept?'))).said).toBe(said);
  });

  test('is read as far as it comes within a second', async () => {
    const { client, server } = await connect();
    server.script((response) => {
      response.writeHead(403, { 'content-type': 'text/plain' });
      response.write('no right to ask');
    });
    expect(await errorOf(client.create('where?'))).toMatchObject({ code: 403, said: 'no right to ask' });
  });
});

describe('a temporary failure', () => {
  const safeCalls: [string, (client: DeepSearchClient) => Promise<unknown>, Reply][] = [
    ['get', (client) => client.get(7), json(conversation())],
    ['list', (client) => client.list(), json([])],
    ['delete', (client) => client.delete(7), status(204)],
    ['cancel', (client) => client.cancelQuestion(7, 11), status(204)],
    [
      'the names of repositories',
      (client) => client.repositoryNames(['acme/web']),
      json({ data: { repositories: { nodes: [{ name: 'acme/web' }] } } }),
    ],
  ];

  test.each(safeCalls)('of %s is followed by two repetitions', async (_name, call, success) => {
    const { client, server } = await connect();
    server.script(status(503), hangUp, success);
    await call(client);
    expect(server.requests).toHaveLength(3);
  });

  test.each(safeCalls)('of %s is final after two repetitions', async (_name, call) => {
    const { client, server } = await connect();
    server.script(status(500), status(502), text(HTML, 'text/html', 504));
    expect(await errorOf(call(client))).toMatchObject({ kind: 'unavailable', code: 504, outcomeUnknown: false });
    expect(server.requests).toHaveLength(3);
  });

  test('is not repeated before the time that the service named', async () => {
    const { client, server } = await connect({ timeoutMs: 3_000 });
    server.script(status(429, { 'retry-after': '0.3' }), json(conversation()));
    const startedMs = performance.now();
    await client.get(7);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(295);
  });

  test('is not waited for beyond the time limit of the call', async () => {
    const { client, server } = await connect({ timeoutMs: 1_000 });
    server.script(status(429, { 'retry-after': '60' }));
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'rateLimited', retryAfterMs: 60_000 });
    expect(server.requests).toHaveLength(1);
  });

  test('is distinguished from a permanent failure', async () => {
    const { client, server } = await connect();
    server.script(status(400), text('nonsense', 'application/json'));
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'refused' });
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'badReply', outcomeUnknown: false });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a missing reply', () => {
  const slowBody: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"id": 7,');
  };
  const slow: [string, Reply][] = [
    ['head', silence],
    ['body', slowBody],
  ];

  test.each(slow)('is a failure where its %s does not arrive in time', async (_name, reply) => {
    const { client, server } = await connect({ timeoutMs: 150, createTimeoutMs: 150 });
    server.script(reply, reply);
    expect(await errorOf(client.create('where?'))).toMatchObject({
      kind: 'unavailable',
      code: 'timeout',
      outcomeUnknown: true,
    });
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unavailable', code: 'timeout', outcomeUnknown: false });
    expect(server.requests).toHaveLength(2);
  });

  test('is a failure where it is cut off, with an announced length', async () => {
    const { client, server } = await connect();
    const cutOff: Reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id": 7,', () => response.destroy());
    };
    server.script(cutOff, cutOff, json(conversation()));
    expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
    await expect(client.get(7)).resolves.toMatchObject({ id: 7 });
    expect(server.requests).toHaveLength(3);
  });

  test('is a failure where it is cut off, in chunks', async () => {
    const { client, server } = await connect();
    server.script((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id": 7,', () => response.destroy());
    });
    expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
  });

  test('has the status of its failure, however slow its body', async () => {
    const { client, server } = await connect({ createTimeoutMs: 5_000 });
    server.script((response) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.write('<html>');
    });
    expect(await errorOf(client.create('where?'))).toMatchObject({ code: 502 });
  });
});

describe('a reply of 50 MB', () => {
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  test.each([
    ['announced', { 'content-length': String(50 * megabyte.length) }],
    ['unannounced', {}],
  ])('is refused where it is %s', async (_name, length: Record<string, string>) => {
    const { client, server } = await connect();
    const dropped = new Promise<void>((resolve) => {
      server.script((response) => {
        response.on('close', resolve);
        response.writeHead(200, { 'content-type': 'application/json', ...length });
        for (let sent = 0; sent < 50; sent += 1) response.write(megabyte);
        response.end();
      });
    });
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'badReply', code: 'tooLarge' });
    await dropped;
    expect(server.requests).toHaveLength(1);
  });

  test('is within a limit that can be set, which counts bytes', async () => {
    const { client, server } = await connect({ maxResponseBytes: 200 });
    server.script(json(conversation({ title: 'ä'.repeat(100) })), json(conversation({ title: 'a'.repeat(50) })));
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'badReply' });
    await expect(client.get(7)).resolves.toMatchObject({ id: 7 });
  });
});

describe('follow-up, cancel and delete', () => {
  test('send the id of the conversation twice for a follow-up', async () => {
    const { client, server } = await connect();
    server.script(json(question({ id: 12, question: 'and?' }), 202));
    await expect(client.addQuestion(7, 'and?')).resolves.toMatchObject({ id: 12 });
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/.api/deepsearch/v1/7/questions' });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ conversation_id: 7, question: 'and?' });
  });

  test('accept the whole conversation as a reply to a follow-up', async () => {
    const { client, server } = await connect();
    server.script(json(conversation({ questions: [question(), question({ id: 12 })] })));
    await expect(client.addQuestion(7, 'and?')).resolves.toMatchObject({ id: 12 });
  });

  test('refuse an empty conversation as a reply to a follow-up', async () => {
    const { client, server } = await connect();
    server.script(json(conversation({ questions: [] })));
    expect(await errorOf(client.addQuestion(7, 'and?'))).toMatchObject({ kind: 'badReply', outcomeUnknown: true });
  });

  test.each([
    ['without a body', status(204)],
    ['with a question', json(question())],
    ['with any content', text('OK', 'text/plain')],
  ])('accept a reply to cancel and delete %s', async (_name, reply) => {
    const { client, server } = await connect();
    server.script(reply, reply);
    await client.cancelQuestion(7, 11);
    await client.delete(7);
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /.api/deepsearch/v1/7/questions/11/cancel',
      'DELETE /.api/deepsearch/v1/7',
    ]);
  });

  test('accept a deletion of what is gone', async () => {
    const { client, server } = await connect();
    server.script(status(404));
    await client.delete(7);
  });
});

describe('a GraphQL query', () => {
  test('names the current user', async () => {
    const { client, server } = await connect();
    server.script(json({ data: { currentUser: { username: 'ada' } } }));
    await expect(client.currentUser()).resolves.toEqual({ username: 'ada' });
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/.api/graphql' });
  });

  test.each([
    ['an anonymous user', { data: { currentUser: null } }, 'unauthorized'],
    ['errors', { errors: [{ message: 'no such field' }] }, 'refused'],
    ['no data', {}, 'badReply'],
    ['the data null', { data: null }, 'badReply'],
  ])('fails where the reply has %s', async (_name, reply, kind) => {
    const { client, server } = await connect();
    server.script(json(reply));
    expect(await errorOf(client.currentUser())).toMatchObject({ kind });
  });
});
