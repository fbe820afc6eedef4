import type { Config } from '../config.ts';
import { createForgetChoices } from '../core/accounts/forget-choices.ts';
import { createAccountWaits } from '../core/accounts/waiting.ts';
import { isAppError } from '../core/errors.ts';
import { createAskedQuestions } from '../core/history/asked-questions.ts';
import { createDurations } from '../core/history/durations.ts';
import { createOverview } from '../core/history/overview.ts';
import { createRecentUsage } from '../core/history/recent-usage.ts';
import { createAccept } from '../core/intake/accept.ts';
import { createRequests, type Requests } from '../core/intake/requests.ts';
import type { LifecyclePorts } from '../core/lifecycle/lifecycle-ports.ts';
import type { Records } from '../core/ports.ts';
import { createDailyCaps } from '../core/question/daily-caps.ts';
import { createDailyStorage } from '../core/question/daily-storage.ts';
import { isInThread } from '../core/question/question.ts';
import type { ServiceKey } from '../core/question/service-ids.ts';
import { createRunSlots } from '../core/run-slots.ts';
import type { LifecycleSettings } from '../core/settings.ts';
import { within } from '../core/timeout.ts';
import { createChannelList } from '../slack/home/channel-list.ts';
import { createPresence, type Presence } from '../slack/home/surfaces.ts';
import { createAnswerReaders } from '../slack/messages/answer-readers.ts';
import { type AttendanceKeeper, createAttendanceKeeper } from '../slack/missed/attendance-keeper.ts';
import { namesPatienceMs } from '../slack/settings.ts';
import { createThreadReader } from '../slack/threads/thread-reader.ts';
import type { AppContext } from './context.ts';
import { shortDigest } from './digest.ts';
import type { SharedParts } from './shared.ts';
import type { SlackParts } from './slack.ts';

/** The parts that handle a question from its acceptance to its end. */
export interface Lifecycle {
  ports: LifecyclePorts;
  accept: ReturnType<typeof createAccept>;
  requests: Requests;
  /** Home, agent sessions and prompts. They show the state of each question. */
  presence: Presence;
  overviewOf: ReturnType<typeof createOverview>;
  attendance: AttendanceKeeper;
}

