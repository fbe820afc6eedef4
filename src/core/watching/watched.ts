import { type Person, personName } from '../accounts/accounts.ts';
import type { ListedChange } from '../ports.ts';
import type { ConversationId, Quota } from '../question/question.ts';
import { fewestListed } from '../settings.ts';
import type { ListPass } from './list-pass.ts';

/** A running question that this process knows. */
export interface Known {
  questionId: string;
  conversationId: ConversationId;
  /** When this process forgets the question, unless it goes on here. */
  untilMs: number;
  /** What the question's record had seen when it last went on here. */
  seenMark: string | undefined;
  /** Only of a question that waits for longer than the backstop: when a list last showed what it had seen. */
  shownMs?: number;
}

/** The running questions of one account that this process knows. */
export interface Watched {
  account: 'app' | Person;
  questions: Map<string, Known>;
  /** The same questions by conversation. Few have more than one: an answer that is shown again is watched as well. */
  byConversation: Map<ConversationId, Set<Known>>;
  /** What this process last handed on of each conversation, oldest first. */
  handled: Map<ConversationId, string>;
  /** What the lists of this process showed last, and when that list began, oldest first. */
  shown: Map<ConversationId, { mark: string; atMs: number }>;
  /** Changes that a list of this process showed, that are not shared, and that no run here has read. */
  changed: Map<ConversationId, ListedChange>;
  /** Which process lists for all: this one, another one, or none because it failed or is not needed. */
  leader: 'this' | 'other' | 'none';
  /** When this process last took or renewed the lead. */
  leadMs: number;
  /** Whether this process takes the lead from another one: after a start, that may be one that ended a moment ago. */
  takesOver: boolean;
  /** How many conversations the next list asks for first. */
  firstPage: number;
  /** When a list last reached all running questions. */
  completeMs: number;
  /** The list of all running questions that is under way. */
  pass?: ListPass;
  /** Conversations that the last complete list did not show. */
  absent: Set<ConversationId>;
  isListing: boolean;
  /** How many lists in a row failed, and when the next one is tried. */
  failures: number;
  notBeforeMs: number;
  /** Whether a list carries whole conversations. Only then can one process list for all. */
  carriesAll: boolean;
  /** The quota that a read told last, which lists leave out, and until when it is not read again. */
  quota: Quota | undefined;
  quotaUntilMs: number;
}

export function nameOf(account: 'app' | Person): string {
  return account === 'app' ? 'app' : personName(account);
}

/** An account without running questions. */
export function newWatched(account: Watched['account']): Watched {
  return {
    account,
    questions: new Map(),
    byConversation: new Map(),
    handled: new Map(),
    shown: new Map(),
    changed: new Map(),
    leader: 'none',
    leadMs: 0,
    takesOver: false,
    firstPage: fewestListed,
    completeMs: 0,
    absent: new Set(),
    isListing: false,
    failures: 0,
    notBeforeMs: 0,
    carriesAll: true,
    quota: undefined,
    quotaUntilMs: 0,
  };
}

/** Conversations of running questions that a complete list can be expected to show. */
export function listable({ byConversation, absent }: Watched): Set<ConversationId> {
  return new Set([...byConversation.keys()].filter((id) => !absent.has(id)));
}

/** Forgets a question, and its conversation if no other question runs there. */
export function forget({ questions, byConversation, changed, absent }: Watched, known: Known | undefined): void {
  if (known === undefined) return;
  questions.delete(known.questionId);
  const others = byConversation.get(known.conversationId);
  others?.delete(known);
  if (others === undefined || others.size > 0) return;
  byConversation.delete(known.conversationId);
  absent.delete(known.conversationId);
  changed.delete(known.conversationId);
}

/** Forgets the questions that went on elsewhere. */
export function dropOld(watched: Watched, nowMs: number): void {
  for (const known of watched.questions.values()) if (known.untilMs <= nowMs) forget(watched, known);
}

/** Notes that a list which began at `atMs` shows a conversation with this mark. */
export function noteShown({ byConversation }: Watched, id: ConversationId, mark: string, atMs: number): void {
  for (const known of byConversation.get(id) ?? []) {
    if (known.shownMs !== undefined && known.seenMark === mark) known.shownMs = Math.max(known.shownMs, atMs);
  }
}

/** At most `most` questions of which no list showed since `sinceMs` what they had seen. */
export function overdueOf({ questions }: Watched, sinceMs: number, most: number): Known[] {
  const overdue: Known[] = [];
  for (const known of questions.values()) {
    if (known.shownMs !== undefined && known.shownMs <= sinceMs) overdue.push(known);
    if (overdue.length === most) break;
  }
  return overdue;
}
