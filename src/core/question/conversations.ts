import { mostOwnConversations } from '../settings.ts';
import type { ConversationId, Question, Thread } from './question.ts';

/** Whose conversation a question continues or begins. */
type Asked = Pick<Question, 'access' | 'askerId'>;

/** The thread's conversation of the account that the question uses. */
export function conversationOf(thread: Thread | undefined, { access, askerId }: Asked): ConversationId | undefined {
  if (access !== 'own') return thread?.conversationId;
  return thread?.ownConversations?.find(({ userId }) => userId === askerId)?.conversationId;
}

/** Whether the thread has a conversation of any account. */
export function hasConversation(thread: Thread | undefined): boolean {
  return thread?.conversationId !== undefined || (thread?.ownConversations ?? []).length > 0;
}

/** Returns the thread with a conversation of the account that the question uses. The newest one stands last. */
export function withConversation(thread: Thread, { access, askerId }: Asked, conversationId: ConversationId): Thread {
  if (access !== 'own') return thread.conversationId === conversationId ? thread : { ...thread, conversationId };
  const others = (thread.ownConversations ?? []).filter(({ userId }) => userId !== askerId);
  const ownConversations = [...others, { userId: askerId, conversationId }].slice(-mostOwnConversations);
  return { ...thread, ownConversations };
}

/**
 * Marks a conversation of a person's own account as one with an answer for its asker only. The mark lasts as long as the
 * thread.
 */
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

/** Whether two questions use the same account at the service. */
export function usesSameAccount(one: Asked, other: Asked): boolean {
  if (one.access !== 'own' || other.access !== 'own') return one.access !== 'own' && other.access !== 'own';
  return one.askerId === other.askerId;
}
