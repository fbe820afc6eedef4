import type { Pacing } from './pacing.ts';

/** What an operator may tune about the life of a question. Durations in milliseconds. */
export interface LifecycleSettings {
  pacing: Pacing;
  /** Shortest time between two edits of one card; Slack advises 3 s. */
  cardEditMs: number;
  /** Most questions that may wait in one thread, the running one included. */
  threadLimit: number;
  /** How long the far side may still carry out a call after it was given up; it is not repeated before that. */
  lateCallMs: number;
}

/** An answer of more messages than this is attached as a file as well. */
export const messagesWithoutFile = 3;

/** Longest question taken, in characters. */
export const maxQuestionLength = 10_000;

/** Earlier questions that go along when a thread's conversation has to begin again: how many, and characters of all. */
export const mostEarlierQuestions = 10;
export const earlierQuestionsRoom = 4_000;

/** Questions of a thread that are known by id, so that enough are left without those that were cancelled or repeated. */
export const mostAskedKnown = 3 * mostEarlierQuestions;

/** A question that is stored but not confirmed for this long was never taken: its asker was told so, or Slack repeats it. */
export const offerMs = 30_000;

/** How long after a repeated post, or an edit with an unknown outcome, the messages of a question are checked for copies. */
export const recheckAfterMs = 60_000;

/** How long it counts that someone may ask: before the question is asked or its answer shown, it is found out again. */
export const admissionLifeMs = 60_000;

/** A `Retry-After` up to this long is waited for quietly; a longer one parks the question and says until when. */
export const longestQuietWaitMs = 60_000;

/** How long the service may take to confirm a cancellation before the card is closed without it. */
export const cancelConfirmMs = 30_000;

/** How long an end that Slack refuses to take is tried again before the question is closed with an error in the log. */
export const deliveryPatienceMs = 24 * 60 * 60 * 1000;

/** How often a question behind others runs even if nothing wakes it. */
export const queuedCheckMs = 15_000;

/** Longest time between two runs of a parked question, in case the clock is changed. */
export const parkedCheckMs = 60 * 60 * 1000;

/** How far the clocks of the service and of this machine may differ when a lost question is searched upstream. */
export const upstreamWindowMs = 10 * 60 * 1000;
