import { accountOf } from '../accounts/account-of.ts';
import type { Person } from '../accounts/accounts.ts';
import { type AppError, isAppError } from '../errors.ts';
import { keepNewest } from '../keep-newest.ts';
import { exponentialMs } from '../pacing.ts';
import type {
  Claims,
  Clock,
  Conversation,
  DeepSearchOf,
  ListedChange,
  Log,
  QuestionStore,
  Scheduler,
  SharedWatch,
} from '../ports.ts';
import type { ConversationId, Question } from '../question/question.ts';
import { findUpstream } from '../question/upstream.ts';
import {
  fewestListed,
  fewestRunRarely,
  fewestWatchedTogether,
  firstListMs,
  listedRunMs,
  mostChangedPages,
  mostListed,
  mostMarksKept,
  mostOverduePerTick,
  mostPassPages,
  newsAgeMs,
  quietRunMs,
  unchangedAtEnd,
  watchBackstopMs,
  watchLeaseMs,
} from '../settings.ts';
import { holdPass, isOver, type ListedPage, longestPage, newPass, notePage, turnPage } from './list-pass.ts';
import { withQuota } from './listed-quota.ts';
import { createTakeNews } from './news.ts';
import {
  dropOld,
  forget,
  type Known,
  listable,
  nameOf,
  newWatched,
  noteShown,
  overdueOf,
  type Watched,
} from './watched.ts';

