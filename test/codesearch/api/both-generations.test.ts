import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { finished, firstGeneration, secondGeneration } from '../support/conversation-drivers.ts';
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts';

let server: ConversationServer;

beforeAll(async () => {
  server = await startConversationServer();
});

afterAll(async () => {
  await server.stop();
});

describe.each([
  ['first', firstGeneration, secondGeneration],
  ['second', secondGeneration, firstGeneration],
])('through the %s generation', (_name, connect, connectOther) => {
  const driver = () => connect(server.url);
  const other = () => connectOther(server.url);
  const bob = () => connect(server.url, 'bob-token');

  test('a new conversation is processing with its question, and ends completed with title and answer', async () => {
    const created = await driver().create('Where is the retry limit?');
    expect(created).toMatchObject({
      state: 'processing',
      title: undefined,
      questions: [{ text: 'Where is the retry limit?', answer: undefined }],
    });
    expect(created.url.startsWith(`${server.url}/deepsearch/`)).toBe(true);
    const done = await finished(driver(), created.id);
    expect(done).toMatchObject({ id: created.id, state: 'completed', title: 'About Where is the retry limit?' });
    expect(done.questions[0]?.answer).toContain(`](${server.url}/github.com/`);
  });

  test('a follow-up takes the conversation back to processing, and both answers stay', async () => {
    const { id } = await driver().create('first');
    await finished(driver(), id);
    expect(await driver().followUp(id, 'hold second')).toBe('accepted');
    expect(await driver().get(id)).toMatchObject({ state: 'processing' });
    await driver().cancel(id);
    expect(await driver().followUp(id, 'third')).toBe('accepted');
    const { state, questions } = await finished(driver(), id);
    expect(state).toBe('completed');
    expect(questions.map(({ text, answer }) => [text, answer !== undefined])).toEqual([
      ['first', true],
      ['hold second', false],
      ['third', true],
    ]);
  });

  test('a follow-up is refused while a question is processing', async () => {
    const { id } = await driver().create('hold');
    expect(await driver().followUp(id, 'too early')).toBe('refused');
    expect(await driver().cancel(id)).toMatchObject({ questions: [{ text: 'hold' }] });
  });

  test('a cancelled question is cancelled, and cancelling it again changes nothing', async () => {
    const { id } = await driver().create('hold');
    const cancelled = await driver().cancel(id);
    expect(cancelled).toMatchObject({ state: 'cancelled' });
    expect(await driver().cancel(id)).toEqual(cancelled);
  });

  test('a question that fails within the service is failed', async () => {
    const { id } = await driver().create('fail');
    expect(await finished(driver(), id)).toMatchObject({ state: 'failed', questions: [{ answer: undefined }] });
  });

  test('a deleted conversation is missing, also to a second deletion', async () => {
    const { id } = await driver().create('hold, and delete');
    expect(await driver().remove(id)).toBe('removed');
    expect(await driver().get(id)).toBe('missing');
    expect(await driver().remove(id)).toBe('missing');
    expect(await driver().list()).not.toContain(id);
  });

  test('the list holds the last changed conversation first', async () => {
    const one = await driver().create('one');
    await finished(driver(), one.id);
    const two = await driver().create('two');
    await finished(driver(), two.id);
    expect((await driver().list()).slice(0, 2)).toEqual([two.id, one.id]);
  });

  test('the list can hold only what is starred, or only what is not', async () => {
    const { id } = await driver().create('to be starred');
    const userId = await server.userId('alice');
    await server.conversations.star(userId, Number(id), true);
    expect(await driver().list({ starred: true })).toEqual([id]);
    expect(await driver().list({ starred: false })).not.toContain(id);
    await server.conversations.star(userId, Number(id), false);
    expect(await driver().list({ starred: true })).toEqual([]);
  });

  test('the conversation of another user is missing, whatever is done with it', async () => {
    const { id } = await driver().create('private');
    await finished(driver(), id);
    expect(await bob().get(id)).toBe('missing');
    expect(await bob().followUp(id, 'me too')).toBe('missing');
    expect(await bob().cancel(id)).toBe('missing');
    expect(await bob().remove(id)).toBe('missing');
    expect(await bob().list()).toEqual([]);
    expect(await driver().get(id)).toMatchObject({ state: 'completed' });
  });

  test('what it creates and changes, the other generation shows alike', async () => {
    const { id } = await driver().create('shown by both');
    const done = await finished(driver(), id);
    expect(await other().get(id)).toEqual(done);
    expect(await other().list()).toEqual(await driver().list());
    expect(await other().followUp(id, 'hold on')).toBe('accepted');
    expect(await driver().get(id)).toMatchObject({ state: 'processing' });
    expect(await driver().cancel(id)).toEqual(await other().get(id));
    expect(await other().remove(id)).toBe('removed');
    expect(await driver().get(id)).toBe('missing');
  });
});
