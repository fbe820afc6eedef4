import type { Config } from '../config.ts';
import type { Accounts } from '../core/accounts/accounts.ts';
import { createForgetChoices } from '../core/accounts/forget-choices.ts';
import { createAccountWaits } from '../core/accounts/waiting.ts';
import { createAskedQuestions } from '../core/history/asked-questions.ts';
import { createDurations } from '../core/history/durations.ts';
import { createOverview } from '../core/history/overview.ts';
import { createRecentUsage } from '../core/history/recent-usage.ts';
import { createAccept } from '../core/intake/accept.ts';
import { createDeliveryPriority, type DeliveryPriority } from '../core/intake/delivery-priority.ts';
import { createRequests, type Requests } from '../core/intake/requests.ts';
import type { LifecyclePorts } from '../core/lifecycle/lifecycle-ports.ts';
import type { Scheduler } from '../core/ports.ts';
import { createDailyCaps } from '../core/question/daily-caps.ts';
import { createRunSlots } from '../core/run-slots.ts';
import type { LifecycleSettings } from '../core/settings.ts';
import { within } from '../core/timeout.ts';
import { createWatching, type Watching } from '../core/watching/watching.ts';
import { createBullScheduler } from '../scheduler/bullmq.ts';
import { createTimerScheduler } from '../scheduler/timers.ts';
import { createChannelList } from '../slack/home/channel-list.ts';
import { createPresence, type Presence } from '../slack/home/surfaces.ts';
import { createAnswerReaders } from '../slack/messages/answer-readers.ts';
import { namesPatienceMs } from '../slack/settings.ts';
import { createThreadReader } from '../slack/threads/thread-reader.ts';
import type { AppContext } from './context.ts';
import type { DeepSearchAccess } from './deep-search.ts';
import { shortDigest } from './digest.ts';
import type { SlackParts } from './slack.ts';

/** The parts that handle a question from its acceptance to its end. */
export interface Lifecycle {
  ports: LifecyclePorts;
  deliveryPriority: DeliveryPriority;
  /** Its tick lists the changes of accounts with many running questions. */
  watching: Watching;
  scheduler: Scheduler;
  accept: ReturnType<typeof createAccept>;
  requests: Requests;
  /** Home, agent sessions and prompts. They show the state of each question. */
  presence: Presence;
  overviewOf: ReturnType<typeof createOverview>;
}

/** Connects the core to Slack, the code search service and the storage. Starts nothing. */
export function createLifecycle(
  { config, log, now, random, storage, accountChanges, audit, tasks }: AppContext,
  { slack, accessControl, accountViews, messenger, read, readFile }: SlackParts,
  deepSearch: DeepSearchAccess,
  accounts: Accounts,
): Lifecycle {
  const { questions, threads, claims, visits, refusedTexts, threadNotes, addedMentions } = storage;
  const scheduler =
    config.REDIS_URL === undefined
      ? createTimerScheduler({ clock: now, log, random })
      : createBullScheduler({ redisUrl: config.REDIS_URL.reveal(), log, random });
  const askedQuestions = createAskedQuestions(storage.askedQuestions);
  const runSlots = createRunSlots(storage.runSlots, {
    perWorkspace: config.RUNNING_PER_WORKSPACE,
    perPerson: config.RUNNING_PER_PERSON,
  });
  const overviewOf = createOverview({ askedQuestions, questions, threads, runSlots, now });
  const recentUsage = createRecentUsage({ store: storage.audit, now, log });
  const presence = createPresence({
    slack,
    accessPolicy: accessControl.access,
    overviewOf,
    serviceState: deepSearch.state,
    channelsOf: createChannelList({ slack, chosen: accessControl.chosenRules, log, now }),
    accountOf: accountViews.of,
    usageOf: (userId, onCounted) =>
      config.ADMINS?.includes(userId) === true ? (recentUsage(onCounted) ?? 'counting') : undefined,
    visits,
    threads,
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
  const watching = createWatching({
    deepSearch: deepSearch.of,
    claims,
    questions,
    scheduler,
    shared: storage.sharedWatch,
    now,
    random,
    log,
  });
  const deliveryPriority = createDeliveryPriority(() => performance.now());
  const ports: LifecyclePorts = {
    accessPolicy: accessControl.access,
    dailyCaps: createDailyCaps({
      counts: storage.dayCounts,
      settings: { perPerson: config.QUESTIONS_PER_PERSON_PER_DAY, perChannel: config.QUESTIONS_PER_CHANNEL_PER_DAY },
      isExempt: accessControl.admins.isAdmin,
    }),
    channelRules: accessControl.channelRules,
    threadReader: createThreadReader({
      slack,
      access: accessControl.access,
      memberships: accessControl.memberships,
      read,
      readFile,
      threadNotes,
      questions,
    }),
    durations: createDurations(storage.durations),
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
    observer: presence.observer,
    audit,
    questions,
    threads,
    claims,
    runSlots,
    deepSearch: deepSearch.of,
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
    log,
    now,
    random,
    settings: lifecycleSettings(config),
  };
  const accept = createAccept({ ...ports, digest: shortDigest });
  const requests: Requests = createRequests({ ...ports, accept, digest: shortDigest, addedMentions });
  return { ports, deliveryPriority, watching, scheduler, accept, requests, presence, overviewOf };
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
