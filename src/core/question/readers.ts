import { type ConversationId, isBetweenTwo, plainId, type Question } from './question.ts';

/**
 * Whether the asker chooses who sees the answer: it was asked with their own access, and other people read the place. Not
 * for an answer that a person shares: the form showed them its readers.
 */
export function isChoiceNeeded({ access, place, shares, answersPrivately }: Question): boolean {
  return access === 'own' && answersPrivately !== true && shares === undefined && !isBetweenTwo(place);
}

/** Whether the answer goes to the asker's direct messages, by their choice or by the channel's settings. */
export function isForAskerOnly(question: Question): boolean {
  const { place, shares, answersPrivately, showing } = question;
  if (shares !== undefined || isBetweenTwo(place)) return false;
  return answersPrivately === true || (isChoiceNeeded(question) && showing?.choice === 'onlyMe');
}

/** Whether the question was answered, and only its asker sees the answer. */
export function isKeptPrivate(question: Question): boolean {
  return question.outcome?.kind === 'answered' && isForAskerOnly(question);
}

/**
 * Whether the messages of the outcome show code or a link to it: those of an answer do, and so does the one after the app
 * gave up. The service's words about a failure may name code.
 */
export function showsCode({ outcome }: Question): boolean {
  if (outcome?.kind === 'failed') {
    const { cause, message } = outcome.failure;
    return cause === 'service' || message !== undefined;
  }
  return outcome?.kind === 'answered' || outcome?.kind === 'gaveUp';
}

/** Whether the answer waits until its asker chooses who sees it. */
export function isChoiceAwaited(question: Question): boolean {
  const { phase, outcome, showing } = question;
  if (phase !== 'delivering' || outcome?.kind !== 'answered' || !isChoiceNeeded(question)) return false;
  return showing?.askedMs !== undefined && showing.choice === undefined;
}

/** Whether the steps are not shown on the card: they name files, and its readers may not see the answer. */
export function areStepsPrivate(question: Question): boolean {
  if (isForAskerOnly(question)) return true;
  const { choice } = question.showing ?? {};
  return isChoiceNeeded(question) && choice !== 'here' && choice !== 'always';
}

/**
 * Whether a person who reads the place may see anything of the answer: its asker, and everyone else once it is certain
 * that it is shown there. The ids of questions can be computed, so a button with one proves nothing.
 */
export function maySeeAnswer(question: Question, userId: string): boolean {
  return question.askerId === userId || !areStepsPrivate(question);
}

/** Who reads a text: everyone in a channel, or one person. */
export type Readers = 'channel' | { userId: string };

/** The readers of the messages about a question. */
export function readersOf({ place, askerId }: Pick<Question, 'place' | 'askerId'>): Readers {
  return isBetweenTwo(place) ? { userId: askerId } : 'channel';
}

/**
 * The share URL of a question, if these readers may follow it. A conversation of the app's account is open to all of
 * them. The asker may always follow their own link. Other people may follow it if that was proven and the answer is not
 * for the asker only.
 */
export function shareUrlFor(question: Question, readers: Readers): string | undefined {
  const { access, askerId, upstream } = question;
  const { shareUrl, isLinkOpen } = upstream;
  if (readers !== 'channel' && readers.userId === askerId) return shareUrl;
  if (isForAskerOnly(question)) return undefined;
  return access !== 'own' || isLinkOpen === true ? shareUrl : undefined;
}

/** The name of the claim that marks a conversation with an answer for its asker only. Its link is never shown to others. */
export function keptPrivateClaim(conversationId: ConversationId): string {
  return `kept-private:${plainId(conversationId)}`;
}
