import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardView, digestOf } from '../../../src/core/lifecycle/card.ts';
import { atOnce, type Standing } from '../../../src/core/lifecycle/decide.ts';
import type { CardView } from '../../../src/core/ports.ts';
import type { Answer, Question, Trouble } from '../../../src/core/question/question.ts';
import { questionWith, someAnswer, someMs } from '../../support/lifecycle/sample-questions.ts';

const cancel = { byUserId: 'U9', atMs: someMs };
const trouble = (failures: number, kind: Trouble['kind'] = 'unreachable'): Trouble => ({
  kind,
  failures,
  sinceMs: someMs,
  notBeforeMs: someMs,
});
const running: Partial<Question> = { phase: 'running', upstream: { steps: 4, askedMs: someMs + 1_000 } };

function usual(more: { isLate?: boolean } = {}): CardView {
  return { kind: 'running', elapsedMs: 9_000, steps: 4, expected: { fromMs: 1, toMs: 2 }, ...more };
}

const { steps: _, ...withoutSteps } = someAnswer;
const incompleteAnswer: Answer = { ...withoutSteps, stopped: { cause: 'tooLong' } };

describe('the card, ten seconds after the question was accepted,', () => {
  it.each<[string, Partial<Question>, number, CardView]>([
    ['shows that the question starts', {}, 0, { kind: 'starting' }],
    ['shows the position in the queue', {}, 2, { kind: 'queued', place: 2 }],
    ['does not show a single failure', { trouble: trouble(1) }, 0, { kind: 'starting' }],
    ['says that the service is not reachable', { trouble: trouble(2) }, 0, { kind: 'unreachable' }],
    ['says at once that there is no reply', { ...running, trouble: trouble(1, 'silent') }, 0, { kind: 'noReply' }],
    ['says that the service limits requests', { trouble: trouble(2, 'limited') }, 0, { kind: 'limited' }],
    [
      'says that the service is not reachable also while the question runs',
      { ...running, trouble: trouble(2) },
      0,
      { kind: 'unreachable' },
    ],
    ['counts the time since the question was asked', running, 0, { kind: 'running', elapsedMs: 9_000, steps: 4 }],
    [
      'shows the last step',
      { phase: 'running', upstream: { steps: 1, askedMs: someMs, lastStep: 'Reading' } },
      0,
      { kind: 'running', elapsedMs: 10_000, steps: 1, lastStep: 'Reading' },
    ],
    ['shows that the question is being cancelled', { ...running, cancel }, 0, { kind: 'cancelling' }],
    ['shows that a question in the queue is being cancelled', { cancel }, 3, { kind: 'cancelling' }],
    [
      'shows until when the question is parked',
      { phase: 'parked', parkedUntilMs: someMs + 60_000 },
      0,
      { kind: 'parked', untilMs: someMs + 60_000 },
    ],
    [
      'counts the time of the answer from the asking, not from the service’s start',
      { ...running, outcome: { kind: 'answered', answer: someAnswer }, endedMs: someMs + 9_000 },
      0,
      { kind: 'answered', durationMs: 9_000, steps: 3 },
    ],
    [
      'counts it from the message, where Slack delivered that late',
      { ...running, writtenMs: someMs - 60_000, outcome: { kind: 'answered', answer: someAnswer }, endedMs: someMs },
      0,
      { kind: 'answered', durationMs: 60_000, steps: 3 },
    ],
    [
      'does not count a message that is hours older than its question',
      { ...running, writtenMs: someMs - 9e6, outcome: { kind: 'answered', answer: someAnswer }, endedMs: someMs + 1 },
      0,
      { kind: 'answered', durationMs: 1, steps: 3 },
    ],
    [
      'shows the duration that the service names where the app did not wait all the time',
      {
        phase: 'running',
        upstream: { steps: 4, watchedFromMs: someMs },
        outcome: { kind: 'answered', answer: someAnswer },
        endedMs: someMs + 9_000,
      },
      0,
      { kind: 'answered', durationMs: 4_000, steps: 3 },
    ],
    [
      'says that an answer is incomplete, and no number of steps where there is none',
      { ...running, outcome: { kind: 'answered', answer: incompleteAnswer }, endedMs: someMs + 9_000 },
      0,
      { kind: 'answered', durationMs: 9_000, isIncomplete: true },
    ],
    [
      'names the person who cancelled',
      { cancel, outcome: { kind: 'cancelled' } },
      0,
      { kind: 'cancelled', byUserId: 'U9' },
    ],
    ['names no person where it is unknown who cancelled', { outcome: { kind: 'cancelled' } }, 0, { kind: 'cancelled' }],
    [
      'shows after what time the app gave up',
      { ...running, outcome: { kind: 'gaveUp' }, endedMs: someMs + 5_000 },
      0,
      { kind: 'gaveUp', durationMs: 5_000 },
    ],
    [
      'shows after what time the question failed',
      { outcome: { kind: 'failed', failure: { cause: 'refused' } }, endedMs: someMs + 2_000 },
      0,
      { kind: 'failed', durationMs: 2_000 },
    ],
  ])('%s', (_, change, positionInQueue, view) => {
    expect(cardView(questionWith(change), { ...atOnce, positionInQueue }, someMs + 10_000)).toEqual(view);
  });

  it.each<[string, Partial<Question>, number, CardView]>([
    [
      'shows nothing but that the answer is shared',
      { origin: 'shared', outcome: { kind: 'answered', answer: someAnswer } },
      0,
      { kind: 'shared' },
    ],
    [
      'shows that the question may not be asked',
      { outcome: { kind: 'notAllowed', reason: 'guest' } },
      0,
      { kind: 'notAllowed' },
    ],
    [
      'shows a failure where the answer could not be shown',
      { outcome: { kind: 'undeliverable', canInvite: true }, endedMs: someMs + 3_000 },
      0,
      { kind: 'failed', durationMs: 3_000 },
    ],
    [
      'counts the time until now where the app has just given up',
      { outcome: { kind: 'gaveUp' } },
      0,
      { kind: 'gaveUp', durationMs: 10_000 },
    ],
    [
      'shows the present time where it is unknown until when the question is parked',
      { phase: 'parked' },
      0,
      { kind: 'parked', untilMs: someMs + 10_000 },
    ],
    [
      'shows that a question behind others is parked',
      { phase: 'parked', parkedUntilMs: someMs },
      2,
      { kind: 'parked', untilMs: someMs },
    ],
    [
      'shows the position in the queue also while the service is down',
      { trouble: trouble(5) },
      1,
      { kind: 'queued', place: 1 },
    ],
    ['shows that the question starts where it is not in the queue', {}, -1, { kind: 'starting' }],
    [
      'says that the service is not reachable after a fault of our own',
      { trouble: trouble(2, 'internal') },
      0,
      { kind: 'unreachable' },
    ],
    ['shows the usual time', { ...running, expected: { fromMs: 1, toMs: 2, lateMs: 9_000 } }, 0, usual()],
    [
      'says that the answer is late after the usual time',
      { ...running, expected: { fromMs: 1, toMs: 2, lateMs: 8_999 } },
      0,
      usual({ isLate: true }),
    ],
  ])('%s', (_, change, positionInQueue, view) => {
    expect(cardView(questionWith(change), { ...atOnce, positionInQueue }, someMs + 10_000)).toEqual(view);
  });

  it('says that the service is down rather than that the question waits for a slot', () => {
    const standing: Standing = { positionInQueue: 0, slot: { granted: false, ahead: 3 } };
    expect(cardView(questionWith({ trouble: trouble(2) }), standing, someMs)).toEqual({ kind: 'unreachable' });
  });

  it('shows that the question waits for a slot at the service', () => {
    const standing: Standing = { positionInQueue: 0, slot: { granted: false, ahead: 3 } };
    expect(cardView(questionWith({}), standing, someMs)).toEqual({ kind: 'waitingForSlot', ahead: 3 });
    expect(cardView(questionWith({}), { ...standing, positionInQueue: 2 }, someMs)).toEqual({
      kind: 'queued',
      place: 2,
    });
  });

  it('never shows a negative time, whatever the clocks say', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (askedMs, endedMs) => {
        const view = cardView(
          questionWith({ upstream: { steps: 0, askedMs }, endedMs, outcome: { kind: 'gaveUp' } }),
          atOnce,
          someMs,
        );
        expect(view.kind === 'gaveUp' && view.durationMs >= 0).toBe(true);
      }),
    );
  });
});

describe('the digest of a card', () => {
  const view: CardView = { kind: 'running', elapsedMs: 15_000, steps: 2 };

  it('covers every field where the question does not run', () => {
    expect(digestOf({ kind: 'queued', place: 2 })).not.toBe(digestOf({ kind: 'queued', place: 1 }));
  });

  it('is the same while only seconds pass', () => {
    expect(digestOf({ ...view, elapsedMs: 29_999 })).toBe(digestOf(view));
  });

  it.each<[string, CardView]>([
    ['a quarter of a minute', { ...view, elapsedMs: 30_000 }],
    ['a step', { ...view, steps: 3 }],
    ['what it does', { ...view, lastStep: 'Reading' }],
    ['its kind', { kind: 'unreachable' }],
  ])('changes with %s', (_, other) => {
    expect(digestOf(other)).not.toBe(digestOf(view));
  });
});
