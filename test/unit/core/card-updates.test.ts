import { describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core/context.ts';
import { AppError, type AppErrorDetails, type ErrorKind } from '../../../src/core/errors.ts';
import { digestOf, dropCard, finishCard, refreshCard } from '../../../src/core/lifecycle/card.ts';
import { atOnce, finalCard, type Standing } from '../../../src/core/lifecycle/decide.ts';
import type { Admission, CardView, Messenger } from '../../../src/core/ports.ts';
import type { Question } from '../../../src/core/question/question.ts';
import { createCoreHarness } from '../../support/lifecycle/core-harness.ts';
import { someAnswer } from '../../support/lifecycle/sample-questions.ts';

const starting = digestOf({ kind: 'starting' });
const queued = { ...atOnce, positionInQueue: 2 };

/** A stored question and its card. A test can replace parts of Slack. */
async function withCard(change: Partial<Question> = {}, slack: Partial<Messenger> = {}, more: Partial<Core> = {}) {
  const { life, ask } = createCoreHarness();
  const { id } = await ask();
  await life.ports.questions.update(id, (stored) => ({ ...stored, ...change }));
  const edits: CardView[] = [];
  const messenger: Messenger = {
    ...life.ports.messenger,
    updateCard: async (_, view) => void edits.push(view),
    ...slack,
  };
  const ports = { ...life.ports, messenger, ...more };
  const card = {
    refresh: (...args: [Question, Standing]) => refreshCard(ports, ...args),
    finish: (question: Question) => finishCard(ports, question),
    drop: (question: Question) => dropCard(ports, question),
  };
  return { life, card, edits, question: life.question(id), stored: () => life.question(id) };
}

type Harness = Awaited<ReturnType<typeof withCard>>;

function failing(kind: ErrorKind, details: AppErrorDetails = {}) {
  return () => Promise.reject(new AppError(kind, 'planned', details));
}

describe('a card of a question that has ended', () => {
  const ended: Partial<Question> = { outcome: { kind: 'gaveUp' }, phase: 'delivering' };

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

  it('is not due again for a running question where there was no room: its next run shows the newest state', async () => {
    const updateCard = failing('rateLimited', { retryAfterMs: 9_000, isHeldBack: true });
    const change = { card: { ts: '1.1', shown: 'other' } };
    const running = await withCard({ ...change, phase: 'running' }, { updateCard });
    expect(await running.card.refresh(running.question, atOnce)).toBeUndefined();
    expect(running.stored()).toEqual(running.question);
    const waiting = await withCard(change, { updateCard });
    expect(await waiting.card.refresh(waiting.question, atOnce)).toBe(9_000);
  });

  it('has the card checked a minute later where the edit may take effect late', async () => {
    const updateCard = failing('unavailable', { outcomeUnknown: true });
    const { card, question, stored, life } = await withCard({ card: { ts: '1.1', shown: 'other' } }, { updateCard });
    await card.refresh(question, atOnce);
    expect(stored().recheckMs).toBe(life.now() + 60_000);
  });
});

describe('a card that would show steps', () => {
  const guest = { may: false, reason: 'guest' } as const;
  const lost = () => Promise.reject(new AppError('rateLimited', 'planned', { retryAfterMs: 9_000 }));

  it.each<[string, number, Partial<Question['card']>, () => Promise<Admission>, unknown[], boolean | undefined]>([
    ['shows them while the last check of its readers is new', 30_000, {}, lost, [2], undefined],
    ['shows them after a new check', 30_001, {}, async () => ({ may: true }), [2], false],
    ['shows none where a guest reads it by now', 30_001, {}, async () => guest, [0], true],
    ['shows none where the check fails', 30_001, {}, lost, [0], true],
    ['shows none while it was found lately that a guest reads it', 1, { stepsHiddenMs: -30_000 }, lost, [0], true],
    ['shows them again', 1, { stepsHiddenMs: -30_001 }, async () => ({ may: true }), [2], false],
  ])('%s', async (_, agoMs, hidden, admit, shown, areHidden) => {
    const { startMs } = createCoreHarness().life;
    const stepsHiddenMs = hidden.stepsHiddenMs === undefined ? {} : { stepsHiddenMs: startMs + hidden.stepsHiddenMs };
    const edits: unknown[] = [];
    const { card, question, stored, life } = await withCard(
      {
        phase: 'running',
        admittedMs: startMs - agoMs,
        upstream: { steps: 2 },
        card: { ts: '1.1', shown: 'other', ...stepsHiddenMs },
      },
      {
        updateCard: async (_question, view, confirm) => {
          await confirm?.();
          edits.push('steps' in view ? view.steps : view.kind);
        },
      },
      { accessPolicy: { admit } },
    );
    await card.refresh(question, atOnce);
    expect(edits).toEqual(shown);
    expect(stored().card.stepsHiddenMs !== undefined).toBe(areHidden ?? false);
    expect(stored().admittedMs).toBe(areHidden === false ? life.now() : startMs - agoMs);
  });

  it('asks no one who reads it where there is no room for the edit', async () => {
    const { startMs } = createCoreHarness().life;
    const { card, question, stored } = await withCard(
      { phase: 'running', admittedMs: startMs - 60_000, upstream: { steps: 2 }, card: { ts: '1.1', shown: 'other' } },
      { updateCard: failing('rateLimited', { retryAfterMs: 9_000, isHeldBack: true }) },
      { accessPolicy: { admit: () => Promise.reject(new Error('not asked')) } },
    );
    expect(await card.refresh(question, atOnce)).toBeUndefined();
    expect(stored()).toEqual(question);
  });
});

describe('the last edit of a card', () => {
  const ended: Partial<Question> = { card: { ts: '1.1' }, outcome: { kind: 'answered', answer: someAnswer } };

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
