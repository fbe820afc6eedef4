import { expect, test } from 'vitest';
import type { ConversationId } from '../../src/core/question/question.ts';
import { createDeepSearch } from '../../src/service/generation-1/deep-search.ts';
import { json, text } from '../support/fake-service/scripted-server.ts';
import { connect, conversation, errorOf, question } from './setup.ts';

const page = (...ids: number[]) => ids.map((id) => conversation({ id }));

test.each(['conversations', 'nodes', 'results', 'items', 'data'])('a list is read from %s', async (key) => {
  const { client, server } = await connect();
  server.script(json({ [key]: page(1, 2), total: 2 }));
  const list = await client.list();
  expect(list.conversations.map(({ id }) => id)).toEqual([1, 2]);
  expect(list.nextCursor).toBeUndefined();
});

test('a bare list is read', async () => {
  const { client, server } = await connect();
  server.script(json(page(1, 2)));
  expect((await client.list()).conversations).toHaveLength(2);
});

test('null under a known name is read as an empty list', async () => {
  const { client, server } = await connect();
  server.script(json({ conversations: null }));
  expect((await client.list()).conversations).toEqual([]);
});

test('the list is preferred among several known names', async () => {
  const { client, server } = await connect();
  server.script(json({ data: { count: 1 }, results: 1, items: page(3) }));
  expect((await client.list()).conversations.map(({ id }) => id)).toEqual([3]);
});

test.each([
  ['another name', { threads: [] }],
  ['no list', { conversations: {} }],
  ['text', 'none'],
  ['a wrong member', { conversations: [{ id: 1 }] }],
])('a reply with %s is a clear error', async (_name, body) => {
  const { client, server } = await connect();
  server.script(json(body));
  expect(await errorOf(client.list())).toMatchObject({ kind: 'badReply', outcomeUnknown: false });
});

test.each([
  ['page_info.end_cursor', { page_info: { end_cursor: 'c', has_next_page: true }, next_cursor: 'x' }, 'c'],
  ['page_info without has_next_page', { page_info: { end_cursor: 'c' } }, 'c'],
  ['next_cursor', { next_cursor: 'c', next_page: 'x' }, 'c'],
  ['next_page', { page_info: { end_cursor: null }, next_cursor: '', next_page: 2, page_after: 'x' }, '2'],
  ['page_after', { page_info: null, page_after: 'c' }, 'c'],
  ['the last page', { page_info: { end_cursor: 'c', has_next_page: false } }, undefined],
  ['no field where there is none', {}, undefined],
])('the cursor is taken from %s', async (_name, fields, cursor) => {
  const { client, server } = await connect();
  server.script(json({ conversations: page(1), ...fields }));
  expect((await client.list()).nextCursor).toBe(cursor);
});

test('all pages are read, with the same parameters', async () => {
  const { client, server } = await connect();
  server.script(
    json({ conversations: page(1, 2), page_info: { end_cursor: 'a b', has_next_page: true } }),
    json({ conversations: page(3), page_info: { end_cursor: '', has_next_page: false } }),
  );
  expect(await idsOf(client.conversations(2))).toEqual([1, 2, 3]);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/.api/deepsearch/v1?page_first=2&sort=-created_at',
    '/.api/deepsearch/v1?page_first=2&page_after=a+b&sort=-created_at',
  ]);
});

test('what follows a repeated cursor is unknown', async () => {
  const { client, server } = await connect();
  for (const next_cursor of ['a', 'b', 'a']) server.script(json({ conversations: page(1), next_cursor }));
  expect(await errorOf(idsOf(client.conversations(1)))).toMatchObject({ kind: 'unavailable', code: 'searchCut' });
  expect(server.requests).toHaveLength(3);
});

const count = (most: number) => Array.from({ length: most }, (_, index) => conversation({ id: most - index }));
const large = text(' '.repeat(1_000_000), 'application/json');

test.each([
  ['a page that is not full', [json(count(7))], 7, [20]],
  ['a full page of an envelope that says so', [json({ conversations: count(20), next_cursor: null })], 20, [20]],
  ['a longer page that ends with the oldest', [json(count(20)), json(count(30)), json(count(1))], 30, [20, 40, 1]],
  ['a longest page that ends elsewhere', [json(count(20)), json(count(20)), json(page(0))], 'cut', [20, 40, 1]],
  ['a list that ignores the order', [json(count(20)), json(count(25)), json(page(25))], 'cut', [20, 40, 1]],
  [
    'a page that says that more follow',
    [json({ items: count(7), page_info: { has_next_page: true } }), json(page(0))],
    'cut',
    [20, 1],
  ],
  ['a longer page that is refused', [json(count(20)), json({}, 400)], 'cut', [20, 40]],
  ['a longer page that is too large', [json(count(20)), large], 'cut', [20, 40]],
  [
    '1,000 conversations',
    [20, 40, 80, 160, 320, 640, 1_000].map((most) => json(count(most))),
    'cut',
    [20, 40, 80, 160, 320, 640, 1_000],
  ],
])('a list without cursors: %s', async (_name, replies, expected, lengths) => {
  const { client, server } = await connect({ maxResponseBytes: 500_000 });
  server.script(...replies);
  const listed = idsOf(client.conversations(20));
  if (expected === 'cut') expect(await errorOf(listed)).toMatchObject({ kind: 'unavailable', code: 'searchCut' });
  else expect(new Set(await listed).size).toBe(expected);
  expect(server.requests.map(({ url }) => Number(/page_first=(\d+)/.exec(url ?? '')?.[1]))).toEqual(lengths);
});

