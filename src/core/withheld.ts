import type { Acceptance, NewQuestion } from './intake/accept.ts';
import type { Attempt } from './intake/attempts.ts';
import type { QuestionStore } from './ports.ts';
import type { ConfirmedAudience, Place, Question } from './question/question.ts';
import { isAboutPerson } from './question/refused-text.ts';

/** Only the asker reads their direct messages with the app. */
const onlyTheAsker: ConfirmedAudience = {
  guests: 0,
  outsiders: 0,
  organizations: 0,
  isKnown: true,
  ids: { guests: [], outsiders: [], organizations: [] },
};

/** `notYours`: someone else asked. `expired`: the question is not known any more, or its answer was not withheld. */
type NotShown = { kind: 'expired' } | { kind: 'notYours' };

export interface WithheldPorts {
  questions: Pick<QuestionStore, 'get'>;
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
}

/** Whether the question was answered, or asked at least, and only who reads in its place kept the answer out. */
export function isAnswerWithheld({ outcome, upstream, shares }: Question): boolean {
  if (outcome?.kind !== 'notAllowed' || isAboutPerson(outcome.reason)) return false;
  return shares === undefined && upstream.askedMs !== undefined;
}

/** Shows answers that were withheld from a channel to those who asked, without asking again. */
export function createWithheldAnswers({ questions, accept, attemptUnder }: WithheldPorts) {
  return { findWithheld, showWithheld };

  /** The withheld question that a press is about: `questionId` names it, or an attempt to show its answer that failed. */
  async function findWithheld(
    questionId: string,
    requester: { userId: string; teamId: string },
  ): Promise<{ kind: 'found'; withheld: Question; attempt?: Question } | NotShown> {
    const action = await questions.get(questionId);
    if (action === undefined || action.place.teamId !== requester.teamId) return { kind: 'expired' };
    if (action.askerId !== requester.userId) return { kind: 'notYours' };
    const isAttempt = action.shares?.withheld === true;
    const withheld = isAttempt ? await questions.get(action.shares?.questionId ?? '') : action;
    if (withheld === undefined || !isAnswerWithheld(withheld)) return { kind: 'expired' };
    return { kind: 'found', withheld, ...(isAttempt ? { attempt: action } : {}) };
  }

  /** Shows the answer in `place`, once for each button; after an attempt that failed, in the place of that one. */
  async function showWithheld(
    questionId: string,
    place: Place,
    requester: { userId: string; teamId: string },
    byMs?: number,
  ): Promise<Acceptance | NotShown> {
    const found = await findWithheld(questionId, requester);
    if (found.kind !== 'found') return found;
    const { withheld, attempt } = found;
    const { key } = await attemptUnder(`show:${questionId}`);
    return accept(
      {
        key,
        place: attempt?.place ?? place,
        askerId: requester.userId,
        text: withheld.text,
        origin: 'shared',
        beginsThread: attempt === undefined,
        shares: { questionId: withheld.id, withLink: true, confirmed: onlyTheAsker, withheld: true },
      },
      byMs,
    );
  }
}
