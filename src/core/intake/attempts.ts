import type { QuestionStore } from '../ports.ts';
import type { Question } from '../question/question.ts';
import { mostAttempts } from '../settings.ts';
import { type AcceptPorts, questionId as idOf, type NewQuestion } from './accept.ts';

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
export function createAttempts({
  questions,
  digest,
}: {
  questions: Pick<QuestionStore, 'get'>;
  digest: AcceptPorts['digest'];
}): (key: string) => Promise<Attempt> {
  return async function attemptUnder(key) {
    let attempt = await read(key);
    for (let taken = 1; taken < mostAttempts && isTakenBack(attempt.question); taken += 1) {
      attempt = await read(`${attempt.key}:again`);
    }
    return attempt;
  };

  async function read(key: string): Promise<Attempt> {
    return { key, question: await questions.get(idOf(digest, key)) };
  }
}

function isTakenBack(question: Question | undefined): boolean {
  // A question whose message was deleted, or instead of which another one was asked, stays cancelled.
  if (question?.cancel === undefined || question.cancel.isFinal === true) return false;
  const { upstream, outcome } = question;
  const wasTried = upstream.firstTriedMs !== undefined || upstream.intentMs !== undefined;
  return !wasTried && (outcome === undefined || outcome.kind === 'cancelled');
}
