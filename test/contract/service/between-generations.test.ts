import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/core/ports.ts';
import type { ConversationId, Question } from '../../../src/core/question/question.ts';
import { findUpstream, positionOf } from '../../../src/core/question/upstream.ts';
import type { DeepSearchAdapter } from '../../../src/service/generation.ts';
import { createGeneration1 } from '../../../src/service/generation-1/deep-search.ts';
import { createGeneration2 } from '../../../src/service/generation-2/deep-search.ts';
import { createServiceClient, type ServiceClient } from '../../../src/service/service-client.ts';
import { type ConversationServer, startConversationServer } from '../../codesearch/support/conversation-server.ts';
import { TOKEN } from '../../codesearch/support/service.ts';
import { eventually } from '../../support/eventually.ts';
import { questionWith } from '../../support/lifecycle/sample-questions.ts';
import { one } from '../../support/one.ts';
import { targetOf } from '../../support/service/cancel-target.ts';

// Both generations show one set of conversations, so the app may change from one to the other at any time.

let server: ConversationServer;
let client: ServiceClient;
let adapters: Record<'first' | 'second', DeepSearchAdapter>;

beforeAll(async () => {
  server = await startConversationServer();
  const auth = { kind: 'token', token: TOKEN } as const;
  client = createServiceClient({ baseUrl: server.url, auth, userAgentVersion: '0.0.0-test' });
  adapters = {
    first: createGeneration1(client, server.url).deepSearch,
    second: createGeneration2(client, server.url).deepSearch,
  };
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

/** What the app stores of a question that was asked with these words. */
function storedAs(text: string, conversation: Conversation): Question {
  const asked = conversation.questions.findLast((question) => question.text === text);
  return questionWith({
    text,
    upstream: { steps: 0, conversationId: conversation.id, askedMs: Date.now(), ...positionOf(asked ?? {}) },
  });
}

describe.each([
  ['first', 'second'],
  ['second', 'first'],
] as const)('what the %s generation asks, the %s generation', (askedOver, readOver) => {
  const asking = () => adapters[askedOver];
  const reading = () => adapters[readOver];

  function ended(id: ConversationId): Promise<Conversation> {
    return eventually(async () => {
      const conversation = await reading().read(id);
      for (const { state } of conversation.questions) expect(state).not.toBe('processing');
      return conversation;
    });
  }

  test('reads under the same id, with the same questions, answers, times and address', async () => {
    const { id } = await asking().create('Where is it?');
    await ended(id);
    await asking().followUp(id, 'And then?');
    await ended(id);
    const [conversation, other] = await Promise.all([asking().read(id), reading().read(id)]);
    const shared = ({ id: sameId, shareUrl, createdMs, questions }: Conversation) => ({
      sameId,
      shareUrl,
      createdMs,
      questions: questions.map(({ ordinal, text, state, answer, createdMs: askedMs }) => ({
        ordinal,
        text,
        state,
        // Links of the second generation carry /r/.
        answer: answer?.replaceAll('/r/', '/'),
        askedMs,
      })),
    });
    expect(shared(other)).toEqual(shared(conversation));
  });

  test('finds by the position and the text that the app stored', async () => {
    const created = await asking().create('the same?');
    const first = storedAs('the same?', created);
    await ended(created.id);
    await asking().followUp(created.id, 'hold the next');
    const second = storedAs('hold the next', await asking().read(created.id));
    const now = await reading().read(created.id);
    expect(findUpstream(now, first)).toMatchObject({ ordinal: 0, state: 'completed' });
    expect(findUpstream(now, second)).toMatchObject({ ordinal: 1, state: 'processing' });
    await reading().cancel(created.id, targetOf(findUpstream(now, second)));
    expect(findUpstream(await asking().read(created.id), second)).toMatchObject({ ordinal: 1, state: 'cancelled' });
  });

  test('finds among the newest conversations, with the time at which it was asked', async () => {
    const { id, createdMs = 0, questions } = await asking().create('was it asked?');
    const found = one(await reading().newest(1_000, createdMs));
    const { createdMs: askedMs } = one(questions);
    expect(found).toMatchObject({ id, createdMs, questions: [{ text: 'was it asked?', createdMs: askedMs }] });
  });

  test('continues, once nothing of it is running', async () => {
    const { id, questions } = await asking().create('hold');
    await expect(reading().followUp(id, 'too early')).rejects.toMatchObject({
      kind: 'rateLimited',
      outcomeUnknown: false,
    });
    await reading().cancel(id, targetOf((await reading().read(id)).questions[0]));
    expect(await reading().followUp(id, 'now')).toMatchObject({ text: 'now' });
    expect((await ended(id)).questions.map(({ text }) => text)).toEqual([one(questions).text, 'now']);
  });

  test('deletes for both', async () => {
    const { id } = await asking().create('to be deleted');
    await reading().delete(id);
    await expect(asking().read(id)).rejects.toMatchObject({ kind: 'notFound' });
    await asking().delete(id);
  });
});
