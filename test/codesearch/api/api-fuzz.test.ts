import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyCharacter } from '../../support/any-character.ts';
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts';

let server: ConversationServer;

beforeAll(async () => {
  server = await startConversationServer();
  await server.finished((await server.create('the only conversation')).id);
});

afterAll(async () => {
  await server.stop();
});

const keys = fc.constantFrom(
  ...['question', 'conversation_id', 'conversation', 'questions', 'input', 'text', 'image', 'name', 'parent'],
  ...['pageSize', 'page_size', 'pageToken', 'filters', 'contentQuery', 'starred', '__proto__', 'constructor'],
);
const leaves = fc.oneof(
  fc.constantFrom(
    'users/~self',
    'users/~self/conversations/1',
    'users/~self/conversations/2',
    null,
    true,
    1,
    -1,
    1e300,
  ),
  fc.string({ unit: anyCharacter }),
  fc.double(),
);
const { value: bodies } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'large' },
    leaves,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
  ),
}));

test('no body makes either generation fail inside', async () => {
  const calls = [
    ['POST', '/.api/deepsearch/v1'],
    ['POST', '/.api/deepsearch/v1/1/questions'],
    ...['CreateConversation', 'GetConversation', 'AddConversationQuestion', 'CancelConversation'].map(asMethod),
    ...['DeleteConversation', 'ListConversationSummaries'].map(asMethod),
  ] as const;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...calls), bodies, async ([method, path], body) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          Authorization: 'token test-token',
          'X-Requested-With': 'fuzz 1.0',
          'Content-Type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      expect([response.status < 500, typeof JSON.parse(text)]).toEqual([true, 'object']);
    }),
    { numRuns: 200 },
  );
  expect(server.problems).toEqual([]);
});

test('no query makes the list fail inside', async () => {
  const names = fc.constantFrom(
    ...['filter_id', 'filter_user_id', 'filter_read_token', 'filter_is_starred', 'page_first', 'page_after', 'sort'],
  );
  const values = fc.oneof(fc.constantFrom('1', '0', '-1', 'true', 'id', '-updated_at', 'aWQ6MTox'), fc.string());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, values), { maxLength: 5 }), async (parameters) => {
      const response = await server.call('GET', `?${new URLSearchParams(parameters)}`);
      expect([200, 400]).toContain(response.status);
      await response.arrayBuffer();
    }),
    { numRuns: 200 },
  );
  expect(server.problems).toEqual([]);
});

function asMethod(name: string): [string, string] {
  return ['POST', `/api/deepsearch.v1.Service/${name}`];
}
