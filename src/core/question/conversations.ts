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
  const known = thread.ownConversations ?? [];
  const others = known.filter(({ userId }) => userId !== askerId);
  const same = known.find((own) => own.userId === askerId && own.conversationId === conversationId);
  const newest = same ?? { userId: askerId, conversationId };
  return { ...thread, ownConversations: [...others, newest].slice(-mostOwnConversations) };
}

/**
 * Marks the conversation of a person's own account as one with an answer for its asker only. The mark lasts as long as the
 * thread goes on with the conversation.
 */
export function withKeptPrivate(thread: Thread, conversationId: ConversationId): Thread {
  const { ownConversations = [] } = thread;
  if (isMarkedPrivate(thread, conversationId)) return thread;
  if (!ownConversations.some((own) => own.conversationId === conversationId)) return thread;
  return {
    ...thread,
    ownConversations: ownConversations.map((own) =>
      own.conversationId === conversationId ? { ...own, keptPrivate: true } : own,
    ),
  };
}

export function isMarkedPrivate(thread: Thread | undefined, conversationId: ConversationId): boolean {
  return thread?.ownConversations?.some((own) => own.conversationId === conversationId && own.keptPrivate) === true;
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
