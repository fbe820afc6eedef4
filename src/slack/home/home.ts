import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Person, personName } from '../../core/accounts/accounts.ts';
import { type AppError, isAppError, isTransient } from '../../core/errors.ts';
import type { Visit } from '../../core/history/lists.ts';
import { within } from '../../core/pacing.ts';
import type { Admission } from '../../core/ports.ts';
import type { Question } from '../../core/question/question.ts';
import { visitLifeMs } from '../../core/settings.ts';
import { type HomeContent, renderHome, type ShownChannel } from '../../render/home.ts';
import { sayIn } from '../../render/say.ts';
import { createBriefCache } from '../access/brief-cache.ts';
import { createOptional } from '../api/optional-features.ts';
import { anyWorkspaceUrl } from '../api/slack-api.ts';
import { createReconciler } from '../background-tasks.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import { readOverview } from '../reports/reports.ts';
import {
  channelListCachedMs,
  channelListPatienceMs,
  channelsListed,
  homeGatherMs,
  homePatienceMs,
  mostChannelLists,
  mostHomes,
  mostPromptsRemembered,
  promptsStandMs,
} from '../settings.ts';
import { shownAccountOf } from './accounts.ts';

/** One person's Home, with the channel of their direct messages with the app. */
interface HomeOf {
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

/** `private` for a person who opens their Home, `edit` for later updates, which Slack's limits drop first. */
type Priority = 'private' | 'edit';

/** The state of one person's Home. */
interface ShownHome {
  home: HomeOf;
  /** The person waits for it. */
  isUrgent: boolean;
  shownMs: number;
  /** The person opened Home, and the visit is not stored yet. */
  isVisit: boolean;
  /** The reference of a press that was not carried out. */
  notCancelled: string | undefined;
  /** The last try failed and was put off. After a second failure in a row, there is no further try. */
  wasPutOff: boolean;
}

/** Publishes Homes, each time from the stored state. */
export function createHome(w: WorkspaceContext): Home {
  const { slack, visits, tasks, now, log } = w;
  const everyMs = w.settings.cardEditMs;
  const channelsOf = createChannelList(w);
  const shownHomes = new Map<string, ShownHome>();
  const reconciler = createReconciler({
    run: publish,
    soonMs: (name) => Math.max(homeGatherMs, (shownHomes.get(name)?.shownMs ?? 0) + everyMs - now()),
    tasks,
    failure: { event: 'home_failed' },
    log,
  });
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
    request(shownHomeOf(home), 'soon');
  }

  /** Undefined for people who have not opened Home for a long time. */
  async function homeOf(person: Omit<HomeOf, 'channelId'>): Promise<HomeOf | undefined> {
    const visit = await visits.get(personName(person));
    const isAdvancing = visit !== undefined && now() - visit.openedMs <= visitLifeMs;
    return isAdvancing ? { ...person, channelId: visit.channelId } : undefined;
  }

  function stop(): void {
    isStopped = true;
    reconciler.stop();
  }

  function shownHomeOf(home: HomeOf): ShownHome {
    tidy();
    const shownHome = shownHomes.get(personName(home)) ?? {
      home,
      isUrgent: false,
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
      if (reconciler.isIdle(name) && now() - shownHome.shownMs > everyMs) shownHomes.delete(name);
    }
  }

  function request(shownHome: ShownHome, when: 'now' | 'soon'): void {
    if (when === 'now') shownHome.isUrgent = true;
    void reconciler.want(personName(shownHome.home), when);
  }

  async function publish(name: string): Promise<number | undefined> {
    const shownHome = shownHomes.get(name);
    if (shownHome === undefined) return undefined;
    const priority = shownHome.isUrgent ? 'private' : 'edit';
    shownHome.isUrgent = false;
    try {
      await build(shownHome, priority);
      shownHome.wasPutOff = false;
      return undefined;
    } catch (error) {
      if (!isAppError(error)) throw error;
      return failed(shownHome, error);
    } finally {
      shownHome.shownMs = now();
    }
  }

  /** A failed update is tried once more. After that, Home stays as it is until the next change. */
  function failed(shownHome: ShownHome, error: AppError): number | undefined {
    const isWorthATry = isTransient(error) && !shownHome.wasPutOff && !isStopped;
    shownHome.wasPutOff = isWorthATry;
    const said = { event: 'home_not_shown', outcome: isWorthATry ? 'put_off' : 'left', kind: error.kind };
    if (error.kind === 'rateLimited') log.debug(said);
    else log.warn(said, error);
    return isWorthATry ? Math.max(everyMs, error.retryAfterMs ?? 0) : undefined;
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
      readOverview(w, home, 'home_not_read'),
      w.serviceState(),
      shownAccountOf(w, home),
      channelsOf(home),
      w.repositoriesFor(home),
    ]);
    const usage = w.usageOf(home.userId, () => request(shownHome, 'soon'));
    const choices = await quietly('choices_not_read', () => w.readerChoices.get(personName(home)));
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
      return await w.accessPolicy.admit(userId, { teamId, channelId });
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

