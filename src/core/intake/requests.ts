import type { LifecyclePorts } from '../lifecycle/lifecycle-ports.ts';
import { type AcceptPorts, type createAccept, questionId } from './accept.ts';
import { createAskAgain } from './ask-again.ts';
import { createAskAsFollowUp } from './ask-as-follow-up.ts';
import { createAttempts } from './attempts.ts';
import { createCancel } from './cancel.ts';
import { createCheckAgain } from './check-again.ts';
import { createChooseReaders } from './choose-readers.ts';
import { createEdits } from './edits.ts';
import { createFindQuestion, createFindStartedBy } from './find-question.ts';
import { createFollowUps } from './follow-ups.ts';
import { createWithheldAnswers } from './withheld-answers.ts';

export type RequestPorts = Pick<
  LifecyclePorts,
  'questions' | 'threads' | 'claims' | 'dailyStorage' | 'scheduler' | 'observer' | 'log' | 'refusedTexts' | 'now'
> &
  Pick<AcceptPorts, 'digest'> & { accept: ReturnType<typeof createAccept> };

export type Requests = ReturnType<typeof createRequests>;

/**
 * All that people can do with existing questions. Every method throws `AppError` of kind `storage` if nothing was done.
 */
export function createRequests(ports: RequestPorts) {
  const attemptUnder = createAttempts(ports);
  const find = createFindQuestion(ports);
  const startedBy = createFindStartedBy({ ...ports, attemptUnder });
  const shared = { ...ports, attemptUnder, find, startedBy };
  return {
    /** The id of the question that a message, a command or a button asks, also before there is one. */
    idOf: (key: string) => questionId(ports.digest, key),
    find,
    startedBy,
    ...createCancel(shared),
    ...createEdits(shared),
    ...createAskAgain(shared),
    ...createCheckAgain(shared),
    ...createFollowUps(shared),
    ...createWithheldAnswers(shared),
    ...createAskAsFollowUp(shared),
    ...createChooseReaders(shared),
  };
}
