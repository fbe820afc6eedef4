import { isPatienceOver } from './pacing.ts';
import type { Conversation, UpstreamQuestion } from './ports.ts';
import type { Failure, Outcome, Question } from './question.ts';
import { isInThread } from './question.ts';
import {
  admissionLifeMs,
  cancelConfirmMs,
  deliveryPatienceMs,
  type LifeSettings,
  messagesWithoutFile,
  offerMs,
  parkedLookMs,
  queuedLookMs,
  unknownOutcomeGraceMs,
} from './settings.ts';
import type { Turn } from './turns.ts';

/** What a question may have to wait for before it is asked. */
export interface Standing {
  /** 0 when it is this question's turn in its thread, more when others are before it, -1 when it is not in line. */
  placeInLine: number;
  /** Whether one of the limited places at the service is free for it; granted where nobody asks for one yet. */
  turn: Turn;
}

/** The standing of a question that waits for nothing. */
export const atOnce: Standing = { placeInLine: 0, turn: { granted: true } };

/** What lies around a question when a decision is due. */
export interface Situation extends Standing {
  nowMs: number;
  /** Messages the outcome takes; 0 while there is none. */
  parts: number;
  settings: LifeSettings;
}

/** The one next thing to do for a question. */
export type Step =
  | { do: 'admit' }
  | { do: 'announce'; lookFirst: boolean }
  | { do: 'join' }
  | { do: 'gather' }
  | { do: 'ask'; lookFirst: boolean }
  | { do: 'recall' }
  | { do: 'unpark' }
  | { do: 'cancelUpstream' }
  | { do: 'watch' }
  | { do: 'end'; outcome: Outcome }
  | { do: 'post'; part: number; lookFirst: boolean }
  | { do: 'attach'; lookFirst: boolean }
  | { do: 'sayUndeliverable' }
  | { do: 'closeCard' }
  | { do: 'close' }
  | { do: 'wait'; ms: number }
  | { do: 'nothing' };

/**
 * Decides the next step of a question from what is stored and the time, and from nothing else. Carrying a step out
 * and deciding again, over any number of crashes, leads to exactly one visible end.
 */
export function decide(question: Question, situation: Situation): Step {
  if (question.phase === 'closed') return { do: 'nothing' };
  if (question.phase === 'offered') {
    const leftMs = question.acceptedMs + offerMs - situation.nowMs;
    return leftMs > 0 ? { do: 'wait', ms: leftMs } : { do: 'nothing' };
  }
  const heldUntilMs = question.trouble?.notBeforeMs ?? 0;
  const cancelNow = question.cancel !== undefined && question.phase !== 'delivering';
  if (heldUntilMs > situation.nowMs && !cancelNow) return { do: 'wait', ms: heldUntilMs - situation.nowMs };
  switch (question.phase) {
    case 'waiting':
      return decideWaiting(question, situation);
    case 'parked':
      return decideParked(question, situation);
    case 'running':
      return decideRunning(question, situation);
    case 'delivering':
      return decideDelivering(question, situation);
  }
}

function decideWaiting(question: Question, { nowMs, placeInLine, turn, settings }: Situation): Step {
  const { card, upstream, cancel } = question;
  if (question.admittedMs === undefined) return { do: 'admit' };
  if (isInThread(question.place) && placeInLine < 0) return { do: 'join' };
  if (card.ts === undefined && card.gone !== true) return lookingFirst('announce', card.intentMs, nowMs);
  if (cancel !== undefined && upstream.intentMs === undefined) return { do: 'end', outcome: { kind: 'cancelled' } };
  if (placeInLine > 0) return { do: 'wait', ms: queuedLookMs };
  if (isCancelOverdue(question, nowMs)) return { do: 'end', outcome: { kind: 'cancelled' } };
  const triedMs = upstream.firstTriedMs;
  if (triedMs !== undefined && question.trouble !== undefined && isPatienceOver(settings.pacing, triedMs, nowMs)) {
    return { do: 'end', outcome: failed({ cause: question.trouble.kind === 'limited' ? 'limited' : 'unreachable' }) };
  }
  const isShared = question.origin === 'shared';
  if (!isShared && !turn.granted && upstream.intentMs === undefined) return { do: 'wait', ms: queuedLookMs };
  if (upstream.intentMs === undefined && isAdmissionOld(question, nowMs)) return { do: 'admit' };
  if (isShared) return { do: 'recall' };
  if (question.readsThread === true && question.context === undefined) return { do: 'gather' };
  return lookingFirst('ask', upstream.intentMs, nowMs);
}

function lookingFirst(what: 'announce' | 'ask', intentMs: number | undefined, nowMs: number): Step {
  if (intentMs === undefined) return { do: what, lookFirst: false };
  const graceLeftMs = intentMs + unknownOutcomeGraceMs - nowMs;
  return graceLeftMs > 0 ? { do: 'wait', ms: graceLeftMs } : { do: what, lookFirst: true };
}

function decideParked(question: Question, { nowMs }: Situation): Step {
  if (question.cancel !== undefined) {
    return question.upstream.intentMs === undefined ? { do: 'end', outcome: { kind: 'cancelled' } } : { do: 'unpark' };
  }
  const leftMs = (question.parkedUntilMs ?? 0) - nowMs;
  return leftMs > 0 ? { do: 'wait', ms: Math.min(leftMs, parkedLookMs) } : { do: 'unpark' };
}

function decideRunning(question: Question, { nowMs }: Situation): Step {
  if (question.cancel !== undefined) {
    const { cancelSentMs } = question.upstream;
    if (isCancelOverdue(question, nowMs)) return { do: 'end', outcome: { kind: 'cancelled' } };
    if (cancelSentMs === undefined) return { do: 'cancelUpstream' };
  }
  return { do: 'watch' };
}

