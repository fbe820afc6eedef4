import { describe, expect, it } from 'vitest';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import { createCardUpdates } from '../../../src/core/lifecycle/card-updates.ts';
import { digestOf } from '../../../src/core/lifecycle/card-view.ts';
import { createCrowd } from '../../../src/core/lifecycle/crowd.ts';
import { atOnce, finalCard } from '../../../src/core/lifecycle/decide.ts';
import type { CardView, Messenger } from '../../../src/core/ports.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { stepCheckLifeMs } from '../../../src/core/settings.ts';
import { createCoreHarness, thread } from '../../support/lifecycle/core-harness.ts';
import { someAnswer } from '../../support/lifecycle/sample-questions.ts';

const starting = digestOf({ kind: 'starting' });
const queued = { ...atOnce, positionInQueue: 2 };
const nowhere = { teamId: 'T1', channelId: 'C1' };

/** A stored question and its card. A test can replace parts of Slack. */
async function withCard(change: Partial<Question> = {}, slack: Partial<Messenger> = {}) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask();
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  const edits: CardView[] = [];
  const messenger: Messenger = {
    ...life.ports.messenger,
    updateCard: async (_, view) => void edits.push(view),
    ...slack,
  };
  const card = createCardUpdates({ ...life.ports, messenger });
  return { life, card, edits, question: life.question(id), stored: () => life.question(id) };
}

type Harness = Awaited<ReturnType<typeof withCard>>;

function failing(kind: ErrorKind, details: AppErrorDetails = {}) {
  return () => Promise.reject(new AppError(kind, 'planned', details));
}

describe('announcing a question', () => {
  it('stores the intent before the call, and what the card shows after it', async () => {
    let before: Question | undefined;
    const views: CardView[] = [];
    const harness: Harness = await withCard(
      {},
      {
        postCard: async (_, view) => {
          before = harness.stored();
          views.push(view);
          return { ts: '9.9' };
        },
      },
    );
    await harness.card.announce(harness.question, queued, false);
    expect(before).toEqual({ ...harness.question, card: { intentMs: harness.life.now() } });
    expect(views).toEqual([{ kind: 'queued', place: 2 }]);
    const shown = digestOf({ kind: 'queued', place: 2 });
    expect(harness.stored()).toEqual({ ...harness.question, card: { ts: '9.9', shown, editedMs: harness.life.now() } });
  });

  it('makes the card of a command its thread, and keeps the thread of other questions', async () => {
    const postCard = async () => ({ ts: '9.9' });
    const command = await withCard({ place: nowhere }, { postCard });
    await command.card.announce(command.question, atOnce, false);
    expect(command.stored().place).toEqual({ ...nowhere, threadTs: '9.9' });
    const reply = await withCard({}, { postCard });
    await reply.card.announce(reply.question, atOnce, false);
    expect(reply.stored().place).toEqual(thread);
  });

  it('treats a card that was found as posted, and has it edited', async () => {
    for (const step of ['announce', 'search'] as const) {
      const { card, question, stored, life } = await withCard({}, { findCard: async () => '9.9' });
      const progress = await (step === 'announce' ? card.announce(question, atOnce, true) : card.search(question));
      expect(progress).toEqual({ question: stored() });
      expect(stored().card).toEqual({ ts: '9.9', shown: '', editedMs: life.now() });
      expect(life.posted).toEqual([]);
    }
  });

  it.each<[string, string, boolean]>([
    ['the same card', '9.9', false],
    ['another card, and has copies checked for', '8.8', true],
  ])('keeps what another process noted in the meantime: %s', async (_, noted, isChecked) => {
    const { card, question, stored, life } = await withCard({ card: { intentMs: 1 } }, { findCard: async () => '9.9' });
    await life.ports.questions.update(question.id, (now) => ({ ...now, card: { ts: noted, shown: 'theirs' } }));
    const before = stored();
    await card.search(question);
    expect(stored()).toEqual(isChecked ? { ...before, recheckMs: life.now() + 60_000, mayHaveCopies: true } : before);
  });

  it('searches nothing the first time', async () => {
    const { card, question, life } = await withCard({}, { findCard: failing('unavailable') });
    await card.announce(question, atOnce, false);
    expect(life.posted).toHaveLength(1);
  });

  it('has copies checked for a minute after a repeated try that found no card', async () => {
    const { card, question, stored, life } = await withCard({ card: { intentMs: 1, givenUpMs: 2, searchedMs: 3 } });
    await card.announce(question, atOnce, true);
    expect(stored()).toMatchObject({ card: { shown: starting }, recheckMs: life.now() + 60_000 });
    expect(stored().card).not.toHaveProperty('intentMs');
  });

  it('notes a search that found nothing', async () => {
    const { card, question, stored, life } = await withCard({ card: { intentMs: 1, givenUpMs: 2 } });
    await card.search(question);
    expect(stored().card).toEqual({ intentMs: 1, givenUpMs: 2, searchedMs: life.now() });
  });

  it.each<[string, () => Promise<never>, string[]]>([
    ['forgets its intent where it certainly failed', failing('unavailable'), []],
    [
      'notes when it was given up where the card may exist',
      failing('unavailable', { outcomeUnknown: true }),
      ['intentMs', 'givenUpMs'],
    ],
    ['keeps its intent after a fault of our own', () => Promise.reject(new TypeError('planned')), ['intentMs']],
  ])('%s', async (_, postCard, left) => {
    const { card, question, stored, life } = await withCard({}, { postCard });
    await expect(card.announce(question, atOnce, false)).rejects.toThrow('planned');
    expect(stored().card).toEqual(Object.fromEntries(left.map((name) => [name, life.now()])));
  });
});

