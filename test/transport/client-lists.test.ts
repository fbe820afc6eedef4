import { expect, test } from 'vitest';
import { json } from '../support/fake-service/scripted-server.ts';
import { connect, conversation, errorOf } from './setup.ts';

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
  const ids: number[] = [];
  for await (const { id } of client.conversations({ first: 2, sort: '-id' })) ids.push(id);
  expect(ids).toEqual([1, 2, 3]);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/.api/deepsearch/v1?page_first=2&sort=-id',
    '/.api/deepsearch/v1?page_first=2&page_after=a+b&sort=-id',
  ]);
});

test('reading stops when a cursor is repeated', async () => {
  const { client, server } = await connect();
  for (const next_cursor of ['a', 'b', 'a']) server.script(json({ conversations: page(1), next_cursor }));
  const ids: number[] = [];
  for await (const { id } of client.conversations()) ids.push(id);
  expect(ids).toHaveLength(3);
  expect(server.requests).toHaveLength(3);
});

test('reading stops when the reader stops', async () => {
  const { client, server } = await connect();
  server.script(json({ conversations: page(1), next_cursor: 'a' }));
  for await (const _ of client.conversations()) break;
  expect(server.requests).toHaveLength(1);
});

test('every parameter of the list is sent', async () => {
  const { client, server } = await connect();
  server.script(json([]));
  await client.list({
    id: 1,
    userId: 2,
    readToken: 'a&b',
    isStarred: false,
    first: 3,
    after: 'c',
    sort: 'updated_at',
  });
  expect(server.requests[0]?.url).toBe(
    '/.api/deepsearch/v1?filter_id=1&filter_user_id=2&filter_read_token=a%26b&filter_is_starred=false&page_first=3&page_after=c&sort=updated_at',
  );
});

test('a conversation is read by its read token', async () => {
  const { client, server } = await connect();
  server.script(json([conversation({ id: 5, read_token: 't' })]), json([]));
  await expect(client.readByToken('t')).resolves.toMatchObject({ id: 5 });
  expect(await errorOf(client.readByToken('t'))).toMatchObject({ kind: 'notFound' });
});
