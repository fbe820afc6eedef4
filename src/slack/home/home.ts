import type { AccessPolicy, Admission } from '../../core/access-policy.ts';
import { type Person, personName } from '../../core/accounts/accounts.ts';
import { type AppError, isAppError, isTransient } from '../../core/errors.ts';
import type { Visit } from '../../core/history/home-visits.ts';
import type { Overview } from '../../core/history/overview.ts';
import type { Clock, Log, Records } from '../../core/ports.ts';
import type { Question } from '../../core/question/question.ts';
import type { ReaderChoices } from '../../core/question/reader-choices.ts';
import { visitLifeMs } from '../../core/settings.ts';
import { within } from '../../core/timeout.ts';
import type { ShownAccount } from '../../render/accounts.ts';
import type { ShownChannel, ShownUsage } from '../../render/home.ts';
import { type HomeContent, type ReadOverview, renderHome, type ServiceState } from '../../render/home.ts';
import { anyWorkspaceUrl } from '../api/identity.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { logFailure } from '../failure-log.ts';
import { homeGatherMs, homePatienceMs, mostHomes } from '../settings.ts';

/** One person's Home, with the channel of their direct messages with the app. */
export interface HomeOf {
  teamId: string;
  userId: string;
  channelId: string;
}

export interface Home {
  /** Shows a person their Home now. Returns at once and never throws. */
  show(home: HomeOf): void;
  /**
   * Shows on Home the result of a press there; `failure` is the reference of a press that was not carried out. Calls
   * `otherwise` when Home can't show it, because no visit of the person is stored.
   */
  showAction(person: Omit<HomeOf, 'channelId'>, failure: string | undefined, otherwise: () => void): void;
  /** Updates the asker's Home soon, if they opened it lately. Returns at once and never throws. */
  changed(question: Question): void;
  /** Shows a person's account on their Home soon, if they opened it lately. Returns at once and never throws. */
  accountChanged(person: Person): void;
  /** Starts nothing new. */
  stop(): void;
}

export interface HomeDeps {
  slack: SlackApi;
  accessPolicy: AccessPolicy;
  overviewOf: (teamId: string, userId: string) => Promise<Overview>;
  serviceState: () => Promise<ServiceState>;
  /** Never throws `AppError`. */
  accountOf: (person: Person) => Promise<ShownAccount>;
  /** The channels of the app that a person may see. Undefined if Slack did not say in time. Never throws `AppError`. */
  channelsOf: (person: Person) => Promise<ShownChannel[] | undefined>;
  /**
   * The recent use, for people who may see it. Undefined for others. Calls `onCounted` once when newer numbers are there.
   * Absent: for no one.
   */
  usageOf?: (userId: string, onCounted: () => void) => ShownUsage | undefined;
  /** As in the ports of the lifecycle. Absent: not listed. */
  repositoriesFor?: (person: Person) => Promise<string[] | undefined>;
  readerChoices: Pick<Records<ReaderChoices>, 'get'>;
  visits: Records<Visit>;
  /** Shortest time between two automatic updates of one Home. */
  everyMs: number;
  tasks: Pick<BackgroundTasks, 'run'>;
  now: Clock;
  log: Log;
}

/** `private` for a person who opens their Home, `edit` for later updates, which Slack's limits drop first. */
type Priority = 'private' | 'edit';

/** The state of one person's Home. One call at a time is under way, so an older state never replaces a newer one. */
interface ShownHome {
  home: HomeOf;
  isBusy: boolean;
  /** What was requested during the call. */
  next?: 'now' | 'later';
  timer?: NodeJS.Timeout;
  shownMs: number;
  /** The person opened Home, and the visit is not stored yet. */
  isVisit: boolean;
  /** The reference of a press that was not carried out. */
  notCancelled: string | undefined;
  /** The last try failed and was put off. After a second failure in a row, there is no further try. */
  wasPutOff: boolean;
}

