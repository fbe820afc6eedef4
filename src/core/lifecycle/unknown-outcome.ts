import type { PendingCall, Question } from '../question/question.ts';
import { recheckAfterMs } from '../settings.ts';

/** Calls that must take effect once: posting the card, asking the service, posting a part of the end, attaching the file. */
export type Effect = 'announce' | 'ask' | 'post' | 'attach';

/** No call of any adapter lasts longer, in milliseconds: an older call without a result ended with its process. */
export const longestCallMs = 120_000;

/**
 * What to do about a call that has no stored result. `perform`: make it, after a check for the effect of an earlier try
 * where `checkFirst`. `giveUp`: its process ended in the middle of it. `search`: see whether it took effect meanwhile.
 */
export type PendingStep =
  | { do: 'perform'; checkFirst: boolean }
  | { do: 'giveUp' }
  | { do: 'search' }
  | { do: 'wait'; ms: number };

/**
 * Decides about a call whose outcome may be unknown. The far side may carry a call out for `lateCallMs` after the caller
 * gave it up. Until then the effect is searched once, early, because most lost replies belong to effects that stand;
 * after that the effect is searched again, and only where it is missing the call is repeated.
 */
export function decidePending(call: PendingCall | undefined, lateCallMs: number, nowMs: number): PendingStep {
  if (call?.intentMs === undefined) return { do: 'perform', checkFirst: false };
  // Before the intent: an older version began this call and left the time of another one. After now: a clock was set back.
  const isOfThisCall = call.givenUpMs !== undefined && call.givenUpMs >= call.intentMs && call.givenUpMs <= nowMs;
  if (call.givenUpMs === undefined || !isOfThisCall) return { do: 'giveUp' };
  const passedMs = nowMs - call.givenUpMs;
  if (passedMs >= lateCallMs) return { do: 'perform', checkFirst: true };
  if (call.searchedMs !== undefined) return { do: 'wait', ms: lateCallMs - passedMs };
  const earlyMs = lateCallMs / 5;
  return passedMs >= earlyMs ? { do: 'search' } : { do: 'wait', ms: earlyMs - passedMs };
}

/** The pending call of one kind; undefined where none was ever begun. */
export function pendingCall({ card, upstream, delivery }: Question, effect: Effect): PendingCall | undefined {
  return { announce: card, ask: upstream, post: delivery, attach: delivery.file }[effect];
}

/** The question with a call about to be made: what an earlier try left behind is forgotten. */
export function withIntent(question: Question, effect: Effect, nowMs: number): Question {
  return changeCall(question, effect, (call) => ({ ...withoutPending(call), intentMs: nowMs }));
}

/** The question with a call that its caller gave up now. */
export function withCallGivenUp(question: Question, effect: Effect, nowMs: number): Question {
  return changeCall(question, effect, (call) => (call.intentMs === undefined ? call : { ...call, givenUpMs: nowMs }));
}

/** The question with a call that a dead process left behind: it was given up no later than {@link longestCallMs} after its start. */
export function withCallLeftBehind(question: Question, effect: Effect, nowMs: number): Question {
  return changeCall(question, effect, (call) => {
    if (call.intentMs === undefined) return call;
    const intentMs = Math.min(call.intentMs, nowMs);
    return { ...withoutPending(call), intentMs, givenUpMs: Math.min(nowMs, intentMs + longestCallMs) };
  });
}

/** The question with a pending call that was searched now and not found. */
export function withCallSearched(question: Question, effect: Effect, nowMs: number): Question {
  return changeCall(question, effect, (call) => (call.intentMs === undefined ? call : { ...call, searchedMs: nowMs }));
}

/**
 * The question after a call that certainly had no effect and that repeated an `earlier` one: that one may still be carried
 * out, so its effect is searched before the next try.
 */
export function withEarlierCall(question: Question, effect: Effect, earlier: PendingCall): Question {
  const { intentMs, givenUpMs, searchedMs } = earlier;
  return changeCall(question, effect, (call) => ({
    ...withoutPending(call),
    ...(intentMs === undefined ? {} : { intentMs }),
    ...(givenUpMs === undefined ? {} : { givenUpMs }),
    ...(searchedMs === undefined ? {} : { searchedMs }),
  }));
}

/** The question of which a message may stand twice, now or a little later. */
export function withCopiesExpected(question: Question, nowMs: number): Question {
  return { ...question, recheckMs: nowMs + recheckAfterMs, mayHaveCopies: true };
}

/** The record that held a pending call, once its outcome is known. */
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