/** Whether the service had its time to confirm a cancellation, or to be reached for it, and did not use it. */
function isCancelOverdue({ cancel, upstream, trouble }: Question, nowMs: number): boolean {
  if (cancel === undefined) return false;
  const sinceMs = upstream.cancelSentMs ?? (trouble === undefined ? undefined : cancel.atMs);
  return sinceMs !== undefined && nowMs - sinceMs > cancelConfirmMs;
}

function decideDelivering(question: Question, { nowMs, parts }: Situation): Step {
  const { card, delivery, outcome } = question;
  if (outcome === undefined) return { do: 'end', outcome: failed({ cause: 'internal' }) };
  if (delivery.refused !== true) {
    if (question.trouble !== undefined && nowMs - question.trouble.sinceMs > deliveryPatienceMs) return { do: 'close' };
    if (isSaidPrivately(outcome) || !isInThread(question.place)) return { do: 'sayUndeliverable' };
    // Guests or other organisations may have come into the channel while the service worked.
    const isFirst = delivery.posted.length === 0 && delivery.intentMs === undefined;
    const showsCode = outcome.kind === 'answered' || outcome.kind === 'gaveUp';
    if (isFirst && showsCode && isAdmissionOld(question, nowMs)) return { do: 'admit' };
    if (isFileDue(question, parts)) return attaching(delivery, nowMs);
    if (delivery.posted.length < partsToPost(question, parts)) {
      const { intentMs } = delivery;
      const part = delivery.posted.length;
      const graceLeftMs = intentMs === undefined ? 0 : intentMs + unknownOutcomeGraceMs - nowMs;
      return graceLeftMs > 0
        ? { do: 'wait', ms: graceLeftMs }
        : { do: 'post', part, lookFirst: intentMs !== undefined };
    }
  }
  if (card.ts !== undefined && card.gone !== true && card.shown !== finalCard) return { do: 'closeCard' };
  return { do: 'close' };
}

function isAdmissionOld({ admittedMs = 0 }: Question, nowMs: number): boolean {
  return nowMs - admittedMs > admissionLifeMs;
}

function isSaidPrivately({ kind }: Outcome): boolean {
  return kind === 'undeliverable' || kind === 'notAllowed';
}

/** An answer of many messages gets a file beside them, before the last message, which says whether there is one. */
function isFileDue({ outcome, delivery }: Question, parts: number): boolean {
  if (outcome?.kind !== 'answered' || parts <= messagesWithoutFile) return false;
  return delivery.posted.length === parts - 1 && (delivery.file === undefined || delivery.file.state === 'intended');
}

function attaching({ file }: Question['delivery'], nowMs: number): Step {
  if (file === undefined) return { do: 'attach', lookFirst: false };
  const graceLeftMs = file.intentMs + unknownOutcomeGraceMs - nowMs;
  return graceLeftMs > 0 ? { do: 'wait', ms: graceLeftMs } : { do: 'attach', lookFirst: true };
}

/** A cancelled question needs no message of its own where its card can say so. */
function partsToPost(question: Question, parts: number): number {
  return isSaidByCard(question) ? 0 : parts;
}

/** Whether the card alone says how the question ended. */
export function isSaidByCard({ card, outcome }: Question): boolean {
  return outcome?.kind === 'cancelled' && card.ts !== undefined && card.gone !== true;
}

/** What `card.shown` holds once the card says how the question ended. */
export const finalCard = 'final';

export function failed(failure: Failure): Outcome {
  return { kind: 'failed', failure };
}

/** What an observed upstream question means for ours. */
export type Reading = { is: 'working' } | { is: 'ended'; outcome: Outcome } | { is: 'limited'; untilMs: number };

/** Reads a finished or running question of the service. `elapsedMs` stands in where the service reports no duration. */
export function interpret(
  observed: UpstreamQuestion,
  conversation: Conversation,
  elapsedMs: number,
  nowMs: number,
): Reading {
  switch (observed.state) {
    case 'pending':
    case 'processing':
      return { is: 'working' };
    case 'cancelled':
      return { is: 'ended', outcome: { kind: 'cancelled' } };
    case 'failed':
      return interpretFailure(observed, conversation, nowMs);
    case 'completed':
      return {
        is: 'ended',
        outcome: {
          kind: 'answered',
          answer: {
            title: observed.title ?? '',
            markdown: observed.answer ?? '',
            sources: observed.sources,
            followUps: observed.followUps,
            durationMs: observed.durationMs && observed.durationMs > 0 ? observed.durationMs : elapsedMs,
            steps: observed.steps,
            ...(observed.credits === undefined ? {} : { credits: observed.credits }),
            ...(conversation.quota === undefined ? {} : { quota: conversation.quota }),
          },
        },
      };
  }
}

function interpretFailure(observed: UpstreamQuestion, conversation: Conversation, nowMs: number): Reading {
  const { error } = observed;
  if (error?.kind === 'TokenLimitExceeded') return { is: 'ended', outcome: failed({ cause: 'tooLong' }) };
  if (error?.kind === 'RateLimitExceeded') {
    const resetMs = conversation.quota?.resetAtMs ?? 0;
    // Other words do not lift a limit, so nobody is told to try those.
    return resetMs > nowMs
      ? { is: 'limited', untilMs: resetMs }
      : { is: 'ended', outcome: failed({ cause: 'limited' }) };
  }
  return {
    is: 'ended',
    outcome: failed({ cause: 'service', title: error?.title ?? '', message: error?.message ?? '' }),
  };
}
