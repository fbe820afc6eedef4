import { isAppError } from './errors.ts';
import type {
  Claims,
  Clock,
  CodeSearch,
  Durations,
  Gatekeeper,
  Histories,
  Journal,
  Looks,
  Messenger,
  QuestionStore,
  Records,
  ThreadReader,
  ThreadStore,
  Witness,
} from './ports.ts';
import type { Outcome, Question } from './question.ts';
import type { RefusedText } from './refused-text.ts';
import type { LifeSettings } from './settings.ts';
import type { Turns } from './turns.ts';

/** Everything the life of a question touches outside the core. */
export interface LifePorts {
  questions: QuestionStore;
  threads: ThreadStore;
  claims: Claims;
  turns: Turns;
  codeSearch: CodeSearch;
  messenger: Messenger;
  gatekeeper: Gatekeeper;
  threadReader: ThreadReader;
  durations: Durations;
  histories: Histories;
  refusedTexts: Records<RefusedText>;
  witness: Witness;
  looks: Pick<Looks, 'lookIn'>;
  journal: Journal;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  settings: LifeSettings;
}

/** What a step leads to: the question as it is stored now, or a pause before the next decision. */
export type Progress = { question: Question } | { question: Question; waitMs: number };

/** Stores a change of a question and returns what is stored then. */
export async function changeQuestion(
  { questions }: Pick<LifePorts, 'questions'>,
  question: Question,
  change: (stored: Question) => Question,
): Promise<Question> {
  return (await questions.update(question.id, change)) ?? question;
}

/** Stores how a question ended; what is left is to say so. */
export async function endWith(
  ports: Pick<LifePorts, 'questions' | 'now' | 'witness'>,
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
  ports.witness.changed(ended);
  return ended;
}

/**
 * Takes a closed or never confirmed question off the open list. It may be re-opened in that very moment, so a look back puts it on again;
 * together with a re-opening that lists it last, no order of the two leaves an open question unlisted.
 */
export async function delist({ questions }: Pick<LifePorts, 'questions'>, id: string): Promise<void> {
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
  { journal }: Pick<LifePorts, 'journal'>,
  { id }: Question,
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    journal.error({ event: 'record_beside_unreadable', questionId: id, kind: error.kind }, error);
    return undefined;
  }
}

/** A stored question; undefined when there is none, and for one that can't be read any more. */
export async function getReadable(questions: Pick<QuestionStore, 'get'>, id: string): Promise<Question | undefined> {
  try {
    return await questions.get(id);
  } catch (error) {
    if (isAppError(error, 'corrupt')) return undefined;
    throw error;
  }
}

/**
 * A step after the point of no return: what it belongs to must not be called "not taken" any more, so a failure is
 * reported, and looks and sweeps make up for it.
 */
export async function settle(
  { journal }: Pick<LifePorts, 'journal'>,
  event: string,
  questionId: string,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!isAppError(error)) throw error;
    journal.warn({ event, questionId, kind: error.kind }, error);
  }
}

/** Frees the question's place at the service, and wakes those whose turn has come. */
export async function giveTurnBack(
  { turns, looks }: Pick<LifePorts, 'turns' | 'looks'>,
  question: Question,
): Promise<void> {
  await wake({ looks }, await turns.release(question));
}

export async function wake({ looks }: Pick<LifePorts, 'looks'>, questionIds: string[]): Promise<void> {
  await Promise.all(questionIds.map((id) => looks.lookIn(id, 0)));
}

/** False when the question was re-opened since it was read: what was done for its old end is not about the next one. */
export function isSameRound(stored: Question, question: Question): boolean {
  return stored.delivery.round === question.delivery.round;
}
