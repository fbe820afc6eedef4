import type { PendingCall, Question } from '../question/question.ts';
import { type LifecycleSettings, longestCallMs, recheckAfterMs } from '../settings.ts';

/** Calls that must take effect once: post the card, ask the service, post a part of the outcome, attach the file. */
export type Effect = 'announce' | 'ask' | 'post' | 'attach';

/**
 * What to do about a call that has no stored result. `perform`: make the call; with `checkFirst`, first search for the
 * effect of an earlier try. `giveUp`: the process ended during the call. `search`: check whether the call took effect.
 */
export type PendingStep =
  | { do: 'perform'; checkFirst: boolean }
  | { do: 'giveUp' }
  | { do: 'search' }
  | { do: 'wait'; ms: number };

/**
 * Decides what to do about a call whose outcome may be unknown. The far side may carry out a call for `lateCallMs`
 * after the caller gave it up. The app searches for the effect once early, because most calls with a lost reply took
 * effect. After `lateCallMs` it searches again, and repeats the call only if the effect is missing.
 */
export function decidePending(call: PendingCall | undefined, lateCallMs: number, nowMs: number): PendingStep {
  if (call?.intentMs === undefined) return { do: 'perform', checkFirst: false };
  // A time before the intent belongs to another call: an older version left it. A time after now: the clock was set
  // back.
  const isOfThisCall = call.givenUpMs !== undefined && call.givenUpMs >= call.intentMs && call.givenUpMs <= nowMs;
  if (call.givenUpMs === undefined || !isOfThisCall) return { do: 'giveUp' };
  const passedMs = nowMs - call.givenUpMs;
  if (passedMs >= lateCallMs) return { do: 'perform', checkFirst: true };
  if (call.searchedMs !== undefined) return { do: 'wait', ms: lateCallMs - passedMs };
  const earlyMs = lateCallMs / 5;
  return passedMs >= earlyMs ? { do: 'search' } : { do: 'wait', ms: earlyMs - passedMs };
}

/** The next step of a call that must take effect once. */
export type CallStep =
  | { do: 'announce' | 'ask' | 'attach'; checkFirst: boolean }
  | { do: 'post'; part: number; checkFirst: boolean }
  /** Stores that a call is given up because its process died. */
  | { do: 'giveUp'; effect: Effect }
  /** Searches for the effect of a call that was given up. */
  | { do: 'search'; effect: Effect }
  | { do: 'wait'; ms: number };

/** The times that decide about a pending call. */
export interface CallTimes {
  nowMs: number;
  settings: Pick<LifecycleSettings, 'lateCallMs'>;
}

/**
 * Makes a call that must take effect once. First settles a call that is already pending. A question from a backup may have
 * made any call already.
 */
export function performing(effect: Effect, question: Question, { nowMs, settings }: CallTimes): CallStep {
  const next = decidePending(pendingCall(question, effect), settings.lateCallMs, nowMs);
  if (next.do === 'wait') return next;
  if (next.do !== 'perform') return { do: next.do, effect };
  const checkFirst = next.checkFirst || question.restored !== undefined;
  return effect === 'post'
    ? { do: effect, part: question.delivery.posted.length, checkFirst }
    : { do: effect, checkFirst };
}

/** The pending call of one kind. Undefined if the record for it does not exist. */
export function pendingCall({ card, upstream, delivery }: Question, effect: Effect): PendingCall | undefined {
  return { announce: card, ask: upstream, post: delivery, attach: delivery.file }[effect];
}

/** Returns the question with a call that is about to be made, without what an earlier try left. */
export function withIntent(question: Question, effect: Effect, nowMs: number): Question {
  const { delivery } = question;
  const { file = { state: 'intended' } } = delivery;
  const begun: Question = effect === 'attach' ? { ...question, delivery: { ...delivery, file } } : question;
  return changeCall(begun, effect, (call) => ({ ...withoutPending(call), intentMs: nowMs }));
}

/** Returns the question with a call that its caller gave up now. */
export function withCallGivenUp(question: Question, effect: Effect, nowMs: number): Question {
  return changeCall(question, effect, (call) => (call.intentMs === undefined ? call : { ...call, givenUpMs: nowMs }));
}

/** Returns the question with a dead process's call as given up, at the latest {@link longestCallMs} after its start. */
export function withCallLeftBehind(question: Question, effect: Effect, nowMs: number): Question {
  return changeCall(question, effect, (call) => {
    if (call.intentMs === undefined) return call;
    const intentMs = Math.min(call.intentMs, nowMs);
    return { ...withoutPending(call), intentMs, givenUpMs: Math.min(nowMs, intentMs + longestCallMs) };
  });
}

/** Returns the question with a pending call whose effect a search did not find now. */
export function withCallSearched(question: Question, effect: Effect, nowMs: number): Question {
  return changeCall(question, effect, (call) => (call.intentMs === undefined ? call : { ...call, searchedMs: nowMs }));
}

/**
 * Removes a call that certainly had no effect, so that the next try needs no search. If it repeated an `earlier` one, restores
 * that: it may still be carried out, so the app searches for its effect before the next try.
 */
export function withoutCall(question: Question, effect: Effect, earlier: PendingCall = {}): Question {
  const { intentMs, givenUpMs, searchedMs } = earlier;
  return changeCall(question, effect, (call) => ({ ...call, intentMs, givenUpMs, searchedMs }));
}

/** Returns the question with a planned check for copies: a message may be posted twice, now or soon. */
export function withCopiesExpected(question: Question, nowMs: number): Question {
  return { ...question, recheckMs: nowMs + recheckAfterMs, mayHaveCopies: true };
}

/** Returns the record without the times of a pending call. Used once the call's outcome is known. */
export function withoutPending<Call extends PendingCall>(call: Call): Omit<Call, keyof PendingCall> {
  const { intentMs: _intent, givenUpMs: _givenUp, searchedMs: _searched, ...rest } = call;
  return rest;
}

function changeCall(
  question: Question,
  effect: Effect,
  change: <Call extends PendingCall>(call: Call) => Omit<Call, keyof PendingCall> & PendingCall,
): Question {
  const { card, upstream, delivery } = question;
  switch (effect) {
    case 'announce':
      return { ...question, card: change(card) };
    case 'ask':
      return { ...question, upstream: change(upstream) };
    case 'post':
      return { ...question, delivery: change(delivery) };
    case 'attach': {
      const { file } = delivery;
      return file === undefined ? question : { ...question, delivery: { ...delivery, file: change(file) } };
    }
  }
}
