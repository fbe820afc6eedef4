import { type AppError, isAppError, isTransient } from '../../core/errors.ts';
import { markAskedAgain, markUsed, offerMute } from '../../core/intake/follow-ups.ts';
import { cardView } from '../../core/lifecycle/card.ts';
import { atOnce } from '../../core/lifecycle/decide.ts';
import { recallAnswer } from '../../core/lifecycle/resharing.ts';
import type { Answer, Question } from '../../core/question/question.ts';
import { freshAccessMs } from '../../core/settings.ts';
import { FORMAT_LADDER, type MessageFormat, type RenderedMessage } from '../../render/blocks.ts';
import { renderCard } from '../../render/card.ts';
import { LIMITS } from '../../render/limits.ts';
import { renderOutcome, renderUsedEnd } from '../../render/outcome.ts';
import { withinBytes } from '../../render/text.ts';
import type { WorkspaceContext } from '../context.ts';
import { longestUpdateWaitMs, mostUpdateTries } from '../settings.ts';

/** An update changes only buttons, and plain text has none. */
type UpdatedFormat = Exclude<MessageFormat, 'plain'>;

export interface AnswerUpdates {
  /** Shows under an answer who asked one of its follow-ups, in the background. Never throws. */
  followUpUsed(questionId: string, index: number, byUserId: string): void;
  /** Adds "Only when mentioned" to the menu of a thread's newest answer, in the background. Never throws. */
  muteOffered(questionIds: readonly string[]): void;
  /**
   * Removes the used button from the message of a failure, an incomplete answer or a cancelled question's card, in the
   * background. `question` is as it had ended.
   */
  endUsed(question: Question, messageTs: string, byUserId: string): void;
}

/**
 * Updates the buttons under answers and failures after a press, so that other people see what was asked. Each button
 * works once in any case.
 */
export function createAnswerUpdates(w: WorkspaceContext): AnswerUpdates {
  const { slack, format, tasks } = w;
  const { contact, workspaceUrl } = slack.identity;
  const formats = FORMAT_LADDER.slice(FORMAT_LADDER.indexOf(format)).filter((each) => each !== 'plain');
  /** By question, so that an older state never replaces a newer one. */
  const underWay = new Map<string, Promise<void>>();

  return { followUpUsed, muteOffered, endUsed };

  function followUpUsed(questionId: string, index: number, byUserId: string): void {
    inOrder(questionId, () => persist(() => markUsed(w, questionId, index, byUserId)));
  }

  function muteOffered(questionIds: readonly string[]): void {
    const newest = questionIds.at(-1);
    if (newest !== undefined) inOrder(newest, () => persist(() => offerMute(w, newest)));
  }

  function endUsed(question: Question, messageTs: string, byUserId: string): void {
    if (question.outcome?.kind === 'answered') {
      inOrder(question.id, () => persist(() => markAskedAgain(w, question.id, byUserId)));
      return;
    }
    // Stored, because a later check of the card must not bring the button back.
    if (question.outcome?.kind === 'cancelled' && question.card.ts === messageTs) {
      inOrder(question.id, () => persist(() => markAskedAgain(w, question.id, byUserId), editCard));
      return;
    }
    const render = (asFormat: UpdatedFormat) =>
      renderUsedEnd(question, byUserId, { format: asFormat, contact, workspaceUrl });
    inOrder(question.id, () => patiently(() => edit(question, messageTs, render)));
  }

  function inOrder(questionId: string, run: () => Promise<void>): void {
    const before = underWay.get(questionId) ?? Promise.resolve();
    const work = tasks.run({ event: 'answer_not_updated', questionId }, () => before.then(run));
    if (work === undefined) return;
    underWay.set(questionId, work);
    void work.then(() => {
      if (underWay.get(questionId) === work) underWay.delete(questionId);
    });
  }

  /** Stores a change, and shows it when it is news. */
  async function persist(change: () => Promise<Question | undefined>, show = paint): Promise<void> {
    const question = await patiently(change);
    if (question !== undefined) await patiently(() => show(question));
  }

  async function editCard(question: Question): Promise<void> {
    const view = cardView(question, atOnce, Date.now());
    const { ts } = question.card;
    if (ts !== undefined) await edit(question, ts, (asFormat) => renderCard(question, view, { format: asFormat }));
  }

  async function patiently<Result>(run: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await run();
      } catch (error) {
        if (!isAppError(error) || !isTransient(error) || tries === mostUpdateTries || tasks.isStopping()) throw error;
        await pause(error);
      }
    }
  }

  async function paint(question: Question): Promise<void> {
    const ts = question.delivery.posted.at(-1);
    // Nothing was posted there, so the service is not asked.
    if (ts === undefined) return;
    const answer = await recall(w, question);
    if (answer === undefined || !(await mayShow(w, question))) return;
    await edit(question, ts, (asFormat) => {
      const messages = renderOutcome({ ...question, outcome: { kind: 'answered', answer } }, { format: asFormat });
      // An answer with other parts was posted before its text changed.
      return messages.length === question.delivery.posted.length ? messages.at(-1) : undefined;
    });
  }

  async function edit(
    question: Question,
    ts: string,
    render: (asFormat: UpdatedFormat) => RenderedMessage | undefined,
  ): Promise<void> {
    for (const asFormat of formats) {
      const rendered = render(asFormat);
      if (rendered === undefined) return;
      const { metadata: _, ...message } = rendered;
      try {
        await slack.call(
          'chat.update',
          {
            channel: question.place.channelId,
            ts,
            blocks: [],
            ...message,
            text: withinBytes(message.text, LIMITS.updateTextBytes),
          },
          { priority: 'edit' },
        );
        return;
      } catch (error) {
        if (!isAppError(error, 'unrenderable') || asFormat === formats.at(-1)) throw error;
      }
    }
  }
}

/** The answer of a closed question. One that was shown again is another question's. */
async function recall(w: WorkspaceContext, question: Question): Promise<Answer | undefined> {
  const { shares } = question;
  if (shares?.withheld !== true) return recallAnswer(w, question);
  const source = await w.questions.get(shares.questionId);
  const answer = source && (await recallAnswer(w, source));
  return answer && { ...answer, quota: undefined };
}

/** Whether those who read there now may see the answer. Throws `AppError`. */
async function mayShow({ access, now }: WorkspaceContext, { askerId, place, shares }: Question): Promise<boolean> {
  const sinceMs = now() - freshAccessMs;
  return (await access.admit(askerId, place, { confirmed: shares?.confirmed, sinceMs })).may;
}

function pause({ retryAfterMs = 1_000 }: AppError): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(retryAfterMs, longestUpdateWaitMs)).unref();
  });
}