/** Reads running questions: a few one by one, many of one account together. */
export interface Watching {
  /**
   * The conversation of a running question. Undefined if it has not changed since the question last saw it; with `isFresh`
   * it is always read. Throws the errors of the service.
   */
  read(question: Question, options?: { isFresh?: boolean }): Promise<Conversation | undefined>;
  /**
   * Notes that a question still runs. `paceMs`: its wait if it is read alone. `isQuiet`: its card shows no steps, so that a run
   * without a change does nothing. Returns the wait until its next run.
   */
  goesOn(question: Question, paceMs: number, options?: { isQuiet?: boolean }): number;
  /**
   * Notes after a start that a question runs. It runs as an earlier process planned it, or when no list shows it in time. This
   * process takes the lead for its account: the process that has it may have ended a moment ago.
   */
  resumed(question: Question): void;
  /** Notes that a question no longer runs. */
  leave(question: Question): void;
  /** Lists the changes of each account with many running questions, and runs the questions that changed. */
  tick(): Promise<void>;
  /** Gives up the lead of all accounts, so that another process lists at its next tick. Ticks do nothing from now on. */
  stop(): Promise<void>;
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
  questions: Pick<QuestionStore, 'get'>;
  scheduler: Pick<Scheduler, 'schedule'>;
  shared: SharedWatch;
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  log: Log;
}): Watching {
  const { deepSearch, scheduler, shared, now, random, log } = ports;
  const takeNews = createTakeNews(ports);
  const accounts = new Map<string, Watched>();
  const startedMs = now();
  let isStopped = false;

  return { read, goesOn, resumed, leave, tick, stop };

  async function read(question: Question, { isFresh = false } = {}): Promise<Conversation | undefined> {
    const { conversationId } = question.upstream;
    if (conversationId === undefined) return undefined;
    const account = accountOf(question);
    const readNow = (): Promise<Conversation | undefined> => deepSearch(account).read(conversationId);
    const watched = accounts.get(nameOf(account));
    if (!isFresh && watched !== undefined && watched.questions.size >= fewestWatchedTogether) {
      const known = await knownFromLists(watched, conversationId, question);
      if (known === 'unchanged') return undefined;
      if (known !== 'nothing') return withQuota(known, question, watched, readNow, now());
    }
    return readNow();
  }

  /** What the lists of any process told of a question: its changed conversation, that it is unchanged, or nothing. */
  async function knownFromLists(
    watched: Watched,
    id: ConversationId,
    question: Question,
  ): Promise<Conversation | 'unchanged' | 'nothing'> {
    const { seenMark, askedMs = 0 } = question.upstream;
    const change = await takeChange(watched, id);
    // A list that was made before the question was asked does not have it.
    const conversation = change?.conversation;
    if (conversation !== undefined && findUpstream(conversation, question) !== undefined) return conversation;
    // A list without whole conversations may miss changes: no description of the API says when its times change.
    if (!watched.carriesAll) return 'nothing';
    // A run that took the conversation did not finish, or it was not handed on.
    if (change !== undefined && change.mark !== seenMark) return 'nothing';
    // The next list shows a new question as news. That spares one read for each question, also after a start.
    if (isStarting() && !watched.shown.has(id)) return 'unchanged';
    if (watched.leader === 'none') return 'nothing';
    if (seenMark === undefined) return Math.abs(now() - askedMs) < firstListMs ? 'unchanged' : 'nothing';
    const isShown = change !== undefined && now() - change.listedMs < watchBackstopMs;
    const mark = isShown ? change.mark : await listedMark(watched, id);
    return mark === seenMark ? 'unchanged' : 'nothing';
  }

  /** The newest change of a conversation that a list showed a short time ago. */
  async function takeChange(watched: Watched, id: ConversationId): Promise<ListedChange | undefined> {
    const handedOn = await shared.take(nameOf(watched.account), id);
    const here = watched.changed.get(id);
    watched.changed.delete(id);
    if (handedOn?.conversation !== undefined || here === undefined) return handedOn;
    // Another process may have listed a newer change.
    return here.mark === (handedOn?.mark ?? watched.shown.get(id)?.mark) ? here : handedOn;
  }

  /** What a list showed of a conversation a short time ago, whether it changed or not. */
  async function listedMark(watched: Watched, id: ConversationId): Promise<string | undefined> {
    const shown = watched.shown.get(id);
    if (shown !== undefined && now() - shown.atMs < watchBackstopMs) return shown.mark;
    const { atMs, marks } = await shared.listed(nameOf(watched.account));
    return now() - atMs < watchBackstopMs ? marks.get(id) : undefined;
  }

  function isStarting(): boolean {
    return now() - startedMs < firstListMs;
  }

  function goesOn(question: Question, paceMs: number, { isQuiet = false } = {}): number {
    const { conversationId, seenMark } = question.upstream;
    if (conversationId === undefined) return paceMs;
    const watched = watchedOf(accountOf(question));
    const known = watched.questions.get(question.id);
    forget(watched, known);
    // Twice the longest wait between two runs: a question that another process goes on with is dropped here.
    const untilMs = now() + 2 * listedRunMs;
    const going: Known = { questionId: question.id, conversationId, untilMs, seenMark };
    watched.questions.set(question.id, going);
    watched.byConversation.set(conversationId, (watched.byConversation.get(conversationId) ?? new Set()).add(going));
    const isAlone = watched.questions.size < fewestWatchedTogether || watched.leader === 'none';
    if (isAlone || question.cancel !== undefined) return paceMs;
    // Where lists carry no conversations, nothing is known to be seen, and each run reads.
    const isSeen = watched.carriesAll ? seenMark !== undefined && !isStarting() : known !== undefined;
    const isRare = isSeen && watched.carriesAll && watched.questions.size >= fewestRunRarely;
    if (isRare) going.shownMs = now();
    if (isRare && isQuiet) {
      going.untilMs = now() + 2 * quietRunMs;
      return Math.round((quietRunMs * (1 + random())) / 2);
    }
    // Not less: each of these runs then finds the check of who reads the card's steps old, and makes it.
    if (isRare) return Math.round(listedRunMs * (1 + random() / 10));
    // Not less: it is read only after that time, so an earlier run would have to wait a second time.
    if (!isSeen) return Math.round(firstListMs * (1 + random() / 10));
    return Math.round(watchBackstopMs * (0.9 + random() / 10));
  }

  function resumed(question: Question): void {
    goesOn(question, 0);
    const watched = watchedOf(accountOf(question));
    const known = watched.questions.get(question.id);
    if (known === undefined) return;
    watched.takesOver = true;
    known.shownMs = now();
    // An earlier process planned its next run.
    known.untilMs = now() + 2 * quietRunMs;
  }

  function leave(question: Question): void {
    const watched = accounts.get(nameOf(accountOf(question)));
    if (watched !== undefined) forget(watched, watched.questions.get(question.id));
  }

  async function tick(): Promise<void> {
    if (isStopped) return;
    await Promise.all([...accounts.values()].map(attend));
  }

  async function stop(): Promise<void> {
    isStopped = true;
    const led = [...accounts.values()].filter(({ leader }) => leader === 'this');
    await Promise.all(led.map(({ account }) => shared.resign(nameOf(account))));
  }

  /** A failure is no reason to stop: the next tick lists again, and questions that run late are read one by one. */
  async function attend(watched: Watched): Promise<void> {
    const name = nameOf(watched.account);
    dropOld(watched, now());
    await runOverdue(watched).catch((error: unknown) => {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'overdue_not_run', kind: error.kind }, error);
    });
    if (watched.questions.size === 0) accounts.delete(name);
    if (watched.questions.size < fewestWatchedTogether) return goOnAlone(watched);
    if (watched.isListing || now() < watched.notBeforeMs) return;
    watched.isListing = true;
    try {
      const leads = !watched.carriesAll || (await takeLead(watched));
      if (leads) watched.leader = 'this';
      else stopLeading(watched, 'other');
      if (leads) await list(watched);
      // The other processes have to list too, and find that out when they lead.
      if (leads && !watched.carriesAll) await shared.resign(name);
      watched.failures = 0;
    } catch (error) {
      if (!isAppError(error)) throw error;
      const isHeld = error.kind === 'rateLimited' && watched.pass !== undefined && holdPass(watched.pass, now());
      if (!isHeld) await failed(watched, error);
    } finally {
      watched.isListing = false;
    }
  }

  async function takeLead(watched: Watched): Promise<boolean> {
    if (isStopped) return false;
    const askedMs = now();
    const { takesOver } = watched;
    const leads = await shared.lead(nameOf(watched.account), watchLeaseMs, { takesOver });
    watched.takesOver = false;
    if (leads) watched.leadMs = askedMs;
    return leads;
  }

  /** Runs the questions that wait for longer than the backstop although no list showed what they had seen since. */
  async function runOverdue(watched: Watched): Promise<void> {
    const overdue = (): Known[] => overdueOf(watched, now() - watchBackstopMs, mostOverduePerTick);
    let waiting = overdue();
    if (watched.leader === 'other' && waiting.length > 0) {
      const { atMs, marks } = await shared.listed(nameOf(watched.account));
      for (const [id, mark] of marks) noteShown(watched, id, mark, Math.min(atMs, now()));
      waiting = overdue();
    }
    await Promise.all(waiting.map(runOnce));
  }

  /** The question may go on in another process, so it is run once until it goes on here. */
  async function runOnce(known: Known): Promise<void> {
    const { shownMs = now() } = known;
    delete known.shownMs;
    try {
      await scheduler.schedule(known.questionId, 0);
    } catch (error) {
      known.shownMs = shownMs;
      throw error;
    }
  }

  /** The few that are left wait for a list that no longer comes. They run now, and then at their own pace. */
  async function goOnAlone(watched: Watched): Promise<void> {
    const { leader, account, questions: left } = watched;
    if (leader === 'none' || watched.isListing) return;
    await Promise.all([...left.keys()].map((questionId) => scheduler.schedule(questionId, 0)));
    stopLeading(watched, 'none');
    if (leader === 'this') await shared.resign(nameOf(account));
  }

  /** Another process may list newer changes from now on. */
  function stopLeading(watched: Watched, leader: 'other' | 'none'): void {
    watched.leader = leader;
    watched.changed.clear();
    delete watched.pass;
  }

  /** Another process may be able to list. */
  async function failed(watched: Watched, error: AppError): Promise<void> {
    const { account, failures } = watched;
    stopLeading(watched, 'none');
    watched.failures += 1;
    watched.notBeforeMs = now() + exponentialMs(watched.failures, random(), watchBackstopMs);
    const fields = { event: 'changes_not_listed', kind: error.kind, failures: watched.failures };
    if (failures === 0) log.warn(fields, error);
    else log.debug(fields);
    await shared.resign(nameOf(account)).catch(() => undefined);
  }

  /**
   * Reads pages until the end of one shows nothing new. From time to time reads on until every running question was on a
   * page, so that a change that no page showed as new is not missed. That may take several ticks.
   */
  async function list(watched: Watched): Promise<void> {
    if (watched.pass?.isFirst === true) return goOnWithPass(watched);
    if (now() - watched.completeMs >= watchBackstopMs / 2) watched.pass ??= newPass(listable(watched), now());
    const beginning = watched.pass?.pages === 0 ? watched.pass : undefined;
    let most = Math.max(watched.firstPage, beginning === undefined ? 0 : longestPage(beginning));
    let changes = 0;
    const used = new Set<string>();
    let after: string | undefined;
    let newestMs: number | undefined;
    for (let pages = 0; pages < mostChangedPages; pages += 1) {
      const page = await readPage(watched, most, after, pages > 0);
      newestMs ??= Math.max(...page.conversations.map(({ updatedMs = 0 }) => updatedMs));
      const news = await takeNews(watched, page, newestMs - newsAgeMs);
      changes += news.size;
      after = page.next;
      const endsWithNews = page.conversations.slice(-unchangedAtEnd).some((each) => news.has(each));
      if (!endsWithNews || after === undefined || used.has(after)) break;
      used.add(after);
      most = Math.min(most * 4, mostListed);
    }
    // One page for all changes of a tick, if as many come again, and a few conversations while nothing changes.
    watched.firstPage = Math.min(fewestListed + 2 * changes, mostListed);
    if (beginning !== undefined) turnPage(beginning, after, now());
    if (watched.pass !== undefined) watched.pass.oldestMs = (newestMs ?? 0) - newsAgeMs;
    await goOnWithPass(watched);
  }

  /** Reads further pages of the pass, and notes its result when it has ended. */
  async function goOnWithPass(watched: Watched): Promise<void> {
    const { pass } = watched;
    if (pass === undefined) return;
    for (let pages = 0; pages < mostPassPages && !isOver(pass); pages += 1) {
      const page = await readPage(watched, mostListed, pass.after, true);
      await takeNews(watched, page, pass.oldestMs);
      turnPage(pass, page.next, now());
    }
    if (!isOver(pass)) return;
    delete watched.pass;
    // Also if some are missing: the order of the list changes while it is read, and the next one begins with them.
    watched.completeMs = pass.startedMs;
    for (const id of pass.missing) if (watched.byConversation.has(id)) watched.absent.add(id);
    const shown = { atMs: pass.startedMs, marks: pass.listed };
    if (watched.carriesAll) await shared.noteListed(nameOf(watched.account), shown);
  }

  /** Reads one page, and notes what it shows. */
  async function readPage(
    watched: Watched,
    most: number,
    after: string | undefined,
    isFurther: boolean,
  ): Promise<ListedPage> {
    const startedMs = now();
    // Several pages may take longer than the lease.
    const isLeaseOld = startedMs - watched.leadMs >= watchLeaseMs / 2;
    if (isFurther && watched.carriesAll && isLeaseOld) await takeLead(watched);
    const page = await deepSearch(watched.account).changes(most, after);
    watched.carriesAll = page.conversations.every(({ conversation }) => conversation !== undefined);
    for (const { id, mark } of page.conversations) {
      keepNewest(watched.shown, id, { mark, atMs: startedMs }, mostMarksKept);
      noteShown(watched, id, mark, startedMs);
      watched.absent.delete(id);
    }
    if (watched.pass !== undefined) notePage(watched.pass, page.conversations);
    return { ...page, startedMs };
  }

  function watchedOf(account: 'app' | Person): Watched {
    const name = nameOf(account);
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const created = newWatched(account);
    accounts.set(name, created);
    return created;
  }
}
