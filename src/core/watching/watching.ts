import { accountOf } from '../accounts/account-of.ts';
import { type Person, personName } from '../accounts/accounts.ts';
import { isAppError } from '../errors.ts';
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
import { upstreamClaims } from '../question/upstream.ts';
import {
  fewestWatchedTogether,
  mostChangedPages,
  mostMarksKept,
  newsAgeMs,
  watchBackstopMs,
  watchLeaseMs,
} from '../settings.ts';

/** Reads running questions: a few one by one, many of one account together. */
export interface Watching {
  /**
   * The conversation of a running question. Undefined if it has not changed since the question last saw it. Throws the
   * errors of the service.
   */
  read(question: Question): Promise<Conversation | undefined>;
  /** Notes that a question still runs. `paceMs`: its wait if it is read alone. Returns the wait until its next run. */
  goesOn(question: Question, paceMs: number): number;
  /** Notes that a question no longer runs. */
  leave(question: Question): void;
  /** Lists the changes of each account with many running questions, and runs the questions that changed. */
  tick(): Promise<void>;
}

/** The running questions of one account that this process knows. */
interface Watched {
  account: 'app' | Person;
  questions: Map<ConversationId, { questionId: string; untilMs: number; listedMs: number }>;
  /** What the latest list showed of each conversation, oldest first. */
  marks: Map<ConversationId, string>;
  /** Whole conversations that changed and that no run has read. */
  changed: Map<ConversationId, Conversation>;
  /** Which process lists for all: this one, another one, or none because it failed or is not needed. */
  leader: 'this' | 'other' | 'none';
  /** When a list last reached all running questions. */
  completeMs: number;
  isListing: boolean;
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

  return { read, goesOn, leave, tick };

  async function read(question: Question): Promise<Conversation | undefined> {
    const { conversationId } = question.upstream;
    if (conversationId === undefined) return undefined;
    const account = accountOf(question);
    const name = nameOf(account);
    const watched = accounts.get(name);
    if (watched !== undefined && watched.questions.size >= fewestWatchedTogether) {
      const changed = watched.changed.get(conversationId) ?? (await shared.take(name, conversationId));
      watched.changed.delete(conversationId);
      if (changed !== undefined) return changed;
      if (await wasListed(watched, conversationId)) return undefined;
    }
    return deepSearch(account).read(conversationId);
  }

  /** Whether a list showed the conversation a short time ago. If it had changed, the question would have got it. */
  async function wasListed(watched: Watched, conversationId: ConversationId): Promise<boolean> {
    const known = watched.questions.get(conversationId);
    // The first run in this process reads: another process may have taken what changed, and ended.
    if (watched.leader === 'none' || known === undefined) return false;
    if (watched.leader === 'other') return shared.wasListed(nameOf(watched.account), conversationId);
    return now() - known.listedMs < watchBackstopMs;
  }

  function goesOn(question: Question, paceMs: number): number {
    const { conversationId } = question.upstream;
    if (conversationId === undefined) return paceMs;
    const watched = watchedOf(accountOf(question));
    const known = watched.questions.get(conversationId);
    // Twice the longest wait between two runs: a question that another process goes on with is dropped here.
    const untilMs = now() + 2 * watchBackstopMs;
    watched.questions.set(conversationId, { questionId: question.id, untilMs, listedMs: known?.listedMs ?? 0 });
    if (watched.questions.size < fewestWatchedTogether || watched.leader === 'none') return paceMs;
    return Math.round(watchBackstopMs * (0.9 + random() / 10));
  }

  function leave(question: Question): void {
    const { conversationId } = question.upstream;
    const watched = accounts.get(nameOf(accountOf(question)));
    if (conversationId === undefined || watched === undefined) return;
    if (watched.questions.get(conversationId)?.questionId !== question.id) return;
    watched.questions.delete(conversationId);
    watched.changed.delete(conversationId);
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
    if (watched.isListing) return;
    watched.isListing = true;
    try {
      const leads = !watched.carriesAll || (await shared.lead(name, watchLeaseMs));
      watched.leader = leads ? 'this' : 'other';
      if (leads) await list(watched);
      // The other processes have to list too, and find that out when they lead.
      if (leads && !watched.carriesAll) await shared.resign(name);
    } catch (error) {
      if (!isAppError(error)) throw error;
      watched.leader = 'none';
      log.debug({ event: 'changes_not_listed', kind: error.kind });
    } finally {
      watched.isListing = false;
    }
  }

