import { describe, expect, test } from 'vitest';
import { createGeneration2 } from '../../src/service/generation-2/deep-search.ts';
import { json, silence, status } from '../support/fake-service/scripted-server.ts';
import { targetOf } from '../support/service/cancel-target.ts';
import { bodiesOf, connectSecond, conversation2, markdown, methodsOf, question2 } from './second-generation.ts';
import { connectService, errorOf } from './setup.ts';

describe('every request of the second generation', () => {
  test('is a POST of JSON with the version of the protocol and the headers of the first generation', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(conversation2()));
    await deepSearch.read(140);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/api/deepsearch.v1.Service/GetConversation' });
    expect(request?.headers).toMatchObject({
      'connect-protocol-version': '1',
      'content-type': 'application/json',
      'x-requested-with': 'deepsearch-slack 1.2.3',
      authorization: 'token sgp_secret',
    });
    expect(request?.headers).not.toHaveProperty('connect-timeout-ms');
    expect(request?.headers).not.toHaveProperty('prefer');
  });

  test('goes below the path prefix of the instance', async () => {
    const { service, server } = await connectService();
    const { deepSearch } = createGeneration2(service, `${server.origin}/code/`);
    server.script(json(conversation2({ url: '/code/deepsearch/140' })));
    expect((await deepSearch.read(140)).shareUrl).toBe(`${server.origin}/code/deepsearch/140`);
  });

  test('has exactly the fields of its method', async () => {
    const { deepSearch, server } = await connectSecond();
    const name = 'users/~self/conversations/140';
    server.script(json(conversation2()), json(conversation2()), json({}), json(conversation2()));
    server.script(json(conversation2()), json(conversation2()), json({}), json({}));
    await deepSearch.create('Where?');
    await deepSearch.read(140);
    await deepSearch.followUp(140, 'And?');
    await deepSearch.cancel(140, targetOf());
    await deepSearch.delete(140);
    await deepSearch.newest(5);
    expect(methodsOf(server)).toEqual([
      'CreateConversation',
      'GetConversation',
      'AddConversationQuestion',
      'GetConversation',
      'GetConversation',
      'CancelConversation',
      'DeleteConversation',
      'ListConversationSummaries',
    ]);
    expect(bodiesOf(server)).toEqual([
      { parent: 'users/~self', conversation: { questions: [{ input: [{ question: { text: 'Where?' } }] }] } },
      { name },
      { parent: name, question: { input: [{ question: { text: 'And?' } }] } },
      { name },
      { name },
      { name },
      { name },
      { parent: 'users/~self', pageSize: 5 },
    ]);
  });

  test.each([
    ['abc123', 'abc123'],
    ['007', '007'],
    ['9007199254740993', '9007199254740993'],
    ['"c_01J8"', 'c_01J8'],
  ])('names a conversation whose id is a text by that text: %s', async (id, segment) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(conversation2({ name: `users/12/conversations/${segment}` })));
    expect((await deepSearch.read(id)).id).toBe(segment);
    expect(bodiesOf(server)).toEqual([{ name: `users/~self/conversations/${segment}` }]);
  });
});

