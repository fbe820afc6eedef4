import type { Question } from '../question/question.ts';
import { mostAttempts } from '../settings.ts';
import { type Acceptance, type AcceptPorts, questionId as idOf, type NewQuestion } from './accept.ts';
import { type Attempt, attemptKeys } from './attempts.ts';

/** The person who clicked a button or typed a verb, and the place. */
export interface Requester {
  userId: string;
  teamId: string;
  channelId: string;
}

/** The result of a click on a button of a stored question. */
export type ButtonResult =
  | Acceptance
  /** The question is gone, or the click came from outside the question's place. */
  | { kind: 'expired' };

/** Finds a question for a requester, only from the question's place. Does not trust the id in a button. */
export type FindQuestion = (questionId: string, requester: Requester) => Promise<Question | undefined>;

/** Finds the newest version of the question that a message started. `key` is the same as in `accept`. */
export type FindStartedBy = (key: string) => Promise<Question | undefined>;

/** The context of what people can do with existing questions. */
export interface IntakePorts extends AcceptPorts {
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
  find: FindQuestion;
  startedBy: FindStartedBy;
}

export function createFindQuestion({ questions }: AcceptPorts): FindQuestion {
  return async function find(questionId, requester) {
    const question = await questions.get(questionId);
    if (question?.place.teamId !== requester.teamId) return undefined;
    // A private notice offers to ask a question again that could not be shown. It may be a direct message to the asker.
    const isAskersOwn = endedPrivately(question) && question.askerId === requester.userId;
    return question.place.channelId === requester.channelId || isAskersOwn ? question : undefined;
  };
}

export function createFindStartedBy({
  questions,
  digest,
  attemptUnder,
}: Omit<IntakePorts, 'find' | 'startedBy'>): FindStartedBy {
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

  /** The question that was asked instead of this one. */
  async function replacementOf({ id }: Question): Promise<Question | undefined> {
    return (await attemptUnder(attemptKeys.instead(id))).question;
  }
}

export function hasEnded(question: Question): boolean {
  return question.outcome !== undefined;
}

/** Whether only the asker was notified how the question ended, and not in its place. */
export function endedPrivately({ outcome }: Question): boolean {
  return outcome?.kind === 'undeliverable' || outcome?.kind === 'notAllowed';
}
