import type { QuestionStore } from '../ports.ts';
import type { ConfirmedAudience } from '../question/confirmed-audience.ts';
import type { Place, Question } from '../question/question.ts';
import { isKeptPrivate } from '../question/readers.ts';
import { isAboutPerson } from '../question/refused-text.ts';
import type { Acceptance, NewQuestion } from './accept.ts';
import { type Attempt, attemptKeys } from './attempts.ts';

/** The readers of a direct message with the app: only the asker. */
const onlyTheAsker: ConfirmedAudience = {
  guests: 0,
  outsiders: 0,
  organizations: 0,
  isKnown: true,
  ids: { guests: [], outsiders: [], organizations: [] },
};

/** `notYours`: another person asked. `expired`: the question is gone or its answer was not withheld. */
type NotShown = { kind: 'expired' } | { kind: 'notYours' };

export interface WithheldPorts {
  questions: Pick<QuestionStore, 'get'>;
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
}

/** Whether the service was asked, and only the readers of the place or the asker prevent the app from showing the answer. */
export function isAnswerWithheld(question: Question): boolean {
  const { outcome, upstream, shares } = question;
  if (isKeptPrivate(question)) return true;
  if (outcome?.kind !== 'notAllowed' || isAboutPerson(outcome.reason)) return false;
  return shares === undefined && upstream.askedMs !== undefined;
}

/** Shows withheld answers to their askers in direct messages, without asking the service again. */
export function createWithheldAnswers({ questions, accept, attemptUnder }: WithheldPorts) {
  return { findWithheld, showWithheld };

  /** Finds a question whose answer was withheld. `questionId` names it or a failed attempt to show its answer. */
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

  /** Shows the answer in `place`, once per button. After a failed attempt, uses the place of that attempt. */
  async function showWithheld(
    questionId: string,
    place: Place,
    requester: { userId: string; teamId: string },
    byMs?: number,
  ): Promise<Acceptance | NotShown> {
    const found = await findWithheld(questionId, requester);
    if (found.kind !== 'found') return found;
    const { withheld, attempt } = found;
    const { key } = await attemptUnder(attemptKeys.show(questionId));
    return accept(
      {
        key,
        place: attempt?.place ?? place,
        askerId: requester.userId,
        text: withheld.text,
        origin: 'shared',
        beginsThread: attempt === undefined,
        ...(withheld.access === undefined ? {} : { access: withheld.access }),
        shares: {
          questionId: withheld.id,
          withLink: true,
          confirmed: onlyTheAsker,
          withheld: true,
          ...(isKeptPrivate(withheld) ? { isKept: true as const } : {}),
        },
      },
      byMs,
    );
  }
}
