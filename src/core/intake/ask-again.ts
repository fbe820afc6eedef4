import type { LifecyclePorts } from '../lifecycle/lifecycle-ports.ts';
import { canAskCancelledAgain } from '../question/cancellation.ts';
import { conversationOf } from '../question/conversations.ts';
import { findEarlier } from '../question/earlier-questions.ts';
import type { Followed } from '../question/followed.ts';
import { isSuggested } from '../question/permalinks.ts';
import { hasNoWords } from '../question/prompt.ts';
import { isInThread, type Place, type Question } from '../question/question.ts';
import { keptText } from '../question/refused-text.ts';
import { mostAttempts } from '../settings.ts';
import type { Acceptance, NewQuestion } from './accept.ts';
import { asFollowUpAgain } from './ask-as-follow-up.ts';
import { type Attempt, attemptKeys, keptByAttempt } from './attempts.ts';
import { type ButtonResult, endedPrivately, type FindQuestion, hasEnded, type Requester } from './find-question.ts';

export type AskAgainPorts = Pick<LifecyclePorts, 'questions' | 'threads' | 'refusedTexts'> & {
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  attemptUnder: (key: string) => Promise<Attempt>;
  find: FindQuestion;
};

/** Asks questions again. Every method throws `AppError` of kind `storage` if nothing was done. */
export function createAskAgain({ questions, threads, refusedTexts, accept, attemptUnder, find }: AskAgainPorts) {
  return { askAgain, askIn };

  /**
   * Asks a question again in its place after it ended without an answer. `fresh` starts a new conversation. If an
   * earlier retry could not be shown either, asks the newest retry again.
   */
  async function askAgain(
    questionId: string,
    requester: Requester,
    options: { fresh?: boolean; responseUrl?: string | undefined; byMs?: number } = {},
  ): Promise<ButtonResult> {
    const found = await find(questionId, requester);
    const question = found === undefined ? undefined : await newestAttempt(found);
    if (question === undefined) return { kind: 'expired' };
    if (question.id !== found?.id && !endedPrivately(question)) return { kind: 'duplicate', question };
    if (!hasEnded(question) || !canBeAsked(question)) return { kind: 'expired' };
    const { responseUrl, fresh = false, byMs } = options;
    const { key } = await attemptUnder(attemptKeys.again(question.id));
    const follows = (fresh ? await earlierOf(question) : undefined) ?? question.follows;
    return accept(
      {
        ...keptByAttempt(question),
        key,
        askerId: requester.userId,
        text: question.text,
        origin: isInThread(question.place) ? 'retry' : 'command',
        ...(isSuggested(question) ? { isSuggested: true } : {}),
        beginsThread: !isInThread(question.place),
        ...(question.readsFrom === undefined ? {} : { readsFrom: question.readsFrom }),
        ...(follows === undefined ? {} : { follows }),
        fresh: fresh || question.fresh,
        ...asFollowUpAgain(question, question.asFollowUp?.text, requester.userId),
        ...(responseUrl === undefined ? {} : { responseUrl }),
      },
      byMs,
    );
  }

  /** The earlier questions of this question's conversation. Before it is asked, that is the thread's conversation. */
  async function earlierOf(question: Question): Promise<Followed | undefined> {
    const { place, fresh, upstream } = question;
    if (!isInThread(place)) return undefined;
    const thread = await threads.get(place);
    const conversationId = upstream.conversationId ?? (fresh ? undefined : conversationOf(thread, question));
    return findEarlier(questions, question, thread, conversationId);
  }

  async function newestAttempt(question: Question): Promise<Question> {
    let newest = question;
    for (let attempts = 0; attempts < mostAttempts && endedPrivately(newest); attempts += 1) {
      const { question: next } = await attemptUnder(attemptKeys.again(newest.id));
      // An offer was not taken, and its asker knows that.
      if (next === undefined || next.phase === 'offered') break;
      newest = next;
    }
    return newest;
  }

  /** Asks a question in another place, once per place, because it could not be shown where it was asked. */
  async function askIn(questionId: string, place: Place, requester: Requester, byMs?: number): Promise<ButtonResult> {
    const question = await find(questionId, requester);
    // A person confirmed the readers of a shared answer only for its place.
    if (question === undefined || question.shares !== undefined) return { kind: 'expired' };
    // The other place has no thread to read.
    if (hasNoWords(question.text)) return { kind: 'expired' };
    const text = await keptText({ refusedTexts }, question);
    if (text === '') return { kind: 'expired' };
    const { key } = await attemptUnder(attemptKeys.againIn(questionId, place.channelId));
    const suggested = isSuggested(question) ? { isSuggested: true as const } : {};
    return accept(
      { key, place, askerId: requester.userId, text, origin: 'command', ...suggested, beginsThread: true },
      byMs,
    );
  }
}

/**
 * Whether the question can be asked again. Sharing an answer with others is not repeated here, because a person must
 * confirm its readers each time. A withheld answer is shown only to its asker, who may ask again, unless the question
 * is only about a thread.
 */
function canBeAsked(question: Question): boolean {
  const { outcome, shares, text } = question;
  if (outcome?.kind === 'cancelled') return canAskCancelledAgain(question);
  if (text === '') return false;
  return shares === undefined || (shares.withheld === true && !hasNoWords(text));
}