  /**
   * Reads pages as long as they show something new. From time to time reads on until every running question was on a page,
   * so that a change that no page showed as new is not missed.
   */
  async function list(watched: Watched): Promise<void> {
    const startedMs = now();
    const isComplete = startedMs - watched.completeMs >= watchBackstopMs / 2;
    const missing = new Set(watched.questions.keys());
    const listed: ConversationId[] = [];
    let newestMs: number | undefined;
    let after: string | undefined;
    for (let pages = 0; pages < mostChangedPages; pages += 1) {
      const page = await deepSearch(watched.account).changes(after);
      listed.push(...page.conversations.map(({ id }) => id));
      watched.carriesAll = page.conversations.every(({ conversation }) => conversation !== undefined);
      newestMs ??= Math.max(...page.conversations.map(({ updatedMs = 0 }) => updatedMs));
      const oldestMs = newestMs - newsAgeMs;
      const changed = page.conversations.filter((each) => isNews(watched, each, oldestMs));
      for (const { id } of page.conversations) {
        const known = watched.questions.get(id);
        if (known !== undefined) known.listedMs = startedMs;
        missing.delete(id);
      }
      for (const each of changed) await changedNow(watched, each);
      after = page.next;
      const goesOn = changed.length > 0 || (isComplete && missing.size > 0);
      if (after === undefined || !goesOn) break;
    }
    if (missing.size === 0) watched.completeMs = startedMs;
    if (isComplete && watched.carriesAll) await shared.noteListed(nameOf(watched.account), listed);
  }

  /** The conversation of a question that another process watches is news at first sight only if it changed lately. */
  function isNews(
    { marks, questions }: Watched,
    { id, mark, updatedMs }: ListedConversation,
    oldestMs: number,
  ): boolean {
    const known = marks.get(id);
    if (known !== undefined || questions.has(id)) return known !== mark;
    return (updatedMs ?? oldestMs) >= oldestMs;
  }

  async function changedNow(watched: Watched, { id, mark, conversation }: ListedConversation): Promise<void> {
    const own = watched.questions.get(id);
    const questionId = own?.questionId ?? (await ownerOf(conversation));
    if (questionId !== undefined) {
      if (own !== undefined && conversation === undefined) own.listedMs = 0;
      if (own !== undefined && conversation !== undefined) watched.changed.set(id, conversation);
      if (conversation !== undefined) await shared.put(nameOf(watched.account), conversation);
      await scheduler.schedule(questionId, 0);
    }
    // Last, so that a failure before is repeated at the next tick.
    watched.marks.delete(id);
    watched.marks.set(id, mark);
    for (const oldest of watched.marks.keys()) {
      if (watched.marks.size <= mostMarksKept) break;
      watched.marks.delete(oldest);
    }
  }

  /** The question that runs in a conversation which another process watches. */
  async function ownerOf(conversation: Conversation | undefined): Promise<string | undefined> {
    const last = conversation?.questions.at(-1);
    if (conversation === undefined || last === undefined) return undefined;
    for (const claim of upstreamClaims(conversation.id, last)) {
      const owner = await claims.ownerOf(claim);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  function watchedOf(account: 'app' | Person): Watched {
    const name = nameOf(account);
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const created: Watched = {
      account,
      questions: new Map(),
      marks: new Map(),
      changed: new Map(),
      leader: 'none',
      completeMs: 0,
      isListing: false,
      carriesAll: true,
    };
    accounts.set(name, created);
    return created;
  }

  function dropOld({ questions, changed }: Watched): void {
    const nowMs = now();
    for (const [conversationId, { untilMs }] of questions) {
      if (untilMs > nowMs) continue;
      questions.delete(conversationId);
      changed.delete(conversationId);
    }
  }
}

function nameOf(account: 'app' | Person): string {
  return account === 'app' ? 'app' : personName(account);
}
