import type { Question } from '../question/question.ts';
import { noReplyMs } from '../settings.ts';
import type { CardUpdates } from './card-updates.ts';
import type { Standing } from './decide.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';

/** Says on a card that the service took a call and has sent no reply. */
export function createSilence(
  { questions, now, log }: Pick<LifecyclePorts, 'questions' | 'now' | 'log'>,
  card: Pick<CardUpdates, 'refresh'>,
) {
  /** The questions whose card says so during the present call. */
  const told = new Set<string>();

  return {
    during,
    /** Whether the card of a question has said so since the last call of this. */
    wasTold: (questionId: string) => told.delete(questionId),
  };

  /** Makes a call. The card says so when it has no result after {@link noReplyMs}. */
  async function during<Result>(question: Question, standing: Standing, call: () => Promise<Result>): Promise<Result> {
    let telling: Promise<void> | undefined;
    const timer = setTimeout(() => {
      telling = tell(question.id, standing);
    }, noReplyMs);
    timer.unref();
    try {
      return await call();
    } finally {
      clearTimeout(timer);
      await telling;
    }
  }

  async function tell(questionId: string, standing: Standing): Promise<void> {
    told.add(questionId);
    const nowMs = now();
    const trouble = { kind: 'silent', failures: 1, sinceMs: nowMs, notBeforeMs: nowMs } as const;
    try {
      const question = await questions.get(questionId);
      if (question !== undefined) await card.refresh({ ...question, trouble }, standing);
    } catch (error) {
      // Also what should not happen: if the call outlasts this, nothing waits for it, so a rejection would end the process.
      log.warn({ event: 'silence_not_told', questionId }, error);
    }
  }
}
