import type { WebClient } from '@slack/web-api';
import { type AppError, isAppError, isTransient } from '../core/errors.ts';
import type { Journal } from '../core/ports.ts';
import type { Answer, Question } from '../core/question.ts';
import { FORMAT_LADDER, type MessageFormat } from '../render/message.ts';
import { renderOutcome } from '../render/outcome.ts';
import type { Through } from './through.ts';

/** How often repainting an answer is tried, and the longest wait in between. */
const mostTries = 3;
const longestWaitMs = 10_000;

/** Buttons are all that repainting is about, and text alone has none. */
type RepaintedFormat = Exclude<MessageFormat, 'plain'>;

export interface Repainting {
  /** Shows under an answer who asked one of its suggestions, in its own time; never throws. */
  suggestionUsed(questionId: string, index: number, byUserId: string): void;
  /** Waits for what is under way, at most `deadlineMs`, and tries nothing again. */
  drain(deadlineMs: number): Promise<void>;
}

/**
 * Keeps the suggestions under answers in step with what was asked of them. It is a courtesy to others: a suggestion is
 * asked once whether its button is still shown or not.
 */
export function createRepainting(deps: {
  client: WebClient;
  through: Through;
  format: RepaintedFormat;
  /** Notes the use; returns the question if that is news. */
  markUsed: (questionId: string, index: number, byUserId: string) => Promise<Question | undefined>;
  /** The answer of a closed question, read again. */
  recall: (question: Question) => Promise<Answer | undefined>;
  journal: Journal;
}): Repainting {
  const { client, through, format, markUsed, recall, journal } = deps;
  const formats = FORMAT_LADDER.slice(FORMAT_LADDER.indexOf(format)).filter((each) => each !== 'plain');
  /** By question, so that an older state never comes after a newer one. */
  const underWay = new Map<string, Promise<void>>();
  let isStopping = false;

  return { suggestionUsed, drain };

  function suggestionUsed(questionId: string, index: number, byUserId: string): void {
    const before = underWay.get(questionId) ?? Promise.resolve();
    const work = before
      .then(() => persist(questionId, index, byUserId))
      .catch((error: unknown) => journal.warn({ event: 'answer_not_repainted', questionId }, error))
      .finally(() => {
        if (underWay.get(questionId) === work) underWay.delete(questionId);
      });
    underWay.set(questionId, work);
  }

  async function persist(questionId: string, index: number, byUserId: string): Promise<void> {
    const question = await patiently(() => markUsed(questionId, index, byUserId));
    if (question !== undefined) await patiently(() => paint(question));
  }

  async function patiently<Result>(run: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await run();
      } catch (error) {
        if (!isAppError(error) || !isTransient(error) || tries === mostTries || isStopping) throw error;
        await pause(error);
      }
    }
  }

  async function paint(question: Question): Promise<void> {
    const ts = question.delivery.posted.at(-1);
    const answer = await recall(question);
    if (ts === undefined || answer === undefined) return;
    for (const asFormat of formats) {
      const messages = renderOutcome({ ...question, outcome: { kind: 'answered', answer } }, { format: asFormat });
      const last = messages.at(-1);
      // An answer that reads differently now was not posted like this.
      if (last === undefined || messages.length !== question.delivery.posted.length) return;
      const { metadata: _, ...message } = last;
      try {
        await through('chat.update', 'edit', () =>
          client.chat.update({ channel: question.place.channelId, ts, blocks: [], ...message }),
        );
        return;
      } catch (error) {
        if (!isAppError(error, 'unrenderable') || asFormat === formats.at(-1)) throw error;
      }
    }
  }

  async function drain(deadlineMs: number): Promise<void> {
    isStopping = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, deadlineMs);
    });
    await Promise.race([Promise.all(underWay.values()), late]);
    clearTimeout(timer);
  }
}

function pause({ retryAfterMs = 1_000 }: AppError): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(retryAfterMs, longestWaitMs)).unref();
  });
}
