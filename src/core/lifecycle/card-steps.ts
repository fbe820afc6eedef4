import type { Question } from '../question/question.ts';
import { isRestated } from '../question/question.ts';
import { isChoiceAwaited, isKeptPrivate } from '../question/readers.ts';
import { stepCheckLifeMs } from '../settings.ts';
import { type CallStep, type CallTimes, performing } from './unknown-outcome.ts';

export function isCardShown({ card }: Question): boolean {
  return card.ts !== undefined && card.gone !== true;
}

/** Steps may name what only some people may see, so a card's readers are checked, also after a clock was set back. */
export function isStepCheckOld({ admittedMs = 0, card: { stepsHiddenMs } }: Question, nowMs: number): boolean {
  return Math.abs(nowMs - (stepsHiddenMs ?? admittedMs)) > stepCheckLifeMs;
}

/*
 * The card of a question that goes on without it: Slack's limits left no room for the card, or its outcome is unknown.
 */

/** Whether the question has no card yet and may still get one. */
export function lacksCard({ card }: Pick<Question, 'card'>): boolean {
  return card.ts === undefined && card.gone !== true;
}

/** The next step of a missing card: to post it, to find it after an unknown outcome, or to wait. */
export function missingCard(question: Question, times: CallTimes): CallStep | undefined {
  if (!lacksCard(question)) return undefined;
  const step = performing('announce', question, times);
  const leftMs = (question.card.notBeforeMs ?? 0) - times.nowMs;
  const isCall = step.do === 'announce' || step.do === 'search';
  return isCall && leftMs > 0 ? { do: 'wait', ms: leftMs } : step;
}

/** The next step of a missing card, unless that is to wait. */
export function cardToPost(question: Question, times: CallTimes): CallStep | undefined {
  const step = missingCard(question, times);
  return step?.do === 'wait' ? undefined : step;
}

/** Milliseconds that a question goes on without its card, until the next step of the card. Undefined if it has none. */
export function cardLeftMs(question: Question, times: CallTimes): number | undefined {
  const { phase, awaitsAccount, cancel } = question;
  const goesOn = phase === 'waiting' || phase === 'parked' || phase === 'running';
  if (!goesOn || awaitsAccount !== undefined || cancel !== undefined) return undefined;
  const step = missingCard(question, times);
  return step?.do === 'wait' ? step.ms : undefined;
}

/**
 * Whether a question that has ended still needs its card: to repeat the question above the answer, because the card alone
 * says that there is an answer, or because a card that may be in Slack can say that the question was cancelled.
 */
export function isCardNeeded(question: Question): boolean {
  const { outcome, card } = question;
  const isSaidByCard = outcome?.kind === 'cancelled' && card.intentMs !== undefined;
  return isSaidByCard || isKeptPrivate(question) || isChoiceAwaited(question) || isRestated(question);
}

/** Whether a question has ended and only its card is left to be posted or found. */
export function isOnlyCardLeft(question: Question, parts: number): boolean {
  const { phase, card, outcome, delivery } = question;
  if (phase !== 'delivering' || !lacksCard(question)) return false;
  if (outcome?.kind === 'cancelled') return isCardNeeded(question);
  // An answer that was sent to the asker alone has no messages here.
  if (isKeptPrivate(question) && question.showing?.sentMs !== undefined) return true;
  return card.intentMs !== undefined && delivery.posted.length >= parts;
}
