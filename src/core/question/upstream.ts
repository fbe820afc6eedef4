import type { Conversation, UpstreamQuestion } from '../ports.ts';
import { upstreamText } from './prompt.ts';
import type { ConversationId, Question } from './question.ts';

/** What identifies a question in its conversation. The first generation of the API has both, the second no id. */
type Position = Pick<UpstreamQuestion, 'id' | 'ordinal'>;

/**
 * The names of the claims by which a question of the service belongs to one question of the app: by its id and by its
 * position, because either may be unknown later.
 */
export function upstreamClaims(conversationId: ConversationId, { id, ordinal }: Position): string[] {
  return [
    ...(id === undefined ? [] : [`upstream:${conversationId}:${id}`]),
    ...(ordinal === undefined ? [] : [`upstream:${conversationId}:#${ordinal}`]),
  ];
}

/** The position as a question's record stores it. */
export function positionOf({ id, ordinal }: Position): Pick<Question['upstream'], 'questionId' | 'ordinal'> {
  return { ...(id === undefined ? {} : { questionId: id }), ...(ordinal === undefined ? {} : { ordinal }) };
}

/**
 * Finds the app's question in its conversation, in whichever generation of the API that was read: by its id, otherwise by
 * its position, otherwise by its text. Positions shift when someone asks in the browser meanwhile, so the text at a
 * position must be the one that was asked.
 */
export function findUpstream({ questions }: Conversation, question: Question): UpstreamQuestion | undefined {
  const { questionId, ordinal, askedMs = question.acceptedMs } = question.upstream;
  if (questionId !== undefined && questions.some(({ id }) => id !== undefined)) {
    return questions.find(({ id }) => id === questionId);
  }
  const same = questions.filter(({ text }) => isTextOf(question, text));
  const atPosition = same.find((each) => ordinal !== undefined && each.ordinal === ordinal);
  if (atPosition !== undefined) return atPosition;
  const distanceMs = ({ createdMs = askedMs }: UpstreamQuestion): number => Math.abs(createdMs - askedMs);
  return same.toSorted((one, other) => distanceMs(one) - distanceMs(other))[0];
}

/** Whether two texts differ only in white space, which services change. */
export function isSameText(one: string, other: string): boolean {
  return withSingleSpaces(one) === withSingleSpaces(other);
}

/** What was sent along with a question is forgotten once it is closed, so a closed question is compared without that. */
function isTextOf(question: Question, text: string): boolean {
  if (isSameText(text, upstreamText(question))) return true;
  return question.phase === 'closed' && withSingleSpaces(text).includes(withSingleSpaces(question.text));
}

function withSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
