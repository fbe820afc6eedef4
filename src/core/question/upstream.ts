import type { Claims, Conversation, UpstreamQuestion } from '../ports.ts';
import { askedToleranceMs, longestDeliveryMs, mostEarlierAttempts } from '../settings.ts';
import { upstreamText } from './prompt.ts';
import type { ConversationId, Question, UpstreamId } from './question.ts';
import { plainId } from './question.ts';

/** What identifies a question in its conversation. The first generation of the API has both, the second no id. */
interface Position {
  id?: UpstreamId;
  ordinal?: number;
  /** Only questions with the same text can be taken for each other. */
  text?: string;
}

/**
 * The names of the claims by which a question of the service belongs to one question of the app: by its id and by its
 * position, because either may be unknown later.
 */
export function upstreamClaims(conversationId: ConversationId, position: Position): string[] {
  const { byId, byPosition } = claimNames(conversationId, position);
  return [byId, byPosition].filter((name) => name !== undefined);
}

/**
 * Claims a question of the service for a question of the app. Two questions with the same text may find each other's
 * upstream question. The first to claim it keeps it. If two of them hold one name each, after crashes and in different
 * generations of the API, the one that holds the position keeps it, so that it always belongs to one of them.
 */
export async function claimUpstream(
  claims: Claims,
  questionId: string,
  conversationId: ConversationId,
  position: Position,
): Promise<boolean> {
  const { byId, byPosition } = claimNames(conversationId, position);
  if (byId !== undefined && (await claims.claim(byId, questionId)) !== questionId) {
    return byPosition !== undefined && (await claims.ownerOf(byPosition)) === questionId;
  }
  return byPosition === undefined || (await claims.claim(byPosition, questionId)) === questionId;
}

/** The position as a question's record stores it. What the service does not tell is left out: the record may know it. */
export function positionOf({ id, ordinal }: Position): Pick<Question['upstream'], 'questionId' | 'ordinal'> {
  return { ...(id === undefined ? {} : { questionId: id }), ...(ordinal === undefined ? {} : { ordinal }) };
}

/** Whether the service still works on a question. */
export function isUnderWay({ state }: Pick<UpstreamQuestion, 'state'>): boolean {
  return state === 'pending' || state === 'processing';
}

/**
 * The question of a conversation that is this question. By its text as in {@link upstreamCandidates}, else the one at its
 * position: the service may change a text.
 */
export function findUpstream(conversation: Conversation, question: Question): UpstreamQuestion | undefined {
  return upstreamCandidates(conversation, question)[0] ?? atPosition(conversation, question);
}

/** The question at the known position, with any text, if it was created when this one was asked. */
function atPosition(conversation: Conversation, question: Question): UpstreamQuestion | undefined {
  const { ordinal } = question.upstream;
  if (ordinal === undefined) return undefined;
  return createdWhenAsked(conversation, question).find((each) => each.ordinal === ordinal);
}

/**
 * The questions of a conversation, with any text, that were created when this one was asked. None if the service would
 * have told the id, or if the text is forgotten.
 */
export function createdWhenAsked({ id, questions, createdMs }: Conversation, question: Question): UpstreamQuestion[] {
  const { upstream, acceptedMs, text } = question;
  const { questionId, intentMs, givenUpMs, firstTriedMs, askedMs = acceptedMs } = upstream;
  if (text === '' || (questionId !== undefined && questions.some((each) => each.id !== undefined))) return [];
  // While the outcome of a call is unknown, only that call counts.
  const fromMs = intentMs ?? Math.min(firstTriedMs ?? askedMs, askedMs);
  const toMs = intentMs === undefined ? askedMs : Math.max(intentMs, givenUpMs ?? intentMs);
  return questions
    .filter((each) => !isEarlierAttempt(question, id, each))
    .filter((each) => {
      const timeMs = each.createdMs ?? (each.ordinal === 0 ? createdMs : undefined) ?? Number.NaN;
      return timeMs >= fromMs - askedToleranceMs && timeMs <= toMs + askedToleranceMs;
    });
}

/** The questions of the app that a question of the service belongs to: none, or one, or two after a crash. */
export async function ownersOf(
  claims: Pick<Claims, 'ownerOf'>,
  conversationId: ConversationId,
  position: Position,
): Promise<string[]> {
  const owners = await Promise.all(upstreamClaims(conversationId, position).map((name) => claims.ownerOf(name)));
  return owners.filter((owner) => owner !== undefined);
}

/**
 * The questions of a conversation that may be this question, likeliest first, in whichever generation of the API the
 * conversation was read: the one with its id. Without ids those with its text: first the one at its position, then those
 * that were created nearest to the time it was asked. Positions shift when someone asks in the browser meanwhile, so the
 * text at a position must be the one that was asked.
 */
