import { personName } from '../accounts/accounts.ts';
import type { Claims, Conversation, QuestionStore, Records } from '../ports.ts';
import { mostQuestionsLookedUp } from '../settings.ts';
import { isBetweenTwo, type Place, type Question } from './question.ts';
import { getReadable } from './readable.ts';
import { areReadersAccepted, type ReaderChoices } from './reader-choices.ts';
import { keptPrivateClaim } from './readers.ts';
import { upstreamClaims } from './upstream.ts';

/**
 * Decides whether the readers of a place may see a preview of a conversation that the app's account can open. The service
 * does not check who may read its repositories there. So a conversation of a person's own account gets a preview only
 * where that person agreed to show their answers, for links that others post only if it was asked there, and none if one of
 * its answers is for the asker only. Throws `AppError` of kind `storage`.
 */
export function createPreviewRule(ports: {
  questions: Pick<QuestionStore, 'get'>;
  claims: Pick<Claims, 'ownerOf'>;
  readerChoices: Pick<Records<ReaderChoices>, 'get'>;
}) {
  /** `userId`: the person who posted the link. */
  return async function mayPreview(conversation: Conversation, place: Place, userId: string): Promise<boolean> {
    const question = await findQuestion(conversation);
    if (question?.access !== 'own') return true;
    const { askerId } = question;
    if (isBetweenTwo(place)) return askerId === userId;
    if (question.place.teamId !== place.teamId) return false;
    // The asker agreed to show here what they ask here. Only they can decide that about another conversation.
    if (question.place.channelId !== place.channelId && askerId !== userId) return false;
    if ((await ports.claims.ownerOf(keptPrivateClaim(conversation.id))) !== undefined) return false;
    const choices = await ports.readerChoices.get(personName({ teamId: place.teamId, userId: askerId }));
    return areReadersAccepted(choices, place);
  };

  /** One of the conversation's questions that the app asked. All of them belong to the same account. */
  async function findQuestion({ id, questions }: Conversation): Promise<Question | undefined> {
    for (const upstream of questions.slice(0, mostQuestionsLookedUp)) {
      for (const claim of upstreamClaims(id, upstream)) {
        const owner = await ports.claims.ownerOf(claim);
        const question = owner === undefined ? undefined : await getReadable(ports.questions, owner);
        if (question !== undefined) return question;
      }
    }
    return undefined;
  }
}
