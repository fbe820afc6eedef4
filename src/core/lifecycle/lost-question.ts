import { accountOf } from '../accounts/account-of.ts';
import { AppError } from '../errors.ts';
import type { Conversation, UpstreamQuestion } from '../ports.ts';
import { upstreamText } from '../question/prompt.ts';
import type { ConversationId, Question } from '../question/question.ts';
import {
  claimUpstream,
  createdWhenAsked,
  isEarlierAttempt,
  isLikeText,
  isSameText,
  ownersOf,
} from '../question/upstream.ts';
import { upstreamWindowMs } from '../settings.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';

/**
 * Most newest conversations to search for a question whose creation had an unknown outcome. A busy team starts about as
 * many while a dead process is replaced. If there are more, the question is not asked again, and ends without an answer.
 */
const newestSearched = 1_000;

/** A question as the service knows it. */
export interface Asked {
  conversationId: ConversationId;
  question: UpstreamQuestion;
  shareUrl?: string | undefined;
}

type Ports = Pick<LifecyclePorts, 'claims' | 'deepSearch'>;

/** Claims a question of the service for this question. False if it belongs to another one. */
export function isOurs(
  { claims }: Pick<LifecyclePorts, 'claims'>,
  { id }: Question,
  { conversationId, question }: Asked,
): Promise<boolean> {
  return claimUpstream(claims, id, conversationId, question);
}

export function askedIn({ id, shareUrl }: Conversation, question: UpstreamQuestion): Asked {
  return { conversationId: id, question, shareUrl };
}

/**
 * Searches the service for a question whose call had an unknown outcome. Undefined if the service does not have it. Throws
 * `unavailable` while that is not certain: then the question must not be asked again.
 */
export async function findLost(ports: Ports, question: Question): Promise<Asked | undefined> {
  const { intentConversationId } = question.upstream;
  const { fromMs, toMs } = createdBetween(question);
  const service = ports.deepSearch(accountOf(question));
  let found: Asked | undefined;
  const isSought = async (conversation: Conversation): Promise<boolean> => {
    found ??= await findByText(ports, question, conversation);
    return found !== undefined;
  };
  const search = { aboutMs: triedMs(question), untilMs: toMs, isSought };
  const conversations =
    intentConversationId === undefined
      ? await service.newest(newestSearched, fromMs, search)
      : [await service.read(intentConversationId)];
  for (const conversation of conversations) if (await isSought(conversation)) break;
  if (found !== undefined || question.restored !== undefined) return found;
  return findByTime(ports, question, conversations);
}

/** When the question was tried, or could have been after the backup that it comes from. */
function triedMs({ upstream: { intentMs }, restored }: Question): number {
  return intentMs ?? restored?.fromMs ?? 0;
}

/** The times at which the service may have created it, by a clock that may differ. */
function createdBetween(question: Question): { fromMs: number; toMs: number } {
  const fromMs = triedMs(question);
  const toMs = Math.max(fromMs, question.restored?.toMs ?? fromMs);
  return { fromMs: fromMs - upstreamWindowMs, toMs: toMs + upstreamWindowMs };
}

async function findByText(ports: Ports, question: Question, conversation: Conversation): Promise<Asked | undefined> {
  const { fromMs, toMs } = createdBetween(question);
  for (const candidate of candidatesIn(question, conversation).toReversed()) {
    if (isEarlierAttempt(question, conversation.id, candidate)) continue;
    const createdMs = candidate.createdMs ?? conversation.createdMs ?? triedMs(question);
    if (isSameText(candidate.text, upstreamText(question)) && createdMs >= fromMs && createdMs <= toMs) {
      const asked = askedIn(conversation, candidate);
      if (await isOurs(ports, question, asked)) return asked;
    }
  }
  return undefined;
}

/**
 * The question under a text that the service changed: the only one that was created when this one was sent and that belongs
 * to no other. In the thread's own conversation that is certain. Among all conversations of an account it may be someone
 * else's, so the letters of the text must be the same.
 */
async function findByTime(ports: Ports, question: Question, conversations: Conversation[]): Promise<Asked | undefined> {
  const free: Asked[] = [];
  for (const conversation of conversations) {
    const possible = candidatesIn(question, conversation);
    for (const each of createdWhenAsked(conversation, question)) {
      if (!possible.includes(each)) continue;
      const owners = await ownersOf(ports.claims, conversation.id, each);
      const asked = askedIn(conversation, each);
      // A process died after it claimed the question.
      if (owners.includes(question.id) && (await isOurs(ports, question, asked))) return asked;
      if (owners.length === 0) free.push(asked);
    }
  }
  const [only, ...others] = free;
  if (only === undefined) return undefined;
  const isFollowUp = question.upstream.intentConversationId !== undefined;
  const isCertain = others.length === 0 && (isFollowUp || isLikeText(only.question.text, upstreamText(question)));
  if (isCertain && (await isOurs(ports, question, only))) return only;
  throw new AppError('unavailable', 'the service may have the question under another text', { code: 'inDoubt' });
}

/** A new conversation begins with the question. */
function candidatesIn({ upstream }: Question, { questions }: Conversation): UpstreamQuestion[] {
  return upstream.intentConversationId === undefined ? questions.slice(0, 1) : questions;
}
