import { type Person, personName } from '../accounts/accounts.ts';
import { type AppError, isAppError } from '../errors.ts';
import { exponentialMs, groups, within } from '../pacing.ts';
import type { Clock, Conversation, DeepSearchOf, ListedConversation, Log, Scheduler } from '../ports.ts';
import { accountOf, type ConversationId, type Question, type Quota } from '../question/question.ts';
import { findUpstream, isUnderWay } from '../question/upstream.ts';
import {
  fewestListed,
  fewestRunRarely,
  fewestWatchedTogether,
  firstListMs,
  listedFreshMs,
  listedRunMs,
  mostChangedKept,
  mostChangedPages,
  mostListed,
  mostMarksKept,
  mostPassPages,
  newsAgeMs,
  passPageMs,
  quotaLifeMs,
  quotaPatienceMs,
  resumeSpreadMs,
  unchangedAtEnd,
  watchBackstopMs,
} from '../settings.ts';

/** Reads running questions: a few one by one, many of one account together. */
export interface Watching {
  /**
   * The conversation of a running question. Undefined if it has not changed since the question last saw it; with `isFresh`
   * it is always read. Throws the errors of the service.
   */
  read(question: Question, options?: { isFresh?: boolean }): Promise<Conversation | undefined>;
  /** Notes that a question still runs. `aloneMs`: its wait if it is read alone. Returns the wait until its next run. */
  goesOn(question: Question, aloneMs: number): number;
  /** Notes that a question no longer runs. */
  leave(question: Question): void;
  /** Lists the changes of each account with many running questions, and runs the questions that changed. */
  tick(): Promise<void>;
  /** Runs the questions that wait for a list soon, so that another process watches them. Ticks do nothing from now on. */
  stop(): Promise<void>;
}

/** A running question that this process knows. */
interface Known {
  /** When this process forgets the question, unless it goes on here. */
  untilMs: number;
  /** What the question's record had seen when it last went on here. */
  seenMark: string | undefined;
  /** With which mark a list last made it run. */
  wokenMark?: string;
}

/** A list that is read on until every running question was shown. It goes on in the next tick where it is long. */
interface Pass {
  startedMs: number;
  /** Conversations of running questions that no page has shown yet. */
  missing: Set<ConversationId>;
  pages: number;
  /** Where the next page begins. */
  after: string | undefined;
  /** How many more conversations it reads. Not pages: a service may put fewer on a page than it is asked for. */
  left: number;
}

/** The running questions of one account that this process knows. */
interface Watched extends KnownQuota {
  account: 'app' | Person;
  /** Questions by their ids. Few conversations have more than one: an answer that is shown again is watched as well. */
  running: Map<ConversationId, Map<string, Known>>;
  /** What lists showed last, and when that list began, oldest first. */
  shown: Map<ConversationId, { mark: string; atMs: number }>;
  /** Changed conversations of questions that this process made run, until it knows that they were seen. */
  changed: Map<ConversationId, ListedConversation>;
  /** Other changed conversations, oldest first. A question may run here that another process knows. */
  changedElsewhere: Map<ConversationId, ListedConversation>;
  /** Whether lists come. Else each question is read by itself. */
  isTogether: boolean;
  isListing: boolean;
  /** How many conversations the next list asks for first. */
  firstPage: number;
  pass?: Pass;
  /** Whether the next tick begins with the pass, because the budget of requests had no room for it in the last one. */
  isPassFirst: boolean;
  /** When the next pass begins. Undefined before the first one. */
  nextPassMs?: number;
  /** Conversations of running questions that the last pass did not show. */
  absent: Set<ConversationId>;
  /** How many lists in a row failed, and when the next one is tried. */
  failures: number;
  notBeforeMs: number;
  /** Whether a list carries whole conversations. Else each run reads: a list of times alone may miss changes. */
  carriesAll: boolean;
}

function newWatched(account: Watched['account']): Watched {
  return {
    account,
    running: new Map(),
    shown: new Map(),
    changed: new Map(),
    changedElsewhere: new Map(),
    isTogether: false,
    isListing: false,
    firstPage: fewestListed,
    isPassFirst: false,
    absent: new Set(),
    failures: 0,
    notBeforeMs: 0,
    carriesAll: true,
    quota: undefined,
    quotaUntilMs: 0,
  };
}

/**
 * Creates the watching of running questions. An account with only a few is read question by question. With more, each
 * process lists the account's newest changes at every tick and runs those of its own questions whose conversations changed,
 * so the number of requests does not grow with the number of questions. Every question still runs from time to time, in
 * case a change was missed or its process ended.
 */
