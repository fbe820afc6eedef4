import { AppError } from '../errors.ts';
import { type LifecyclePorts, settle } from '../lifecycle/lifecycle-ports.ts';
import { isInThread, newThread, type Question } from '../question/question.ts';
import { readThreadAgain } from '../question/thread-context.ts';
import type { ButtonResult, FindQuestion, Requester } from './find-question.ts';

export type CheckAgainPorts = Pick<
  LifecyclePorts,
  'questions' | 'threads' | 'scheduler' | 'observer' | 'log' | 'now'
> & { find: FindQuestion };

/** Watches questions again that the app gave up on. */
export function createCheckAgain(ports: CheckAgainPorts) {
  const { questions, threads, scheduler, observer, now, find } = ports;

  return { checkAgain };

  /**
   * Watches a question again after the app gave up while the service still worked. Throws `AppError` of kind `storage`
   * if that could not be stored by `byMs`.
   */
  async function checkAgain(
    questionId: string,
    requester: Requester,
    byMs: number = Number.POSITIVE_INFINITY,
  ): Promise<ButtonResult> {
    const question = await find(questionId, requester);
    if (question === undefined) return { kind: 'expired' };
    if (question.outcome === undefined) return { kind: 'duplicate', question };
    if (question.outcome.kind !== 'gaveUp') return { kind: 'expired' };
    await questions.markOpen(questionId);
    let isByThisAction = false;
    const reopened = await questions.update(questionId, (stored) => {
      isByThisAction = isGivenUp(stored) && now() <= byMs;
      return isByThisAction ? reopen(stored, now()) : stored;
    });
    if (reopened !== undefined && isGivenUp(reopened)) throw new AppError('storage', 'too late to be watched again');
    if (reopened === undefined) return { kind: 'expired' };
    // The question is stored as open and listed, so a later failure must not report the opposite. The sweep continues
    // then.
    await settle(ports, 'not_taken_up_again', questionId, () => takeUpAgain(reopened));
    observer.changed(reopened);
    return { kind: isByThisAction ? 'accepted' : 'duplicate', question: reopened };
  }

  async function takeUpAgain({ id, place }: Question): Promise<void> {
    // Lists it a second time: the run that closed the question may have removed it from the list meanwhile.
    await questions.markOpen(id);
    if (isInThread(place)) {
      // First in the queue again: later questions of this thread wait for it.
      await threads.update(place, (thread = newThread(place, false)) =>
        thread.queue.includes(id) ? thread : { ...thread, queue: [id, ...thread.queue] },
      );
    }
    await scheduler.schedule(id, 0);
  }
}

function isGivenUp(question: Question): boolean {
  return question.outcome?.kind === 'gaveUp';
}

function reopen(question: Question, nowMs: number): Question {
  const { outcome: _outcome, endedMs: _ended, cancel: _cancel, ...rest } = question;
  const { cancelSentMs: _sent, ...upstream } = question.upstream;
  // Its thread's text was removed when it was closed. If a limit makes the app ask it again, it reads the thread again.
  return readThreadAgain({
    ...rest,
    phase: 'running',
    upstream: { ...upstream, watchedFromMs: nowMs },
    card: { ...question.card, shown: '' },
    delivery: { round: question.delivery.round + 1, posted: [] },
  });
}
