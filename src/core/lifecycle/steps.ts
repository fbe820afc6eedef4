import type { Core } from '../context.ts';
import { type AppError, hasCode, isAppError, serviceCodes } from '../errors.ts';
import type { QuestionStore } from '../ports.ts';
import {
  isInThread,
  newThread,
  type Outcome,
  type Question,
  type ThreadPlace,
  type Trouble,
} from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { isChoiceAwaited } from '../question/readers.ts';
import type { Standing } from './decide.ts';
import {
  type Effect,
  pendingCall,
  withCallGivenUp,
  withCallSearched,
  withCopiesExpected,
  withIntent,
  withoutCall,
} from './unknown-outcome.ts';

/** The result of a step: the stored question, with a wait if the run ends here. */
export type Progress = Question | { question: Question; waitMs: number };

/** Changes a stored question. Returns the stored question after that. */
export async function changeQuestion(
  { questions }: Core,
  question: Question,
  change: (stored: Question) => Question,
): Promise<Question> {
  return (await questions.update(question.id, change)) ?? question;
}

/** Stores how a question ended. Later steps post its messages. */
export async function endWith(w: Core, question: Question, outcome: Outcome, shareUrl?: string): Promise<Question> {
  const ended = await changeQuestion(w, question, ({ trouble: _, ...stored }) => ({
    ...stored,
    phase: 'delivering',
    outcome,
    endedMs: w.now(),
    upstream: shareUrl === undefined ? stored.upstream : { ...stored.upstream, shareUrl },
  }));
  w.observer.changed(ended);
  return ended;
}

/** What kind of trouble a failed call is. `isSilent`: the card said that the service sent no reply to it. */
export function troubleOf(error: AppError, isSilent: boolean): Trouble['kind'] {
  const cause = causeOf(error);
  return cause === 'unreachable' && isSilent ? 'silent' : cause;
}

/** Why a question ends whose calls failed like this until patience ended. */
export function causeOf(error: AppError): 'limited' | 'signInPage' | 'unreachable' {
  if (error.kind === 'rateLimited') return 'limited';
  return hasCode(error, serviceCodes.signInPage) ? 'signInPage' : 'unreachable';
}

/** Whether the conversation of a question could not be read because the reply is too large. */
export function isAnswerTooLong(error: AppError): boolean {
  return error.code === serviceCodes.tooLarge && !error.outcomeUnknown;
}

/**
 * Removes a question from the open list that is closed or gone. It may be re-opened or stored at the same moment, so this reads
 * it again and lists it if it is open. Each re-opening also lists it after that change, so an open question is always listed in
 * the end.
 */
export async function delist(questions: QuestionStore, id: string): Promise<void> {
  await questions.markClosed(id);
  const question = await questions.get(id);
  const isDone = question?.phase === 'closed' && question.recheckMs === undefined;
  if (question !== undefined && !isDone) {
    await questions.markOpen(id);
  }
}

/** Does work that a question can continue without. Logs a corrupt record and returns undefined. Throws other errors. */
export async function ifReadable<Result>(
  { log }: Core,
  { id }: Question,
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    log.error({ event: 'record_unreadable', questionId: id, kind: error.kind }, error);
    return undefined;
  }
}

/**
 * Does a step after its request was stored. The request is accepted by then, so a failure is only logged. Later runs
 * and sweeps repeat the step.
 */
export async function settle(
  { log }: Core,
  event: string,
  questionId: string,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!isAppError(error)) throw error;
    log.warn({ event, questionId, kind: error.kind }, error);
  }
}

/** Gives back the question's run slot and wakes the questions that got one. */
export async function releaseSlot(w: Core, question: Question): Promise<void> {
  await wake(w, await w.runSlots.release(question));
}

export async function wake({ scheduler }: Core, questionIds: string[]): Promise<void> {
  await Promise.all(questionIds.map((id) => scheduler.schedule(id, 0)));
}

/** False if the question was re-opened after it was read. Messages of its old outcome do not count for the new one. */
export function isSameRound(stored: Question, question: Question): boolean {
  return stored.delivery.round === question.delivery.round;
}

/** A call that must take effect once. */
export interface Once<Result> {
  effect: Effect;
  /** Searches for what the call left at the far side. Undefined if nothing is there. */
  find: (question: Question) => Promise<Result | undefined>;
  /** Stores the result. */
  took: (question: Question, result: Result) => Promise<Question>;
}

