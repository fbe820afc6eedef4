import { personName } from '../accounts/accounts.ts';
import type { Claims, Clock, Conversation, QuestionStore, Records, UpstreamQuestion } from '../ports.ts';
import { mostQuestionsLookedUp } from '../settings.ts';
import { type ConversationId, isBetweenTwo, type Place, type Question } from './question.ts';
import { getReadable } from './readable.ts';
import { areReadersAccepted, type ReaderChoices } from './reader-choices.ts';
import { isForAskerOnly, keptPrivateClaim } from './readers.ts';
import { upstreamClaims } from './upstream.ts';

/**
 * Decides whether the readers of a place may see a preview of a conversation that the app's account can open. The service
 * does not check who may read its repositories there. So a conversation of a person's own account gets a preview only
 * where that person agreed to show their answers, for links that others post only if it was asked there, and none if one of
 * its answers is for the asker only. A link that anyone can guess gets one only where all of the conversation was asked, or from
 * its asker. Another workspace's conversations get none. Nor does one of which the app may have forgotten who asked it: a record
 * is gone, or the conversation is older than the claims. Throws `AppError` of kind `storage`.
 */
export function createPreviewRule(ports: {
  questions: Pick<QuestionStore, 'get'>;
  claims: Pick<Claims, 'ownerOf'>;
  readerChoices: Pick<Records<ReaderChoices>, 'get'>;
  /** How long a claim lasts. */
  claimLifeMs: number;
  now: Clock;
}) {
  /** `userId`: the person who posted the link. `isGuessable`: they may have guessed it. */
  return async function mayPreview(
    conversation: Conversation,
    place: Place,
    userId: string,
    { isGuessable = false }: { isGuessable?: boolean | undefined } = {},
  ): Promise<boolean> {
    if (isGuessable && !(await isKnownTo(conversation, place, userId))) return false;
    if (!isRemembered(conversation)) return false;
    const question = await findQuestion(conversation);
    if (question === 'forgotten') return false;
    const isKept = (await ports.claims.ownerOf(keptPrivateClaim(conversation.id))) !== undefined;
    if (question === undefined) return !isKept;
    // What another workspace asked is not shown here.
    if (question.place.teamId !== place.teamId) return false;
    const { askerId } = question;
    const isPrivate = isKept || isForAskerOnly(question);
    if (isBetweenTwo(place)) return askerId === userId || (question.access !== 'own' && !isPrivate);
    if (isPrivate) return false;
    if (question.access !== 'own') return true;
    // The asker agreed to show here what they ask here. Only they can decide that about another conversation.
    if (question.place.channelId !== place.channelId && askerId !== userId) return false;
    const choices = await ports.readerChoices.get(personName({ teamId: place.teamId, userId: askerId }));
    return areReadersAccepted(choices, place);
  };

  /** Whether the claims of the conversation's questions still exist, if the app asked them. */
  function isRemembered({ createdMs }: Conversation): boolean {
    return createdMs !== undefined && ports.now() - createdMs < ports.claimLifeMs;
  }

  /** One of the conversation's questions that the app asked. All of them belong to the same account. */
  async function findQuestion({ id, questions }: Conversation): Promise<Question | 'forgotten' | undefined> {
    let isClaimed = false;
    for (const upstream of questions.slice(0, mostQuestionsLookedUp)) {
      for (const claim of upstreamClaims(id, upstream)) {
        const owner = await ports.claims.ownerOf(claim);
        const question = owner === undefined ? undefined : await getReadable(ports.questions, owner);
        if (question !== undefined) return question;
        isClaimed ||= owner !== undefined;
      }
    }
    return isClaimed || questions.length > mostQuestionsLookedUp ? 'forgotten' : undefined;
  }

  /**
   * Whether a person in this place knows all of the conversation without the link: each question was asked there, with an
   * answer for all, or by that person.
   */
  async function isKnownTo({ id, questions }: Conversation, place: Place, userId: string): Promise<boolean> {
    if (questions.length > mostQuestionsLookedUp) return false;
    if ((await ports.claims.ownerOf(keptPrivateClaim(id))) !== undefined) return false;
    const asked = await Promise.all(questions.map((upstream) => ownerOf(id, upstream)));
    return asked.every((question) => {
      if (question === undefined || question.place.teamId !== place.teamId) return false;
      if (question.askerId === userId) return true;
      return question.place.channelId === place.channelId && question.answersPrivately !== true;
    });
  }

  async function ownerOf(id: ConversationId, upstream: UpstreamQuestion): Promise<Question | undefined> {
    for (const claim of upstreamClaims(id, upstream)) {
      const owner = await ports.claims.ownerOf(claim);
      const question = owner === undefined ? undefined : await getReadable(ports.questions, owner);
      if (question !== undefined) return question;
    }
    return undefined;
  }
}
