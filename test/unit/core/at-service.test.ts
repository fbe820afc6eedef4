import { describe, expect, it } from 'vitest';
import { recallAnswer } from '../../../src/core/lifecycle/resharing.ts';
import { upstreamText } from '../../../src/core/question/prompt.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { upstreamClaims } from '../../../src/core/question/upstream.ts';
import { buttonUser, crash, createCoreHarness, lost, thread } from '../../support/lifecycle/core-harness.ts';
import type { Work } from '../../support/lifecycle/in-memory-lifecycle.ts';

const reply = { origin: 'reply', beginsThread: false } as const;

/** A thread whose first question is answered. */
async function withAnswered(options: Parameters<typeof createCoreHarness>[0] = {}) {
  const harness = createCoreHarness(options);
  const { id } = await harness.ask();
  await harness.life.run();
  return { ...harness, firstId: id };
}

function positionClaim(question: Question): string {
  const { conversationId = 0, ordinal } = question.upstream;
  return upstreamClaims(conversationId, ordinal === undefined ? {} : { ordinal, text: upstreamText(question) }).join();
}

describe('the position of a question in its conversation', () => {
  it.each([
    ['while the question runs', 20_000],
    ['if the question has ended by then', 0],
  ])('is claimed and stored at the first read, %s', async (_, takesMs) => {
    const { life, ask } = await withAnswered({ work: { takesMs, ends: 'completed' } });
    const { id } = await ask(reply);
    await life.run(life.now() + 3_000);
    const question = life.question(id);
    expect(question.upstream).toMatchObject({ questionId: expect.any(Number), ordinal: 1 });
    expect(await life.ports.claims.ownerOf(positionClaim(question))).toBe(id);
  });

  it('is claimed again after a crash before it was stored', async () => {
    const { life, ask, plan } = await withAnswered({ work: { takesMs: 20_000, ends: 'completed' } });
    const { id } = await ask(reply);
    await life.run(life.now());
    expect(life.question(id).upstream.ordinal).toBeUndefined();
    plan('claim', [crash('yes')]);
    await life.run();
    expect(life.question(id).upstream.ordinal).toBe(1);
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.violations).toEqual([]);
  });

  it('brings the question to its answer after the service stopped to tell ids', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 20_000, ends: 'completed' } });
    const { id } = await ask();
    await life.run(life.now() + 5_000);
    life.tellIds(false);
    await life.run();
    expect(life.question(id).outcome).toMatchObject({ kind: 'answered', answer: { citedOnly: true } });
    expect(life.upstream()).toHaveLength(1);
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(1);
  });

  it('is added to the id that is known when the service tells only the position', async () => {
    const { life, ask } = await withAnswered({ work: { takesMs: 20_000, ends: 'completed' } });
    const { id } = await ask(reply);
    await life.run(life.now());
    const { questionId } = life.question(id).upstream;
    expect(questionId).toEqual(expect.any(Number));
    life.tellIds(false);
    await life.run(life.now() + 5_000);
    expect(life.question(id).upstream).toMatchObject({ questionId, ordinal: 1 });
  });

  it('is learned again for a question that was asked without ids, once the service tells them', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 20_000, ends: 'completed' } });
    life.tellIds(false);
    const { id } = await ask();
    await life.run(life.now() + 5_000);
    expect(life.question(id).upstream).toMatchObject({ ordinal: 0, steps: 0 });
    life.tellIds(true);
    await life.run();
    expect(life.question(id).upstream.questionId).toBe(life.upstream()[0]?.id);
    expect(life.question(id).outcome?.kind).toBe('answered');
  });

  it('is found in a conversation where the same was asked before', async () => {
    const { life, ask, firstId } = await withAnswered();
    life.tellIds(false);
    const { text } = life.question(firstId);
    const ids = [];
    for (let again = 0; again < 4; again += 1) {
      ids.push((await ask({ ...reply, text })).id);
      await life.run();
    }
    expect(ids.map((id) => life.question(id).upstream.ordinal)).toEqual([1, 2, 3, 4]);
    expect(life.upstream()).toHaveLength(5);
  });

  it('stops a question whose id was never known', async () => {
    const { life, ask, requests } = createCoreHarness({ work: { takesMs: 60_000, ends: 'completed' } });
    life.tellIds(false);
    const { id, place } = await ask();
    await life.run(life.now() + 5_000);
    await requests.cancelQuestion(id, { userId: 'U9', teamId: 'T1', channelId: place.channelId });
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('cancelled');
    expect(life.upstream()).toMatchObject([{ state: 'cancelled' }]);
  });

  it('stops a question whose id was never known also when its workspace removed the app', async () => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 60_000, ends: 'completed' } });
    life.tellIds(false);
    const { id } = await ask();
    await life.run(life.now() + 5_000);
    await life.ports.questions.update(id, (stored) => ({ ...stored, endsQuietlyMs: life.now() }));
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'cancelled' } });
    expect(life.upstream()).toMatchObject([{ state: 'cancelled' }]);
  });
});