/**
 * Makes a call that must take effect once: stores the intent, calls, and stores the result. With `checkFirst`, an earlier
 * try may have taken effect, or still do so: searches for that first, and plans a check for copies. `call` gets the question
 * with the stored intent.
 */
export async function once<Result>(
  w: Core,
  question: Question,
  { effect, find, took }: Once<Result>,
  checkFirst: boolean,
  call: (question: Question) => Promise<Result>,
): Promise<Question> {
  const found = checkFirst ? await find(question) : undefined;
  if (found !== undefined) return took(question, found);
  const intended = await changeQuestion(w, question, (stored) => {
    if (!isSameRound(stored, question)) return stored;
    const begun = withIntent(stored, effect, w.now());
    return checkFirst ? withCopiesExpected(begun, w.now()) : begun;
  });
  if (!isSameRound(intended, question)) return intended;
  let result: Result;
  try {
    result = await call(intended);
  } catch (error) {
    if (!isAppError(error)) throw error;
    const earlier = checkFirst ? pendingCall(question, effect) : undefined;
    await changeQuestion(w, intended, (stored) => {
      if (!isSameRound(stored, intended)) return stored;
      if (error.outcomeUnknown) return withCallGivenUp(stored, effect, w.now());
      return withoutCall(stored, effect, earlier);
    });
    throw error;
  }
  // Outside the try: if this store fails, the call took effect, and the app needs the intent to find that.
  return took(intended, result);
}

/**
 * Searches for the effect of a call that was given up. The call may still be carried out, so one whose effect is not found
 * is not repeated yet.
 */
export async function searchOnce<Result>(
  w: Core,
  question: Question,
  { effect, find, took }: Once<Result>,
): Promise<Question> {
  const found = await find(question);
  if (found !== undefined) return took(question, found);
  return changeQuestion(w, question, (stored) => withCallSearched(stored, effect, w.now()));
}

/**
 * Adds a question to the end of its thread's queue, once. If the question begins the thread, plain replies there become
 * follow-ups.
 */
export async function joinQueue({ threads }: Core, question: Question): Promise<void> {
  const { id, place, beginsThread, askerId } = question;
  if (!isInThread(place)) return;
  await threads.update(place, (thread = newThread(place, beginsThread)) => {
    const isBegun = !beginsThread || (thread.followsReplies && thread.startedBy !== undefined);
    if (isBegun && thread.queue.includes(id)) return thread;
    return {
      ...thread,
      queue: thread.queue.includes(id) ? thread.queue : [...thread.queue, id],
      ...(beginsThread ? { followsReplies: true, startedBy: thread.startedBy ?? askerId } : {}),
    };
  });
}

/**
 * Reads a question's position in its thread's queue. `staleHead`: the first question of the queue, if it is ahead of
 * this one and has ended, waits for its asker's choice of readers, is gone or can't be read. Changes nothing.
 */
export async function readPositionInQueue(
  { questions, threads }: Core,
  questionId: string,
  place: ThreadPlace,
): Promise<Pick<Standing, 'positionInQueue' | 'staleHead'>> {
  const queue = (await threads.get(place))?.queue ?? [];
  const positionInQueue = queue.indexOf(questionId);
  const [head] = queue;
  if (positionInQueue <= 0 || head === undefined) return { positionInQueue };
  const first = await getReadable(questions, head);
  const isStale = first === undefined || first.phase === 'closed' || isChoiceAwaited(first);
  return isStale ? { positionInQueue, staleHead: head } : { positionInQueue };
}

/** Removes a question from its thread's queue. Returns the remaining queue. Safe to repeat. */
export async function leaveQueue({ threads }: Core, { id, place }: Pick<Question, 'id' | 'place'>): Promise<string[]> {
  if (!isInThread(place)) return [];
  const { queue } = await threads.update(place, (thread = newThread(place, false)) =>
    thread.queue.includes(id) ? { ...thread, queue: thread.queue.filter((other) => other !== id) } : thread,
  );
  return queue;
}

/** Leaves the thread's queue and gives back the run slot, and wakes the questions that come next. Safe to repeat. */
export async function leaveQueueAndSlot(w: Core, question: Question): Promise<void> {
  await wake(w, await leaveQueue(w, question));
  await releaseSlot(w, question);
}
