import type { Acceptance, NewQuestion } from './intake/accept.ts';
import type { Attempt } from './intake/attempts.ts';
import type { QuestionStore } from './ports.ts';
import type { Question } from './question/question.ts';

/** Who presses, and where. */
interface Requester {
  userId: string;
  teamId: string;
  channelId: string;
}

/** `notAsker`: only the one who asked may say what was meant. */
export type AsFollowUpResult = Acceptance | { kind: 'expired' } | { kind: 'notAsker'; askerId: string };

export interface AsFollowUpPorts {
  questions: Pick<QuestionStore, 'update'>;
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  /** As of the requests: the question, if it belongs to the place of the press. */
  find: (questionId: string, requester: Requester) => Promise<Question | undefined>;
  attemptUnder: (key: string) => Promise<Attempt>;
  cancel: (questionId: string, requester: Requester) => Promise<unknown>;
}

/** Under which key a question is asked as a follow-up. */
export function asFollowUpKey(questionId: string): string {
  return `as-follow-up:${questionId}`;
}

/** Another version of a question that can be asked as a follow-up can be so as well, in its own words. */
export function asFollowUpAgain({ asFollowUp }: Question, text: string | undefined): Pick<NewQuestion, 'asFollowUp'> {
  if (asFollowUp === undefined || text === undefined) return {};
  const { conversationId } = asFollowUp;
  return { asFollowUp: { text, ...(conversationId === undefined ? {} : { conversationId }) } };
}

/** For questions that began with the word "new" in a thread with a conversation, and were meant as a follow-up there. */
export function createAsFollowUps({ questions, accept, find, attemptUnder, cancel }: AsFollowUpPorts) {
  return { askAsFollowUp, giveWay };

  /** Asks the whole text as a follow-up, once and before the question has ended; that one is to give way once this stands. */
  async function askAsFollowUp(questionId: string, requester: Requester, byMs?: number): Promise<AsFollowUpResult> {
    const question = await find(questionId, requester);
    if (question?.asFollowUp === undefined) return { kind: 'expired' };
    if (question.askerId !== requester.userId) return { kind: 'notAsker', askerId: question.askerId };
    const { key, question: earlier } = await attemptUnder(asFollowUpKey(questionId));
    const isNew = earlier === undefined || earlier.phase === 'offered';
    if (isNew && question.outcome !== undefined) return { kind: 'expired' };
    return accept(
      {
        key,
        place: question.place,
        askerId: question.askerId,
        text: question.asFollowUp.text,
        origin: 'retry',
        beginsThread: question.beginsThread,
        messageTs: question.messageTs,
        files: question.files,
        readsThread: question.readsThread ?? false,
        insteadOf: questionId,
      },
      byMs,
    );
  }

  /** Cancels the question that was asked as a follow-up; its thread goes back to the conversation it had before. */
  async function giveWay(questionId: string, requester: Requester): Promise<void> {
    await questions.update(questionId, (stored) =>
      stored.asFollowUp === undefined || stored.asFollowUp.isChosen === true
        ? stored
        : { ...stored, asFollowUp: { ...stored.asFollowUp, isChosen: true } },
    );
    await cancel(questionId, requester);
  }
}
