import { accountOf } from '../accounts/account-of.ts';
import { type Person, personName } from '../accounts/accounts.ts';
import { type AppError, isAppError } from '../errors.ts';
import { exponentialMs } from '../pacing.ts';
import type {
  Claims,
  Clock,
  Conversation,
  DeepSearchOf,
  ListedConversation,
  Log,
  Scheduler,
  SharedWatch,
} from '../ports.ts';
import type { ConversationId, Question } from '../question/question.ts';
import { findUpstream, upstreamClaims } from '../question/upstream.ts';
import {
  fewestWatchedTogether,
  firstListMs,
  mostChangedPages,
  mostMarksKept,
  newsAgeMs,
  watchBackstopMs,
  watchLeaseMs,
} from '../settings.ts';

/** Reads running questions: a few one by one, many of one account together. */
export interface Watching {
  /**
   * The conversation of a running question. Undefined if it has not changed since the question last saw it; with `isFresh`
   * it is always read. Throws the errors of the service.
   */
  read(question: Question, options?: { isFresh?: boolean }): Promise<Conversation | undefined>;
  /** Notes that a question still runs. `paceMs`: its wait if it is read alone. Returns the wait until its next run. */
  goesOn(question: Question, paceMs: number): number;
  /** Notes that a question no longer runs. */
  leave(question: Question): void;
  /** Lists the changes of each account with many running questions, and runs the questions that changed. */
  tick(): Promise<void>;
}

interface Known {
  questionId: string;
  conversationId: ConversationId;
  /** When this process forgets the question, unless it goes on here. */
  untilMs: number;
  /** When a list last showed the conversation. */
  listedMs: number;
  /** What the conversation showed at the last read whose run the question finished. */
  seenMark?: string;
  /** What this run read. Absent if it read nothing. */
  read?: { mark?: string };
}

/** The running questions of one account that this process knows. */
interface Watched {
  account: 'app' | Person;
  questions: Map<string, Known>;
  /** The same questions by conversation. Few have more than one: an answer that is shown again is watched as well. */
  byConversation: Map<ConversationId, Set<Known>>;
  /** What the latest list showed of each conversation, oldest first. */
  marks: Map<ConversationId, string>;
  /** Whole conversations that changed and that no run has read. */
  changed: Map<ConversationId, Conversation>;
  /** Which process lists for all: this one, another one, or none because it failed or is not needed. */
  leader: 'this' | 'other' | 'none';
  /** When a list last reached all running questions. */
  completeMs: number;
  /** Conversations that the last complete list did not show. */
  absent: Set<ConversationId>;
  isListing: boolean;
  /** How many lists in a row failed, and when the next one is tried. */
  failures: number;
  notBeforeMs: number;
  /** Whether a list carries whole conversations. Only then can one process list for all. */
  carriesAll: boolean;
}

/**
 * Creates the watching of running questions. An account with only a few is read question by question. With more, one
 * process lists the account's newest changes at every tick and runs only the questions whose conversations changed, so
 * the number of requests does not grow with the number of questions. Every question still runs from time to time, in case
 * a change was missed.
 */
