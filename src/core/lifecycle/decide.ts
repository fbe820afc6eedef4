import { isPatienceOver } from '../pacing.ts';
import type { Conversation, UpstreamError, UpstreamQuestion } from '../ports.ts';
import { isThreadUnread } from '../question/prompt.ts';
import {
  type Answer,
  endsQuietly,
  type Failure,
  hasNoCard,
  isBetweenTwo,
  isInThread,
  isRestated,
  type Outcome,
  type Question,
} from '../question/question.ts';
import type { Showing } from '../question/reader-choices.ts';
import { isChoiceAwaited, isChoiceNeeded, isForAskerOnly, isKeptPrivate, showsCode } from '../question/readers.ts';
import type { Slot } from '../run-slots.ts';
import {
  accountCheckMs,
  accountPatienceMs,
  admissionLifeMs,
  cancelConfirmMs,
  chooseReadersMs,
  deliveryPatienceMs,
  type LifecycleSettings,
  longestRepeatedLimitMs,
  messagesWithoutFile,
  parkedCheckMs,
  queuedCheckMs,
  shortestLimitMs,
  stepCheckLifeMs,
} from '../settings.ts';
import { type CallStep, type CallTimes, performing } from './unknown-outcome.ts';

/** What a question may have to wait for before it is asked. */
export interface Standing {
  /** The question's position in its thread's queue: 0 for the first, -1 if it is not in the queue. */
  positionInQueue: number;
  /** The first question of that queue, if it is ahead of this one and has ended or can't be read. */
  staleHead?: string;
  /** Whether the question has a run slot. Undefined if it has to take one first. Granted while it needs none. */
  slot: Slot | undefined;
  /** Whether a question that waits for its asker's account can continue. Absent if it does not wait for one. */
  isAccountBack?: boolean;
}

/** The standing of a question that waits for nothing. */
export const atOnce: Standing = { positionInQueue: 0, slot: { granted: true } };

/** All that a decision depends on besides the question. The caller gathers it before, without changing anything. */
export interface Situation extends Standing {
  nowMs: number;
  /** How many messages the outcome takes. 0 while there is no outcome. */
  parts: number;
  settings: LifecycleSettings;
}

/** The next step of a question. */
export type Step =
  | { do: 'admit' }
  /** Decides whose access the question uses. */
  | { do: 'chooseAccess' }
  /** Tells the asker that the question waits for their account. */
  | { do: 'noticeAccount' }
  /** Leaves the thread's queue, in which a question that waits for its asker's account keeps others waiting. */
  | { do: 'leaveQueue' }
  /** Continues a question whose asker's account is back. */
  | { do: 'resume' }
  /** One of the steps of a call that must take effect once. */
  | CallStep
  /** Searches for a card for the last time, and ends without one if it is not there. */
  | { do: 'dropCard' }
  | { do: 'join' }
  /** Removes from the thread's queue a first question that has ended or can't be read. */
  | { do: 'repairQueue'; head: string }
  /** Takes a run slot or begins to wait for one. */
  | { do: 'takeSlot' }
  | { do: 'gather' }
  | { do: 'recall' }
  | { do: 'unpark' }
  | { do: 'cancelUpstream' }
  | { do: 'watch' }
  | { do: 'end'; outcome: Outcome }
  | { do: 'sayUndeliverable' }
  /** One of the steps before an answer is shown whose asker decides who sees it. */
  | { do: 'showing'; step: ShowingStep }
  /** Stops and closes a question whose workspace removed the app. */
  | { do: 'endQuietly' }
  | { do: 'closeCard' }
  | { do: 'close' }
  /** Removes messages that were posted twice. */
  | { do: 'recheck' }
  | { do: 'nothing' };

/**
 * Decides the next step of a question. Pure: depends only on its arguments. Repeating "decide, carry out" leads to
 * exactly one visible end, even after crashes.
 */