/** What is read of a list of conversations. Others than channels are left out. */
const listed = z.object({
  channels: z.array(
    z.object({
      id: z.string().regex(/^[CG][A-Z0-9]{1,29}$/),
      name: z.string().default(''),
      is_private: z.boolean().default(true),
      is_im: z.boolean().optional(),
      is_mpim: z.boolean().optional(),
    }),
  ),
});

interface ListedChannel {
  id: string;
  name: string;
}

/** The name under which the app's public channels are cached. No person has it. */
const everyones = '';

/**
 * The channels of the app that a person may see: public ones, and private ones that both are in. Each list is one call
 * of `users.conversations` and is cached for a minute. Only full members may be told the public ones, so this is for
 * people who may see Home. Undefined if Slack or the storage does not answer in time.
 */
function createChannelList({
  slack,
  chosenRules,
  now,
  log,
}: WorkspaceContext): (person: Person) => Promise<ShownChannel[] | undefined> {
  const lists = createBriefCache({ keepMs: channelListCachedMs, most: mostChannelLists, now, load });

  return async function channelsOf({ teamId, userId }) {
    try {
      return await within(rows(teamId, userId), channelListPatienceMs);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'channels_not_listed', kind: error.kind });
      return undefined;
    }
  };

  async function rows(teamId: string, userId: string): Promise<ShownChannel[]> {
    const [open, own] = await Promise.all([lists.get(everyones), lists.get(userId)]);
    const channels = [...open, ...own].toSorted((one, other) => one.name.localeCompare(other.name));
    return Promise.all(
      channels.map(async ({ id }) => {
        const rules = await chosenRules.of({ teamId, channelId: id });
        return { id, rules: rules === undefined ? 'usual' : rules.isOn ? 'own' : 'off' };
      }),
    );
  }

  /** With `user`, Slack returns only the private channels that the app is in too. */
  async function load(userId: string): Promise<ListedChannel[]> {
    const isPrivate = userId !== everyones;
    const reply = await slack.call(
      'users.conversations',
      {
        types: isPrivate ? 'private_channel' : 'public_channel',
        exclude_archived: true,
        limit: channelsListed,
        ...(isPrivate ? { user: userId } : {}),
      },
      { priority: 'edit' },
    );
    const parsed = listed.safeParse(reply);
    if (!parsed.success) return [];
    return parsed.data.channels.filter(
      (each) => each.is_private === isPrivate && each.is_im !== true && each.is_mpim !== true,
    );
  }
}

export interface Prompts {
  /**
   * Suggests first questions in the person's Messages tab, once a day, and at the next visit if that failed or there was
   * no room for it. Returns at once and never throws.
   */
  suggest(visitor: HomeOf): void;
}

/** Suggests prompts in each person's language. The manifest has English ones. Workspaces may lack the feature. */
export function createPrompts({ slack, accessPolicy, now, log }: WorkspaceContext): Prompts {
  const optional = createOptional({ feature: 'suggested_prompts', now, log });
  const suggestedMs = new LRUCache<string, number>({ max: mostPromptsRemembered });

  return {
    suggest(visitor) {
      const { channelId } = visitor;
      if (optional.isLacking() || now() - (suggestedMs.get(channelId) ?? 0) < promptsStandMs) return;
      suggestedMs.set(channelId, now());
      offer(visitor).catch((error: unknown) => {
        suggestedMs.delete(channelId);
        if (isAppError(error)) log.debug({ event: 'prompts_not_suggested', kind: error.kind });
        else log.error({ event: 'prompts_failed' }, error);
      });
    },
  };

  async function offer({ userId, teamId, channelId }: HomeOf): Promise<void> {
    const { may, locale } = await accessPolicy.admit(userId, { teamId, channelId });
    if (!may) return;
    const { home } = sayIn(locale);
    const prompts = [
      { title: home.promptOverviewTitle(), message: home.promptOverview() },
      { title: home.promptWhereTitle(), message: home.promptWhere() },
      { title: home.promptChangesTitle(), message: home.promptChanges() },
      { title: home.promptHowTitle(), message: home.promptHow() },
    ];
    // Without a thread, Slack shows them at the top of the Messages tab.
    const { is } = await optional.attempt(() =>
      slack.call('assistant.threads.setSuggestedPrompts', { channel_id: channelId, prompts }, { priority: 'edit' }),
    );
    if (is === 'noRoom') suggestedMs.delete(channelId);
  }
}
