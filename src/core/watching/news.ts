import { keepNewest } from '../keep-newest.ts';
import type { Claims, Conversation, ListedConversation, QuestionStore, Scheduler, SharedWatch } from '../ports.ts';
import { getReadable } from '../question/readable.ts';
import { upstreamClaims } from '../question/upstream.ts';
import { mostMarksKept } from '../settings.ts';
import type { ListedPage } from './list-pass.ts';
import { nameOf, type Watched } from './watched.ts';

/**
 * Creates `takeNews`: hands on what a page shows changed, and runs the questions that it is about, here or in the process
 * that goes on with them. Returns the changed conversations. Those that changed before `oldestMs` and that this process does
 * not know are no news.
 */
export function createTakeNews({
  claims,
  questions,
  scheduler,
  shared,
}: {
  claims: Pick<Claims, 'ownerOf'>;
  questions: Pick<QuestionStore, 'get'>;
  scheduler: Pick<Scheduler, 'schedule'>;
  shared: Pick<SharedWatch, 'put'>;
}): (watched: Watched, page: ListedPage, oldestMs: number) => Promise<Set<ListedConversation>> {
  return async function takeNews(
    watched: Watched,
    { conversations, startedMs }: ListedPage,
    oldestMs: number,
  ): Promise<Set<ListedConversation>> {
    const news = new Set(conversations.filter((each) => isNews(watched, each, oldestMs)));
    await Promise.all([...news].map((each) => changedNow(watched, each, startedMs)));
    return news;
  };

  /** The conversation of a question that another process watches is news at first sight only if it changed lately. */
  function isNews({ handled, byConversation }: Watched, listed: ListedConversation, oldestMs: number): boolean {
    const { id, mark, updatedMs = oldestMs } = listed;
    const before = handled.get(id);
    if (before !== undefined) return before !== mark;
    const known = byConversation.get(id);
    return known === undefined ? updatedMs >= oldestMs : [...known].some(({ seenMark }) => seenMark !== mark);
  }

  async function changedNow(watched: Watched, listed: ListedConversation, listedMs: number): Promise<void> {
    const { id, mark, updatedMs } = listed;
    const own = [...(watched.byConversation.get(id) ?? [])].map(({ questionId }) => questionId);
    const conversation = listed.conversation?.();
    // What this process knows may have ended in another one, and another question of the conversation may run.
    const questionIds = await stillOpen([...new Set([...own, ...(await ownersOf(conversation))])]);
    if (questionIds.length > 0 && conversation !== undefined) {
      const change = { mark, listedMs, ...(updatedMs === undefined ? {} : { updatedMs }) };
      // The conversations of a person's own account are read with that account only.
      const isForAll = watched.account === 'app';
      const isThere = await shared.put(nameOf(watched.account), id, isForAll ? { ...change, conversation } : change);
      // Whole conversations of many questions take much memory.
      if (own.length > 0 && !isThere) watched.changed.set(id, { ...change, conversation });
    }
    await Promise.all(questionIds.map((questionId) => scheduler.schedule(questionId, 0)));
    // Last, so that a failure before is repeated at the next tick.
    keepNewest(watched.handled, id, mark, mostMarksKept);
  }

  /** The question that runs in a conversation which another process watches. */
  async function ownersOf(conversation: Conversation | undefined): Promise<string[]> {
    const last = conversation?.questions.at(-1);
    if (conversation === undefined || last === undefined) return [];
    for (const claim of upstreamClaims(conversation.id, last)) {
      const owner = await claims.ownerOf(claim);
      if (owner !== undefined) return [owner];
    }
    return [];
  }

  /** A question may have ended or be erased, and its words must not be handed on again. */
  async function stillOpen(ids: string[]): Promise<string[]> {
    const stored = await Promise.all(ids.map((id) => getReadable(questions, id)));
    return ids.filter((_, at) => {
      const phase = stored[at]?.phase;
      return phase === 'waiting' || phase === 'running' || phase === 'parked';
    });
  }
}
