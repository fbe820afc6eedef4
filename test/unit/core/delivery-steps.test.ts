import { describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core/context.ts';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import { finalCard } from '../../../src/core/lifecycle/decide.ts';
import {
  attach,
  attachFailed,
  closeCard,
  closeCardFailed,
  closeQuestion,
  post,
  postFailed,
  recheck,
  recheckFailed,
  sayUndeliverable,
} from '../../../src/core/lifecycle/delivery.ts';
import type { Messenger, PreparedOutcome, PrivateNotice } from '../../../src/core/ports.ts';
import type { Outcome, Question } from '../../../src/core/question/question.ts';
import { createCoreHarness, thread } from '../../support/lifecycle/core-harness.ts';
import { someAnswer } from '../../support/lifecycle/sample-questions.ts';
import { withPostPart } from '../../support/lifecycle/with-post-part.ts';

const answered: Outcome = { kind: 'answered', answer: someAnswer };
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const confirmed: string[] = [];
const shares = { questionId: `q${'0'.repeat(24)}`, withLink: false, confirmed };
const nowhere = { teamId: 'T1', channelId: 'C1' };

/** A stored question that has ended, and the steps of its delivery. A test can replace parts of all ports. */
async function delivering(
  change: Partial<Question> = {},
  { postPart, ...slack }: Partial<Messenger & PreparedOutcome> = {},
  more: Partial<Core> = {},
) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask();
  const { ts } = await life.ports.messenger.postCard(life.question(id), { kind: 'starting' });
  await life.ports.questions.update(id, (stored) => ({
    ...stored,
    phase: 'delivering',
    outcome: answered,
    card: { ts, shown: '' },
    ...change,
  }));
  const looked: string[] = [];
  const closing: string[] = [];
  const w: Core = {
    ...life.ports,
    messenger: {
      ...life.ports.messenger,
      prepare: withPostPart(life.ports.messenger, (original) => postPart ?? original),
      ...slack,
    },
    scheduler: { schedule: async (questionId) => void looked.push(questionId) },
    observer: { changed: () => {}, closing: async (question) => void closing.push(question.id) },
    ...more,
  };
  const stored = () => life.question(id);
  return { life, ask, id, w, question: stored(), stored, looked, closing };
}

type Harness = Awaited<ReturnType<typeof delivering>>;

function failing(kind: ErrorKind, details: AppErrorDetails = {}) {
  return () => Promise.reject(new AppError(kind, 'planned', details));
}

it('a part that another process noted meanwhile is kept, and copies are checked for', async () => {
  const { life, id, w, question, stored } = await delivering({}, { findPart: async () => '9.9' });
  await life.ports.questions.update(id, (now) => ({ ...now, delivery: { round: 0, posted: ['8.8'] } }));
  const before = stored();
  await post(w, question, true, w.messenger.prepare(question));
  expect(stored()).toEqual({ ...before, recheckMs: life.now() + minuteMs, mayHaveCopies: true });
});

it('a part that another process stored since it was read is not followed by the next part', async () => {
  const parts: number[] = [];
  const postPart: PreparedOutcome['postPart'] = async (_, part) => {
    parts.push(part);
    return { ts: '9.9' };
  };
  const { life, id, w, question, stored } = await delivering({}, { postPart });
  await life.ports.questions.update(id, (now) => ({ ...now, delivery: { round: 0, posted: ['8.8'] } }));
  await post(w, question, false, w.messenger.prepare(question));
  expect(parts).toEqual([0]);
  expect(stored()).toMatchObject({ delivery: { posted: ['8.8'] }, mayHaveCopies: true });
});

describe('attaching the answer', () => {
  it.each<[ErrorKind, number | undefined, boolean]>([
    ['unavailable', undefined, true],
    ['rateLimited', 3, true],
    ['unavailable', 4, false],
    ['refused', undefined, false],
  ])(
    'that fails with %s after %j failures makes it %j that it is tried again',
    async (kind, failures, isTriedAgain) => {
      const trouble = { kind: 'unreachable', failures: failures ?? 0, sinceMs: 1, notBeforeMs: 1 } as const;
      const { w, question, stored } = await delivering(failures === undefined ? {} : { trouble });
      const progress = await attachFailed(w, question, new AppError(kind, 'planned'));
      expect(progress === undefined).toBe(isTriedAgain);
      expect(stored().delivery.file?.state).toBe(isTriedAgain ? undefined : 'refused');
    },
  );
});

