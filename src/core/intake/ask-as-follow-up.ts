import type { Question } from '../question/question.ts';
import type { Acceptance, NewQuestion } from './accept.ts';
import { type Attempt, attemptKeys, keptByAttempt } from './attempts.ts';
import type { FindQuestion, Requester } from './find-question.ts';

/** `notAsker`: only the asker may choose. `ended`: it is too late for that. */
export type AsFollowUpResult =
  | Acceptance
  | { kind: 'expired' }
  | { kind: 'ended' }
  | { kind: 'notAsker'; askerId: string };

export interface AskAsFollowUpPorts {
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  find: FindQuestion;
  attemptUnder: (key: string) => Promise<Attempt>;
}

/**
 * Gives another version of a question the same choice to ask it as a follow-up, with that version's text. Another person
 * may have another account, so their version does not keep the conversation.
 */
export function asFollowUpAgain(
  { asFollowUp, askerId }: Question,
  text: string | undefined,
  byUserId: string,
): Pick<NewQuestion, 'asFollowUp'> {
  if (asFollowUp === undefined || text === undefined) return {};
  const conversationId = byUserId === askerId ? asFollowUp.conversationId : undefined;
  return { asFollowUp: { text, ...(conversationId === undefined ? {} : { conversationId }) } };
}

/**
 * Asks questions as follow-ups: in direct messages in the conversation of the previous thread, and one that begins with
 * "new" in the conversation of its own thread.
 */
export function createAskAsFollowUp({ accept, find, attemptUnder }: AskAsFollowUpPorts) {
  return { askAsFollowUp };

  /** Asks the whole text as a follow-up, once, before the question ends. The follow-up replaces the question. */
  async function askAsFollowUp(questionId: string, requester: Requester, byMs?: number): Promise<AsFollowUpResult> {
    const question = await find(questionId, requester);
    if (question?.asFollowUp === undefined) return { kind: 'expired' };
    if (question.askerId !== requester.userId) return { kind: 'notAsker', askerId: question.askerId };
    const { key, question: earlier } = await attemptUnder(attemptKeys.asFollowUp(questionId));
    const isNew = earlier === undefined || earlier.phase === 'offered';
    if (isNew && question.outcome !== undefined) return { kind: 'ended' };
    return accept(
      {
        ...keptByAttempt(question),
        key,
        askerId: question.askerId,
        text: question.asFollowUp.text,
        origin: 'retry',
        beginsThread: question.beginsThread,
        insteadOf: questionId,
      },
      byMs,
    );
  }
}
