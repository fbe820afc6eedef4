import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/core/ports.ts';
import type { ConversationId } from '../../../src/core/question/question.ts';
import type { Generation, GenerationNumber } from '../../../src/service/generation.ts';
import { createServiceClient, type ServiceClient } from '../../../src/service/service-client.ts';
import {
  CITED,
  type ConversationServer,
  startConversationServer,
} from '../../codesearch/support/conversation-server.ts';
import { TOKEN } from '../../codesearch/support/service.ts';
import { eventually } from '../../support/eventually.ts';
import { one } from '../../support/one.ts';
import { targetOf } from '../../support/service/cancel-target.ts';

const hourMs = 3_600_000;
/** What each generation tells beside the answer. */
const tells = {
  1: { ids: true, sources: true, followUps: true, stats: true, progress: true, root: '' },
  2: { ids: false, sources: false, followUps: false, stats: false, progress: false, root: '/r' },
};

/** Longest question that the service accepts, in characters. */
const longest = 100_000;
const tooLongError = { kind: 'TokenLimitExceeded', title: 'Token limit', message: 'Too long.', details: '' } as const;

/**
 * Checks one generation of the client against the embedded service. Expectations are the same for each generation. What a
 * generation does not tell is in `tells`.
 */
export function describeGeneration(
  create: (service: ServiceClient, baseUrl: string) => Generation,
  hideGeneration: GenerationNumber | undefined,
): void {
  let server: ConversationServer;
  let alice: Generation;
  const clients: ServiceClient[] = [];

  function connect(token = TOKEN, baseUrl = server.url): Generation {
    const client = createServiceClient({ baseUrl, auth: { kind: 'token', token }, userAgentVersion: '0.0.0-test' });
    clients.push(client);
    return create(client, baseUrl);
  }

  beforeAll(async () => {
    server = await startConversationServer({
      sharing: true,
      ...(hideGeneration === undefined ? {} : { hideGeneration }),
    });
    alice = connect();
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await server.stop();
    expect(server.problems.map(String)).toEqual(['Error: the investigation failed']);
  });

  const port = () => alice.deepSearch;

  /** Reads a conversation until no question of it is running. */
  function ended(id: ConversationId): Promise<Conversation> {
    return eventually(async () => {
      const conversation = await port().read(id);
      for (const { state } of conversation.questions) expect(state).not.toMatch(/pending|processing/);
      return conversation;
    });
  }

  async function answered(text: string): Promise<Conversation> {
    return ended((await port().create(text)).id);
  }

  test('a new conversation is running, with its question, its time and its address', async () => {
    const beforeMs = Date.now();
    const created = await port().create('Where is the retry limit?');
    const question = one(created.questions);
    expect(question).toMatchObject({ text: 'Where is the retry limit?', state: 'processing', ordinal: 0 });
    expect(question).not.toHaveProperty('answer');
    expect(question.id !== undefined).toBe(tells[alice.number].ids);
    for (const createdMs of [created.createdMs, question.createdMs]) {
      expect(createdMs).toBeGreaterThanOrEqual(beforeMs);
      expect(createdMs).toBeLessThanOrEqual(Date.now());
    }
    expect(created.shareUrl?.startsWith(`${server.url}/deepsearch/`)).toBe(true);
  });

  test('an answer comes with its title, absolute links and whatever else the generation tells', async () => {
    const { id, questions } = await answered('Where is the retry limit?');
    const question = one(questions);
    const file = `${server.url}${tells[alice.number].root}/${CITED}/-/blob/src/retry.ts?L4-7`;
    expect(question).toMatchObject({ state: 'completed', title: 'About Where is the retry limit?' });
    expect(question.answer).toContain(`](${file})`);
    expect(question).not.toHaveProperty('error');
    const { sources, followUps, stats } = tells[alice.number];
    expect(question.sources.map(({ url }) => url)).toEqual(sources ? [`${server.url}/${CITED}`, file] : [file]);
    expect(question.sources.map(({ repository }) => repository)).toEqual(question.sources.map(() => CITED));
    expect(question.citedOnly).toBe(sources ? undefined : true);
    expect(question.followUps).toEqual(followUps ? ['Where is it used?', 'How is it tested?'] : []);
    expect(question.credits).toBe(stats ? 1 : undefined);
    if (!stats) expect(question).not.toHaveProperty('durationMs');
    expect((await port().read(id)).id).toBe(id);
  });

  test('what a running question does is told, or absent', async () => {
    const { id, questions } = await port().create('hold');
    const { progress } = tells[alice.number];
    await eventually(async () => {
      const question = one((await port().read(id)).questions);
      expect(question.steps).toEqual(progress ? expect.any(Number) : undefined);
      expect(question.lastStep).toBe(progress ? 'Still searching' : undefined);
    });
    await port().cancel(id, targetOf(questions[0]));
  });

  test('a follow-up stands in the same conversation, after the questions before it', async () => {
    const { id } = await answered('first');
    const followUp = await port().followUp(id, 'second');
    expect(followUp).toMatchObject({ text: 'second' });
    const { questions } = await ended(id);
    expect(questions).toMatchObject([
      { text: 'first', state: 'completed', ordinal: 0, answer: expect.any(String) },
      { text: 'second', state: 'completed', ordinal: 1, answer: expect.any(String) },
    ]);
    expect(questions.map((question) => question.id).at(-1)).toBe(followUp.id);
  });

  test('a follow-up to a running question has to wait, and is not asked', async () => {
    const { id, questions } = await port().create('hold');
    await expect(port().followUp(id, 'too early')).rejects.toMatchObject({
      kind: 'rateLimited',
      outcomeUnknown: false,
      retryAfterMs: expect.any(Number),
    });
    await port().cancel(id, targetOf(questions[0]));
    expect((await port().read(id)).questions.map(({ text }) => text)).toEqual(['hold']);
    expect(await port().followUp(id, 'in time')).toMatchObject({ text: 'in time' });
  });

  test('a cancelled question is cancelled, and an earlier one without an answer has ended', async () => {
    const { id, questions } = await port().create('hold');
    await port().cancel(id, targetOf(questions[0]));
    expect((await port().read(id)).questions).toMatchObject([{ state: 'cancelled' }]);
    await port().followUp(id, 'after that');
    const [first, second] = (await ended(id)).questions;
    expect(['cancelled', 'failed']).toContain(first?.state);
    expect(second).toMatchObject({ text: 'after that', state: 'completed' });
  });

  test('to cancel a question that has ended, or a conversation that is gone, changes nothing', async () => {
    const { id, questions } = await answered('Where is it?');
    await port().cancel(id, targetOf(questions[0]));
    expect((await port().read(id)).questions).toEqual(questions);
    await port().delete(id);
    await port().cancel(id, targetOf(questions[0]));
  });

  test('a deleted conversation is not found, and can be deleted again', async () => {
    const { id } = await answered('Where is it?');
    await port().delete(id);
    await port().delete(id);
    await expect(port().read(id)).rejects.toMatchObject({ kind: 'notFound', outcomeUnknown: false });
    await expect(port().followUp(id, 'and now?')).rejects.toMatchObject({ kind: 'notFound', outcomeUnknown: false });
    expect((await port().newest(5)).map((conversation) => conversation.id)).not.toContain(id);
  });

  test('the newest conversations come first, with the texts of their questions and without answers', async () => {
    const older = await answered('the older one');
    const newer = await answered('the newer one');
    await port().followUp(older.id, 'changed later');
    await ended(older.id);
    const found = await port().newest(2);
    expect(found.map(({ id }) => id)).toEqual([newer.id, older.id]);
    expect(found.map(({ questions }) => questions.map(({ text }) => text))).toEqual([
      ['the newer one'],
      ['the older one', 'changed later'],
    ]);
    for (const { questions } of found) for (const question of questions) expect(question.answer).toBeUndefined();
    expect((await port().newest(1_000, newer.createdMs)).map(({ id }) => id)).toEqual([newer.id]);
  });

  test('a question that the service fails is failed, with its words', async () => {
    const { questions } = await answered('fail');
    expect(one(questions)).toMatchObject({
      state: 'failed',
      error: { cause: 'service', message: expect.stringContaining('internal error') },
    });
    expect(one(questions).answer).toBeUndefined();
  });

  test('an error that has an answer beside it shows both', async () => {
    const { id } = await port().create('hold');
    await server.endWith(Number(id), { answer: `So far [here](\uE0F0/${CITED}).`, error: tooLongError });
    const { questions } = await ended(id);
    expect(one(questions)).toMatchObject({
      state: 'failed',
      answer: `So far [here](${server.url}${tells[alice.number].root}/${CITED}).`,
      error: { cause: 'tooLong' },
    });
  });

  test('a used up quota is a limit, with the time at which it ends', async () => {
    const untilMs = Math.floor(Date.now() / 1000) * 1000 + hourMs;
    server.exhaustQuota(untilMs);
    try {
      const { questions } = await answered('one too many');
      expect(one(questions)).toMatchObject({ state: 'failed', error: { cause: 'limited', retryAtMs: untilMs } });
    } finally {
      server.exhaustQuota(0);
    }
  });

  test('a request over the rate limit has had no effect, and says how long to wait', async () => {
    const limited = await startConversationServer({
      rateLimit: 1,
      ...(hideGeneration === undefined ? {} : { hideGeneration }),
    });
    try {
      const { deepSearch } = connect(undefined, limited.url);
      await deepSearch.create('hold on');
      await expect(deepSearch.create('not now')).rejects.toMatchObject({
        kind: 'rateLimited',
        outcomeUnknown: false,
        retryAfterMs: expect.any(Number),
      });
      expect(limited.stored()).toHaveLength(1);
    } finally {
      await limited.stop();
    }
  });

  test('a wrong token is refused with 401, whatever is done with it', async () => {
    const { id } = await answered('mine');
    const { deepSearch } = connect('wrong');
    const count = server.stored().length;
    const calls = [
      () => deepSearch.create('x'),
      () => deepSearch.followUp(id, 'x'),
      () => deepSearch.read(id),
      () => deepSearch.newest(1),
      () => deepSearch.delete(id),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ kind: 'unauthorized', code: 401, outcomeUnknown: false });
    }
    expect(server.stored()).toHaveLength(count);
  });

  test('the conversation of another person is not found, whatever is done with it', async () => {
    const { id, questions } = await answered('private');
    const { deepSearch } = connect('bob-token');
    await expect(deepSearch.read(id)).rejects.toMatchObject({ kind: 'notFound' });
    await expect(deepSearch.followUp(id, 'me too')).rejects.toMatchObject({ kind: 'notFound' });
    await deepSearch.cancel(id, targetOf(questions[0]));
    await deepSearch.delete(id);
    expect(await deepSearch.newest(10)).toEqual([]);
    expect((await port().read(id)).questions).toEqual(questions);
  });

  test('the link of a shared conversation opens it for others, where the generation can do that', async () => {
    const { id, shareUrl = '' } = await answered('shared');
    const readToken = shareUrl.slice(shareUrl.lastIndexOf('/') + 1);
    const opened = connect('bob-token').deepSearch.byReadToken(readToken);
    if (alice.number === 1) expect(await opened).toMatchObject({ id, questions: [{ text: 'shared' }] });
    else await expect(opened).rejects.toMatchObject({ kind: 'notFound' });
  });

  test.each([
    ['several lines', 'one\n\n```ts\nconst a = "b";\n```\n\ttwo\\n'],
    ['letters of many scripts', 'Wo ist die Grüße-Funktion? 日本語 العربية 👩‍👩‍👧 \u{1F9EA}'],
    ['the words of a request', '{"question": "x"}&parent=users/~self #1 ?a=b%20c'],
  ])('a question with %s comes back as it was asked', async (_what, text) => {
    const { id } = await answered('first');
    expect(await port().followUp(id, text)).toMatchObject({ text });
    expect((await ended(id)).questions.at(-1)).toMatchObject({ text });
    expect(one((await port().create(text)).questions)).toMatchObject({ text });
  });

  test('a question of 100,000 characters is taken, and ends as too long', async () => {
    const text = 'How? '.repeat(longest / 5 - 1).padEnd(longest, '.');
    expect(text).toHaveLength(longest);
    const { questions } = await answered(text);
    expect(one(questions)).toMatchObject({ text, state: 'failed', error: { cause: 'tooLong' } });
  });

  test.each([
    ['without text', ' \n'],
    ['of more than 100,000 characters', 'x'.repeat(longest + 1)],
  ])('a question %s is refused, and not asked', async (_what, text) => {
    const { id } = await answered('first');
    const count = server.stored().length;
    await expect(port().create(text)).rejects.toMatchObject({ kind: 'refused', outcomeUnknown: false });
    await expect(port().followUp(id, text)).rejects.toMatchObject({ kind: 'refused', outcomeUnknown: false });
    expect(server.stored()).toHaveLength(count);
    expect((await port().read(id)).questions).toHaveLength(1);
  });

  describe('to an instance that does not offer it', () => {
    let other: ConversationServer;
    beforeAll(async () => {
      other = await startConversationServer({ hideGeneration: alice.number });
    });
    afterAll(() => other.stop());

    test.each(['create', 'followUp', 'read', 'newest', 'delete'] as const)(
      '%s says that the API is gone, and has had no effect',
      async (name) => {
        const { deepSearch } = connect(undefined, other.url);
        const calls = {
          create: () => deepSearch.create('anyone?'),
          followUp: () => deepSearch.followUp(1, 'anyone?'),
          read: () => deepSearch.read(1),
          newest: () => deepSearch.newest(1),
          delete: () => deepSearch.delete(1),
        };
        await expect(calls[name]()).rejects.toMatchObject({ code: 'apiGone', outcomeUnknown: false });
        expect(other.stored()).toEqual([]);
      },
    );
  });
}