describe('the result of a delivery that was resumed in the meantime', () => {
  it.each<[string, (harness: Harness) => Promise<unknown>]>([
    ['a part', ({ w, question }) => post(w, question, true, w.messenger.prepare(question))],
    ['a first part', ({ w, question }) => post(w, question, false, w.messenger.prepare(question))],
    ['a file', ({ w, question }) => attach(w, question, true)],
    ['a first file', ({ w, question }) => attach(w, question, false)],
    ['a refusal', ({ w, question }) => sayUndeliverable(w, question)],
    ['the last edit of its card', ({ w, question }) => closeCard(w, question)],
    [
      'a card that could not be closed',
      ({ w, question, life }) =>
        closeCardFailed(
          w,
          { ...question, trouble: { kind: 'unreachable', failures: 8, sinceMs: life.now(), notBeforeMs: 0 } },
          new AppError('unavailable', 'planned'),
        ),
    ],
    ['its close', ({ w, question }) => closeQuestion(w, question)],
  ])('is not counted for the new delivery: %s', async (_, step) => {
    const harness = await delivering({}, { findPart: async () => '9.9', findAttachment: async () => true });
    await harness.life.ports.questions.update(harness.id, (stored) => ({
      ...stored,
      delivery: { round: 1, posted: [] },
    }));
    const before = harness.stored();
    await step(harness);
    expect(harness.stored()).toEqual(before);
    expect([...harness.life.messagesOf(before, 'part'), ...harness.life.messagesOf(before, 'file')]).toEqual([]);
    expect(harness.life.openIds()).toEqual([harness.id]);
  });

  it('is not counted either where posting failed', async () => {
    const { life, id, w, question, stored } = await delivering(
      {},
      {
        postPart: async () => {
          await life.ports.questions.update(id, (now) => ({ ...now, delivery: { round: 1, posted: [], intentMs: 7 } }));
          return failing('unavailable')();
        },
      },
    );
    await expect(post(w, question, false, w.messenger.prepare(question))).rejects.toThrow('planned');
    expect(stored().delivery).toEqual({ round: 1, posted: [], intentMs: 7 });
  });
});

describe('a check for copies', () => {
  it('is over once it was made, and shows an unfinished card again', async () => {
    const { w, question, stored } = await delivering({ recheckMs: 5, card: { ts: '1.1', shown: 'steps' } });
    await recheck(w, question);
    const { recheckMs: _, ...rest } = question;
    expect(stored()).toEqual({ ...rest, card: { ts: '1.1', shown: '' } });
  });

  it('shows the end on the card again', async () => {
    const views: string[] = [];
    const updateCard: Messenger['updateCard'] = async (_, view) => void views.push(view.kind);
    const { w, question, stored } = await delivering(
      { recheckMs: 5, card: { ts: '1.1', shown: finalCard } },
      { updateCard },
    );
    await recheck(w, question);
    expect(views).toEqual(['answered']);
    expect(stored().card.shown).toBe(finalCard);
    expect(stored()).not.toHaveProperty('recheckMs');
  });

  it('is not over where another one was requested in the meantime', async () => {
    const { w, question, stored } = await delivering({ recheckMs: 9 });
    await recheck(w, { ...question, recheckMs: 5 });
    expect(stored()).toEqual(question);
  });

  it.each<[ErrorKind, AppErrorDetails, number, number | undefined]>([
    ['unavailable', {}, 0, minuteMs],
    ['rateLimited', { retryAfterMs: 90_000 }, dayMs, 90_000],
    ['rateLimited', { retryAfterMs: 1_000 }, 0, minuteMs],
    ['unavailable', {}, dayMs + 1, undefined],
    ['refused', {}, 0, undefined],
  ])(
    'that fails for %s with %j, %i ms after the end, is made again in %j ms',
    async (kind, details, endedAgoMs, inMs) => {
      const harness = await delivering({ recheckMs: 5 });
      const question = { ...harness.question, endedMs: harness.life.now() - endedAgoMs };
      await recheckFailed(harness.w, question, new AppError(kind, 'planned', details));
      expect(harness.stored().recheckMs).toBe(inMs === undefined ? undefined : harness.life.now() + inMs);
    },
  );

  it('that fails before the question has ended is made again', async () => {
    const harness = await delivering({ recheckMs: 5 });
    await recheckFailed(harness.w, harness.question, new AppError('unavailable', 'planned'));
    expect(harness.stored().recheckMs).toBe(harness.life.now() + minuteMs);
  });
});