describe('creating a conversation', () => {
  test('accepts the reply around the field conversation, with any status of success', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json({ conversation: conversation2() }, 202));
    await expect(deepSearch.create('Where?')).resolves.toMatchObject({ id: 140, questions: [{ text: 'Where?' }] });
  });

  test('returns the question that was sent if the reply has none', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json({ name: 'users/~self/conversations/140' }));
    await expect(deepSearch.create('Where?')).resolves.toMatchObject({
      id: 140,
      questions: [{ ordinal: 0, text: 'Where?', state: 'processing' }],
    });
  });

  test.each([
    ['no name', {}],
    ['a name without an id', { name: 'users/~self/conversations/' }],
    ['a list', []],
    ['null', null],
    ['a number as the name', { name: 140 }],
    ['questions that are no list', { ...conversation2(), questions: 'none' }],
    ['an answer that is a number', { ...conversation2(), questions: [question2('Where?', { answer: 5 })] }],
  ])('fails with an unknown outcome on a reply with %s', async (_name, body) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(body));
    expect(await errorOf(deepSearch.create('Where?'))).toMatchObject({ kind: 'badReply', outcomeUnknown: true });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a follow-up', () => {
  const asked = question2('And?', { createTime: '2026-03-05T09:01:00.123456789Z' });

  test('is returned with the position and state that a read of the conversation tells', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(
      json(asked),
      json(conversation2({ questions: [question2('Where?', { answer: [markdown('There.')] }), asked] })),
    );
    await expect(deepSearch.followUp(140, 'And?')).resolves.toMatchObject({
      ordinal: 1,
      text: 'And?',
      state: 'processing',
      createdMs: Date.UTC(2026, 2, 5, 9, 1, 0, 123),
    });
  });

  test.each([
    ['fails', status(403)],
    ['is no conversation', json({})],
    ['says that the API is gone', status(404)],
  ])('is not lost if that read %s', async (_name, reply) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(asked), reply);
    const question = await deepSearch.followUp(140, 'And?');
    expect(question).toMatchObject({
      text: 'And?',
      state: 'processing',
      createdMs: Date.UTC(2026, 2, 5, 9, 1, 0, 123),
    });
    expect(question).not.toHaveProperty('ordinal');
  });

  test('is not mistaken for an earlier question with the same text', async () => {
    const { deepSearch, server } = await connectSecond();
    const earlier = question2('And?', { answer: 'Because.' });
    server.script(json(asked), json(conversation2({ state: { completed: {} }, questions: [earlier] })));
    expect(await deepSearch.followUp(140, 'And?')).not.toHaveProperty('ordinal');
  });

  test('is found without times if it is the last question, also with other white space', async () => {
    const { deepSearch, server } = await connectSecond();
    const questions = [question2('Where?'), { input: [{ question: { text: 'And\n why?' } }] }, question2('Other?')];
    server.script(json({}), json(conversation2({ questions: questions.slice(0, 2) })));
    server.script(json({}), json(conversation2({ questions })));
    expect(await deepSearch.followUp(140, 'And why?')).toMatchObject({ ordinal: 1 });
    expect(await deepSearch.followUp(140, 'And why?')).not.toHaveProperty('ordinal');
  });

  test.each(['failed_precondition', 'invalid_argument'])(
    'refused with %s while the conversation processes a question is put off',
    async (code) => {
      const { deepSearch, server } = await connectSecond();
      server.script(json({ code }, 400), json(conversation2()));
      expect(await errorOf(deepSearch.followUp(140, 'And?'))).toMatchObject({
        kind: 'rateLimited',
        retryAfterMs: 5_000,
        outcomeUnknown: false,
      });
    },
  );

  test('refused while no question is in progress is refused', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json({ code: 'failed_precondition' }, 400), json(conversation2({ state: { completed: {} } })));
    expect(await errorOf(deepSearch.followUp(140, 'And?'))).toMatchObject({
      kind: 'refused',
      code: 'failed_precondition',
    });
  });
});

describe('cancelling and deleting', () => {
  test.each([
    ['the conversation', json(conversation2({ state: { canceled: {} } }))],
    ['nothing', status(200)],
    ['not_found', json({ code: 'not_found' }, 404)],
    ['failed_precondition', json({ code: 'failed_precondition' }, 400)],
  ])('a running question succeeds with %s', async (_name, reply) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(conversation2()), reply);
    await deepSearch.cancel(140, targetOf({ ordinal: 0 }));
    expect(methodsOf(server)).toEqual(['GetConversation', 'CancelConversation']);
  });

  const answered = question2('Where?', { answer: [markdown('There.')] });
  const someoneElses = question2('Asked by someone else');
  test.each([
    ['that has ended', { state: { completed: {} }, questions: [answered] }],
    ['with an answer, while a later one of someone else runs', { questions: [answered, someoneElses] }],
    ['without an answer, while a later one of someone else runs', { questions: [question2('Where?'), someoneElses] }],
    ['that is not there', { questions: [] }],
  ])('a question %s stops nothing, also if the app knows an id of it', async (_name, fields) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(conversation2(fields)), json(conversation2(fields)));
    await deepSearch.cancel(140, targetOf({ ordinal: 0 }));
    await deepSearch.cancel(140, targetOf({ id: 11, ordinal: 0 }));
    expect(methodsOf(server)).toEqual(['GetConversation', 'GetConversation']);
  });

  test('a question is not tried again without another look, because another one may run by then', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(conversation2()), json({ code: 'unavailable' }, 503), json({}));
    expect(await errorOf(deepSearch.cancel(140, targetOf({ ordinal: 0 })))).toMatchObject({ kind: 'unavailable' });
    expect(methodsOf(server)).toEqual(['GetConversation', 'CancelConversation']);
  });

  test.each([
    ['{}', json({})],
    ['nothing', status(200)],
    ['not_found', json({ code: 'not_found' }, 404)],
  ])('a conversation succeeds with %s', async (_name, reply) => {
    const { deepSearch, server } = await connectSecond();
    server.script(reply);
    await deepSearch.delete(140);
    expect(methodsOf(server)).toEqual(['DeleteConversation']);
  });

  test.each([
    ['permission_denied', 403],
    ['unauthenticated', 401],
    ['invalid_argument', 400],
  ])('fail with %s', async (code, httpStatus) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(conversation2()), json({ code }, httpStatus), json({ code }, httpStatus));
    expect((await errorOf(deepSearch.cancel(140, targetOf()))).message).toContain(code);
    expect((await errorOf(deepSearch.delete(140))).message).toContain(code);
  });
});

