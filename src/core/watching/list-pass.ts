import type { ListedConversation } from '../ports.ts';
import type { ConversationId } from '../question/question.ts';
import { mostChangedPages, mostListed, watchBackstopMs } from '../settings.ts';

/** A page of an account's list. */
export interface ListedPage {
  conversations: ListedConversation[];
  next?: string;
  /** When it was asked for. */
  startedMs: number;
}

/** A pass over the list of an account until every running question was shown. It may take several ticks. */
export interface ListPass {
  /** When the first page was asked for. */
  startedMs: number;
  /** Conversations of running questions that no page has shown yet. */
  missing: Set<ConversationId>;
  /** The marks of all conversations that the pages showed. */
  listed: Map<ConversationId, string>;
  /** Where the next page begins. Undefined once there is none, and before the first one. */
  after: string | undefined;
  pages: number;
  /** Conversations after which the pass ends. Not pages: a service may put fewer on a page than it is asked for. */
  mostShown: number;
  /** When its latest page was read. */
  pageMs: number;
  /** Conversations that this process does not know and that changed before this time are no news. */
  oldestMs: number;
  /** Whether the next tick begins with the pass, because the budget of requests had no room for it in the last one. */
  isFirst: boolean;
}

export function newPass(missing: Set<ConversationId>, startedMs: number): ListPass {
  // Running conversations are among the newest. A lost one must not lead through all that an account ever had.
  const mostShown = mostChangedPages * mostListed + 2 * missing.size;
  const begun = { pages: 0, pageMs: startedMs, oldestMs: 0, isFirst: false };
  return { startedMs, missing, listed: new Map(), after: undefined, mostShown, ...begun };
}

/** Conversations on the first page of a pass, which may show all of them. */
export function longestPage({ missing }: ListPass): number {
  return Math.min(missing.size, mostListed);
}

export function notePage(pass: ListPass, conversations: readonly ListedConversation[]): void {
  for (const { id, mark } of conversations) {
    pass.missing.delete(id);
    pass.listed.set(id, mark);
  }
}

/** Goes on with the next page of a pass, which begins at `next`. */
export function turnPage(pass: ListPass, next: string | undefined, nowMs: number): void {
  pass.pages += 1;
  pass.pageMs = nowMs;
  // A service that repeats a cursor would be listed without end.
  pass.after = next === pass.after ? undefined : next;
}

/** Whether every running question was shown, or no further page is read. */
export function isOver({ missing, after, listed, pages, mostShown }: ListPass): boolean {
  return missing.size === 0 || after === undefined || Math.max(listed.size, pages) >= mostShown;
}

/**
 * Keeps a pass that the budget of requests has no room for, so that a low limit makes it longer, not endless. It and the
 * newest changes begin a tick by turns. Returns false if it has waited for too long.
 */
export function holdPass(pass: ListPass, nowMs: number): boolean {
  if (pass.pages === 0 || nowMs - pass.pageMs >= watchBackstopMs) return false;
  pass.isFirst = !pass.isFirst;
  return true;
}