describe('a delivery that fails', () => {
  it.each<[ErrorKind, boolean]>([
    ['undeliverable', true],
    ['unrenderable', true],
    ['refused', true],
    ['notFound', true],
    ['unavailable', false],
    ['rateLimited', false],
    ['unauthorized', false],
  ])('with %s makes it %j that the asker is told privately and the delivery is given up', async (kind, isGivenUp) => {
    const { w, question, stored, life } = await delivering();
    const progress = await postFailed(w, question, new AppError(kind, 'planned'));
    expect(progress === undefined).toBe(!isGivenUp);
    expect(life.privateMessages).toHaveLength(isGivenUp ? 1 : 0);
    expect(stored().delivery.refused ?? false).toBe(isGivenUp);
  });

  it('forgets the call that was running', async () => {
    const { w, question, stored } = await delivering({
      delivery: { round: 2, posted: ['1'], intentMs: 5, givenUpMs: 6 },
    });
    await sayUndeliverable(w, question);
    expect(stored().delivery).toEqual({ round: 2, posted: ['1'], refused: true });
  });
});

describe('what the asker is told privately', () => {
  const notAllowed: Outcome = { kind: 'notAllowed', reason: 'guest' };
  const shareUrl = 'https://code.example/1';

  it.each<[string, Partial<Question>, PrivateNotice]>([
    ['may not ask', { outcome: notAllowed }, { kind: 'notAllowed', reason: 'guest', questionId: 'id', text: 'where?' }],
    [
      'may not see the answer',
      { outcome: notAllowed, upstream: { steps: 0, askedMs: 5 } },
      { kind: 'notAllowed', reason: 'guest', questionId: 'id', text: 'where?', withheld: 'answer' },
    ],
    [
      'may not share',
      { outcome: notAllowed, shares, upstream: { steps: 0, askedMs: 5 } },
      { kind: 'notAllowed', reason: 'guest', questionId: 'id', text: 'where?', withheld: 'share' },
    ],
    [
      'could not share',
      { outcome: { kind: 'undeliverable', canInvite: true }, shares },
      { kind: 'shareUndeliverable', questionId: 'id', channelId: 'C1' },
    ],
    [
      'can invite the app',
      { outcome: { kind: 'undeliverable', canInvite: true } },
      { kind: 'notInChannel', questionId: 'id', text: 'where?', canInvite: true },
    ],
    [
      'cannot invite the app',
      { outcome: { kind: 'undeliverable', canInvite: false } },
      { kind: 'notInChannel', questionId: 'id', text: 'where?', canInvite: false },
    ],
    [
      'cannot invite the app where nothing says so',
      { place: nowhere },
      { kind: 'notInChannel', questionId: 'id', text: 'where?', canInvite: false },
    ],
    [
      'asked in a direct message between two people',
      { outcome: { kind: 'undeliverable', canInvite: false }, place: { ...nowhere, channelId: 'D1' } },
      { kind: 'notInChannel', questionId: 'id', text: 'where?', canInvite: false, isBetweenTwo: true },
    ],
    ['have an answer that could not be posted', {}, { kind: 'undeliverable', questionId: 'id', place: thread }],
    [
      'have an answer that could not be posted, and its link',
      { upstream: { steps: 0, shareUrl } },
      { kind: 'undeliverable', questionId: 'id', place: thread, shareUrl },
    ],
  ])('is that they %s', async (_, change, notice) => {
    const { w, question, life, id } = await delivering({ text: 'where?', ...change });
    await sayUndeliverable(w, question);
    const expected = 'questionId' in notice ? { ...notice, questionId: id } : notice;
    expect(life.privateMessages).toEqual([{ questionId: id, userId: 'U1', notice: expected }]);
  });
});

