import type { QuestionStore } from '../ports.ts';
import type { Question } from '../question/question.ts';
import type { AcceptPorts } from './accept.ts';
import { questionId as idOf } from './accept.ts';

/** How far a chain of attempts is followed. */
export const mostAttempts = 20;

/** What was started under a key, or under the one that took its place. */
export interface Attempt {
  key: string;
  question: Question | undefined;
}

/**
 * Finds the attempt that counts among those that one button or edit started. One that was taken back before the service was
 * asked does not: it may have been withdrawn because its asker had been told that it was not taken.
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
  // One that gave way to its edited version, or to a follow-up, was not taken back: that one goes on in its place.
  if (question?.cancel === undefined || question.edited !== undefined) return false;
  if (question.asFollowUp?.isChosen === true) return false;
  const { upstream, outcome } = question;
  const wasTried = upstream.firstTriedMs !== undefined || upstream.intentMs !== undefined;
  return !wasTried && (outcome === undefined || outcome.kind === 'cancelled');
}