/** Publishes Homes, each time from the stored state. */
export function createHome(deps: HomeDeps): Home {
  const { slack, accessPolicy, overviewOf, serviceState, accountOf, channelsOf, visits, everyMs, tasks, now, log } =
    deps;
  const shownHomes = new Map<string, ShownHome>();
  let isStopped = false;

  return { show, showAction, changed, accountChanged, stop };

  function show(home: HomeOf): void {
    const shownHome = shownHomeOf(home);
    shownHome.isVisit = true;
    request(shownHome, 'now');
  }

  function showAction(person: Omit<HomeOf, 'channelId'>, failure: string | undefined, otherwise: () => void): void {
    const showAgain = async (): Promise<void> => {
      const known = shownHomes.get(personName(person))?.home ?? (await quietly('visit_not_read', () => homeOf(person)));
      if (known === undefined) return otherwise();
      const shownHome = shownHomeOf(known);
      shownHome.notCancelled = failure ?? shownHome.notCancelled;
      request(shownHome, 'now');
    };
    follow(showAgain);
  }

  function changed({ place: { teamId }, askerId: userId, admittedMs, origin }: Question): void {
    if (admittedMs === undefined || origin === 'shared' || isStopped) return;
    follow(() => bringUpToDate({ teamId, userId }));
  }

  function accountChanged(person: Person): void {
    if (!isStopped) follow(() => bringUpToDate(person));
  }

  async function bringUpToDate(person: Person): Promise<void> {
    const home = await homeOf(person);
    if (home === undefined) return;
    if (shownHomes.size >= mostHomes && !shownHomes.has(personName(home)))
      return log.debug({ event: 'home_left_out', teamId: person.teamId });
    request(shownHomeOf(home), 'later');
  }

  /** Undefined for people who have not opened Home for a long time. */
  async function homeOf(person: Omit<HomeOf, 'channelId'>): Promise<HomeOf | undefined> {
    const visit = await visits.get(personName(person));
    const isAdvancing = visit !== undefined && now() - visit.openedMs <= visitLifeMs;
    return isAdvancing ? { ...person, channelId: visit.channelId } : undefined;
  }

  function stop(): void {
    isStopped = true;
    for (const shownHome of shownHomes.values()) clearTimeout(shownHome.timer);
  }

  function shownHomeOf(home: HomeOf): ShownHome {
    tidy();
    const shownHome = shownHomes.get(personName(home)) ?? {
      home,
      isBusy: false,
      shownMs: 0,
      isVisit: false,
      notCancelled: undefined,
      wasPutOff: false,
    };
    shownHomes.set(personName(home), shownHome);
    shownHome.home = home;
    return shownHome;
  }

  /** Forgets people without waiting work, unless their Home was just shown. */
  function tidy(): void {
    if (shownHomes.size < mostHomes) return;
    for (const [name, shownHome] of shownHomes) {
      const isIdle = !shownHome.isBusy && shownHome.timer === undefined && now() - shownHome.shownMs > everyMs;
      if (isIdle) shownHomes.delete(name);
    }
  }

  function request(shownHome: ShownHome, when: 'now' | 'later'): void {
    if (isStopped) return;
    if (shownHome.isBusy) {
      shownHome.next = when === 'now' ? 'now' : (shownHome.next ?? 'later');
    } else if (when === 'now') {
      clearTimeout(shownHome.timer);
      delete shownHome.timer;
      follow(() => publish(shownHome, 'private'));
    } else if (shownHome.timer === undefined) {
      putOff(shownHome, Math.max(homeGatherMs, shownHome.shownMs + everyMs - now()));
    }
  }

  function putOff(shownHome: ShownHome, delayMs: number): void {
    shownHome.timer = setTimeout(() => {
      delete shownHome.timer;
      follow(() => publish(shownHome, 'edit'));
    }, delayMs);
    shownHome.timer.unref();
  }

  async function publish(shownHome: ShownHome, priority: Priority): Promise<void> {
    shownHome.isBusy = true;
    try {
      await build(shownHome, priority);
      shownHome.wasPutOff = false;
    } catch (error) {
      if (!isAppError(error)) throw error;
      failed(shownHome, error);
    } finally {
      shownHome.isBusy = false;
      shownHome.shownMs = now();
      const { next } = shownHome;
      delete shownHome.next;
      if (next !== undefined) request(shownHome, next);
    }
  }

  /** A failed update is tried once more. After that, Home stays as it is until the next change. */
  function failed(shownHome: ShownHome, error: AppError): void {
    const isWorthATry = isTransient(error) && !shownHome.wasPutOff && !isStopped;
    shownHome.wasPutOff = isWorthATry;
    const said = { event: 'home_not_shown', outcome: isWorthATry ? 'put_off' : 'left', kind: error.kind };
    if (error.kind === 'rateLimited') log.debug(said);
    else log.warn(said, error);
    if (isWorthATry && shownHome.timer === undefined) putOff(shownHome, Math.max(everyMs, error.retryAfterMs ?? 0));
  }

  async function build(shownHome: ShownHome, priority: Priority): Promise<void> {
    const { home, isVisit, notCancelled } = shownHome;
    shownHome.isVisit = false;
    shownHome.notCancelled = undefined;
    const admitting = admissionOf(home, isVisit);
    const inTime = await within(admitting, homePatienceMs);
    // A new Home must not stay empty, so it shows that the person is being checked.
    if (inTime === undefined && isVisit) await send(home, { kind: 'checking' }, undefined, priority);
    const admission = inTime ?? (await admitting);
    const { locale } = admission;
    if (!admission.may) {
      const { reason } = admission;
      const reference = logFailure(log, 'info', { event: 'home_refused', outcome: reason, userId: home.userId });
      return send(home, { kind: 'refused', reason, reference }, locale, priority);
    }
    // The visit is stored before the questions are read, so that later changes update this Home.
    if (isVisit) await noteVisit(home);
    const [read, service, account, channels, repositories] = await Promise.all([
      readOverview(home),
      serviceState(),
      accountOf(home),
      channelsOf(home),
      deps.repositoriesFor?.(home),
    ]);
    const usage = deps.usageOf?.(home.userId, () => request(shownHome, 'later'));
    const choices = await quietly('choices_not_read', () => deps.readerChoices.get(personName(home)));
    const alwaysHere = choices?.channels;
    await send(
      home,
      { kind: 'shown', ...read, service, account, channels, repositories, alwaysHere, usage, notCancelled },
      locale,
      priority,
    );
  }

  /** When Slack does not say who a visitor is, they are refused. Without a visit, Home stays as it is. */
  async function admissionOf({ userId, teamId, channelId }: HomeOf, isVisit: boolean): Promise<Admission> {
    try {
      return await accessPolicy.admit(userId, { teamId, channelId });
    } catch (error) {
      if (!isAppError(error) || !isVisit) throw error;
      log.warn({ event: 'home_visitor_unknown', kind: error.kind }, error);
      return { may: false, reason: 'unknownPerson' };
    }
  }

  async function noteVisit(home: HomeOf): Promise<void> {
    const visit: Visit = { version: 1, openedMs: now(), channelId: home.channelId };
    await quietly('visit_not_noted', () => visits.update(personName(home), () => visit));
  }

  async function readOverview({ teamId, userId }: HomeOf): Promise<ReadOverview> {
    try {
      return { overview: await overviewOf(teamId, userId) };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { unreadable: logFailure(log, 'warn', { event: 'home_not_read', kind: error.kind }, error) };
    }
  }

  async function quietly<Result>(event: string, run: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event, kind: error.kind }, error);
      return undefined;
    }
  }

  async function send(
    { userId }: HomeOf,
    content: HomeContent,
    locale: string | undefined,
    priority: Priority,
  ): Promise<void> {
    const { botUserId, contact, workspaceUrl = anyWorkspaceUrl } = slack.identity;
    const view = renderHome(content, { locale, botUserId, workspaceUrl, contact });
    await slack.call('views.publish', { user_id: userId, view }, { priority });
  }

  function follow(work: () => Promise<void>): void {
    void tasks.run({ event: 'home_failed' }, work);
  }
}
