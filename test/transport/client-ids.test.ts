import { expect, test } from 'vitest';
import { createDeepSearch } from '../../src/service/generation-1/deep-search.ts';
import { status, text } from '../support/fake-service/scripted-server.ts';
import { targetOf } from '../support/service/cancel-target.ts';
import { connect, errorOf } from './setup.ts';

const api = '/.api/deepsearch/v1';

/** A conversation as its JSON text. The words of the question and the answer hold what looks like ids. */
function reply(id: string, state: string): string {
  const words = JSON.stringify('"id": 9007199254740993, {"id":9007199254740993,"next_cursor":9007199254740993}');
  return `{"id":${id}, "user_id": 9223372036854775807,
    "questions": [{"conversation_id":${id},"id"
      : ${id},"question":${words},"status":"${state}","answer":${words},
      "created_at":"2026-11-27T03:00:00Z", "stats": {"total_tokens": 12345678901234567890, "tool_calls": 3}}],
    "created_at":"2026-11-27T03:00:00Z", "read_token": "0b7e9c1a-3d52-4f6e-9a10-c0ffee000001"}`;
}

/** How the service writes the id, how the app keeps that of the conversation, and its path. */
const ids: [string, number | string, string][] = [
  ['7', 7, '7'],
  ['9007199254740991', 9_007_199_254_740_991, '9007199254740991'],
  ['9007199254740993', '9007199254740993', '9007199254740993'],
  ['18446744073709551615', '18446744073709551615', '18446744073709551615'],
  ['-9223372036854775807', '-9223372036854775807', '-9223372036854775807'],
  ['"c_01J8ZQ4M"', '"c_01J8ZQ4M"', 'c_01J8ZQ4M'],
  ['"9007199254740993"', '"9007199254740993"', '9007199254740993'],
  ['"7"', '"7"', '7'],
  ['"007"', '"007"', '007'],
];

test.each(ids)('every call names the conversation %s as the service did', async (wire, id, path) => {
  const { client, server } = await connect();
  const codeSearch = createDeepSearch(client, server.origin);
  const json = (body: string) => text(body, 'application/json');
  const running = json(reply(wire, 'processing'));

  server.script(running, running, running, json(`[${reply(wire, 'completed')}]`));
  const created = await codeSearch.create('where?');
  const { id: questionId, text: words, answer, steps } = created.questions[0] ?? {};
  expect([created.id, String(questionId), steps]).toEqual([id, path, 3]);
  expect([words, answer]).toEqual(
    Array(2).fill(expect.stringMatching(/^"id": 9007199254740993, \{"id":9007199254740993/)),
  );
  expect((await codeSearch.read(created.id)).id).toBe(id);
  await codeSearch.followUp(created.id, 'and "why"?');
  const found: unknown[] = [];
  await codeSearch.newest(5, 0, {
    aboutMs: 0,
    untilMs: Date.UTC(2027, 0, 1),
    isSought: async (conversation) => found.push(conversation.id) > 0,
  });
  expect(found).toEqual([id]);

  server.script(status(204), status(204), json(`{"data":[${reply(wire, 'completed')}]}`));
  await codeSearch.cancel(created.id, { ...targetOf(), id: questionId });
  await codeSearch.delete(created.id);
  expect((await codeSearch.byReadToken('0b7e9c1a-3d52-4f6e-9a10-c0ffee000001')).id).toBe(id);

  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `POST ${api}`,
    `GET ${api}/${path}`,
    `POST ${api}/${path}/questions`,
    `GET ${api}?page_first=5&sort=-created_at`,
    `POST ${api}/${path}/questions/${path}/cancel`,
    `DELETE ${api}/${path}`,
    `GET ${api}?filter_read_token=0b7e9c1a-3d52-4f6e-9a10-c0ffee000001`,
  ]);
  expect(server.requests[2]?.body).toBe(`{"conversation_id":${wire},"question":"and \\"why\\"?"}`);
});

test('a number that stands in a link is read by its id, however long it is', async () => {
  const { client, server } = await connect();
  server.script(text(reply('9007199254740993', 'completed'), 'application/json'));
  const shared = await createDeepSearch(client, server.origin).byReadToken('9007199254740993');
  expect(shared.id).toBe('9007199254740993');
  expect(server.requests[0]?.url).toBe(`${api}/9007199254740993`);
});

test.each(['"end_cursor"', '"next_cursor"', '"next_page"', '"page_after"'])(
  'a cursor in %s is not rounded',
  async (key) => {
    const { client, server } = await connect();
    const page = `{"items":[],"page_info":{"start_cursor":1,${key}:1764213547000000001},${key}:1764213547000000001}`;
    server.script(text(page, 'application/json'));
    expect((await client.list()).nextCursor).toBe('1764213547000000001');
  },
);

test.each(['""', '".."', '"a/b"', '"a b"', '"a?b"', '"ä"', '1.5', '1e30', 'null', '[7]', `"${'a'.repeat(129)}"`])(
  'a reply with the id %s is refused',
  async (wire) => {
    const { client, server } = await connect();
    server.script(text(reply(wire, 'processing'), 'application/json'));
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'badReply' });
  },
);

test('an id that only generation 2 has is not sent', async () => {
  const { client, server } = await connect();
  for (const id of ['abc123', '007', '..']) {
    for (const call of [client.get(id), client.addQuestion(id, 'why?'), client.delete(id)]) {
      expect(await errorOf(call)).toMatchObject({ kind: 'notFound' });
    }
  }
  expect(server.requests).toEqual([]);
});