describe('a question that the service ended at a limit', () => {
  it.each([
    ['with ids', true, 'followUp', {}],
    ['without ids', false, 'followUp', {}],
    ['in a new conversation, without ids', false, 'create', { fresh: true }],
  ] as const)('is asked again and not taken for the earlier attempt, %s', async (_, tells, call, change) => {
    const work: Work = { takesMs: 2_000, ends: 'completed', resetsInMs: 30_000 };
    const { life, ask, plan } = await withAnswered({ work });
    life.tellIds(tells);
    work.ends = 'limited';
    const { id } = await ask({ ...reply, ...change });
    await life.run(life.now() + 5_000);
    expect(life.question(id).phase).toBe('parked');
    const asked = life.upstream().length;
    // The app dies before the next attempt reaches the service, or its reply gets lost.
    plan(call, [crash('no'), lost]);
    work.ends = 'completed';
    await life.run();
    expect(life.question(id).outcome?.kind).toBe('answered');
    expect(life.upstream()).toHaveLength(asked + 1);
    expect(life.question(id).upstream.earlierAttempts).toHaveLength(1);
    expect(life.violations).toEqual([]);
  });
});

describe('a service that reports an error and an answer', () => {
  it.each([
    ['failed', { cause: 'service', title: 'No', message: 'It failed' }],
    ['tooLong', { cause: 'tooLong' }],
    ['limited', { cause: 'limited' }],
  ] as const)('answers with what it has, and says why it stopped: %s', async (ends, stopped) => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 2_000, ends, resetsInMs: 60_000, isPartial: true } });
    const { id } = await ask();
    await life.run();
    const parts = life.messagesOf(life.question(id), 'part');
    expect(parts.map(({ outcome }) => outcome)).toMatchObject([{ kind: 'answered', answer: { stopped } }]);
    // The service's words end with the question.
    expect(life.question(id).outcome).toMatchObject({ answer: { stopped: { cause: stopped.cause } } });
    expect(life.upstream()).toHaveLength(1);
  });

  it.each([
    ['in its conversation', 'failed', {}, 1],
    ['in a new conversation', 'tooLong', { fresh: true }, 2],
  ] as const)('can be asked again %s, once, beside its answer', async (_, ends, options, conversations) => {
    const { life, ask, requests } = createCoreHarness({ work: { takesMs: 2_000, ends, isPartial: true } });
    const { id } = await ask();
    await life.run();
    expect(await requests.askAgain(id, buttonUser, options)).toMatchObject({ kind: 'accepted' });
    expect(await requests.askAgain(id, buttonUser, options)).toMatchObject({ kind: 'duplicate' });
    await life.run();
    expect(life.upstream()).toHaveLength(2);
    expect(new Set(life.upstream().map(({ conversationId }) => conversationId)).size).toBe(conversations);
    expect(life.messagesOf(life.question(id), 'part')).toHaveLength(1);
    expect(life.violations).toEqual([]);
  });

  it.each([true, false])('is read again with its reason, as it was shown (with ids: %s)', async (tells) => {
    const { life, ask } = createCoreHarness({ work: { takesMs: 2_000, ends: 'tooLong', isPartial: true } });
    const { id } = await ask();
    await life.run();
    life.tellIds(tells);
    const answer = await recallAnswer(life.ports, life.question(id));
    expect(answer).toMatchObject({ markdown: expect.stringContaining('question 1'), stopped: { cause: 'tooLong' } });
  });

  it('parks for a limit if the answer is empty', async () => {
    const { life, ask } = createCoreHarness({
      work: { takesMs: 2_000, ends: 'limited', resetsInMs: 60_000, isPartial: false },
    });
    const { id } = await ask({ place: thread });
    await life.run(life.now() + 10_000);
    expect(life.question(id).phase).toBe('parked');
  });
});
