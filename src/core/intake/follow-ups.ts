import type { QuestionStore } from '../ports.ts';
import type { ConfirmedAudience, Place, Question } from '../question/question.ts';
import type { Acceptance, NewQuestion } from './accept.ts';
import type { Attempt } from './attempts.ts';

/** Who does it, and where. */
interface Requester {
  userId: string;
  teamId: string;
  channelId: string;
}

type Result = Acceptance | { kind: 'expired' };

export interface FollowUpPorts {
  questions: Pick<QuestionStore, 'get' | 'update'>;
  accept: (request: NewQuestion, byMs?: number) => Promise<Acceptance>;
  /** As of the requests: the question, if it belongs to the place of the press. */
  find: (questionId: string, requester: Requester) => Promise<Question | undefined>;
  attemptUnder: (key: string) => Promise<Attempt>;
}

/** What people may do with an answer they see: ask what it suggests, in its place or privately, and share it. */
export function createFollowUps({ questions, accept, find, attemptUnder }: FollowUpPorts) {
  return { followUp, followUpPrivately, markUsed, share, findOwnAnswered };

  /**
   * Asks a suggested follow-up of an answer, credited to whoever pressed; `text` asks it in other words. The same
   * suggestion is asked once, in whatever words.
   */
  async function followUp(
    questionId: string,
    index: number,
    requester: Requester,
    { text, byMs }: { text?: string; byMs?: number } = {},
  ): Promise<Result> {
    const question = await find(questionId, requester);
    const suggestion = followUpOf(question, index);
    if (question === undefined || suggestion === undefined) return { kind: 'expired' };
    const { key } = await attemptUnder(`follow-up:${questionId}:${index}`);
    return accept(
      {
        key,
        place: question.place,
        askerId: requester.userId,
        text: text ?? suggestion,
        origin: 'followUp',
      },
      byMs,
    );
  }

  /** Asks a suggestion in another place, as a new conversation, once per person; `text` asks it in other words. */
  async function followUpPrivately(
    questionId: string,
    index: number,
    place: Place,
    requester: Requester,
    { text, byMs }: { text?: string; byMs?: number } = {},
  ): Promise<Result> {
    const question = await find(questionId, requester);
    const suggestion = followUpOf(question, index);
    if (question === undefined || suggestion === undefined) return { kind: 'expired' };
    const { shareUrl } = question.upstream;
    const { key } = await attemptUnder(`follow-up:${questionId}:${index}:${requester.userId}`);
    return accept(
      {
        key,
        place,
        askerId: requester.userId,
        text: text ?? suggestion,
        origin: 'followUp',
        beginsThread: true,
        follows: { text: question.text, ...(shareUrl === undefined ? {} : { shareUrl }) },
      },
      byMs,
    );
  }

  /** Notes who asked a suggestion, for its answer to show. Returns the question if that is news. */
  async function markUsed(questionId: string, index: number, byUserId: string): Promise<Question | undefined> {
    let isNews = false;
    const question = await questions.update(questionId, (stored) => {
      const used = stored.usedFollowUps ?? [];
      isNews = !used.some((each) => each.index === index);
      return isNews ? { ...stored, usedFollowUps: [...used, { index, byUserId }] } : stored;
    });
    return isNews ? question : undefined;
  }

  /** Shows the answer of a person's own question once more in another place; `key` names what started it. */
  async function share(
    questionId: string,
    sharing: { key: string; userId: string; place: Place; withLink: boolean; confirmed: ConfirmedAudience },
    byMs?: number,
  ): Promise<Result> {
    const { key, userId, place, withLink, confirmed } = sharing;
    const question = await findOwnAnswered(questionId, { userId, teamId: place.teamId });
    if (question === undefined) return { kind: 'expired' };
    return accept(
      {
        key,
        place,
        askerId: userId,
        text: question.text,
        origin: 'shared',
        shares: { questionId, withLink, confirmed },
      },
      byMs,
    );
  }

  /** A person's own question, if it was answered; an answer that was shared is no question of its own. */
  async function findOwnAnswered(
    questionId: string,
    person: Pick<Requester, 'userId' | 'teamId'>,
  ): Promise<Question | undefined> {
    const question = await questions.get(questionId);
    if (question?.askerId !== person.userId || question.place.teamId !== person.teamId) return undefined;
    return question.outcome?.kind === 'answered' && question.shares === undefined ? question : undefined;
  }
}

function followUpOf(question: Question | undefined, index: number): string | undefined {
  return question?.outcome?.kind === 'answered' ? question.outcome.answer.followUps[index] : undefined;
}
