import type { QuestionStore } from '../ports.ts';
import type { Question } from '../question/question.ts';
import { type Acceptance, type AcceptPorts, questionId as idOf } from './accept.ts';
import { type Attempt, attemptKeys, mostAttempts } from './attempts.ts';

/** Who pressed a button or typed a verb, and where. */
export interface Requester {
  userId: string;
  teamId: string;
  channelId: string;
}

/** The result of pressing a button that belongs to a stored question. */
export type ButtonResult =
  | Acceptance
  /** The question is gone, or the button was pressed outside the question's place. */
  | { kind: 'expired' };

/** Finds the question for a requester: only from the place that it belongs to, whatever id a button claims. */
export type FindQuestion = (questionId: string, requester: Requester) => Promise<Question | undefined>;

/** Finds the question that a message started, in the newest version that was asked. `key` as in `accept`. */
export type FindStartedBy = (key: string) => Promise<Question | undefined>;

export function createFindQuestion({ questions }: { questions: Pick<QuestionStore, 'get'> }): FindQuestion {
  return async function find(questionId, requester) {
    const question = await questions.get(questionId);
    if (question?.place.teamId !== requester.teamId) return undefined;
    // A question that could not be shown is offered again in a private notice to its asker, which may be a direct message.
    const isAskersOwn = isToldPrivately(question) && question.askerId === requester.userId;
    return question.place.channelId === requester.channelId || isAskersOwn ? question : undefined;
  };
}

export function createFindStartedBy({
  questions,
  digest,
  attemptUnder,
}: {
  questions: Pick<QuestionStore, 'get'>;
  digest: AcceptPorts['digest'];
  attemptUnder: (key: string) => Promise<Attempt>;
}): FindStartedBy {
  return async function startedBy(key) {
    const first = await questions.get(idOf(digest, key));
    let newest = first === undefined ? undefined : ((await attemptUnder(key)).question ?? first);
    for (let versions = 0; versions < mostAttempts && newest !== undefined; versions += 1) {
      const next = await replacementOf(newest);
      if (next === undefined) break;
      newest = next;
    }
    return newest;
  };

  /** The question that was asked instead of this one: its edited version, or the same text as a follow-up. */
  async function replacementOf({ id, edited, asFollowUp }: Question): Promise<Question | undefined> {
    const next = edited === undefined ? undefined : await attemptUnder(attemptKeys.edited(id, edited.atMs));
    if (next?.question !== undefined || asFollowUp?.isChosen !== true) return next?.question;
    return (await attemptUnder(attemptKeys.asFollowUp(id))).question;
  }
}

export function hasEnded(question: Question): boolean {
  return question.outcome !== undefined;
}

/** Whether only its asker could be told how the question ended, away from where it was asked. */
export function isToldPrivately({ outcome }: Question): boolean {
  return outcome?.kind === 'undeliverable' || outcome?.kind === 'notAllowed';
}
