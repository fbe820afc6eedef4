import type { QuestionStore } from '../ports.ts';
import type { EditedQuestion } from '../question/edited-question.ts';
import type { Question } from '../question/question.ts';
import type { Acceptance, NewQuestion } from './accept.ts';
import { asFollowUpAgain } from './ask-as-follow-up.ts';
import { type Attempt, attemptKeys, keptByAttempt } from './attempts.ts';
import { type ButtonResult, type FindQuestion, type FindStartedBy, hasEnded, type Requester } from './find-question.ts';

/** `noted`: the question continues, and a button can ask its new text. `ended`: it is too late for that. */
export type EditResult =
  | { kind: 'noted'; question: Question }
  | { kind: 'known' }
  | { kind: 'ended' }
  | { kind: 'nothing' };

export interface EditPorts {
  questions: Pick<QuestionStore, 'update'>;
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
  find: FindQuestion;
  startedBy: FindStartedBy;
}

/** Handles edits of messages that asked a question. Methods throw `AppError` of kind `storage` if nothing was done. */
export function createEdits({ questions, accept, attemptUnder, find, startedBy }: EditPorts) {
  return { noteEdit, askEdited };

  /**
   * Stores the new text of a question that still runs and changes nothing else. `key` is the same as in `accept`.
   * `atMs` is the time of the edit, the same for every delivery. An edit back to the old text removes the stored edit.
   */
  async function noteEdit(key: string, edit: EditedQuestion): Promise<EditResult> {
    const found = await startedBy(key);
    if (found === undefined) return { kind: 'nothing' };
    const became: { kind: EditResult['kind'] } = { kind: 'nothing' };
    const question = await questions.update(found.id, (stored) => {
      const { edited, ...rest } = stored;
      became.kind = 'ended';
      if (hasEnded(stored) || stored.cancel !== undefined) return stored;
      became.kind = 'known';
      if (edited !== undefined && edited.atMs >= edit.atMs) return stored;
      if (edit.text === stored.text) return edited === undefined ? stored : rest;
      if (edit.text === edited?.text) return stored;
      became.kind = 'noted';
      return { ...stored, edited: edit };
    });
    const { kind } = became;
    if (kind !== 'noted') return { kind };
    return question === undefined ? { kind: 'nothing' } : { kind, question };
  }

  /**
   * Asks the edited version of a question in its place, once. `cameLate`: the question was already answered, so the
   * edited version is a follow-up. Otherwise the edited version replaces the question.
   */
  async function askEdited(
    questionId: string,
    requester: Requester,
    byMs?: number,
  ): Promise<{ result: ButtonResult; cameLate: boolean }> {
    const question = await find(questionId, requester);
    const edited = question?.edited;
    if (question === undefined || edited === undefined) return { result: { kind: 'expired' }, cameLate: false };
    const cameLate = question.outcome?.kind === 'answered';
    // Only a text that begins with "new" starts a new conversation in a thread that has one.
    const wholeText = edited.wholeText ?? (question.fresh ? undefined : edited.text);
    const { key } = await attemptUnder(attemptKeys.edited(questionId, edited.atMs));
    const result = await accept(
      {
        ...keptByAttempt(question),
        key,
        askerId: requester.userId,
        text: edited.text,
        origin: 'retry',
        beginsThread: question.beginsThread,
        fresh: question.fresh && !cameLate,
        ...(cameLate ? {} : { insteadOf: questionId, ...asFollowUpAgain(question, wholeText, requester.userId) }),
        ...(question.follows === undefined ? {} : { follows: question.follows }),
      },
      byMs,
    );
    return { result, cameLate };
  }
}