describe('a read token', () => {
  test.each(['140', '18446744073709551615'])('of digits only is the id of a conversation: %s', async (digits) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(conversation2({ name: `users/1/conversations/${digits}` })));
    expect(String((await deepSearch.byReadToken(digits)).id)).toBe(digits);
    expect(bodiesOf(server)).toEqual([{ name: `users/~self/conversations/${digits}` }]);
  });

  test.each(['6b8f0000-0000-4000-8000-c0ffee000001', 'abc', '', '007'])(
    'such as "%s" is not sent, and not in the error',
    async (token) => {
      const { deepSearch, server } = await connectSecond();
      const error = await errorOf(deepSearch.byReadToken(token));
      expect(error).toMatchObject({ kind: 'notFound', code: 'noReadTokens' });
      if (token !== '') expect(error.message).not.toContain(token);
      expect(server.requests).toEqual([]);
    },
  );
});

describe('the list', () => {
  const summary = (id: number, second: number) => ({
    name: `users/1/conversations/${id}`,
    createTime: `2026-03-05T09:00:${second}Z`,
    updateTime: `2026-03-05T09:00:${second}Z`,
    title: 'T',
    url: '/deepsearch/x',
  });
  const read = (id: number, second: number) =>
    json(conversation2({ name: `users/1/conversations/${id}`, createTime: `2026-03-05T09:00:${second}Z` }));

  test('is read page by page until a page has no token, and each conversation then by its id', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(
      json({ conversationSummaries: [summary(3, 50)], nextPageToken: 'a b' }),
      json({ conversation_summaries: [summary(2, 40)], next_page_token: '' }),
      json({ conversationSummaries: [summary(3, 50)], nextPageToken: 'a b' }),
      read(3, 50),
      read(2, 40),
    );
    const newest = await deepSearch.newest(1_000, Date.UTC(2026, 2, 5, 9));
    expect(newest.map(({ id, questions }) => [id, questions[0]?.text])).toEqual([
      [3, 'Where?'],
      [2, 'Where?'],
    ]);
    expect(bodiesOf(server).slice(0, 3)).toEqual([
      { parent: 'users/~self', pageSize: 100 },
      { parent: 'users/~self', pageSize: 100, pageToken: 'a b' },
      { parent: 'users/~self', pageSize: 100 },
    ]);
  });

  test('is inconclusive where a token is repeated', async () => {
    const { deepSearch, server } = await connectSecond();
    for (const nextPageToken of ['a', 'b', 'a']) server.script(json({ nextPageToken }));
    const found = deepSearch.newest(1_000, Date.UTC(2026, 2, 5, 9));
    expect(await errorOf(found)).toMatchObject({ kind: 'unavailable', code: 'searchCut' });
    expect(bodiesOf(server).map(({ pageToken }) => pageToken)).toEqual([undefined, 'a', 'b']);
  });

  test('of an account without conversations is an empty object', async () => {
    const { deepSearch, server } = await connectSecond();
    server.script(json({}));
    expect(await deepSearch.newest(1_000, Date.UTC(2026, 2, 5, 9))).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['a list', []],
    ['a name that is no text', { conversationSummaries: [{ name: 5 }] }],
    ['summaries that are no list', { conversationSummaries: {} }],
    ['a page', 'none'],
  ])('fails on a reply with %s', async (_name, body) => {
    const { deepSearch, server } = await connectSecond();
    server.script(json(body));
    expect(await errorOf(deepSearch.newest(1))).toMatchObject({ kind: 'badReply', outcomeUnknown: false });
  });
});

test('closing the HTTP layer ends the calls of the adapter', async () => {
  const { service, server } = await connectService();
  server.script(silence);
  const read = errorOf(createGeneration2(service, server.origin).deepSearch.read(7));
  await server.received(1);
  await service.close();
  expect(await read).toMatchObject({ kind: 'unavailable' });
});

test('changes are the summaries of the list with their times, page by page, without conversations', async () => {
  const { deepSearch, server } = await connectSecond();
  const summary = { name: 'users/7/conversations/140', updateTime: '2026-03-05T09:00:09Z', title: 'Where' };
  server.script(
    json({ conversationSummaries: [summary, { name: 'users/7/conversations/abc' }], nextPageToken: 'p' }),
    json({}),
  );
  expect(await deepSearch.changes(5)).toEqual({
    conversations: [
      { id: 140, mark: '2026-03-05T09:00:09Z', updatedMs: Date.parse('2026-03-05T09:00:09Z') },
      { id: 'abc', mark: '' },
    ],
    next: 'p',
  });
  expect(await deepSearch.changes(100, 'p')).toEqual({ conversations: [] });
  expect(bodiesOf(server)).toEqual([
    { parent: 'users/~self', pageSize: 5 },
    { parent: 'users/~self', pageSize: 100, pageToken: 'p' },
  ]);
});
