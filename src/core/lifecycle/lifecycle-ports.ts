import { isAppError } from '../errors.ts';
import type {
  AccessPolicy,
  AskedQuestions,
  Claims,
  Clock,
  DeepSearch,
  Durations,
  Log,
  Messenger,
  QuestionObserver,
  QuestionStore,
  Records,
  Scheduler,
  ThreadReader,
  ThreadStore,
} from '../ports.ts';
import type { Outcome, Question } from '../question/question.ts';
import type { RefusedText } from '../question/refused-text.ts';
import type { RunSlots } from '../run-slots.ts';
import type { LifecycleSettings } from '../settings.ts';

/** Everything outside the core that the lifecycle of a question uses. */
export interface LifecyclePorts {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  runSlots: RunSlots;
  deepSearch: DeepSearch;
  messenger: Messenger;
  accessPolicy: AccessPolicy;
  threadReader: ThreadReader;
  durations: Durations;
  askedQuestions: AskedQuestions;
  refusedTexts: Records<RefusedText>;
  observer: QuestionObserver;
  scheduler: Pick<Scheduler, 'schedule'>;
  log: Log;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  settings: LifecycleSettings;
}

/** The result of a step: the question as it is stored now, and a wait if the run ends here. */
export type Progress = { question: Question } | { question: Question; waitMs: number };

/** Stores a change of a question and returns what is stored then. */
export async function changeQuestion(
  { questions }: Pick<LifecyclePorts, 'questions'>,
  question: Question,
  change: (stored: Question) => Question,
): Promise<Question> {
  return (await questions.update(question.id, change)) ?? question;
}

/** Stores how a question ended. Its messages are posted after that. */
export async function endWith(
  ports: Pick<LifecyclePorts, 'questions' | 'now' | 'observer'>,
  question: Question,
  outcome: Outcome,
  shareUrl?: string,
): Promise<Question> {
  const ended = await changeQuestion(ports, question, ({ trouble: _, ...stored }) => ({
    ...stored,
    phase: 'delivering',
    outcome,
    endedMs: ports.now(),
    upstream: shareUrl === undefined ? stored.upstream : { ...stored.upstream, shareUrl },
  }));
  ports.observer.changed(ended);
  return ended;
}

/**
 * Removes a closed or never confirmed question from the open list. It may be re-opened at the same moment, so this reads it
 * again and puts it back if it is open. A re-opening lists the question last, so in any order an open question is listed.
 */
export async function delist({ questions }: Pick<LifecyclePorts, 'questions'>, id: string): Promise<void> {
  await questions.markClosed(id);
  const question = await questions.get(id);
  const isDone = question?.phase === 'closed' && question.recheckMs === undefined;
  if (question !== undefined && !isDone && question.phase !== 'offered') {
    await questions.markOpen(id);
  }
}

/** Does work that a question can go on without. Logs a corrupt record and returns undefined; other errors are thrown. */
export async function beside<Result>(
  { log }: Pick<LifecyclePorts, 'log'>,
  { id }: Question,
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    log.error({ event: 'record_unreadable', questionId: id, kind: error.kind }, error);
    return undefined;
  }
}

/**
 * Does a step after its request was stored. The person must not be told "not taken" any more, so a failure is only logged;
 * later runs and sweeps make up for it.
 */
export async function settle(
  { log }: Pick<LifecyclePorts, 'log'>,
  event: string,
  questionId: string,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!isAppError(error)) throw error;
    log.warn({ event, questionId, kind: error.kind }, error);
  }
}

/** Gives the question's run slot back, and wakes the questions that got a slot. */
export async function releaseSlot(
  { runSlots, scheduler }: Pick<LifecyclePorts, 'runSlots' | 'scheduler'>,
  question: Question,
): Promise<void> {
  await wake({ scheduler }, await runSlots.release(question));
}

export async function wake({ scheduler }: Pick<LifecyclePorts, 'scheduler'>, questionIds: string[]): Promise<void> {
  await Promise.all(questionIds.map((id) => scheduler.schedule(id, 0)));
}

/** False if the question was re-opened since it was read. Messages of its old end do not count for the new one. */
export function isSameRound(stored: Question, question: Question): boolean {
  return stored.delivery.round === question.delivery.round;
}
