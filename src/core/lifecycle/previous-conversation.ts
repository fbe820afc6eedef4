import { conversationOf, sharesConversation } from '../question/conversations.ts';
import { isBetweenTwo, isInThread, type Question } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { mostPreviousRead, previousConversationMs } from '../settings.ts';
import { ifReadable, type LifecyclePorts } from './lifecycle-ports.ts';

/**
 * What the asker of a new message in direct messages may choose instead of a new conversation: the one of their latest
 * other thread there. None while a question of that thread is open: a conversation takes one question after the other,
 * and only the queue of its thread sees to that.
 */
export async function previousConversation(
  ports: LifecyclePorts,
  question: Question,
): Promise<Pick<Question, 'previous'>> {
  const { place, origin, beginsThread, askerId, access } = question;
  if (origin !== 'direct' || !beginsThread || !isBetweenTwo(place)) return {};
  // Another account can't continue the conversation, so the question gets its account first.
  if (access === undefined && ports.accounts.mode !== 'shared') return {};
  const ids = (await ifReadable(ports, question, ports.askedQuestions.of(place.teamId, askerId))) ?? [];
  for (const id of ids.slice(0, mostPreviousRead)) {
    const earlier = await getReadable(ports.questions, id);
    if (earlier === undefined || !isInThread(earlier.place) || !isFromAnotherThread(earlier, question)) continue;
    if (ports.now() - earlier.acceptedMs > previousConversationMs) return {};
    const thread = await ifReadable(ports, question, ports.threads.get(earlier.place));
    const conversationId = sharesConversation(question, earlier) ? conversationOf(thread, question) : undefined;
    if (thread === undefined || conversationId === undefined) continue;
    return thread.queue.length > 0 ? {} : { previous: conversationId };
  }
  return {};
}

/** Whether a question was asked in another thread of the same direct messages. */
function isFromAnotherThread({ place, acceptedMs }: Question, question: Question): boolean {
  const isHere = place.channelId === question.place.channelId && place.teamId === question.place.teamId;
  return isHere && place.threadTs !== question.place.threadTs && acceptedMs <= question.acceptedMs;
}
