import { AppError } from '../errors.ts';
import { type LifecyclePorts, settle } from '../lifecycle/lifecycle-ports.ts';
import type { Question } from '../question/question.ts';
import type { ReadersChoice } from '../question/reader-choices.ts';
import { isChoiceAwaited, isChoiceNeeded } from '../question/readers.ts';
import { chooseReadersMs } from '../settings.ts';
import type { Requester } from './find-question.ts';

/** `tooLate`: the time for the choice was over, so the answer went to the asker's direct messages. */
export type ChoiceResult =
  | { kind: 'chosen'; channelId: string }
  | { kind: 'alreadyChosen' }
  | { kind: 'tooLate' }
  | { kind: 'notAsker'; askerId: string }
  | { kind: 'expired' };

/** Stores who sees an answer that was asked with own access. */
export function createChooseReaders(ports: Pick<LifecyclePorts, 'questions' | 'scheduler' | 'log' | 'now'>) {
  const { questions, scheduler, now } = ports;

  return { chooseReaders };

  /**
   * Stores the asker's choice, once. The next run of the question carries it out. Throws `AppError` of kind `storage` if
   * it could not be stored by `byMs`.
   */
  async function chooseReaders(
    questionId: string,
    requester: Pick<Requester, 'userId' | 'teamId'>,
    choice: ReadersChoice,
    byMs: number = Number.POSITIVE_INFINITY,
  ): Promise<ChoiceResult> {
    const question = await questions.get(questionId);
    if (question?.place.teamId !== requester.teamId || !isChoiceNeeded(question)) return { kind: 'expired' };
    if (question.askerId !== requester.userId) return { kind: 'notAsker', askerId: question.askerId };
    let isByThisAction = false;
    let isTooLate = false;
    const chosen = await questions.update(questionId, (stored) => {
      const nowMs = now();
      isTooLate = isChoiceOver(stored, nowMs);
      isByThisAction = isChoiceAwaited(stored) && !isTooLate && nowMs <= byMs;
      return isByThisAction ? { ...stored, showing: { ...stored.showing, choice, by: 'asker' } } : stored;
    });
    // Also for a second press: the first one may have stopped before this.
    await settle(ports, 'choice_not_taken_up', questionId, () => scheduler.schedule(questionId, 0));
    if (isByThisAction) return { kind: 'chosen', channelId: question.place.channelId };
    if (isTooLate) return { kind: 'tooLate' };
    if (chosen !== undefined && isChoiceAwaited(chosen)) throw new AppError('storage', 'too late to be chosen');
    return chosen?.showing?.by === 'asker' ? { kind: 'alreadyChosen' } : { kind: 'expired' };
  }
}

/** Whether the asker can't choose any more, because they did not do so in time. */
function isChoiceOver(question: Question, nowMs: number): boolean {
  const { askedMs, by } = question.showing ?? {};
  if (by === 'time') return true;
  return isChoiceAwaited(question) && askedMs !== undefined && Math.abs(nowMs - askedMs) >= chooseReadersMs;
}