export function decide(question: Question, situation: Situation): Step {
  if (endsQuietly(question)) return { do: 'endQuietly' };
  const recheckLeftMs = (question.recheckMs ?? Number.POSITIVE_INFINITY) - situation.nowMs;
  if (recheckLeftMs <= 0) return { do: 'recheck' };
  const step = decideNext(question, situation);
  const leftMs = Math.min(recheckLeftMs, cardLeftMs(question, situation) ?? Number.POSITIVE_INFINITY);
  if (leftMs === Number.POSITIVE_INFINITY || (step.do !== 'wait' && step.do !== 'nothing')) return step;
  return { do: 'wait', ms: step.do === 'wait' ? Math.min(step.ms, leftMs) : leftMs };
}

function decideNext(question: Question, situation: Situation): Step {
  if (question.phase === 'closed') return { do: 'nothing' };
  if (situation.staleHead !== undefined) return { do: 'repairQueue', head: situation.staleHead };
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

function decideWaiting(question: Question, situation: Situation): Step {
  const { nowMs, positionInQueue, slot, settings } = situation;
  const { upstream, cancel } = question;
  if (question.admittedMs === undefined) return { do: 'admit' };
  if (isAccessOpen(question, settings)) return { do: 'chooseAccess' };
  if (isInThread(question.place) && positionInQueue < 0) return { do: 'join' };
  // Takes the slot before the card is posted, so that the card can show the wait. Not before the admission, because
  // that may take Slack a long time.
  if (positionInQueue === 0 && cancel === undefined && slot === undefined) return { do: 'takeSlot' };
  const posting = missingCard(question, situation);
  // Where the thread exists, the question goes on although its card has to wait.
  if (posting !== undefined && (posting.do !== 'wait' || !isInThread(question.place))) return posting;
  if (cancel !== undefined && upstream.intentMs === undefined) return { do: 'end', outcome: { kind: 'cancelled' } };
  if (positionInQueue > 0) return { do: 'wait', ms: queuedCheckMs };
  if (isCancelOverdue(question, situation)) return { do: 'end', outcome: { kind: 'cancelled' } };
  const triedMs = upstream.firstTriedMs;
  if (triedMs !== undefined && question.trouble !== undefined && isPatienceOver(settings, triedMs, nowMs)) {
    const { kind } = question.trouble;
    const cause = kind === 'limited' || kind === 'signInPage' ? kind : 'unreachable';
    return { do: 'end', outcome: failed({ cause, ...(upstream.intentMs === undefined ? {} : { mayBeAsked: true }) }) };
  }
  const isShared = question.origin === 'shared';
  if (!isShared && slot?.granted === false && upstream.intentMs === undefined) return { do: 'wait', ms: queuedCheckMs };
  if (upstream.intentMs === undefined && isAdmissionOld(question, nowMs)) return { do: 'admit' };
  if (isShared) return { do: 'recall' };
  if (isThreadUnread(question)) return { do: 'gather' };
  return performing('ask', question, situation);
}

/**
 * Whether it still has to be decided whose access the question uses. A question that was tried before the operator gave
 * people accounts of their own keeps the app's.
 */
function isAccessOpen({ access, origin, upstream }: Question, { accounts = 'shared' }: LifecycleSettings): boolean {
  if (accounts === 'shared' || access !== undefined || origin === 'shared') return false;
  return [upstream.firstTriedMs, upstream.intentMs, upstream.conversationId].every((mark) => mark === undefined);
}

function decideParked(question: Question, situation: Situation): Step {
  const { nowMs } = situation;
  if (question.awaitsAccount !== undefined) return decideAwaiting(question, question.awaitsAccount, situation);
  if (question.cancel !== undefined) {
    return question.upstream.intentMs === undefined ? { do: 'end', outcome: { kind: 'cancelled' } } : { do: 'unpark' };
  }
  const leftMs = (question.parkedUntilMs ?? 0) - nowMs;
  if (leftMs <= 0) return { do: 'unpark' };
  return cardToPost(question, situation) ?? { do: 'wait', ms: Math.min(leftMs, parkedCheckMs) };
}

function decideAwaiting(
  { access, cancel, upstream }: Question,
  { sinceMs, noticedMs }: NonNullable<Question['awaitsAccount']>,
  { nowMs, isAccountBack = false, positionInQueue }: Situation,
): Step {
  // Only with the account can the app stop a question that the service has, or may have.
  const canStop = isAccountBack && (upstream.askedMs !== undefined || upstream.intentMs !== undefined);
  if (cancel !== undefined && !canStop) return { do: 'end', outcome: { kind: 'cancelled' } };
  if (isAccountBack) return { do: 'resume' };
  // A slow request may have added the question to the queue after it began to wait.
  if (positionInQueue >= 0) return { do: 'leaveQueue' };
  // A time far in the future counts as over too: the clock was set back.
  const leftMs = accountPatienceMs - Math.abs(nowMs - sinceMs);
  if (leftMs <= 0) {
    return {
      do: 'end',
      outcome:
        access === undefined ? { kind: 'notAllowed', reason: 'notConnected' } : failed({ cause: 'accountRefused' }),
    };
  }
  return noticedMs === undefined ? { do: 'noticeAccount' } : { do: 'wait', ms: Math.min(leftMs, accountCheckMs) };
}

function decideRunning(question: Question, situation: Situation): Step {
  if (question.cancel !== undefined) {
    const { cancelSentMs } = question.upstream;
    if (isCancelOverdue(question, situation)) return { do: 'end', outcome: { kind: 'cancelled' } };
    if (cancelSentMs === undefined) return { do: 'cancelUpstream' };
  }
  if (isChoiceUnread(question)) return { do: 'showing', step: 'read' };
  const posting = question.cancel === undefined ? cardToPost(question, situation) : undefined;
  return posting ?? { do: 'watch' };
}

/** Whether the time is over in which the service can confirm a cancellation, or the app can reach it for that. */
function isCancelOverdue({ cancel, upstream, trouble }: Question, { nowMs, settings }: Situation): boolean {
  if (cancel === undefined) return false;
  const { intentMs, givenUpMs = nowMs } = upstream;
  // If the request may still reach the service, the app has to find the question there before it can stop it.
  const foundByMs = intentMs === undefined ? 0 : givenUpMs + settings.lateCallMs;
  const sinceMs = upstream.cancelSentMs ?? (trouble === undefined ? undefined : Math.max(cancel.atMs, foundByMs));
  return sinceMs !== undefined && nowMs - sinceMs > cancelConfirmMs;
}

function decideDelivering(question: Question, situation: Situation): Step {
  const { nowMs } = situation;
  const { card, delivery, outcome } = question;
  if (outcome === undefined) return { do: 'end', outcome: failed({ cause: 'internal' }) };
  if (isUnseen(question, outcome)) return { do: 'close' };
  if (delivery.refused !== true) {
    const isTooLate = question.trouble !== undefined && nowMs - question.trouble.sinceMs > deliveryPatienceMs;
    const isPrivate = isSaidPrivately(outcome) || !isInThread(question.place);
    const step = isPrivate ? ({ do: 'sayUndeliverable' } as const) : nextShown(question, situation);
    // Guests or other organizations may have joined the channel, also between two parts or after a failed post. If the
    // check fails until patience ends, the answer is withheld and the app notifies the asker.
    const isPosting =
      step?.do === 'post' || step?.do === 'attach' || (step?.do === 'announce' && !isKeptPrivate(question));
    const isAsking = step?.do === 'showing' && step.step === 'ask';
    if ((isPosting || isAsking) && showsCode(question) && isAdmissionOld(question, nowMs)) return { do: 'admit' };
    if (isTooLate && !(step?.do === 'showing' && step.step === 'expire')) return { do: 'close' };
    if (step !== undefined) return step;
  }
  if (isCardShown(question) && card.shown !== finalCard) return { do: 'closeCard' };
  if (card.intentMs === undefined) return { do: 'close' };
  // The answer is there, so the card is not posted any more. But it may be in Slack already.
  const posting = missingCard(question, situation);
  return posting?.do === 'announce' ? { do: 'dropCard' } : (posting ?? { do: 'close' });
}

/** The next step that people see. Undefined once the outcome is posted. */
function nextShown(question: Question, situation: Situation): Step | undefined {
  const showing = decideShowing(question, situation.nowMs);
  if (showing?.do === 'showing') return showing;
  const posting = isCardNeeded(question) ? missingCard(question, situation) : undefined;
  if (posting?.do === 'wait' && showing?.do === 'wait') return { do: 'wait', ms: Math.min(posting.ms, showing.ms) };
  return posting ?? showing ?? nextPost(question, situation);
}

/** The steps between an answer and its first message, if its asker decides who sees it. */
export type ShowingStep =
  /** Reads whether the asker agreed earlier to show answers here. */
  | 'read'
  /** Asks the asker privately. Needs an admission that is not old. */
  | 'ask'
  /** The asker did not choose in time. */
  | 'expire'
  /** Stores the choice for later answers. */
  | 'remember'
  /** Hands the answer over to the asker's direct messages. */
  | 'send'
  /** Finds out whether other people can open the share URL. */
  | 'proveLink';

/** The next of these steps, or a wait for the asker. Undefined if nothing of this stands between answer and messages. */
export function decideShowing(
  question: Question,
  nowMs: number,
): { do: 'showing'; step: ShowingStep } | { do: 'wait'; ms: number } | undefined {
  const { outcome, showing } = question;
  if (outcome?.kind !== 'answered') return undefined;
  if (isForAskerOnly(question)) return showing?.sentMs === undefined ? { do: 'showing', step: 'send' } : undefined;
  if (isChoiceNeeded(question)) {
    if (showing?.choice === undefined) return decideChoice(showing, nowMs);
    if (showing.by === 'asker' && showing.rememberedMs === undefined) return { do: 'showing', step: 'remember' };
  }
  return isLinkUnproven(question) ? { do: 'showing', step: 'proveLink' } : undefined;
}

function decideChoice(
  { askedMs, noticedMs }: Showing = {},
  nowMs: number,
): { do: 'showing'; step: ShowingStep } | { do: 'wait'; ms: number } {
  // A time far in the future counts as over too: the clock was set back.
  const leftMs = chooseReadersMs - Math.abs(nowMs - (askedMs ?? nowMs));
  if (leftMs <= 0) return { do: 'showing', step: 'expire' };
  if (noticedMs === undefined) return { do: 'showing', step: 'ask' };
  return { do: 'wait', ms: Math.min(leftMs, parkedCheckMs) };
}

/** Also for an answer that is shared: its asker may include the link, and others must be able to open it. */
function isLinkUnproven({ access, place, upstream, delivery }: Question): boolean {
  if (access !== 'own' || isBetweenTwo(place) || delivery.posted.length > 0) return false;
  return upstream.shareUrl !== undefined && upstream.isLinkOpen === undefined;
}

/** Whether the asker's earlier choices have to be read, before the card of a running question may show its steps. */
export function isChoiceUnread(question: Question): boolean {
  return isChoiceNeeded(question) && question.showing === undefined;
}

/** The next message or file of the outcome. Undefined once all are posted. */
function nextPost(question: Question, situation: Situation): Step | undefined {
  if (isKeptPrivate(question)) return undefined;
  if (isFileDue(question, situation.parts)) return performing('attach', question, situation);
  const areAllPosted = question.delivery.posted.length >= partsToPost(question, situation.parts);
  return areAllPosted ? undefined : performing('post', question, situation);
}

/** A time in the future counts as old too: the clock was set back. */
function isAdmissionOld({ admittedMs = 0 }: Question, nowMs: number): boolean {
  return Math.abs(nowMs - admittedMs) > admissionLifeMs;
}

function isSaidPrivately({ kind }: Outcome): boolean {
  return kind === 'undeliverable' || kind === 'notAllowed';
}

/**
 * An answer of many messages also gets a file. It comes before the last message, which says whether there is a file.
 */
function isFileDue({ outcome, delivery }: Question, parts: number): boolean {
  if (outcome?.kind !== 'answered' || parts <= messagesWithoutFile) return false;
  return delivery.posted.length === parts - 1 && (delivery.file === undefined || delivery.file.state === 'intended');
}

/** Whether no one else knows of a cancelled question, because it waited for an account without a card. */
function isUnseen(question: Question, { kind }: Outcome): boolean {
  const { awaitsAccount, card } = question;
  const isAwaiting = awaitsAccount !== undefined && hasNoCard(card);
  return kind === 'cancelled' && isAwaiting;
}

/** A cancelled question needs no message if its card can show that. */
function partsToPost(question: Question, parts: number): number {
  return isSaidByCard(question) ? 0 : parts;
}

/** Whether the card alone shows how the question ended. */
export function isSaidByCard({ card, outcome }: Question): boolean {
  return outcome?.kind === 'cancelled' && card.ts !== undefined && card.gone !== true;
}

/** The value of `card.shown` once the card shows how the question ended. */
export const finalCard = 'final';

export function failed(failure: Failure): Outcome {
  return { kind: 'failed', failure };
}

/** What the state of an upstream question means for the app's question. `untilMs`: absent if a limit names no end. */
export type Reading = { is: 'working' } | { is: 'ended'; outcome: Outcome } | { is: 'limited'; untilMs?: number };

/**
 * When a question is asked again that the service refused for a limit. The limit ends at `retryAtMs`. A question that was refused
 * several times waits longer, so that a service whose limits always end at once is not asked all the time.
 */
export function parkedUntil({ upstream }: Question, retryAtMs: number, nowMs: number): number {
  const refusals = upstream.earlierAttempts?.length ?? 0;
  return Math.max(retryAtMs, nowMs + Math.min(shortestLimitMs * 2 ** refusals, longestRepeatedLimitMs));
}

/**
 * Interprets a running or finished question of the service. `elapsedMs`: how long ago the question was asked, which is
 * its duration if the service reports none. The end of a limit tells when to ask again, also when it has passed, if it is
 * later than the asking. An earlier end is ignored.
 */
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
    case 'failed': {
      const failure = failureOf(observed.error);
      // What the service wrote before it stopped is an answer too. It would be lost by asking again after a limit.
      if (observed.answer !== undefined && observed.answer.trim() !== '') return answered({ stopped: failure });
      if (failure.cause !== 'limited') return { is: 'ended', outcome: failed(failure) };
      const retryAtMs = observed.error?.retryAtMs ?? 0;
      // By one clock, if the service tells when it got the question.
      const isDated = retryAtMs > (observed.createdMs ?? nowMs - elapsedMs);
      return isDated ? { is: 'limited', untilMs: retryAtMs } : { is: 'limited' };
    }
    case 'completed':
      return answered({});
  }

  function answered(more: Pick<Answer, 'stopped'>): Reading {
    const {
      title = '',
      answer = '',
      sources,
      followUps,
      durationMs = 0,
      steps,
      citedOnly,
      hasMore,
      credits,
    } = observed;
    return {
      is: 'ended',
      outcome: {
        kind: 'answered',
        answer: {
          title,
          markdown: answer,
          sources,
          followUps,
          durationMs: durationMs > 0 ? durationMs : elapsedMs,
          steps,
          citedOnly,
          hasMore,
          credits,
          quota: conversation.quota,
          ...more,
        },
      },
    };
  }
}

/** Only a failure of the service itself has its words. Other words do not help against a limit. */
function failureOf(error: UpstreamError | undefined): Failure {
  if (error?.cause === 'tooLong' || error?.cause === 'limited') return { cause: error.cause };
  return { cause: 'service', title: error?.title ?? '', message: error?.message ?? '' };
}

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
