import { getReadable } from './lifecycle/lifecycle-ports.ts';
import type { QuestionStore } from './ports.ts';
import { threadQuestion } from './question/prompt.ts';
import type { Followed, Question, Thread } from './question/question.ts';
import { earlierQuestionsRoom, mostAskedKnown, mostEarlierQuestions } from './settings.ts';

/** The ids of a thread's newest questions with one more, once. */
export function withAsked(asked: readonly string[] = [], id: string): string[] {
  return asked.includes(id) ? [...asked] : [...asked, id].slice(-mostAskedKnown);
}

/**
 * What a question carries on from when it can't follow its thread's conversation up any more: the questions before it in
 * that conversation, as many of the newest as there is room for, and the link to it. Undefined where none are known.
 */
export async function findEarlier(
  questions: Pick<QuestionStore, 'get'>,
  question: Question,
  thread: Thread | undefined,
  conversationId: number | undefined,
): Promise<Followed | undefined> {
  const ids = (thread?.asked ?? []).filter((id) => id !== question.id);
  const asked = (await Promise.all(ids.map((id) => getReadable(questions, id))))
    .filter((each) => each !== undefined)
    .filter(({ upstream, outcome }) => upstream.conversationId === conversationId && outcome?.kind !== 'cancelled');
  const texts = asked
    .flatMap(({ follows, text }) => [
      ...(follows?.before ?? []),
      ...(follows === undefined ? [] : [follows.text]),
      text,
    ])
    .filter((text) => text !== '' && text !== threadQuestion && text !== question.text);
  const before = fitted(withoutRepeated(texts));
  const newest = before.pop();
  if (conversationId === undefined || newest === undefined) return undefined;
  const { shareUrl } = [...asked, question].findLast(({ upstream }) => upstream.shareUrl !== undefined)?.upstream ?? {};
  return {
    text: newest,
    ...(shareUrl === undefined ? {} : { shareUrl }),
    ...(before.length === 0 ? {} : { before }),
  };
}

/** A question that was asked again stands where it was asked last. */
function withoutRepeated(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.lastIndexOf(text) === index);
}

/** The newest of the texts, oldest first; of one that is too long alone, its beginning. */
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
