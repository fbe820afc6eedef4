import { mostOwnConversations } from '../settings.ts';
import type { ConversationId, OwnConversation, Question, Thread } from './question.ts';

/** Whose conversation a question continues or begins. */
type Asked = Pick<Question, 'access' | 'askerId' | 'answersPrivately'>;

/**
 * Whether a question continues only its asker's conversation: one of their account, or one whose answers they alone get. If
 * another person continued that one, they would get what it says about the answers before.
 */
function isAskersOwn({ access, answersPrivately }: Asked): boolean {
  return access === 'own' || answersPrivately === true;
}

/** The thread's conversation that the question continues. */
export function conversationOf(thread: Thread | undefined, asked: Asked): ConversationId | undefined {
  if (!isAskersOwn(asked)) return thread?.conversationId;
  return thread?.ownConversations?.find((own) => isOwnOf(own, asked))?.conversationId;
}

/** An account can't read the conversations of another one, so each has its own. */
function isOwnOf({ userId, isOfApp }: OwnConversation, { askerId, access }: Asked): boolean {
  return userId === askerId && (isOfApp === true) === (access !== 'own');
}

/** Whether the thread has any conversation. */
export function hasConversation(thread: Thread | undefined): boolean {
  return thread?.conversationId !== undefined || (thread?.ownConversations ?? []).length > 0;
}

/** Returns the thread with the conversation of a question. The newest one stands last. */
export function withConversation(thread: Thread, asked: Asked, conversationId: ConversationId): Thread {
  const { askerId: userId, access } = asked;
  if (!isAskersOwn(asked)) return thread.conversationId === conversationId ? thread : { ...thread, conversationId };
  const others = (thread.ownConversations ?? []).filter((own) => !isOwnOf(own, asked));
  const own: OwnConversation = { userId, conversationId, ...(access === 'own' ? {} : { isOfApp: true }) };
  return { ...thread, ownConversations: [...others, own].slice(-mostOwnConversations) };
}

/** Marks a conversation as one with an answer for its asker only. The mark lasts as long as the thread. */
export function withKeptPrivate(thread: Thread, conversationId: ConversationId): Thread {
  if (isMarkedPrivate(thread, conversationId)) return thread;
  const marked = [...(thread.privateConversations ?? []), conversationId];
  return { ...thread, privateConversations: marked.slice(-mostOwnConversations) };
}

export function isMarkedPrivate(thread: Thread | undefined, conversationId: ConversationId): boolean {
  return thread?.privateConversations?.includes(conversationId) === true;
}

/** Returns the thread without a conversation that is gone. Conversation ids are unique at the service. */
export function withoutConversation(thread: Thread, lostId: ConversationId | undefined): Thread {
  const { conversationId, ownConversations, ...rest } = thread;
  const isLost = conversationId !== undefined && conversationId === lostId;
  const areOwnLost = ownConversations?.some((own) => own.conversationId === lostId) === true;
  if (!isLost && !areOwnLost) return thread;
  const left = (ownConversations ?? []).filter((own) => own.conversationId !== lostId);
  return {
    ...rest,
    ...(conversationId === undefined || isLost ? {} : { conversationId }),
    ...(left.length === 0 ? {} : { ownConversations: left }),
  };
}

/** Whether two questions of a thread continue the same conversation. */
export function sharesConversation(one: Asked, other: Asked): boolean {
  if (!isAskersOwn(one) || !isAskersOwn(other)) return !isAskersOwn(one) && !isAskersOwn(other);
  return one.askerId === other.askerId && (one.access === 'own') === (other.access === 'own');
}
