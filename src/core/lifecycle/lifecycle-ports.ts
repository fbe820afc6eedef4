import type { AccessPolicy } from '../access-policy.ts';
import type { Accounts, AccountWaits, Person } from '../accounts/accounts.ts';
import type { ChannelRules } from '../channels/channel-settings.ts';
import { type AppError, hasCode, isAppError, serviceCodes } from '../errors.ts';
import type { AuditLog } from '../history/audit.ts';
import type {
  AnswerReaders,
  AskedQuestions,
  Claims,
  Clock,
  DeepSearchOf,
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
import type { DailyCaps } from '../question/daily-caps.ts';
import type { Outcome, Question, Trouble } from '../question/question.ts';
import type { ReaderChoices } from '../question/reader-choices.ts';
import type { RefusedText } from '../question/refused-text.ts';
import type { RunSlots } from '../run-slots.ts';
import type { LifecycleSettings } from '../settings.ts';
import type { Tracer } from '../tracing.ts';
import type { Watching } from '../watching/watching.ts';

/** All that the lifecycle of a question uses from outside the core. */
export interface LifecyclePorts {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  runSlots: RunSlots;
  deepSearch: DeepSearchOf;
  watching: Omit<Watching, 'tick' | 'stop'>;
  accounts: Pick<Accounts, 'mode' | 'offer' | 'statusOf'>;
  accountWaits: AccountWaits;
  /** A person's name in Slack, if Slack says it in time. Never throws. */
  nameOf: (userId: string) => Promise<string | undefined>;
  messenger: Messenger;
  accessPolicy: AccessPolicy;
  dailyCaps: DailyCaps;
  channelRules: ChannelRules;
  /** All repositories that a person's questions can search. Undefined if that is not known. Never throws `AppError`. */
  repositoriesFor: (person: Person) => Promise<string[] | undefined>;
  threadReader: ThreadReader;
  durations: Durations;
  askedQuestions: AskedQuestions;
  refusedTexts: Records<RefusedText>;
  readerChoices: Records<ReaderChoices>;
  answerReaders: AnswerReaders;
  observer: QuestionObserver;
  audit: AuditLog;
  scheduler: Pick<Scheduler, 'schedule'>;
  tracer: Tracer;
  log: Log;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  settings: LifecycleSettings;
}

/** The result of a step: the stored question, and a wait if the run ends here. */
export type Progress = { question: Question } | { question: Question; waitMs: number };

/** Changes a stored question. Returns the stored question after that. */
export async function changeQuestion(
  { questions }: LifecyclePorts,
  question: Question,
  change: (stored: Question) => Question,
): Promise<Question> {
  return (await questions.update(question.id, change)) ?? question;
}

/** Stores how a question ended. Later steps post its messages. */
export async function endWith(
  ports: LifecyclePorts,
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

/** What kind of trouble a failed call is. `isSilent`: the card said that the service sent no reply to it. */
export function troubleOf(error: AppError, isSilent: boolean): Trouble['kind'] {
  const cause = causeOf(error);
  return cause === 'unreachable' && isSilent ? 'silent' : cause;
}

/** Why a question ends whose calls failed like this until patience ended. */
export function causeOf(error: AppError): 'limited' | 'signInPage' | 'unreachable' {
  if (error.kind === 'rateLimited') return 'limited';
  return hasCode(error, serviceCodes.signInPage) ? 'signInPage' : 'unreachable';
}

/** Whether the conversation of a question could not be read because the reply is too large. */
export function isAnswerTooLong(error: AppError): boolean {
  return error.code === serviceCodes.tooLarge && !error.outcomeUnknown;
}

/**
 * Removes a question from the open list that is closed or gone. It may be re-opened or stored at the same moment, so this reads
 * it again and lists it if it is open. Each re-opening also lists it after that change, so an open question is always listed in
 * the end.
 */
export async function delist({ questions }: { questions: QuestionStore }, id: string): Promise<void> {
  await questions.markClosed(id);
  const question = await questions.get(id);
  const isDone = question?.phase === 'closed' && question.recheckMs === undefined;
  if (question !== undefined && !isDone) {
    await questions.markOpen(id);
  }
}

/** Does work that a question can continue without. Logs a corrupt record and returns undefined. Throws other errors. */
export async function ifReadable<Result>(
  { log }: LifecyclePorts,
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
 * Does a step after its request was stored. The request is accepted by then, so a failure is only logged. Later runs
 * and sweeps repeat the step.
 */
export async function settle(
  { log }: LifecyclePorts,
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

/** Gives back the question's run slot and wakes the questions that got one. */
export async function releaseSlot(ports: LifecyclePorts, question: Question): Promise<void> {
  await wake(ports, await ports.runSlots.release(question));
}

export async function wake({ scheduler }: LifecyclePorts, questionIds: string[]): Promise<void> {
  await Promise.all(questionIds.map((id) => scheduler.schedule(id, 0)));
}

/** False if the question was re-opened after it was read. Messages of its old outcome do not count for the new one. */
export function isSameRound(stored: Question, question: Question): boolean {
  return stored.delivery.round === question.delivery.round;
}