export function upstreamCandidates(conversation: Conversation, question: Question): UpstreamQuestion[] {
  const { questions } = conversation;
  const { questionId, ordinal, askedMs = question.acceptedMs } = question.upstream;
  if (questionId !== undefined && questions.some(({ id }) => id !== undefined)) {
    return questions.filter(({ id }) => id === questionId);
  }
  const isAtPosition = (each: UpstreamQuestion): boolean => ordinal !== undefined && each.ordinal === ordinal;
  const distanceMs = ({ createdMs = askedMs }: UpstreamQuestion): number => Math.abs(createdMs - askedMs);
  return questions
    .filter((each) => !isEarlierAttempt(question, conversation.id, each))
    .filter(({ text }) => isTextOf(question, text))
    .toSorted(
      (one, other) => Number(isAtPosition(other)) - Number(isAtPosition(one)) || distanceMs(one) - distanceMs(other),
    );
}

/** Whether the service ended this attempt to answer the question before, at a limit. */
export function isEarlierAttempt(
  { upstream: { earlierAttempts = [] } }: Question,
  conversationId: ConversationId,
  { id, ordinal }: Position,
): boolean {
  return earlierAttempts.some(
    (attempt) =>
      plainId(attempt.conversationId) === plainId(conversationId) &&
      ((id !== undefined && attempt.questionId === id) || (ordinal !== undefined && attempt.ordinal === ordinal)),
  );
}

/** From when on the answer is waited for. */
export function waitedFromMs({ upstream: { sentMs, askedMs }, acceptedMs }: Question): number {
  return sentMs ?? askedMs ?? acceptedMs;
}

/** When the app began to watch the question. Its patience counts from here. */
export function watchedSince({ upstream, acceptedMs }: Question): number {
  return upstream.watchedFromMs ?? upstream.askedMs ?? acceptedMs;
}

/**
 * How long the asker waited until the question ended, also in the thread's queue. A message that came much later than it
 * was written, or a clock that is off, counts from its acceptance. `serviceMs` is how long the service worked. It counts
 * where the app did not wait all the time: it gave up in between, or shows an older answer again.
 */
export function waitedMs({ acceptedMs, writtenMs, endedMs, upstream, origin }: Question, serviceMs?: number): number {
  const isFromService = endedMs === undefined || upstream.watchedFromMs !== undefined || origin === 'shared';
  if (serviceMs !== undefined && isFromService) return serviceMs;
  const lateMs = writtenMs === undefined ? 0 : acceptedMs - writtenMs;
  const isLikely = lateMs >= 0 && lateMs <= longestDeliveryMs;
  return Math.max(0, (endedMs ?? acceptedMs) - acceptedMs + (isLikely ? lateMs : 0));
}

/**
 * Removes what an attempt without an answer left, so that the question can be asked again. The attempt stays in its
 * conversation at the service, so its position is kept: a search must not take it for the next attempt. Keeps an intent:
 * its outcome is still unknown, so the app searches for it before it asks again.
 */
export function withoutAttempt(upstream: Question['upstream']): Question['upstream'] {
  const { firstTriedMs: _tried, sentMs: _sent, questionId: id, ordinal, askedMs, ...more } = upstream;
  const { cancelSentMs: _cancel, seenMark: _seen, watchedFromMs: _watched, ...rest } = more;
  const { conversationId, earlierAttempts = [] } = rest;
  if (askedMs === undefined || conversationId === undefined) return { ...rest, steps: 0 };
  const attempt = { conversationId, ...positionOf({ id, ordinal }) };
  return { ...rest, steps: 0, earlierAttempts: [...earlierAttempts, attempt].slice(-mostEarlierAttempts) };
}

/** Whether two texts differ only in white space, which services change. */
export function isSameText(one: string, other: string): boolean {
  return withSingleSpaces(one) === withSingleSpaces(other);
}

/** Whether two texts have the same letters and digits, in any case and with any marks between them. */
export function isLikeText(one: string, other: string): boolean {
  const [letters, others] = [one, other].map((text) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ''),
  );
  return letters === others && letters !== '';
}

/**
 * The name by position has the text too: a service that begins again with its first conversation gives out the same
 * positions.
 */
function claimNames(conversationId: ConversationId, { id, ordinal, text }: Position) {
  const words = text === undefined ? '' : `:${shortHash(withSingleSpaces(text))}`;
  return {
    byId: id === undefined ? undefined : `upstream:${plainId(conversationId)}:${id}`,
    byPosition: ordinal === undefined ? undefined : `upstream:${plainId(conversationId)}:#${ordinal}${words}`,
  };
}

/** 32 bits (FNV-1a), enough to tell the questions at one position apart. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16);
}

/**
 * What was sent after the text of a question is forgotten once it is closed, so a question that is closed, or that the app
 * watches again, is compared without that. A question whose own text is forgotten can't be compared.
 */
function isTextOf(question: Question, text: string): boolean {
  if (question.text === '') return false;
  const own = withSingleSpaces(upstreamText(question));
  const other = withSingleSpaces(text);
  return other === own || (isRestForgotten(question) && other.startsWith(`${own} `));
}

function isRestForgotten({ phase, context, forwarded, upstream }: Question): boolean {
  if (phase === 'closed') return context !== undefined || forwarded !== undefined;
  return upstream.watchedFromMs !== undefined && (context?.text === '' || forwarded?.text === '');
}

function withSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
