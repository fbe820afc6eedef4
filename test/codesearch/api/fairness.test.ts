import { afterEach, expect, test } from 'vitest';
import { HttpError } from '../../../src/codesearch/http/http-error.ts';
import { createRateLimit } from '../../../src/codesearch/http/rate-limit.ts';
import { LIMITS } from '../../../src/codesearch/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { startConversationServer } from '../support/conversation-server.ts';
import { createPerson } from '../support/people.ts';
import { createCaller, startTestService } from '../support/service.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0)) await stop();
});

async function start(options: Parameters<typeof startConversationServer>[0] = {}) {
  const server = await startConversationServer(options);
  cleanUp.push(() => server.stop());
  return { server, bob: createCaller(server.url, 'bob-token') };
}

test('users take turns, also where one has more questions waiting', async () => {
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const { server, bob } = await start({
    concurrency: 1,
    investigate: async (text) => {
      order.push(text);
      await new Promise<void>((resolve) => ends.push(resolve));
      throw new Error('no answer');
    },
  });
  for (const text of ['a1', 'a2', 'a3', 'a4']) await server.create(text);
  for (const text of ['b1', 'b2']) await bob.create(text);
  for (let count = 1; count <= 6; count += 1) {
    await eventually(async () => expect(order).toHaveLength(count));
    ends.pop()?.();
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('a user with many open questions is refused, and others still ask', async () => {
  const { server, bob } = await start({ concurrency: 1 });
  const alice = await server.userId('alice');
  for (let count = 0; count < LIMITS.openQuestionsPerUser; count += 1) await server.conversations.create(alice, 'hold');
  const refused = await server.call('POST', '', { question: 'one more' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect((await bob.call('POST', '', { question: 'mine' })).status).toBe(202);
});

test.each([
  ['conversations', { conversations: 3, characters: 1_000_000 }],
  ['characters', { conversations: 1_000, characters: 3 * (500 + 200) }],
])('the oldest %s of a user beyond the bound are removed, those with a star last', async (_, most) => {
  const { server, bob } = await start({ most });
  await bob.finished((await bob.create('of bob')).id);
  const ids: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const { id } = await server.create(`${count} ${'x'.repeat(498)}`.slice(0, 500));
    await server.finished(id);
    ids.push(id);
    if (count === 0) await server.conversations.star(await server.userId('alice'), id, true);
  }
  const left = (await server.list('?page_first=100')).conversations.map(({ id }) => id);
  expect(left).toContain(ids[0]);
  expect(left).toContain(ids[4]);
  expect(left).not.toContain(ids[1]);
  expect(left.length).toBeLessThanOrEqual(3);
  expect((await bob.list('')).conversations).toHaveLength(1);
});

test('the text of a question is stored once', async () => {
  const { server } = await start();
  const { id } = await server.create('Where is the harbour master?');
  await server.finished(id);
  const stored = JSON.stringify(server.stored()).split('Where is the harbour master?').length - 1;
  // Once as the text, once in the title that the investigation gives.
  expect(stored).toBe(2);
  expect((await server.get(id)).questions[0]?.turns?.[0]).toMatchObject({
    role: 'user',
    reasoning: 'Where is the harbour master?',
  });
});

test('a conversation does not grow beyond its questions', async () => {
  const { server } = await start();
  const { id } = await server.create('fail');
  await server.finished(id);
  await server.repeatQuestion(id, LIMITS.questionsPerConversation);
  expect((await server.call('POST', `/${id}/questions`, { question: 'fail' })).status).toBe(202);
  await server.finished(id);
  const refused = await server.call('POST', `/${id}/questions`, { question: 'again' });
  expect(refused.status).toBe(400);
});

test('requests are limited for each user without a setting', () => {
  const limit = createRateLimit(undefined, () => 1_700_000_000_000);
  for (let count = 0; count < LIMITS.requestsPerMinute; count += 1) limit.take('alice');
  expect(() => limit.take('alice')).toThrow(HttpError);
  limit.take('bob');
});

test('failed sign-ins from one address are slowed down; those who are signed in do not notice', async () => {
  const service = await startTestService({ repos: [], clock: () => 1_700_000_000_000 });
  cleanUp.push(() => service.stop());
  const person = createPerson(service.url);
  await person.signIn('test-token');
  for (let count = 0; count < LIMITS.failedSignInsPerMinute; count += 1) {
    expect((await createPerson(service.url).signIn(`wrong-${count}`)).response.status).toBe(401);
  }
  const { response } = await createPerson(service.url).signIn('test-token');
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect((await person.open('/settings/tokens')).response.status).toBe(200);
});
