import { isFollowUpInstead, withFinalCancel } from '../question/cancellation.ts';
import type { Question } from '../question/question.ts';
import { changeQuestion, ifReadable, type LifecyclePorts, type Progress } from './lifecycle-ports.ts';

/**
 * Cancels the question that this one was asked instead of, and stores when that was done. Safe to repeat. A question
 * that ended first keeps its answer.
 */
export async function replace(
  ports: Pick<LifecyclePorts, 'questions' | 'scheduler' | 'observer' | 'log' | 'now'>,
  question: Question,
  replacedId: string,
): Promise<Progress> {
  const nowMs = ports.now();
  const cancel = { byUserId: question.askerId, atMs: nowMs };
  const replaced = await ifReadable(
    ports,
    question,
    ports.questions.update(replacedId, (stored) => withFinalCancel(asChosen(stored, question), cancel)),
  );
  // Scheduled again when the step is repeated: the crash may have come before.
  if (replaced?.cancel !== undefined && (replaced.outcome === undefined || replaced.recheckMs !== undefined)) {
    await ports.questions.markOpen(replacedId);
    await ports.scheduler.schedule(replacedId, 0);
    ports.observer.changed(replaced);
  }
  return { question: await changeQuestion(ports, question, (stored) => ({ ...stored, replacedMs: nowMs })) };
}

/** Marks that the asker chose the follow-up. When the question ends, the thread returns to its earlier conversation. */
function asChosen(replaced: Question, question: Question): Question {
  const { asFollowUp } = replaced;
  if (!isFollowUpInstead(question) || asFollowUp === undefined || asFollowUp.isChosen === true) return replaced;
  return { ...replaced, asFollowUp: { ...asFollowUp, isChosen: true } };
}
