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

/** Everything the life of a question touches outside the core. */
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

/** What a step leads to: the question as it is stored now, or a pause before the next decision. */
export type Progress = { question: Question } | { question: Question; waitMs: number };

/** Stores a change of a question and returns what is stored then. */
export async function changeQuestion(
  { questions }: Pick<LifecyclePorts, 'questions'>,
  question: Question,
  change: (stored: Question) => Question,
): Promise<Question> {
  return (await questions.update(question.id, change)) ?? question;
}

/** Stores how a question ended; what is left is to say so. */
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
 * Takes a closed or never confirmed question off the open list. It may be re-opened in that very moment, so a look back puts it on again;
 * together with a re-opening that lists it last, no order of the two leaves an open question unlisted.
 */
export async function delist({ questions }: Pick<LifecyclePorts, 'questions'>, id: string): Promise<void> {
  await questions.markClosed(id);
  const question = await questions.get(id);
  const isDone = question?.phase === 'closed' && question.recheckMs === undefined;
  if (question !== undefined && !isDone && question.phase !== 'offered') {
    await questions.markOpen(id);
  }
}

/**
 * Work on records that lie beside the way of a question: one that can't be read any more is reported, and does not hold
 * the question up. Other errors leave as they are.
 */
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
 * A step after the point of no return: what it belongs to must not be called "not taken" any more, so a failure is
 * reported, and looks and sweeps make up for it.
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

/** Frees the question's place at the service, and wakes those whose turn has come. */
export async function releaseSlot(
  { runSlots, scheduler }: Pick<LifecyclePorts, 'runSlots' | 'scheduler'>,
  question: Question,
): Promise<void> {
  await wake({ scheduler }, await runSlots.release(question));
}

export async function wake({ scheduler }: Pick<LifecyclePorts, 'scheduler'>, questionIds: string[]): Promise<void> {
  await Promise.all(questionIds.map((id) => scheduler.schedule(id, 0)));
}

/** False when the question was re-opened since it was read: what was done for its old end is not about the next one. */
export function isSameRound(stored: Question, question: Question): boolean {
  return stored.delivery.round === question.delivery.round;
}
