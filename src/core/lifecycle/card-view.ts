import { undatedWaitMs } from '../pacing.ts';
import type { CardView } from '../ports.ts';
import type { Question } from '../question/question.ts';
import { areStepsPrivate, isChoiceAwaited, isKeptPrivate } from '../question/readers.ts';
import { waitedFromMs, waitedMs } from '../question/upstream.ts';
import { elapsedGrainMs } from '../settings.ts';
import type { Standing } from './decide.ts';

/** How many failures of a step in a row it takes until the card says that the service is unreachable. */
const failuresWorthTelling = 2;

/** What the card of a question shows now. */
export function cardView(question: Question, { positionInQueue, slot }: Standing, nowMs: number): CardView {
  const startedMs = waitedFromMs(question);
  const durationMs = waitedMs({ ...question, endedMs: question.endedMs ?? nowMs });
  const { outcome, upstream } = question;
  switch (outcome?.kind) {
    case 'answered':
      if (isChoiceAwaited(question)) return { kind: 'choosing' };
      if (isKeptPrivate(question)) return { kind: 'answeredPrivately' };
      if (question.origin === 'shared') return { kind: 'shared' };
      return {
        kind: 'answered',
        durationMs: waitedMs(question, outcome.answer.durationMs),
        steps: outcome.answer.steps,
        ...(outcome.answer.stopped === undefined ? {} : { isIncomplete: true }),
      };
    case 'cancelled':
      return question.cancel ? { kind: 'cancelled', byUserId: question.cancel.byUserId } : { kind: 'cancelled' };
    case 'gaveUp':
      return { kind: 'gaveUp', durationMs };
    case 'notAllowed':
      return { kind: 'notAllowed' };
    case 'failed':
    case 'undeliverable':
      return { kind: 'failed', durationMs };
  }
  if (question.cancel !== undefined) return { kind: 'cancelling' };
  if (question.phase === 'parked' && question.awaitsAccount !== undefined) return { kind: 'awaitingAccount' };
  if (question.phase === 'parked') return parkedView(question, nowMs);
  if (positionInQueue > 0) return { kind: 'queued', place: positionInQueue };
  if (question.trouble?.kind === 'silent') return { kind: 'noReply' };
  if (question.trouble !== undefined && question.trouble.failures >= failuresWorthTelling) {
    const { kind } = question.trouble;
    if (kind === 'limited') return { kind };
    return { kind: 'unreachable', ...(kind === 'signInPage' ? { isSignInPage: true } : {}) };
  }
  if (slot?.granted === false) return { kind: 'waitingForSlot', ahead: slot.ahead };
  if (question.phase !== 'running') return { kind: 'starting' };
  const { expected, card } = question;
  const areStepsHidden = card.stepsHiddenMs !== undefined || areStepsPrivate(question);
  const elapsedMs = nowMs - startedMs;
  return {
    kind: 'running',
    elapsedMs,
    steps: areStepsHidden ? 0 : upstream.steps,
    ...(expected === undefined ? {} : { expected: { fromMs: expected.fromMs, toMs: expected.toMs } }),
    ...(expected !== undefined && elapsedMs > expected.lateMs ? { isLate: true } : {}),
    ...(areStepsHidden || upstream.lastStep === undefined ? {} : { lastStep: upstream.lastStep }),
  };
}

function parkedView({ parkedUntilMs: untilMs, undatedLimits }: Question, nowMs: number): CardView {
  const afterMs = undatedLimits === undefined ? undefined : undatedWaitMs(undatedLimits.times);
  return { kind: 'parked', untilMs: untilMs ?? nowMs, afterMs };
}

/** The visible content of the card as a string. An edit is needed only if the string changes. */
export function digestOf(view: CardView): string {
  if (view.kind !== 'running') return JSON.stringify(view);
  return JSON.stringify({ ...view, elapsedMs: Math.floor(view.elapsedMs / elapsedGrainMs) });
}