describe('a card of a question that has ended', () => {
  const ended: Partial<Question> = { outcome: { kind: 'gaveUp' }, phase: 'delivering' };

  it('is final where it is posted only then', async () => {
    const { card, question, stored } = await withCard(ended, { postCard: async () => ({ ts: '9.9' }) });
    await card.announce(question, atOnce, false);
    expect(stored().card).toMatchObject({ ts: '9.9', shown: finalCard });
  });

  it('is given up where it is not found, and removed where it appears later', async () => {
    const { card, question, stored, life } = await withCard({ ...ended, card: { intentMs: 1, givenUpMs: 2 } });
    expect(await card.drop(question)).toEqual({ question: stored() });
    expect(stored().card).toEqual({ gone: true });
    expect(stored()).toMatchObject({ recheckMs: life.now() + 60_000, mayHaveCopies: true });
  });

  it('is closed where it is found', async () => {
    const findCard = async () => '9.9';
    const { card, question, stored } = await withCard({ ...ended, card: { intentMs: 1, givenUpMs: 2 } }, { findCard });
    await card.drop(question);
    expect(stored().card).toMatchObject({ ts: '9.9', shown: '' });
    expect(stored()).not.toHaveProperty('recheckMs');
  });

  it('stays where another process found it meanwhile', async () => {
    const harness: Harness = await withCard(
      { ...ended, card: { intentMs: 1, givenUpMs: 2 } },
      {
        findCard: async () => {
          const card = { ts: '9.9', shown: finalCard };
          await harness.life.ports.questions.update(harness.question.id, (now) => ({ ...now, card }));
          return undefined;
        },
      },
    );
    await harness.card.drop(harness.question);
    expect(harness.stored().card).toEqual({ ts: '9.9', shown: finalCard });
  });
});