describe('closing the card', () => {
  it('frees the position in the queue and the slot first, and then says how the question ended', async () => {
    const order: string[] = [];
    const harness: Harness = await delivering(
      {},
      {
        updateCard: async (_, view) => void order.push(`${view.kind}, ${harness.life.threads()[0]?.queue.length} left`),
      },
    );
    await harness.life.ports.runSlots.takeSlot(harness.question);
    const next = await harness.ask();
    await closeCard(harness.w, harness.question);
    expect(order).toEqual(['answered, 1 left']);
    expect(harness.looked).toEqual([next.id]);
    expect(harness.closing).toEqual([harness.id]);
    expect(harness.life.runSlotBooks()).toMatchObject([{ running: [] }]);
    expect(harness.stored().card.shown).toBe(finalCard);
  });

  it.each<[string, Partial<Question>, ErrorKind, number, boolean]>([
    ['after seven failures and is tried again', {}, 'unavailable', 7, true],
    ['after eight failures and is given up', {}, 'unavailable', 8, false],
    ['after many requests of Slack to wait and is tried again', {}, 'rateLimited', 99, true],
    [
      'after many failures and is tried again where it is the whole end',
      { outcome: { kind: 'cancelled' } },
      'unavailable',
      99,
      true,
    ],
  ])('fails %s', async (_, change, kind, failures, isTriedAgain) => {
    const trouble = { kind: 'unreachable', failures, sinceMs: 1, notBeforeMs: 1 } as const;
    const { w, question, stored } = await delivering({ ...change, trouble });
    const progress = await closeCardFailed(w, question, new AppError(kind, 'planned'));
    expect(progress === undefined).toBe(isTriedAgain);
    expect(stored().card.shown).toBe(isTriedAgain ? '' : finalCard);
  });
});

describe('closing a question', () => {
  it('keeps what buttons need, and removes the texts and the address for replies', async () => {
    const context = { messages: 1, total: 1, files: 0, unreadable: 0, text: 'said' };
    const trouble = { kind: 'unreachable', failures: 1, sinceMs: 1, notBeforeMs: 1 } as const;
    const image = { id: 'F1', name: 'a.png', type: 'image/png', bytes: 9 };
    const mail = { id: 'F2', name: 'mail', type: 'text/html', bytes: 9 };
    const { w, question, stored } = await delivering({
      context,
      forwarded: { messages: 2, text: 'said elsewhere' },
      files: [image, { ...mail, text: 'Dear all' }],
      trouble,
      responseUrl: 'https://hooks.slack.example/1',
    });
    await closeQuestion(w, question);
    const { trouble: _trouble, responseUrl: _url, ...rest } = question;
    expect(stored()).toEqual({
      ...rest,
      phase: 'closed',
      outcome: { kind: 'answered', answer: { ...someAnswer, markdown: '' } },
      context: { ...context, text: '' },
      forwarded: { messages: 2, text: '' },
      files: [image, { ...mail, isUnknown: true }],
    });
  });

  it.each<[string, Outcome, Outcome]>([
    [
      'that an answer is incomplete',
      { kind: 'answered', answer: { ...someAnswer, stopped: { cause: 'service', title: 'Oh', message: 'No' } } },
      { kind: 'answered', answer: { ...someAnswer, markdown: '', stopped: { cause: 'service' } } },
    ],
    [
      'why there is none, for the message whose button was used',
      { kind: 'failed', failure: { cause: 'service', title: 'Oh', message: 'No' } },
      { kind: 'failed', failure: { cause: 'service', title: 'Oh', message: 'No' } },
    ],
  ])('keeps %s, and neither the text of an answer nor its last step', async (_, outcome, kept) => {
    const upstream = { steps: 3, conversationId: 7, lastStep: 'Reading', seenMark: 'm' };
    const { w, question, stored } = await delivering({ outcome, upstream });
    await closeQuestion(w, question);
    expect(stored()).toEqual({
      ...question,
      phase: 'closed',
      outcome: kept,
      upstream: { steps: 3, conversationId: 7 },
    });
  });

  it('takes the question off the list, unless its messages must still be checked', async () => {
    const done = await delivering();
    await closeQuestion(done.w, done.question);
    expect(done.life.openIds()).toEqual([]);
    const checked = await delivering({ recheckMs: 9 });
    await closeQuestion(checked.w, checked.question);
    expect(checked.life.openIds()).toEqual([checked.id]);
  });

  it.each<[string, Partial<Question>, number[]]>([
    ['of an answer', {}, [someAnswer.durationMs]],
    ['of no answer that was shown again', { origin: 'shared' }, []],
    ['of nothing that failed', { outcome: { kind: 'cancelled' } }, []],
  ])('notes the duration %s', async (_, change, expected) => {
    const noted: number[] = [];
    const durations = {
      note: async (_team: string, _id: string, ms: number) => void noted.push(ms),
      expect: async () => undefined,
      recent: async () => [],
    };
    const { w, question } = await delivering(change, {}, { durations });
    await closeQuestion(w, question);
    expect(noted).toEqual(expected);
  });
});