/** Connects the core to one workspace, the code search service and the storage. Starts nothing. */
export function createLifecycle(
  { config, log, tracer, now, random, storage, accountChanges, audit, tasks }: AppContext,
  { slack, accessControl, accountViews, messenger, read, readFile }: SlackParts,
  { accounts, deepSearch, ownService, scheduler, watching, deliveryPriority }: SharedParts,
): Lifecycle {
  const { questions, threads, claims, visits, refusedTexts, threadNotes } = storage;
  const askedQuestions = createAskedQuestions(storage.askedQuestions);
  const runSlots = createRunSlots(storage.runSlots, {
    perWorkspace: config.RUNNING_PER_WORKSPACE,
    perPerson: config.RUNNING_PER_PERSON,
  });
  const attendance = createAttendanceKeeper({ attendance: storage.attendance, teamId: slack.identity.teamId, now });
  const overviewOf = createOverview({ askedQuestions, questions, threads, runSlots, now });
  const recentUsage = createRecentUsage({ store: storage.audit, teamId: slack.identity.teamId, now, log });
  const repositoriesFor = createRepositoriesFor(accounts, deepSearch);
  const presence = createPresence({
    slack,
    accessPolicy: accessControl.access,
    overviewOf,
    serviceState: deepSearch.state,
    channelsOf: createChannelList({ slack, chosen: accessControl.chosenRules, log, now }),
    accountOf: accountViews.of,
    usageOf: (userId, onCounted) =>
      config.ADMINS?.includes(userId) === true ? (recentUsage(onCounted) ?? 'counting') : undefined,
    repositoriesFor,
    readerChoices: storage.readerChoices,
    visits,
    threads,
    questions,
    sessionMarks: storage.sessionMarks,
    claims,
    everyMs: config.CARD_EDIT_MS,
    tasks,
    now,
    log,
  });
  accountChanges.listen(presence.home.accountChanged);
  const forgetChoices = createForgetChoices({ accounts, readerChoices: storage.readerChoices });
  accountChanges.listen((person) => {
    void tasks.run({ event: 'choices_not_forgotten', userId: person.userId }, () => forgetChoices(person));
  });
  const accountWaits = createAccountWaits({ accountWaits: storage.accountWaits, scheduler, now });
  // A question that is not woken finds the account by itself soon.
  accountChanges.listen((person) => void tasks.run({ event: 'waiting_not_woken' }, () => accountWaits.wake(person)));
  const ports: LifecyclePorts = {
    accessPolicy: accessControl.access,
    dailyCaps: createDailyCaps({
      counts: storage.dayCounts,
      settings: { perPerson: config.QUESTIONS_PER_PERSON_PER_DAY, perChannel: config.QUESTIONS_PER_CHANNEL_PER_DAY },
      isExempt: accessControl.admins.isAdmin,
    }),
    dailyStorage: createDailyStorage(storage.dayCounts),
    channelRules: accessControl.channelRules,
    repositoriesFor,
    threadReader: createThreadReader({
      slack,
      access: accessControl.access,
      memberships: accessControl.memberships,
      read,
      readFile,
      threadNotes,
      questions,
    }),
    durations: createDurations(atService(storage.durations, ownService)),
    askedQuestions,
    refusedTexts,
    readerChoices: storage.readerChoices,
    answerReaders: createAnswerReaders({
      slack,
      audiences: accessControl.audiences,
      endpoint: config.SRC_ENDPOINT,
      deepSearch: () => ports.deepSearch('app'),
      showWithheld: (...showing) => requests.showWithheld(...showing),
      log,
    }),
    observer: {
      ...presence.observer,
      changed(question) {
        // Also the threads that begin with a command, a form or a shortcut, where no message is heard.
        if (isInThread(question.place)) attendance.heard(question.place);
        presence.observer.changed(question);
      },
    },
    audit,
    questions,
    threads,
    claims,
    runSlots,
    deepSearch: deepSearch.of,
    ownService,
    watching,
    accounts,
    accountWaits,
    nameOf: async (userId) =>
      (
        await within(
          accessControl.people.person(userId).catch(() => undefined),
          namesPatienceMs,
        )
      )?.name,
    messenger,
    scheduler,
    deliveryPriority,
    tracer,
    log,
    now,
    random,
    settings: lifecycleSettings(config),
  };
  const accept = createAccept({ ...ports, digest: shortDigest });
  const requests: Requests = createRequests({ ...ports, accept, digest: shortDigest });
  return { ports, accept, requests, presence, overviewOf, attendance };
}

/** Lists what a person's questions can search: with their own account if they use one. */
function createRepositoriesFor(
  accounts: Pick<SharedParts['accounts'], 'mode' | 'statusOf'>,
  { repositories }: Pick<SharedParts['deepSearch'], 'repositories'>,
): LifecyclePorts['repositoriesFor'] {
  return async (person) => {
    if (accounts.mode === 'shared') return repositories.list('app');
    try {
      const { state } = await accounts.statusOf(person);
      if (state === 'connected') return await repositories.list(person);
      return accounts.mode === 'preferred' ? await repositories.list('app') : undefined;
    } catch (error) {
      if (!isAppError(error)) throw error;
      return undefined;
    }
  };
}

/** How long answers take depends on the service, so each has its own records. */
function atService<T>(records: Records<T>, ownService: ServiceKey | undefined): Records<T> {
  if (ownService === undefined) return records;
  return {
    get: (teamId) => records.get(`${teamId}:${ownService}`),
    update: (teamId, ...change) => records.update(`${teamId}:${ownService}`, ...change),
  };
}

function lifecycleSettings(config: Config): LifecycleSettings {
  return {
    pacing: {
      firstPollMs: config.POLL_FIRST_MS,
      minMs: config.POLL_MIN_MS,
      maxMs: config.POLL_MAX_MS,
      fraction: config.POLL_PERCENT / 100,
      jitter: 0.1,
      patienceMs: config.PATIENCE_SECONDS * 1000,
    },
    cardEditMs: config.CARD_EDIT_MS,
    threadLimit: config.THREAD_LIMIT,
    lateCallMs: config.LATE_CALL_SECONDS * 1000,
    accounts: config.ACCOUNTS,
  };
}
