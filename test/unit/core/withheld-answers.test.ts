import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { isAnswerWithheld } from '../../../src/core/intake/requests.ts';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import type { Question, Refusal } from '../../../src/core/question/question.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';

const direct = { teamId: 'T1', channelId: 'D1' };
const asker = { userId: 'U1', teamId: 'T1' };
const inDirect = { ...asker, channelId: direct.channelId };

/** A lifecycle in which the answer to a question of U1 was withheld from its channel. */
async function withheld(reason: Refusal = 'guestsInChannel', text = 'where is it?') {
  const harness = createCoreHarness({ work: { takesMs: 120_000, ends: 'completed' } });
  const { life } = harness;
  life.ports.accessPolicy.admit = async (_userId, { channelId }) =>
    channelId === direct.channelId || life.upstream().length === 0 ? { may: true } : { may: false, reason };
  const { id } = await harness.ask({ askerId: asker.userId, text });
  await life.run();
  return { ...harness, id, source: () => life.question(id) };
}

type Harness = Awaited<ReturnType<typeof withheld>>;

/** Presses the button, and waits until the answer is shown. */
async function show({ life, requests }: Harness, questionId: string): Promise<Question> {
  const result = await requests.showWithheld(questionId, direct, asker);
  if (result.kind !== 'accepted') throw new Error(result.kind);
  await life.run();
  return life.question(result.question.id);
}

describe('a question whose answer was withheld', () => {
  it('keeps what the answer is found by, and its words', async () => {
    const { source } = await withheld();
    expect(isAnswerWithheld(source())).toBe(true);
    expect(source()).toMatchObject({
      phase: 'closed',
      text: 'where is it?',
      upstream: { conversationId: expect.any(Number), questionId: expect.any(Number) },
    });
  });

  it.each<[string, (question: Question) => Question]>([
    ['was answered', (question) => ({ ...question, outcome: { kind: 'cancelled' } })],
    ['was refused to a guest', (question) => ({ ...question, outcome: { kind: 'notAllowed', reason: 'guest' } })],
    ['was never asked', (question) => ({ ...question, upstream: { steps: 0 } })],
    [
      'shows another answer',
      (question) => ({
        ...question,
        shares: {
          questionId: question.id,
          withLink: true,
          confirmed: [],
        },
      }),
    ],
  ])('is not one that %s', async (_, change) => {
    const { source } = await withheld();
    expect(isAnswerWithheld(change(source()))).toBe(false);
  });
});

describe('a withheld answer', () => {
  it('is shown to its asker from what the service has, without asking again', async () => {
    const harness = await withheld();
    const { life, id } = harness;
    const shown = await show(harness, id);
    expect(shown).toMatchObject({
      phase: 'closed',
      outcome: { kind: 'answered', answer: { followUps: ['And then?', 'Why?'] } },
      origin: 'shared',
      place: { channelId: 'D1' },
      shares: { questionId: id, withheld: true },
    });
    const [part] = life.messagesOf(shown, 'part');
    expect(part).toMatchObject({ channelId: 'D1', outcome: { answer: { markdown: expect.stringMatching(/./) } } });
    expect(life.upstream()).toHaveLength(1);
    expect(life.messagesOf(harness.source(), 'part')).toEqual([]);
  });

  it('is shown once, however often its button is pressed, also at the same time', async () => {
    const { life, requests, id } = await withheld();
    const results = await Promise.all([1, 2, 3].map(() => requests.showWithheld(id, direct, asker)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['accepted', 'duplicate', 'duplicate']);
    await life.run();
    expect(await requests.showWithheld(id, direct, asker)).toMatchObject({ kind: 'duplicate' });
    expect(life.questions()).toHaveLength(2);
  });

  it('is not shown to another person, from another workspace, or where there is none', async () => {
    const { life, requests, id } = await withheld();
    expect(await requests.showWithheld(id, direct, { ...asker, userId: 'U9' })).toEqual({ kind: 'notYours' });
    expect(await requests.showWithheld(id, direct, { ...asker, teamId: 'T2' })).toEqual({ kind: 'expired' });
    expect(await requests.showWithheld(`q${'0'.repeat(24)}`, direct, asker)).toEqual({ kind: 'expired' });
    expect(life.questions()).toHaveLength(1);
  });

  it('is not shown to an asker who may not ask any more', async () => {
    const harness = await withheld();
    harness.life.ports.accessPolicy.admit = async () => ({ may: false, reason: 'guest' });
    expect((await show(harness, harness.id)).outcome).toEqual({ kind: 'notAllowed', reason: 'guest' });
    expect(harness.life.privateMessages.at(-1)).toMatchObject({ notice: { kind: 'notAllowed', withheld: 'share' } });
  });

  it('of a question that is not one is not shown', async () => {
    const { life, ask, requests } = createCoreHarness();
    const { id } = await ask();
    await life.run();
    expect(await requests.showWithheld(id, direct, asker)).toEqual({ kind: 'expired' });
  });

  it('that still runs is watched until it ends', async () => {
    const harness = await withheld();
    const { read } = harness.life.deepSearch;
    let reads = 0;
    harness.life.deepSearch.read = async (conversationId) => {
      const conversation = await read(conversationId);
      reads += 1;
      if (reads > 2) return conversation;
      return { ...conversation, questions: conversation.questions.map((each) => ({ ...each, state: 'processing' })) };
    };
    // Its follow-ups would start another conversation there.
    expect((await show(harness, harness.id)).outcome).toMatchObject({
      kind: 'answered',
      answer: { followUps: ['And then?', 'Why?'] },
    });
    expect(harness.life.upstream()).toHaveLength(1);
  });
});

describe('a withheld answer that is gone', () => {
  async function gone(text?: string) {
    const harness = await withheld('guestsInChannel', text);
    harness.life.deepSearch.read = async () => {
      throw new AppError('notFound', 'deleted');
    };
    return { ...harness, shown: await show(harness, harness.id) };
  }

  it('is said to be so, and its question can be asked again there, once', async () => {
    const { requests, shown } = await gone();
    expect(shown).toMatchObject({ phase: 'closed', outcome: { kind: 'failed', failure: { cause: 'gone' } } });
    const again = await requests.askAgain(shown.id, inDirect, { fresh: true });
    expect(again).toMatchObject({ kind: 'accepted', question: { text: 'where is it?', place: { channelId: 'D1' } } });
    expect('question' in again && again.question.shares).toBeUndefined();
    expect(await requests.askAgain(shown.id, inDirect, { fresh: true })).toMatchObject({ kind: 'duplicate' });
  });

  it('cannot be asked again there where its thread was the question', async () => {
    const { requests, shown } = await gone(threadQuestion);
    expect(await requests.askAgain(shown.id, inDirect, { fresh: true })).toEqual({ kind: 'expired' });
  });
});

it('a withheld answer whose showing failed is shown in the thread of that attempt, once for each failure', async () => {
  const harness = await withheld();
  const { life, requests, id } = harness;
  const { read } = life.deepSearch;
  life.deepSearch.read = async () => {
    throw new AppError('unauthorized', 'no token');
  };
  const failed = await show(harness, id);
  expect(failed.outcome).toEqual({ kind: 'failed', failure: { cause: 'unauthorized' } });
  life.deepSearch.read = read;
  expect(await requests.showWithheld(id, direct, asker)).toMatchObject({ kind: 'duplicate' });
  const shown = await show(harness, failed.id);
  expect(shown).toMatchObject({ outcome: { kind: 'answered' }, place: failed.place, shares: { questionId: id } });
  expect(await requests.showWithheld(failed.id, direct, asker)).toMatchObject({ kind: 'duplicate' });
});