export function createWatching({
  deepSearch,
  scheduler,
  now,
  random,
  log,
}: {
  deepSearch: DeepSearchOf;
  scheduler: Pick<Scheduler, 'schedule'>;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  log: Log;
}): Watching {
  const accounts = new Map<string, Watched>();
  let isStopped = false;

  return { read, goesOn, leave, tick, stop };

  async function read(question: Question, { isFresh = false } = {}): Promise<Conversation | undefined> {
    const { conversationId: id, seenMark } = question.upstream;
    if (id === undefined) return undefined;
    const account = accountOf(question);
    const readNow = (): Promise<Conversation> => deepSearch(account).read(id);
    const watched = accounts.get(nameOf(account));
    if (isFresh || !watched?.isTogether) return readNow();
    const { mark, atMs = Number.NEGATIVE_INFINITY } = watched.shown.get(id) ?? {};
    if (now() - atMs >= listedFreshMs) return isListedSoon(watched, id) ? undefined : readNow();
    if (mark === seenMark) return undefined;
    const changed = watched.changed.get(id) ?? watched.changedElsewhere.get(id);
    const conversation = changed?.mark === mark ? changed?.conversation?.() : undefined;
    const upstream = conversation && findUpstream(conversation, question);
    // The list carries no conversations, or was made before the question was asked.
    if (conversation === undefined || upstream === undefined) return readNow();
    // Another process listed later, and the question has seen that. The next list of this one shows it too.
    const { steps = question.upstream.steps } = upstream;
    if (isUnderWay(upstream) && seenMark !== undefined && steps < question.upstream.steps) return undefined;
    return withQuota(conversation, question, watched, readNow, now());
  }

  /** Whether a list of all running questions is under way that has not come to this conversation. */
  function isListedSoon({ pass, nextPassMs }: Watched, id: ConversationId): boolean {
    if (pass === undefined) return nextPassMs === undefined;
    return pass.missing.has(id) && now() - pass.startedMs < listedFreshMs;
  }

  function goesOn(question: Question, aloneMs: number): number {
    const { conversationId: id, seenMark } = question.upstream;
    if (id === undefined) return aloneMs;
    const watched = watchedOf(accountOf(question));
    const { running, changed, absent, carriesAll } = watched;
    const questions = running.get(id) ?? new Map<string, Known>();
    running.set(id, questions);
    // Twice the longest wait between two runs: a question that another process goes on with is forgotten here.
    const untilMs = now() + 2 * listedRunMs;
    questions.set(question.id, { untilMs, seenMark, wokenMark: questions.get(question.id)?.wokenMark });
    if (changed.get(id)?.mark === seenMark) changed.delete(id);
    if (!watched.isTogether || isStopped || question.cancel !== undefined) return aloneMs;
    // Not less: an earlier run would find no list that shows a new question, and would read it.
    if (carriesAll && seenMark === undefined) return Math.round(firstListMs * (1 + random() / 10));
    // No list tells when it ends. All of these together take no more requests than the most that are read alone.
    if (absent.has(id) && absent.size * aloneMs < fewestWatchedTogether * watchBackstopMs)
      return Math.round((aloneMs * Math.max(absent.size, fewestWatchedTogether)) / fewestWatchedTogether);
    // Not less: each of these runs then finds the check of who reads the card's steps old, and makes it.
    if (carriesAll && running.size >= fewestRunRarely) return Math.round(listedRunMs * (1 + random() / 10));
    return Math.round(watchBackstopMs * (0.9 + random() / 10));
  }

  function leave(question: Question): void {
    const { conversationId: id } = question.upstream;
    const watched = accounts.get(nameOf(accountOf(question)));
    if (watched !== undefined && id !== undefined) forget(watched, id, question.id);
  }

  async function tick(): Promise<void> {
    if (isStopped) return;
    await Promise.all([...accounts.values()].map(attend));
  }

  async function stop(): Promise<void> {
    isStopped = true;
    const waiting = [...accounts.values()].filter(({ isTogether }) => isTogether).flatMap(questionIdsOf);
    for (const ids of groups(waiting)) {
      await Promise.all(ids.map((id) => scheduler.schedule(id, random() * resumeSpreadMs)));
    }
  }

  /** A failure is no reason to stop: the next tick lists again, and until then questions are read one by one. */
  async function attend(watched: Watched): Promise<void> {
    dropOld(watched);
    if (watched.running.size === 0) accounts.delete(nameOf(watched.account));
    if (watched.isListing) return;
    if (watched.running.size < fewestWatchedTogether) return goOnAlone(watched);
    if (now() < watched.notBeforeMs) return;
    watched.isListing = true;
    try {
      if (watched.failures === 0) watched.isTogether = true;
      await list(watched);
      watched.isTogether = true;
      watched.failures = 0;
    } catch (error) {
      if (!isAppError(error)) throw error;
      // A low limit makes a pass longer, not endless: it and the newest changes begin a tick by turns.
      if (error.kind === 'rateLimited') watched.isPassFirst = !watched.isPassFirst;
      else failed(watched, error);
    } finally {
      watched.isListing = false;
    }
  }

  /** The few that are left wait for a list that no longer comes. They run now, and then at their own pace. */
  async function goOnAlone(watched: Watched): Promise<void> {
    if (!watched.isTogether) return;
    await Promise.all(questionIdsOf(watched).map((id) => scheduler.schedule(id, 0)));
    readAlone(watched);
  }

  function failed(watched: Watched, error: AppError): void {
    readAlone(watched);
    watched.failures += 1;
    watched.notBeforeMs = now() + exponentialMs(watched.failures, random(), watchBackstopMs);
    const fields = { event: 'changes_not_listed', kind: error.kind, failures: watched.failures };
    if (watched.failures === 1) log.warn(fields, error);
    else log.debug(fields);
  }

  async function list(watched: Watched): Promise<void> {
    const both = watched.isPassFirst ? [listAll, listNewest] : [listNewest, listAll];
    for (const one of both) await one(watched);
  }

  /** Reads pages of the newest changes until the end of one shows nothing new. */
  async function listNewest(watched: Watched): Promise<void> {
    let most = watched.firstPage;
    let changes = 0;
    let after: string | undefined;
    let oldestMs: number | undefined;
    for (let pages = 0; pages < mostChangedPages; pages += 1) {
      const page = await readPage(watched, most, after);
      oldestMs ??= Math.max(...page.conversations.map(({ updatedMs = 0 }) => updatedMs)) - newsAgeMs;
      const news = await takeNews(watched, page, oldestMs);
      changes += news.size;
      const endsWithNews = page.conversations.slice(-unchangedAtEnd).some((each) => news.has(each));
      if (!endsWithNews || page.next === undefined) break;
      after = page.next;
      most = Math.min(most * 4, mostListed);
    }
    // One page for all changes of a tick, if as many come again, and a few conversations while nothing changes.
    watched.firstPage = Math.min(fewestListed + 2 * changes, mostListed);
  }

  /** From time to time reads on until every running question was on a page, so that a change that no page showed as new is found. */
  async function listAll(watched: Watched): Promise<void> {
    const { running, absent, nextPassMs = 0 } = watched;
    if (watched.pass === undefined && now() < nextPassMs) return;
    watched.pass ??= {
      startedMs: now(),
      missing: new Set([...running.keys()].filter((id) => !absent.has(id))),
      pages: 0,
      after: undefined,
      // Running conversations are among the newest. A lost one must not lead through all that an account ever had.
      left: mostChangedPages * mostListed + 2 * running.size,
    };
    const { pass } = watched;
    for (let pages = 0; pages < mostPassPages && pass.missing.size > 0 && pass.left > 0; pages += 1) {
      const most = pass.after === undefined ? Math.min(running.size, mostListed) : mostListed;
      const page = await readPage(watched, most, pass.after);
      await takeNews(watched, page, Number.POSITIVE_INFINITY);
      pass.pages += 1;
      // A service that repeats a cursor would be listed without end.
      const isLast = page.next === undefined || page.next === pass.after;
      pass.left = isLast ? 0 : pass.left - Math.max(1, page.conversations.length);
      pass.after = page.next;
    }
    if (pass.missing.size > 0 && pass.left > 0) return;
    delete watched.pass;
    // Ended conversations are on its pages too, so a few running ones may need many.
    const pauseMs = Math.max(pass.pages * passPageMs, watchBackstopMs / 2);
    watched.nextPassMs = pass.startedMs + Math.min(pauseMs, listedRunMs);
    watched.absent = new Set([...absent, ...pass.missing].filter((id) => running.has(id)));
  }

  async function readPage(watched: Watched, most: number, after: string | undefined): Promise<ListedPage> {
    const startedMs = now();
    const page = await deepSearch(watched.account).changes(most, after);
    watched.carriesAll = page.conversations.every(({ conversation }) => conversation !== undefined);
    return { ...page, startedMs };
  }

  /**
   * Notes what a page shows, and runs the questions of this process that it shows changed. Returns the changed conversations.
   * Those that changed before `oldestMs` and that no list has shown before are not among them.
   */
  async function takeNews(
    watched: Watched,
    { conversations, startedMs }: ListedPage,
    oldestMs: number,
  ): Promise<Set<ListedConversation>> {
    const news = new Set<ListedConversation>();
    const woken: [string, Known, string][] = [];
    for (const listed of conversations) {
      const { id, mark, updatedMs = 0 } = listed;
      const before = watched.shown.get(id);
      keepNewest(watched.shown, id, { mark, atMs: startedMs }, mostMarksKept);
      watched.absent.delete(id);
      watched.pass?.missing.delete(id);
      const questions = watched.running.get(id);
      const waiting = [...(questions ?? [])].filter(
        ([, { seenMark, wokenMark }]) => seenMark !== mark && wokenMark !== mark,
      );
      const isNew = before === undefined ? questions === undefined && updatedMs >= oldestMs : before.mark !== mark;
      if (!isNew && waiting.length === 0) continue;
      news.add(listed);
      if (questions === undefined) keepNewest(watched.changedElsewhere, id, listed, mostChangedKept);
      else if (waiting.length > 0) watched.changed.set(id, listed);
      woken.push(...waiting.map(([questionId, known]): [string, Known, string] => [questionId, known, mark]));
    }
    await Promise.all(
      woken.map(async ([questionId, known, mark]) => {
        await scheduler.schedule(questionId, 0);
        // Last, so that a failure before is repeated at the next tick.
        known.wokenMark = mark;
      }),
    );
    return news;
  }

  function dropOld(watched: Watched): void {
    for (const [id, questions] of watched.running) {
      for (const [questionId, { untilMs }] of questions) if (untilMs <= now()) forget(watched, id, questionId);
    }
  }

  function watchedOf(account: 'app' | Person): Watched {
    const name = nameOf(account);
    const watched = accounts.get(name) ?? newWatched(account);
    accounts.set(name, watched);
    return watched;
  }
}

