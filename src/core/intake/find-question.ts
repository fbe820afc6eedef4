import type { Core } from '../context.ts';
import type { Question } from '../question/question.ts';
import { mostAttempts } from '../settings.ts';
import { type Acceptance, idOf, type NewQuestion } from './accept.ts';

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
export async function findQuestion(w: Core, questionId: string, requester: Requester): Promise<Question | undefined> {
  const question = await w.questions.get(questionId);
  if (question?.place.teamId !== requester.teamId) return undefined;
  // A private notice offers to ask a question again that could not be shown. It may be a direct message to the asker.
  const isAskersOwn = endedPrivately(question) && question.askerId === requester.userId;
  return question.place.channelId === requester.channelId || isAskersOwn ? question : undefined;
}

/** Finds the newest version of the question that a message started. `key` is the same as in `accept`. */
export async function startedBy(w: Core, key: string): Promise<Question | undefined> {
  const first = await w.questions.get(idOf(w, key));
  let newest = first === undefined ? undefined : ((await attemptUnder(w, key)).question ?? first);
  for (let versions = 0; versions < mostAttempts && newest !== undefined; versions += 1) {
    const { question: replacement } = await attemptUnder(w, attemptKeys.instead(newest.id));
    if (replacement === undefined) break;
    newest = replacement;
  }
  return newest;
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
export async function attemptUnder(w: Core, key: string): Promise<Attempt> {
  let attempt = await readAttempt(w, key);
  for (let taken = 1; taken < mostAttempts && isTakenBack(attempt.question); taken += 1) {
    attempt = await readAttempt(w, `${attempt.key}:again`);
  }
  return attempt;
}

async function readAttempt(w: Core, key: string): Promise<Attempt> {
  return { key, question: await w.questions.get(idOf(w, key)) };
}

function isTakenBack(question: Question | undefined): boolean {
  // A question whose message was deleted, or instead of which another one was asked, stays cancelled.
  if (question?.cancel === undefined || question.cancel.isFinal === true) return false;
  const { upstream, outcome } = question;
  const wasTried = upstream.firstTriedMs !== undefined || upstream.intentMs !== undefined;
  return !wasTried && (outcome === undefined || outcome.kind === 'cancelled');
}
