import { isAppError } from '../errors.ts';
import type { Conversation, UpstreamQuestion } from '../ports.ts';
import type { Question } from '../question/question.ts';
import { accountOf } from '../question/question.ts';
import {
  claimUpstream,
  createdWhenAsked,
  findUpstream,
  ownersOf,
  positionOf,
  upstreamCandidates,
} from '../question/upstream.ts';
import { changeQuestion, type LifecyclePorts } from './lifecycle-ports.ts';

/**
 * Finds a question in its conversation. Claims and stores its position there once that becomes known, so that no other
 * question with the same text can take it later. Undefined if the question is not there.
 */
export async function locate(
  ports: LifecyclePorts,
  question: Question,
  conversation: Conversation,
): Promise<{ question: Question; observed: UpstreamQuestion } | undefined> {
  if (question.shares !== undefined) return locateShared(ports, question, conversation);
  for (const observed of upstreamCandidates(conversation, question)) {
    const { questionId, ordinal } = question.upstream;
    const isIdKnown = observed.id === undefined || observed.id === questionId;
    const isOrdinalKnown = observed.ordinal === undefined || observed.ordinal === ordinal;
    if (isIdKnown && isOrdinalKnown) return { question, observed };
    const isOurs = await claimUpstream(ports.claims, question.id, conversation.id, observed);
    // The id that the service gave this question proves that it is the same one.
    const isCertain = observed.id !== undefined && observed.id === questionId;
    if (isOurs || isCertain)
      return { question: await changeQuestion(ports, question, withPosition(observed)), observed };
  }
  return locateByTime(ports, question, conversation);
}

/**
 * The service may change a text, so that it is not found. Then the question is the one at its position, or without a known
 * position the only one of no other question, if it was created when this one was asked.
 */
async function locateByTime(
  ports: LifecyclePorts,
  question: Question,
  conversation: Conversation,
): Promise<{ question: Question; observed: UpstreamQuestion } | undefined> {
  const { ordinal } = question.upstream;
  const free: UpstreamQuestion[] = [];
  for (const each of createdWhenAsked(conversation, question)) {
    if (ordinal !== undefined && each.ordinal !== ordinal) continue;
    const owners = await ownersOf(ports.claims, conversation.id, each);
    if (owners.every((owner) => owner === question.id)) free.push(each);
  }
  const [observed, ...others] = free;
  if (observed === undefined || others.length > 0) return undefined;
  if (!(await claimUpstream(ports.claims, question.id, conversation.id, observed))) return undefined;
  return { question: await changeQuestion(ports, question, withPosition(observed)), observed };
}

/** The answer that a question shows again belongs to the question that asked for it. */
async function locateShared(
  { questions }: LifecyclePorts,
  question: Question,
  conversation: Conversation,
): Promise<{ question: Question; observed: UpstreamQuestion } | undefined> {
  const source = await questions.get(question.shares?.questionId ?? '');
  const observed = source === undefined ? undefined : findUpstream(conversation, source);
  return observed === undefined ? undefined : { question, observed };
}

function withPosition(observed: UpstreamQuestion): (stored: Question) => Question {
  return (stored) => ({ ...stored, upstream: { ...stored.upstream, ...positionOf(observed) } });
}

/** Asks the service to stop a question. Throws the errors of the service, but none if the conversation is gone. */
export async function cancelAtService(ports: LifecyclePorts, question: Question): Promise<void> {
  const { conversationId, questionId } = question.upstream;
  if (conversationId === undefined) return;
  try {
    await ports.deepSearch(accountOf(question)).cancel(conversationId, {
      id: questionId,
      find: async (conversation) => (await locate(ports, question, conversation))?.observed,
    });
  } catch (error) {
    if (!isAppError(error, 'notFound')) throw error;
  }
}
