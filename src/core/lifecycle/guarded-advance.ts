import { isAppError } from '../errors.ts';
import { backOffMs } from '../pacing.ts';
import type { Question } from '../question/question.ts';
import { failed } from './decide.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';

/** How often in a row this app's code may fail on a question before the question ends with a visible failure. */
const internalTries = 5;

/**
 * Wraps `advance`, so that a bug of this app cannot leave a question without an end. After some tries the question
 * fails visibly. If that cannot be shown either, the question is closed with an error in the log. Throws storage
 * errors: nothing can be stored then, and the scheduler repeats the run.
 */
export function guardAdvance(
  advance: (questionId: string) => Promise<number | undefined>,
  { questions, log, now, random }: Pick<LifecyclePorts, 'questions' | 'log' | 'now' | 'random'>,
): (questionId: string) => Promise<number | undefined> {
  return async function guardedAdvance(questionId) {
    try {
      return await advance(questionId);
    } catch (error) {
      if (isAppError(error, 'storage', 'corrupt')) throw error;
      const nowMs = now();
      const share = random();
      const noted = await questions.update(questionId, (stored) => noteInternal(stored, nowMs, share));
      log.error({ event: 'advance_failed', questionId, phase: noted?.phase ?? 'gone', tries: triesOf(noted) }, error);
      return noted === undefined ? undefined : Math.max(0, (noted.trouble?.notBeforeMs ?? nowMs) - nowMs);
    }
  };
}

function triesOf(question: Question | undefined): number {
  return question?.trouble?.kind === 'internal' ? question.trouble.failures : 0;
}

function noteInternal(question: Question, nowMs: number, share: number): Question {
  const { recheckMs = Number.POSITIVE_INFINITY, mayHaveCopies: _copies, ...unchecked } = question;
  // Drops a check for copies that fails: it must not end the question, and a closed question has no other step.
  if (question.phase === 'closed' || recheckMs <= nowMs) return unchecked;
  const failures = triesOf(question) + 1;
  if (failures <= internalTries) {
    const sinceMs = question.trouble?.sinceMs ?? nowMs;
    const notBeforeMs = nowMs + backOffMs(failures, share);
    return { ...question, trouble: { kind: 'internal', failures, sinceMs, notBeforeMs } };
  }
  const { trouble: _, ...rest } = question;
  const isSayingSo = question.outcome?.kind === 'failed' && question.outcome.failure.cause === 'internal';
  if (isSayingSo) return { ...rest, phase: 'closed' };
  return {
    ...rest,
    phase: 'delivering',
    outcome: failed({ cause: 'internal' }),
    endedMs: question.endedMs ?? nowMs,
    // Messages that were already posted stay. The failure is posted as a new outcome.
    delivery: { round: question.delivery.round + 1, posted: [] },
  };
}
