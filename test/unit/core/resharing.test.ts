import { describe, expect, it } from 'vitest';
import { AppError, type ErrorKind } from '../../../src/core/errors.ts';
import { recall, recallAnswer, recallFailed } from '../../../src/core/lifecycle/resharing.ts';
import type { ConversationId, Question } from '../../../src/core/question/question.ts';
import { crash, createCoreHarness, down, failing } from '../../support/lifecycle/core-harness.ts';
import type { Work } from '../../support/lifecycle/in-memory-lifecycle.ts';

const confirmed: string[] = [];
const elsewhere = { teamId: 'T1', channelId: 'C7' };

/** A lifecycle with one answered question. */
async function answered(work?: Work) {
  const harness = createCoreHarness(work === undefined ? {} : { work });
  const { id } = await harness.ask();
  await harness.life.run();
  const share = (withLink: boolean): Promise<Question> =>
    harness.ask({ place: elsewhere, origin: 'shared', shares: { questionId: id, withLink, confirmed } });
  return { ...harness, source: harness.life.question(id), share };
}

describe('an answer shown again', () => {
  it('is read from the service, posted in the other place, and not asked again', async () => {
    const { life, source, share } = await answered();
    const { id } = await share(false);
    await life.run();
    const shared = life.question(id);
    expect(shared).toMatchObject({ phase: 'closed', outcome: { kind: 'answered' }, place: elsewhere });
    expect(shared.upstream.shareUrl).toBeUndefined();
    expect(life.messagesOf(shared, 'card').map(({ view }) => view)).toEqual([{ kind: 'shared' }]);
    const [part] = life.messagesOf(shared, 'part');
    expect(part?.channelId).toBe('C7');
    expect(part?.outcome).toMatchObject({ answer: { markdown: expect.stringMatching(/./) } });
    expect(life.upstream()).toHaveLength(1);
    expect(source.outcome).toMatchObject({ answer: { markdown: '' } });
  });

  it("says with the service's words that it is incomplete, although they are not stored", async () => {
    const { life, source, share } = await answered({ takesMs: 5_000, ends: 'failed', isPartial: true });
    const { id } = await share(false);
    await life.run();
    const [part] = life.messagesOf(life.question(id), 'part');
    expect(part?.outcome).toMatchObject({
      answer: { stopped: { cause: 'service', message: expect.stringMatching(/./) } },
    });
    expect(source.outcome).toMatchObject({ answer: { stopped: { cause: 'service' } } });
    expect(source.outcome).not.toMatchObject({ answer: { stopped: { message: expect.anything() } } });
  });

  it('carries the link only where its asker wants the link', async () => {
    const { life, source, share } = await answered();
    const { id } = await share(true);
    await life.run();
    expect(life.question(id).upstream.shareUrl).toBe(source.upstream.shareUrl);
  });

  it('shows no quota, and is in no history and no durations', async () => {
    const { life, share } = await answered();
    const before = await life.ports.askedQuestions.of('T1', 'U1');
    await share(false);
    await life.run();
    expect(await life.ports.askedQuestions.of('T1', 'U1')).toEqual(before);
  });

  it.each([
    ['the process dies', crash('no'), 'answered'],
    ['the service is down for a moment', down, 'answered'],
    ['the conversation was deleted', failing('notFound'), 'failed'],
    ['the service refuses the token', failing('unauthorized'), 'failed'],
  ])('ends visibly where %s', async (_, fault, ends) => {
    const harness = await answered();
    const { life } = harness;
    life.deepSearch.read = faultyOnce(life.deepSearch.read, fault.error);
    const { id } = await harness.share(false);
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: ends } });
  });
});

describe('an answer that cannot be shown where it was shared', () => {
  it('cannot be asked again, and its sharer is told to add the app', async () => {
    const { life, share } = await answered();
    life.ports.messenger.postCard = faultyOnce(
      life.ports.messenger.postCard,
      failing('undeliverable', { invitationHelps: true }).error,
    );
    const { id } = await share(false);
    await life.run();
    expect(life.question(id)).toMatchObject({ phase: 'closed', outcome: { kind: 'undeliverable' } });
    expect(life.privateMessages).toMatchObject([{ notice: { kind: 'shareUndeliverable', channelId: 'C7' } }]);
  });
});

describe('reading an answer again', () => {
  it('restores the text that is not kept', async () => {
    const { life, source } = await answered();
    const answer = await recallAnswer(life.ports, source);
    expect(answer?.markdown).not.toBe('');
    expect(answer?.title).toBe(source.outcome?.kind === 'answered' ? source.outcome.answer.title : '');
  });

  it('finds nothing for a question without an answer', async () => {
    const { life, source } = await answered();
    const { outcome: _, ...open } = source;
    expect(await recallAnswer(life.ports, open)).toBeUndefined();
  });
});