export function createWatching(ports: {
  deepSearch: DeepSearchOf;
  claims: Pick<Claims, 'ownerOf'>;
  scheduler: Pick<Scheduler, 'schedule'>;
  shared: SharedWatch;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  log: Log;
}): Watching {
  const { deepSearch, claims, scheduler, shared, now, random, log } = ports;
  const accounts = new Map<string, Watched>();
  const startedMs = now();

  return { read, goesOn, leave, tick };

  async function read(question: Question, { isFresh = false } = {}): Promise<Conversation | undefined> {
    const { conversationId } = question.upstream;
    if (conversationId === undefined) return undefined;
    const account = accountOf(question);
    const watched = accounts.get(nameOf(account));
    const known = watched?.questions.get(question.id);
    if (known !== undefined) delete known.read;
    const isTogether = !isFresh && watched !== undefined && watched.questions.size >= fewestWatchedTogether;
    const changed = isTogether ? await takeChanged(watched, conversationId, question) : undefined;
    if (changed === undefined && isTogether && (await isCovered(watched, known, question))) return undefined;
    const conversation = changed ?? (await deepSearch(account).read(conversationId));
    if (known !== undefined) known.read = conversation.mark === undefined ? {} : { mark: conversation.mark };
    return conversation;
  }

  /** The next list shows a new question as news. That spares one read for each question, also after a start. */
  async function isCovered(watched: Watched, known: Known | undefined, question: Question): Promise<boolean> {
    if (known !== undefined) return isUnchanged(watched, known);
    const isNew = watched.leader !== 'none' && now() - (question.upstream.askedMs ?? 0) < firstListMs;
    return watched.carriesAll && (isNew || now() - startedMs < firstListMs);
  }

  /** Whether a list showed a short time ago what the question saw in this process. */
  async function isUnchanged(watched: Watched, known: Known): Promise<boolean> {
    const { conversationId, seenMark, listedMs } = known;
    // A list without whole conversations may miss changes: no description of the API says when its times change.
    if (seenMark === undefined || watched.leader === 'none' || !watched.carriesAll) return false;
    if (watched.leader === 'other')
      return (await shared.listedMark(nameOf(watched.account), conversationId)) === seenMark;
    return watched.marks.get(conversationId) === seenMark && now() - listedMs < watchBackstopMs;
  }

  /**
   * Another process may have taken the newest change: then an older one that is still here counts for nothing. A list that
   * was made before the question was asked does not have it.
   */
  async function takeChanged(
    watched: Watched,
    id: ConversationId,
    question: Question,
  ): Promise<Conversation | undefined> {
    const shown = await shared.take(nameOf(watched.account), id);
    const here = watched.changed.get(id);
    watched.changed.delete(id);
    const changed = shown ?? (here?.mark === watched.marks.get(id) ? here : undefined);
    return changed === undefined || findUpstream(changed, question) === undefined ? undefined : changed;
  }

  function goesOn(question: Question, paceMs: number): number {
    const { conversationId } = question.upstream;
    if (conversationId === undefined) return paceMs;
    const watched = watchedOf(accountOf(question));
    const known = watched.questions.get(question.id);
    forget(watched, known);
    const { read: taken, seenMark, listedMs = 0 } = known?.conversationId === conversationId ? known : {};
    const mark = taken === undefined ? seenMark : taken.mark;
    const going: Known = {
      questionId: question.id,
      conversationId,
      // Twice the longest wait between two runs: a question that another process goes on with is dropped here.
      untilMs: now() + 2 * watchBackstopMs,
      listedMs,
      ...(mark === undefined ? {} : { seenMark: mark }),
    };
    watched.questions.set(question.id, going);
    watched.byConversation.set(conversationId, (watched.byConversation.get(conversationId) ?? new Set()).add(going));
    const isAlone = watched.questions.size < fewestWatchedTogether || watched.leader === 'none';
    if (isAlone || question.cancel !== undefined) return paceMs;
    const wasRead = taken !== undefined || seenMark !== undefined;
    return Math.round((wasRead ? watchBackstopMs : firstListMs) * (0.9 + random() / 10));
  }

  function leave(question: Question): void {
    const watched = accounts.get(nameOf(accountOf(question)));
    if (watched !== undefined) forget(watched, watched.questions.get(question.id));
  }

  function forget({ questions, byConversation, changed, absent }: Watched, known: Known | undefined): void {
    if (known === undefined) return;
    questions.delete(known.questionId);
    const others = byConversation.get(known.conversationId);
    others?.delete(known);
    if (others === undefined || others.size > 0) return;
    byConversation.delete(known.conversationId);
    absent.delete(known.conversationId);
    changed.delete(known.conversationId);
  }

  async function tick(): Promise<void> {
    await Promise.all([...accounts.values()].map(attend));
  }

  /** A failure is no reason to stop: the next tick lists again, and questions that run late are read one by one. */
  async function attend(watched: Watched): Promise<void> {
    const name = nameOf(watched.account);
    dropOld(watched);
    if (watched.questions.size === 0) accounts.delete(name);
    if (watched.questions.size < fewestWatchedTogether) {
      watched.leader = 'none';
      return;
    }
    if (watched.isListing || now() < watched.notBeforeMs) return;
    watched.isListing = true;
    try {
      const leads = !watched.carriesAll || (await shared.lead(name, watchLeaseMs));
      watched.leader = leads ? 'this' : 'other';
      if (leads) await list(watched);
      // The other processes have to list too, and find that out when they lead.
      if (leads && !watched.carriesAll) await shared.resign(name);
      watched.failures = 0;
    } catch (error) {
      if (!isAppError(error)) throw error;
      await failed(watched, error);
    } finally {
      watched.isListing = false;
    }
  }

  /** Another process may be able to list. */
  async function failed(watched: Watched, error: AppError): Promise<void> {
    const { account, failures } = watched;
    watched.leader = 'none';
    watched.failures += 1;
    watched.notBeforeMs = now() + exponentialMs(watched.failures, random(), watchBackstopMs);
    const fields = { event: 'changes_not_listed', kind: error.kind, failures: watched.failures };
    if (failures === 0) log.warn(fields, error);
    else log.debug(fields);
    await shared.resign(nameOf(account)).catch(() => undefined);
  }

  /**
   * Reads pages as long as they show something new. From time to time reads on until every running question was on a page,
   * so that a change that no page showed as new is not missed.
   */
  async function list(watched: Watched): Promise<void> {
    const startedMs = now();
    const isComplete = startedMs - watched.completeMs >= watchBackstopMs / 2;
    const missing = new Set([...watched.byConversation.keys()].filter((id) => !watched.absent.has(id)));
    const listed = new Map<ConversationId, string>();
    let newestMs: number | undefined;
    const used = new Set<string>();
    let after: string | undefined;
    for (let pages = 0; pages < mostChangedPages; pages += 1) {
      // Several pages may take longer than the lease.
      if (pages > 0 && watched.carriesAll) await shared.lead(nameOf(watched.account), watchLeaseMs);
      const page = await deepSearch(watched.account).changes(after);
      watched.carriesAll = page.conversations.every(({ conversation }) => conversation !== undefined);
      newestMs ??= Math.max(...page.conversations.map(({ updatedMs = 0 }) => updatedMs));
      const oldestMs = newestMs - newsAgeMs;
      const changed: ListedConversation[] = [];
      for (const each of page.conversations) {
        if (isNews(watched, each, oldestMs)) changed.push(each);
        for (const known of watched.byConversation.get(each.id) ?? []) known.listedMs = startedMs;
        missing.delete(each.id);
        watched.absent.delete(each.id);
        listed.set(each.id, each.mark);
      }
      await Promise.all(changed.map((each) => changedNow(watched, each)));
      after = page.next;
      if (after === undefined || used.has(after)) break;
      used.add(after);
      const goesOn = changed.length > 0 || (isComplete && missing.size > 0);
      if (!goesOn) break;
    }
    // Also if some are missing: the order of the list changes while it is read, and the next one begins with them.
    if (isComplete) watched.completeMs = startedMs;
    if (isComplete) for (const id of missing) watched.absent.add(id);
    if (isComplete && watched.carriesAll) await shared.noteListed(nameOf(watched.account), listed);
  }

  /** The conversation of a question that another process watches is news at first sight only if it changed lately. */
  function isNews({ marks, byConversation }: Watched, listed: ListedConversation, oldestMs: number): boolean {
    const { id, mark, updatedMs = oldestMs } = listed;
    const known = marks.get(id);
    return known !== undefined || byConversation.has(id) ? known !== mark : updatedMs >= oldestMs;
  }

  async function changedNow(watched: Watched, listed: ListedConversation): Promise<void> {
    const { id, mark } = listed;
    const own = [...(watched.byConversation.get(id) ?? [])].map(({ questionId }) => questionId);
    const conversation = listed.conversation?.();
    // What this process knows may have ended in another one, and another question of the conversation may run.
    const questionIds = [...new Set([...own, ...(await ownersOf(conversation))])];
    if (questionIds.length > 0 && conversation !== undefined) {
      if (own.length > 0) watched.changed.set(id, conversation);
      // The conversations of a person's own account are read with that account only.
      if (watched.account === 'app') await shared.put('app', conversation);
    }
    await Promise.all(questionIds.map((questionId) => scheduler.schedule(questionId, 0)));
    // Last, so that a failure before is repeated at the next tick.
    watched.marks.delete(id);
    watched.marks.set(id, mark);
    for (const oldest of watched.marks.keys()) {
      if (watched.marks.size <= mostMarksKept) break;
      watched.marks.delete(oldest);
    }
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

  function watchedOf(account: 'app' | Person): Watched {
    const name = nameOf(account);
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const created: Watched = {
      account,
      questions: new Map(),
      byConversation: new Map(),
      marks: new Map(),
      changed: new Map(),
      leader: 'none',
      completeMs: 0,
      absent: new Set(),
      isListing: false,
      failures: 0,
      notBeforeMs: 0,
      carriesAll: true,
    };
    accounts.set(name, created);
    return created;
  }

  function dropOld(watched: Watched): void {
    const nowMs = now();
    for (const known of watched.questions.values()) if (known.untilMs <= nowMs) forget(watched, known);
  }
}

function nameOf(account: 'app' | Person): string {
  return account === 'app' ? 'app' : personName(account);
}