describe('a card in a workspace where many questions run', () => {
  /** A card of a workspace in which so many questions have a slot. The number and the time can change. */
  async function inCrowd(running: number, change: Partial<Question> = {}) {
    const harness = await withCard(change);
    const state = { running, passedMs: 0 };
    const counted: number[] = [];
    const edits: CardView[] = [];
    const card = createCardUpdates({
      ...harness.life.ports,
      now: () => harness.life.now() + state.passedMs,
      runSlots: {
        ...harness.life.ports.runSlots,
        countRunning: async () => {
          counted.push(state.running);
          return state.running;
        },
      },
      messenger: {
        ...harness.life.ports.messenger,
        postCard: async (_, view) => {
          edits.push(view);
          return { ts: '9.9' };
        },
        updateCard: async (_, view) => void edits.push(view),
      },
    });
    return { ...harness, card, edits, state, counted };
  }

  it.each([
    [30, 'starting'],
    [31, 'asked'],
  ])('says with %i of them: %s', async (running, kind) => {
    const { card, question, edits } = await inCrowd(running);
    await card.announce(question, atOnce, false);
    expect(edits).toEqual([{ kind }]);
  });

  it('shows progress once fewer run, and goes on with it when more do', async () => {
    const { life, card, question, edits, state, counted, stored } = await inCrowd(31, { phase: 'running' });
    await card.announce(question, atOnce, false);
    await life.ports.questions.update(question.id, (now) => ({ ...now, admittedMs: life.now() }));
    for (const [passedMs, running] of [
      [3_000, 31],
      [6_000, 30],
      [36_000, 31],
    ] as const) {
      Object.assign(state, { passedMs, running });
      await card.refresh(stored(), atOnce);
    }
    expect(edits.map(({ kind }) => kind)).toEqual(['asked', 'running', 'running']);
    expect(counted).toEqual([31, 31, 30]);
  });

  it.each([
    [stepCheckLifeMs, ['running']],
    [stepCheckLifeMs + 1, []],
  ])('begins to show steps %i ms after its readers were checked: %j', async (agoMs, kinds) => {
    const { life, card, edits, stored, question } = await inCrowd(30, {
      phase: 'running',
      card: { ts: '1.1', shown: digestOf({ kind: 'asked' }) },
    });
    await life.ports.questions.update(question.id, (now) => ({ ...now, admittedMs: life.now() - agoMs }));
    await card.refresh(stored(), atOnce);
    expect(edits.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('is decided by what was known when the run checked its readers, not by a newer count', async () => {
    const { life, card, edits, state, stored, question } = await inCrowd(30, {
      phase: 'running',
      card: { ts: '1.1', shown: digestOf({ kind: 'asked' }) },
    });
    await life.ports.questions.update(question.id, (now) => ({ ...now, admittedMs: life.now() }));
    await card.refresh(stored(), { ...atOnce, isCrowded: true });
    expect(edits).toEqual([]);
    state.running = 31;
    await card.refresh(stored(), { ...atOnce, isCrowded: false });
    expect(edits).toMatchObject([{ kind: 'running' }]);
  });

  it('is counted for at most once a second to edit cards, and for each card that is posted', async () => {
    const { card, question, counted, stored } = await inCrowd(31);
    await card.announce(question, atOnce, false);
    await card.refresh(stored(), atOnce);
    await card.refresh(stored(), atOnce);
    expect(counted).toEqual([31]);
    await card.announce({ ...question, card: {} }, atOnce, false);
    expect(counted).toEqual([31, 31]);
  });

  it('is counted for again by a card that waits for a count which fails', async () => {
    const { life, question } = await inCrowd(31);
    let counted = 0;
    const countRunning = async () => {
      counted += 1;
      if (counted === 1) throw new AppError('storage', 'planned');
      return 31;
    };
    const crowd = createCrowd({ runSlots: { ...life.ports.runSlots, countRunning }, now: life.now });
    const counts = [1, 2, 3].map(() => crowd.isCrowded(question, false));
    expect(await Promise.allSettled(counts)).toMatchObject([
      { reason: { kind: 'storage' } },
      { value: true },
      { value: true },
    ]);
    expect(counted).toBe(2);
  });

  it.each([
    [3_999, 'asked'],
    [4_000, 'starting'],
  ])('says %i ms after the last edit of another card was refused for 4 s: %s', async (passedMs, kind) => {
    const { life, ask } = createCoreHarness();
    const [ended, other] = [await ask(), await ask()];
    const views: string[] = [];
    let waitedMs = 0;
    const card = createCardUpdates({
      ...life.ports,
      now: () => life.now() + waitedMs,
      messenger: {
        ...life.ports.messenger,
        updateCard: failing('rateLimited', { retryAfterMs: 4_000 }),
        postCard: async (_, view) => {
          views.push(view.kind);
          return { ts: '9.9' };
        },
      },
    });
    const gaveUp: Question = { ...ended, outcome: { kind: 'gaveUp' }, card: { ts: '1.1' } };
    await expect(card.finish(gaveUp)).rejects.toMatchObject({ kind: 'rateLimited' });
    waitedMs = passedMs;
    await card.announce(other, atOnce, false);
    expect(views).toEqual([kind]);
  });
});

describe('refreshing a card', () => {
  it('shows what changed, and is due again after three seconds', async () => {
    const { card, question, stored, edits, life } = await withCard({ card: { ts: '1.1', shown: 'other' } });
    expect(await card.refresh(question, atOnce)).toBeUndefined();
    expect(edits).toEqual([{ kind: 'starting' }]);
    expect(stored().card).toEqual({ ts: '1.1', shown: starting, editedMs: life.now() });
    expect(await card.refresh(stored(), atOnce)).toBeUndefined();
    expect(await card.refresh(stored(), queued)).toBe(3_000);
    expect(edits).toHaveLength(1);
  });

  it.each<[number, number | undefined]>([
    [2_999, 1],
    [3_000, undefined],
  ])('%i ms after the last edit is due in %j ms', async (agoMs, dueMs) => {
    const { card, question, edits, life } = await withCard({ card: { ts: '1.1', shown: 'other' } });
    const edited = { ...question, card: { ...question.card, editedMs: life.now() - agoMs } };
    expect(await card.refresh(edited, atOnce)).toBe(dueMs);
    expect(edits).toHaveLength(dueMs === undefined ? 1 : 0);
  });

  it.each<[string, Partial<Question>]>([
    ['a card that was not posted', { card: {} }],
    ['a card that is gone', { card: { ts: '1.1', gone: true } }],
    ['a question that has ended', { card: { ts: '1.1' }, outcome: { kind: 'gaveUp' } }],
    ['a closed question', { card: { ts: '1.1' }, phase: 'closed' }],
  ])('is never due for %s', async (_, change) => {
    const { card, question, edits } = await withCard(change);
    expect(await card.refresh(question, atOnce)).toBeUndefined();
    expect(edits).toEqual([]);
  });

  it.each<[ErrorKind, AppErrorDetails, number | undefined, Partial<Question['card']>]>([
    ['notFound', {}, undefined, { gone: true }],
    ['undeliverable', {}, undefined, { gone: true }],
    ['unavailable', {}, 3_000, { editedMs: 0 }],
    ['rateLimited', { retryAfterMs: 9_000 }, 9_000, { editedMs: 0 }],
    ['rateLimited', { retryAfterMs: 1_000 }, 3_000, { editedMs: 0 }],
  ])('after the failure %s with %j is due again in %j ms', async (kind, details, dueMs, left) => {
    const harness = await withCard({ card: { ts: '1.1', shown: 'other' } }, { updateCard: failing(kind, details) });
    expect(await harness.card.refresh(harness.question, atOnce)).toBe(dueMs);
    const edited = left.editedMs === undefined ? {} : { editedMs: harness.life.now() };
    expect(harness.stored().card).toEqual({ ts: '1.1', shown: 'other', ...left, ...edited });
    expect(harness.stored()).not.toHaveProperty('recheckMs');
  });

  it('has the card checked a minute later where the edit may take effect late', async () => {
    const updateCard = failing('unavailable', { outcomeUnknown: true });
    const { card, question, stored, life } = await withCard({ card: { ts: '1.1', shown: 'other' } }, { updateCard });
    await card.refresh(question, atOnce);
    expect(stored().recheckMs).toBe(life.now() + 60_000);
  });

  it.each<[string, () => Promise<never>]>([
    ['our storage', failing('storage')],
    ['an unreadable record', failing('corrupt')],
    ['a fault of our own', () => Promise.reject(new TypeError('planned'))],
  ])('throws for %s', async (_, updateCard) => {
    const { card, question } = await withCard({ card: { ts: '1.1', shown: 'other' } }, { updateCard });
    await expect(card.refresh(question, atOnce)).rejects.toThrow('planned');
  });
});

describe('the last edit of a card', () => {
  const ended: Partial<Question> = { card: { ts: '1.1' }, outcome: { kind: 'answered', answer: someAnswer } };

  it('says how the question ended, and is stored as the last', async () => {
    const { card, question, stored, edits, life } = await withCard(ended);
    expect(await card.finish(question)).toEqual(stored());
    expect(edits).toEqual([{ kind: 'answered', durationMs: 4_000, steps: 3 }]);
    expect(stored().card).toEqual({ ts: '1.1', shown: finalCard, editedMs: life.now() });
  });

  it('is not the last one where the question was resumed in the meantime', async () => {
    const { card, question, stored, life } = await withCard(ended);
    await life.ports.questions.update(question.id, (now) => ({ ...now, delivery: { round: 1, posted: [] } }));
    await card.finish(question);
    expect(stored().card).toEqual({ ts: '1.1' });
  });

  it.each<[ErrorKind, boolean]>([
    ['notFound', true],
    ['undeliverable', true],
    ['refused', true],
    ['unrenderable', true],
    ['unavailable', false],
    ['rateLimited', false],
  ])('that fails with %s makes it %j that the card is gone', async (kind, isGone) => {
    const { card, question, stored } = await withCard(ended, { updateCard: failing(kind) });
    const finished = card.finish(question);
    if (isGone) expect((await finished).card).toEqual({ ts: '1.1', gone: true });
    else await expect(finished).rejects.toMatchObject({ kind });
    expect(stored().card.gone ?? false).toBe(isGone);
  });
});
