import type { QuestionStore } from '../ports.ts';
import { earlierQuestionsRoom, mostAskedKnown, mostEarlierQuestions, mostOwnConversations } from '../settings.ts';
import { hasNoWords } from './prompt.ts';
import {
  type ConversationId,
  type Followed,
  isBetweenTwo,
  type OwnConversation,
  type Question,
  type Thread,
} from './question.ts';
import { getReadable } from './readable.ts';
import { isForAskerOnly, type Readers, readersOf, shareUrlFor } from './readers.ts';

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

/** Stands for every conversation of a thread. Not a text, because a conversation's id may be any text. */
export const allConversations = Symbol('all conversations');

/** Adds a question to the ids of a thread's newest questions, once. */
export function withAsked(asked: readonly string[] = [], id: string): string[] {
  return asked.includes(id) ? [...asked] : [...asked, id].slice(-mostAskedKnown);
}

/**
 * The context of a question that can't be a follow-up in a conversation of its thread: the link to that conversation and
 * as many of its newest questions as fit. `allConversations`: the questions of all conversations, and the newest link. Undefined if no
 * question is known.
 */
export async function findEarlier(
  questions: Pick<QuestionStore, 'get'>,
  question: Question,
  thread: Thread | undefined,
  conversationId: ConversationId | typeof allConversations | undefined,
): Promise<Followed | undefined> {
  const isIn = (id: ConversationId | undefined): boolean =>
    conversationId === allConversations ? id !== undefined : id === conversationId;
  const ids = (thread?.asked ?? []).filter((id) => id !== question.id);
  const asked = (await Promise.all(ids.map((id) => getReadable(questions, id))))
    .filter((each) => each !== undefined)
    .filter(({ upstream, outcome }) => isIn(upstream.conversationId) && outcome?.kind !== 'cancelled');
  const texts = asked
    .flatMap(({ follows, text }) => [
      ...(follows?.before ?? []),
      ...(follows === undefined ? [] : [follows.text]),
      text,
    ])
    .filter((text) => text !== '' && !hasNoWords(text) && text !== question.text);
  const before = fitted(withoutRepeated(texts));
  const newest = before.pop();
  if (conversationId === undefined || newest === undefined) return undefined;
  const link = linkIn([...asked, question], readersOf(question));
  return {
    text: newest,
    ...link,
    ...(before.length === 0 ? {} : { before }),
  };
}

/**
 * The newest link that these readers may follow: the card of the question shows it too. None to a conversation with an
 * answer for its asker only.
 */
function linkIn(asked: readonly Question[], readers: Readers): Pick<Followed, 'shareUrl'> {
  const isPrivate = ({ upstream }: Question): boolean =>
    readers === 'channel' &&
    asked.some((each) => each.upstream.conversationId === upstream.conversationId && isForAskerOnly(each));
  const linked = asked.findLast((each) => shareUrlFor(each, readers) !== undefined && !isPrivate(each));
  return linked === undefined ? {} : linkOf(linked, readers);
}

/** The link to a question's conversation that these readers may follow. */
export function linkOf(question: Question, readers: Readers): Pick<Followed, 'shareUrl'> {
  const shareUrl = shareUrlFor(question, readers);
  return shareUrl === undefined ? {} : { shareUrl };
}

/** Keeps the last of equal texts. */
function withoutRepeated(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.lastIndexOf(text) === index);
}

/** The newest texts that fit, oldest first. If the newest text alone is too long, returns its beginning. */
function fitted(texts: readonly string[]): string[] {
  let room = earlierQuestionsRoom;
  const fitting: string[] = [];
  for (const text of texts.slice(-mostEarlierQuestions).toReversed()) {
    if (text.length > room && fitting.length > 0) break;
    fitting.unshift(text.length > room ? `${text.slice(0, room - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text);
    room -= text.length;
  }
  return fitting;
}

/**
 * Notes that this person replied without a mention. The thread has a second person once a person replies who did not
 * begin it. After the data of the person who began it
 * is forgotten, the first to reply counts as that person.
 */
export function withReplier(thread: Thread, userId: string): Thread {
  if (thread.hasSecondPerson === true || thread.startedBy === userId) return thread;
  return thread.startedBy === undefined ? { ...thread, startedBy: userId } : { ...thread, hasSecondPerson: true };
}

/** Whether answers in the thread offer "Only when mentioned", because two people may talk to each other there. */
export function mayWantMute(thread: Thread | undefined): boolean {
  if (thread === undefined || isBetweenTwo(thread)) return false;
  return thread.followsReplies && thread.muted !== true && thread.hasSecondPerson === true;
}
