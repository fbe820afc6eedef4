import type { Core } from '../context.ts';
import type { Question } from '../question/question.ts';
import { mostAttempts } from '../settings.ts';
import { type Acceptance, questionId as idOf, type NewQuestion } from './accept.ts';

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
export interface IntakePorts extends Core {
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
  find: FindQuestion;
  startedBy: FindStartedBy;
}

export function createFindQuestion({ questions }: Core): FindQuestion {
  return async function find(questionId, requester) {
    const question = await questions.get(questionId);
    if (question?.place.teamId !== requester.teamId) return undefined;
    // A private notice offers to ask a question again that could not be shown. It may be a direct message to the asker.
    const isAskersOwn = endedPrivately(question) && question.askerId === requester.userId;
    return question.place.channelId === requester.channelId || isAskersOwn ? question : undefined;
  };
}

export function createFindStartedBy(w: Core, attemptUnder: IntakePorts['attemptUnder']): FindStartedBy {
  return async function startedBy(key) {
    const first = await w.questions.get(idOf(w, key));
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

/** The keys of later attempts of a question. They are part of stored ids and never change. */
export const attemptKeys = {
  again: (questionId: string) => `again:${questionId}`,
  againIn: (questionId: string, channelId: string) => `again:${questionId}:${channelId}`,
  instead: (questionId: string) => `instead:${questionId}`,
  followUp: (questionId: string, index: number) => `follow-up:${questionId}:${index}`,
  followUpPrivately: (questionId: string, index: number, userId: string) =>
    `follow-up:${questionId}:${index}:${userId}`,
  show: (questionId: string) => `show:${questionId}`,
};

/**
 * What every later attempt of a question keeps: its place, the message and files that it is about, and the conversation of
 * the previous thread. If other people's words in them were forgotten, the app reads the message again.
 */
export function keptByAttempt({
  place,
  messageTs,
  files,
  forwarded,
  readsThread = false,
  previous,
  continues,
}: Question): Pick<
  NewQuestion,
  'place' | 'messageTs' | 'files' | 'forwarded' | 'readsThread' | 'previous' | 'continues'
> {
  const isForgotten = forwarded?.text === '' || files?.some(({ isUnknown }) => isUnknown === true) === true;
  if (isForgotten && messageTs !== undefined) return { place, messageTs, readsThread: true, previous, continues };
  return {
    place,
    messageTs,
    files,
    readsThread,
    previous,
    continues,
    forwarded,
  };
}

/** A key and its question. `key` is the requested key or the one that replaced it. */
export interface Attempt {
  key: string;
  question: Question | undefined;
}

/**
 * Finds the newest valid attempt of one button or edit. An attempt that was cancelled before it was asked is not valid:
 * who presses again wants it asked.
 */
export function createAttempts(w: Pick<Core, 'questions' | 'digest'>): (key: string) => Promise<Attempt> {
  return async function attemptUnder(key) {
    let attempt = await read(key);
    for (let taken = 1; taken < mostAttempts && isTakenBack(attempt.question); taken += 1) {
      attempt = await read(`${attempt.key}:again`);
    }
    return attempt;
  };

  async function read(key: string): Promise<Attempt> {
    return { key, question: await w.questions.get(idOf(w, key)) };
  }
}

function isTakenBack(question: Question | undefined): boolean {
  // A question whose message was deleted, or instead of which another one was asked, stays cancelled.
  if (question?.cancel === undefined || question.cancel.isFinal === true) return false;
  const { upstream, outcome } = question;
  const wasTried = upstream.firstTriedMs !== undefined || upstream.intentMs !== undefined;
  return !wasTried && (outcome === undefined || outcome.kind === 'cancelled');
}
