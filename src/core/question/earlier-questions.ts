import type { QuestionStore } from '../ports.ts';
import { earlierQuestionsRoom, mostAskedKnown, mostEarlierQuestions } from '../settings.ts';
import { hasNoWords } from './prompt.ts';
import type { ConversationId, Followed, Question, Thread } from './question.ts';
import { getReadable } from './readable.ts';
import { isForAskerOnly, type Readers, readersOf, shareUrlFor } from './readers.ts';

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