/** A page of an account's list. */
interface ListedPage {
  conversations: ListedConversation[];
  next?: string;
  /** When it was asked for. */
  startedMs: number;
}

function nameOf(account: 'app' | Person): string {
  return account === 'app' ? 'app' : personName(account);
}

function questionIdsOf({ running }: Watched): string[] {
  return [...running.values()].flatMap((questions) => [...questions.keys()]);
}

/** Forgets a question, and its conversation if no other question runs there. */
function forget({ running, changed, absent }: Watched, id: ConversationId, questionId: string): void {
  const questions = running.get(id);
  questions?.delete(questionId);
  if (questions === undefined || questions.size > 0) return;
  running.delete(id);
  changed.delete(id);
  absent.delete(id);
}

function readAlone(watched: Watched): void {
  watched.isTogether = false;
  delete watched.pass;
  delete watched.nextPassMs;
}

/** Sets a value as the newest of a map, and drops the oldest ones beyond `most`. */
export function keepNewest<Key, Value>(values: Map<Key, Value>, key: Key, value: Value, most: number): void {
  values.delete(key);
  values.set(key, value);
  for (const oldest of values.keys()) {
    if (values.size <= most) break;
    values.delete(oldest);
  }
}

/** What is known of an account's quota. */
export interface KnownQuota {
  /** As a read told it last: lists leave it out. */
  quota: Quota | undefined;
  /** Until when it is not read again. */
  quotaUntilMs: number;
}

/**
 * A conversation from a list, with the account's quota if the question has ended: lists leave the quota out. `read` is
 * asked for it when the known quota is old, and always when a limit stopped the question, because only the quota tells
 * when that limit ends. Throws the errors of such a read only after a limit.
 */
export async function withQuota(
  listed: Conversation,
  question: Question,
  watched: KnownQuota,
  read: () => Promise<Conversation | undefined>,
  nowMs: number,
): Promise<Conversation | undefined> {
  const upstream = findUpstream(listed, question);
  if ((upstream && isUnderWay(upstream)) || listed.quota !== undefined) return listed;
  const isLimited = upstream?.error?.cause === 'limited' && upstream.error.retryAtMs === undefined;
  if (isLimited) return read();
  if (nowMs >= watched.quotaUntilMs) {
    // Questions that end at the same time need one read.
    watched.quotaUntilMs = nowMs + quotaLifeMs;
    try {
      const conversation = await within(read(), quotaPatienceMs);
      watched.quota = conversation?.quota;
      if (conversation !== undefined) return conversation;
    } catch (failure) {
      if (!isAppError(failure)) throw failure;
      watched.quota = undefined;
    }
  }
  return watched.quota === undefined ? listed : { ...listed, quota: watched.quota };
}