describe('reading an answer again, for a question that lacks something,', () => {
  it.each<[string, (source: Question) => Question]>([
    ['has no conversation', ({ upstream: { conversationId: _, ...upstream }, ...rest }) => ({ ...rest, upstream })],
    ['is not in its conversation', (source) => ({ ...source, upstream: { ...source.upstream, questionId: 999 } })],
  ])('finds nothing where it %s', async (_, change) => {
    const { life, source } = await answered();
    expect(await recallAnswer(life.ports, change(source))).toBeUndefined();
  });

  it.each(['failed', 'processing'] as const)('finds nothing where the service reports it as %s now', async (state) => {
    const { life, source } = await answered();
    const deepSearch = {
      ...life.deepSearch,
      read: async (id: ConversationId) => {
        const conversation = await life.deepSearch.read(id);
        const questions = conversation.questions.map(({ answer: _, ...each }) => ({ ...each, state }));
        return { ...conversation, questions };
      },
    };
    expect(await recallAnswer({ ...life.ports, deepSearch: () => deepSearch }, source)).toBeUndefined();
  });

  it('asks the service nothing where the text is still stored', async () => {
    const { life, source } = await answered();
    if (source.outcome?.kind !== 'answered') throw new Error(source.outcome?.kind);
    const answer = { ...source.outcome.answer, markdown: 'Here.' };
    const deepSearch = { ...life.deepSearch, read: () => Promise.reject(down.error) };
    const kept: Question = { ...source, outcome: { kind: 'answered', answer } };
    expect(await recallAnswer({ ...life.ports, deepSearch: () => deepSearch }, kept)).toEqual(answer);
  });

  it('returns the answer as it was shown, with only its text from the service', async () => {
    const { life, source } = await answered();
    if (source.outcome?.kind !== 'answered') throw new Error(source.outcome?.kind);
    const shown = { ...source.outcome.answer, title: 'As it was shown', steps: 77 };
    const answer = await recallAnswer(life.ports, { ...source, outcome: { kind: 'answered', answer: shown } });
    expect(answer).toEqual({ ...shown, markdown: expect.stringMatching(/./) });
  });
});

describe('a recall', () => {
  it('leaves out the quota and the follow-ups, which belong to a conversation that is not shared', async () => {
    const harness = await answered();
    const quota = { used: 5, limit: 100 };
    await harness.life.ports.questions.update(harness.source.id, (stored) => {
      if (stored.outcome?.kind !== 'answered') return stored;
      return { ...stored, outcome: { kind: 'answered', answer: { ...stored.outcome.answer, quota } } };
    });
    const question = await recall(harness.life.ports, await harness.share(false));
    expect(question.outcome).toMatchObject({ kind: 'answered', answer: { followUps: [] } });
    expect(question.outcome?.kind === 'answered' && 'quota' in question.outcome.answer).toBe(false);
  });

  it.each<[string, Partial<Question>]>([
    ['shares nothing', {}],
    [
      'shares a question that is not known',
      { shares: { questionId: `q${'0'.repeat(24)}`, withLink: true, confirmed } },
    ],
  ])('says that the answer is gone where the question %s', async (_, change) => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
    await recall(life.ports, life.question(id));
    expect(life.question(id).outcome).toEqual({ kind: 'failed', failure: { cause: 'gone' } });
  });
});

describe('a failed recall', () => {
  it.each<[ErrorKind, number, string | undefined]>([
    ['notFound', 0, 'gone'],
    ['unauthorized', 0, 'unauthorized'],
    ['unavailable', 0, undefined],
    ['rateLimited', 15 * 60_000 - 1, undefined],
    ['unavailable', 15 * 60_000, 'unreachable'],
  ])('with %s after %i ms ends the question as %j', async (kind, triedForMs, cause) => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    const firstTriedMs = life.now() - triedForMs;
    await life.ports.questions.update(id, (stored) => ({ ...stored, upstream: { ...stored.upstream, firstTriedMs } }));
    const progress = await recallFailed(life.ports, life.question(id), new AppError(kind, 'planned'));
    expect(progress).toEqual(cause === undefined ? undefined : life.question(id));
    expect(life.question(id).outcome).toEqual(cause === undefined ? undefined : { kind: 'failed', failure: { cause } });
    expect(life.question(id).upstream.firstTriedMs).toBe(firstTriedMs);
  });

  it('notes since when it is tried where it fails for the first time', async () => {
    const { life, ask } = createCoreHarness();
    const { id } = await ask();
    await recallFailed(life.ports, life.question(id), new AppError('unavailable', 'planned'));
    expect(life.question(id).upstream).toEqual({ steps: 0, firstTriedMs: life.now() });
  });
});

function faultyOnce<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
  error: Error,
): (...args: Args) => Promise<Result> {
  let failed = false;
  return async (...args) => {
    if (failed) return work(...args);
    failed = true;
    throw error;
  };
}