async function idsOf(conversations: AsyncIterable<{ id: ConversationId }>): Promise<ConversationId[]> {
  const ids: ConversationId[] = [];
  for await (const { id } of conversations) ids.push(id);
  return ids;
}

test('reading stops when the reader stops', async () => {
  const { client, server } = await connect();
  server.script(json({ conversations: page(1), next_cursor: 'a' }));
  for await (const _ of client.conversations(1)) break;
  expect(server.requests).toHaveLength(1);
});

test('every parameter of the list is sent', async () => {
  const { client, server } = await connect();
  server.script(json([]));
  await client.list({
    readToken: 'a&b',
    first: 3,
    after: 'c',
    sort: 'created_at',
  });
  expect(server.requests[0]?.url).toBe(
    '/.api/deepsearch/v1?filter_read_token=a%26b&page_first=3&page_after=c&sort=created_at',
  );
});

test('changes are listed latest first, with whole conversations and the cursor of the next page', async () => {
  const { client, server } = await connect();
  const adapter = createDeepSearch(client, server.origin);
  server.script(
    json({
      conversations: [
        conversation({ id: 5, updated_at: '2026-01-01T00:00:09Z', questions: [question({ answer: 'Here.' })] }),
        conversation({ id: 4, updated_at: null }),
      ],
      page_info: { end_cursor: 'c', has_next_page: true },
    }),
    json({ conversations: [] }),
  );
  const { conversations, next } = await adapter.changes(5);
  expect(conversations.map(({ id, updatedMs }) => [id, updatedMs])).toEqual([
    [5, Date.parse('2026-01-01T00:00:09Z')],
    [4, undefined],
  ]);
  expect(conversations[0]?.conversation?.()).toMatchObject({
    id: 5,
    mark: conversations[0]?.mark,
    questions: [{ answer: 'Here.' }],
  });
  expect(next).toBe('c');
  expect(await adapter.changes(100, 'c')).toEqual({ conversations: [] });
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/.api/deepsearch/v1?page_first=5&sort=-updated_at',
    '/.api/deepsearch/v1?page_first=100&page_after=c&sort=-updated_at',
  ]);
});

test('pages of changes that exceed the reply limit become shorter for good, down to five', async () => {
  const { client, server } = await connect({ maxResponseBytes: 10_000 });
  const adapter = createDeepSearch(client, server.origin);
  const large = text(' '.repeat(10_001), 'application/json');
  server.script(large, large, json([]), json([]), large, large, large, json([]), json([]));
  for (const after of [undefined, 'c', 'd', 'e']) {
    expect(await adapter.changes(100, after)).toEqual({ conversations: [] });
  }
  expect(server.requests.map(({ url }) => Number(/page_first=(\d+)/.exec(url ?? '')?.[1]))).toEqual([
    100, 50, 25, 25, 25, 12, 6, 3, 5,
  ]);
});

test('a conversation that alone exceeds the reply limit makes its page of changes fail', async () => {
  const { client, server } = await connect({ maxResponseBytes: 10_000 });
  const large = text(' '.repeat(10_001), 'application/json');
  server.script(large, large);
  expect(await errorOf(createDeepSearch(client, server.origin).changes(2))).toMatchObject({ code: 'tooLarge' });
});

test.each([
  ['a new time', { updated_at: '2026-01-01T00:00:10Z' }],
  ['a further step', { questions: [question({ turns: [{ role: 'assistant', reasoning: 'a' }] })] }],
  ['the end', { questions: [question({ status: 'completed' })] }],
  ['a failure', { questions: [question({ error: { kind: 'InternalError' } })] }],
  ['another question', { questions: [question(), question({ id: 2 })] }],
])('the mark of a conversation differs after %s, in lists and in reads alike', async (_, change) => {
  const { client, server } = await connect();
  const adapter = createDeepSearch(client, server.origin);
  const before = { id: 5, updated_at: '2026-01-01T00:00:09Z', questions: [question()] };
  const [one, other] = [conversation(before), conversation({ ...before, ...change })];
  server.script(json([one]), json(one), json([other]), json(other));
  const marks: (string | undefined)[] = [];
  for (let state = 0; state < 2; state += 1) {
    marks.push((await adapter.changes(5, 'c')).conversations[0]?.mark, (await adapter.read(5)).mark);
  }
  expect(marks[0]).toBe(marks[1]);
  expect(marks[2]).toBe(marks[3]);
  expect(marks[2]).not.toBe(marks[0]);
});
