import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Accounts, Person } from '../core/accounts/accounts.ts';
import { createEndDeparted, forgetChoices } from '../core/accounts/connecting.ts';
import { wakeWaiting } from '../core/accounts/waiting.ts';
import type { Core } from '../core/context.ts';
import { isAppError } from '../core/errors.ts';
import { createAskedQuestions, createDurations } from '../core/history/lists.ts';
import { createRecentUsage } from '../core/history/usage.ts';
import { advance } from '../core/lifecycle/advance.ts';
import { within } from '../core/pacing.ts';
import type { QuestionObserver } from '../core/ports.ts';
import { createDailyCaps } from '../core/question/daily-caps.ts';
import { createPreviewRule } from '../core/question/link-previews.ts';
import { isInThread } from '../core/question/question.ts';
import { dayMs } from '../core/record.ts';
import { createRunSlots } from '../core/run-slots.ts';
import type { Secret } from '../core/secret.ts';
import { cardEditMs, type LifecycleSettings, lateCallMs, readEveryMs, threadLimit } from '../core/settings.ts';
import { createWatching, type Watching } from '../core/watching/watching.ts';
import type { Installation } from '../core/workspaces/installations.ts';
import { createHealth, type FarSide, type Health } from '../observability/health.ts';
import type { CountedScheduler } from '../scheduler/counted-scheduler.ts';
import { repeat } from '../scheduler/repeat.ts';
import { createTimerScheduler } from '../scheduler/timers.ts';
import { createAccessControl } from '../slack/access/access-control.ts';
import { createReader, createUserGroups } from '../slack/access/mention-names.ts';
import { createAgentSessions } from '../slack/agent-sessions/agent-sessions.ts';
import { isTokenRefused } from '../slack/api/errors.ts';
import { createMethodLimits } from '../slack/api/method-limits.ts';
import {
  createSlackApi,
  type Identity,
  learnIdentity,
  type SlackApi,
  type SlackApiDeps,
} from '../slack/api/slack-api.ts';
import {
  clientFetch,
  createClientSource,
  createLibraryLogger,
  createWebClient,
  traceOutbound,
  webClientOptions,
} from '../slack/api/web-client.ts';
import { createBoltApp } from '../slack/bolt-app.ts';
import type { SlackContext, WorkspaceContext } from '../slack/context.ts';
import { createHome, createPrompts } from '../slack/home/home.ts';
import type { ListenerContext } from '../slack/listeners/frame.ts';
import { createHandleMessage } from '../slack/listeners/message.ts';
import { canOpen, countReaders, showPrivately } from '../slack/messages/answer-readers.ts';
import { createAnswerUpdates } from '../slack/messages/answer-updates.ts';
import { createMessenger } from '../slack/messages/messenger.ts';
import { createAttendanceKeeper } from '../slack/missed/attendance-keeper.ts';
import { createCatchUp } from '../slack/missed/catch-up.ts';
import type { Processor } from '../slack/receivers/socket-receiver.ts';
import { createMessageLog } from '../slack/reports/message-log.ts';
import { attendanceEveryMs, namesPatienceMs, sessionsEveryMs } from '../slack/settings.ts';
import { createFileReader } from '../slack/threads/thread-files.ts';
import { createThreadNoteKeeper } from '../slack/threads/thread-note-keeper.ts';
import { readThread } from '../slack/threads/thread-reader.ts';
import { createUnfurls } from '../slack/unfurls/unfurls.ts';
import { claimLifeMs } from '../storage/record-kinds.ts';
import type { AppContext } from './context.ts';
import type { DeepSearchAccess } from './deep-search.ts';
import { createDoctor } from './doctor.ts';

/** How often the list of the workspace's people is checked, in milliseconds. Most checks find nothing to do. */
const tendEveryMs = 10_000;

/**
 * How often the app looks for people with accounts whose leaving it did not notice, in milliseconds, and when it does so
 * first: the list of people has to be read by then.
 */
const departuresEveryMs = 15 * 60_000;
const departuresFirstMs = 60_000;

/** When the app first looks for what it missed, in milliseconds: after it began to receive. */
const missedFirstMs = 1_000;

/**
 * All parts of the app that know one workspace, or one organization that installed the app for its workspaces. What they
 * keep in memory is about this workspace only.
 */
export interface Workspace extends Processor {
  slack: SlackApi;
  /** The result of the latest call to Slack. */
  state: FarSide['state'];
  /** Runs a question of this workspace, as `advance` says. */
  advance(questionId: string): Promise<number | undefined>;
  /** Begins the work that needs no event from Slack. */
  start(): void;
  /** Ends that work. Questions that run continue. */
  stop(): void;
}

/** Creates the parts of one workspace. Starts nothing. */
export function createWorkspace(context: AppContext, shared: SharedParts, connection: Connection): Workspace {
  const { storage, tasks, accountChanges, log } = context;
  const { teamId } = connection.identity;
  const slackHealth = createHealth({
    probe: () => w.slack.call('auth.test', {}, { priority: 'private' }),
    isRefusal: isTokenRefused,
    now: context.now,
  });
  const w = createWorkspaceContext(context, shared, connection, slackHealth.noting, {
    changed(question) {
      // Also the threads that begin with a command, a form or a shortcut, where no message is heard.
      if (isInThread(question.place)) w.attendance.heard(question.place);
      home.changed(question);
      sessions.changed(question);
    },
    async closing(question) {
      // The answer is posted only now, and Home links to it.
      home.changed(question);
      await sessions.closing(question);
    },
  });
  const home = createHome(w);
  const sessions = createAgentSessions(w);
  const listening: ListenerContext = {
    ...w,
    home,
    sessions,
    prompts: createPrompts(w),
    unfurls: createUnfurls(w),
    noteKeeper: createThreadNoteKeeper(w),
    answerUpdates: createAnswerUpdates(w),
  };
  const bolt = createBoltApp({ ...slackClientOptions(context), w: listening });
  const catchUp = createCatchUp(w, createHandleMessage(listening));
  accountChanges.listen(home.accountChanged);
  accountChanges.listen((person) => {
    void tasks.run({ event: 'choices_not_forgotten', userId: person.userId }, () => forgetChoices(w, person));
  });
  // If a question is not woken, its own check finds the account soon.
  accountChanges.listen((person) => void tasks.run({ event: 'waiting_not_woken' }, () => wakeWaiting(w, person)));
  const endDeparted = createEndDeparted(w);
  w.departures.listen((userId) => {
    void tasks.run({ event: 'departed_not_ended', userId }, () => endDeparted({ teamId, userId }));
  });
  const running: { stop(): void }[] = [];

  return {
    processEvent: (event) => w.attendance.during(() => bolt.processEvent(event)),
    missed: w.attendance.begin,
    slack: w.slack,
    state: slackHealth.latest,
    advance: (questionId) => advance(w, questionId),
    start() {
      running.push(
        repeat('directory', tendEveryMs, w.directory.tend, log, 0),
        repeat('departures', departuresEveryMs, checkDepartures, log, departuresFirstMs),
        repeat('sessions', sessionsEveryMs, sessions.tend, log),
        repeat('attendance', attendanceEveryMs, w.attendance.store, log, 0),
        repeat('missed_messages', attendanceEveryMs, catchUp, log, missedFirstMs),
      );
    },
    stop() {
      for (const work of running.splice(0)) work.stop();
      sessions.stop();
      home.stop();
    },
  };

  async function checkDepartures(): Promise<void> {
    const owners = await storage.accounts.people(teamId);
    await w.departures.check(owners.map(({ userId }) => userId));
  }
}

/** A digest of a key as 24 hexadecimal digits. Every process gets the same digest. */
function shortDigest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}

/** Who the app is in one workspace or organization, and how it calls Slack there. */
interface Connection {
  identity: Identity;
  /** As in `SlackApiDeps`. */
  client: SlackApiDeps['client'];
  /** The token of the next request. */
  botToken: () => Promise<string>;
}

/** What every client of Slack is created with. */
export function slackClientOptions({ config, log, outbound }: AppContext) {
  const logger = createLibraryLogger(log);
  const clientOptions = { ...webClientOptions(config.SLACK_API_URL, logger), fetch: clientFetch(outbound) };
  return { clientOptions, logger };
}

/** Asks Slack which bot the token of the settings belongs to. Throws `AppError`. */
export async function connectWithToken(context: AppContext, token: Secret): Promise<Connection> {
  const { config, log, random } = context;
  const client = createWebClient(token.reveal(), slackClientOptions(context).clientOptions);
  const identity = await learnIdentity(client, log, random);
  noteStandIn(context);
  return { identity: identityIn(config, identity), client, botToken: async () => token.reveal() };
}

/** The log says so when Slack is not the real one. */
export function noteStandIn({ config, log }: AppContext): void {
  if (config.SLACK_STAND_IN) log.warn({ event: 'slack_stand_in' });
}

/** The connection of an installed workspace. `botToken` as in {@link Connection}. Calls nothing. */
export function connectInstallation(
  context: AppContext,
  { workspaceId, enterpriseId, url, botUserId, botId }: Installation,
  botToken: Connection['botToken'],
): Connection {
  const identity = {
    teamId: workspaceId,
    botUserId,
    botId,
    enterpriseId,
    workspaceUrl: url,
  };
  const client = createClientSource(botToken, slackClientOptions(context).clientOptions);
  return { identity: identityIn(context.config, identity), client, botToken };
}

function identityIn({ SLACK_STAND_IN: isStandIn, CONTACT: contact }: Config, identity: Identity): Identity {
  return { ...identity, isStandIn, contact };
}

/** Connects the core and the listeners to one workspace, the code search service and the storage. */
function createWorkspaceContext(
  context: AppContext,
  shared: SharedParts,
  { identity, client, botToken }: Connection,
  noting: Health['noting'],
  observer: QuestionObserver,
): WorkspaceContext {
  const { config, log, tracer, now, random, storage, accountChanges, audit, tasks, createLimiter } = context;
  const { accounts, deepSearch, scheduler, watching } = shared;
  const { SLACK_API_URL: slackApiUrl } = config;
  const { teamId } = identity;
  const methodLimits = createMethodLimits({ createLimiter, now, log });
  const slack = createSlackApi({ client, identity, methodLimits, noting, tracer });
  const accessControl = createAccessControl({
    slack,
    settings: {
      open: config.OPEN_CHANNELS ?? [],
      allowed: config.ALLOWED_CHANNELS ?? [],
      admins: config.ADMINS ?? [],
    },
    channelSettings: storage.channelSettings,
    log,
    now,
  });
  const outbound = traceOutbound(context.outbound, tracer);
  const s: SlackContext = {
    ...accessControl,
    slack,
    outbound,
    slackApiUrl,
    format: config.MESSAGE_FORMAT,
    tasks,
    log,
    now,
  };
  const { people, channels } = accessControl;
  const recentUsage = createRecentUsage({ askedSince: storage.askedSince, teamId, now, log });
  const ports: Core = {
    digest: shortDigest,
    ...storage,
    accessPolicy: accessControl.access,
    dailyCaps: createDailyCaps({
      counts: storage.dayCounts,
      settings: { perPerson: config.QUESTIONS_PER_PERSON_PER_DAY, perChannel: config.QUESTIONS_PER_CHANNEL_PER_DAY },
      isExempt: accessControl.admins.isAdmin,
    }),
    channelRules: accessControl.channelRules,
    repositoriesFor: (person) => repositoriesFor(shared, person),
    threadReader: { read: (question, thread) => readThread(w, question, thread) },
    durations: createDurations(storage.durations),
    askedQuestions: createAskedQuestions(storage.askedQuestions),
    answerReaders: {
      count: (place) => countReaders(w, place),
      showPrivately: (question) => showPrivately(w, question),
      canOpen: (shareUrl, conversationId) => canOpen(w, shareUrl, conversationId),
    },
    observer,
    audit,
    runSlots: createRunSlots(storage.runSlots, {
      perWorkspace: config.RUNNING_PER_WORKSPACE,
      perPerson: config.RUNNING_PER_PERSON,
    }),
    deepSearch: deepSearch.of,
    watching,
    accounts,
    nameOf: async (userId) => {
      const asked = people.person(userId).catch(() => undefined);
      return (await within(asked, namesPatienceMs))?.name;
    },
    messenger: createMessenger(s),
    scheduler,
    tracer,
    log,
    now,
    random,
    settings: { ...lifecycleSettings(config), ...context.settings },
  };
  const w: WorkspaceContext = {
    ...storage,
    ...s,
    ...ports,
    accounts,
    accountChanges,
    storedAttendance: storage.attendance,
    attendance: createAttendanceKeeper({ attendance: storage.attendance, teamId, now }),
    messageLog: createMessageLog({ records: storage.messageLogs, tasks, log }),
    usageOf: (userId, onCounted) =>
      config.ADMINS?.includes(userId) === true ? (recentUsage(onCounted) ?? 'counting') : undefined,
    mayPreview: createPreviewRule({
      ...storage,
      claimLifeMs: claimLifeMs((config.RETENTION_DAYS || Number.POSITIVE_INFINITY) * dayMs),
      now,
    }),
    doctor: createDoctor(context, slack, botToken),
    endpoint: config.SRC_ENDPOINT,
    tokensUrl: new URL('user/settings/tokens', config.SRC_ENDPOINT.replace(/\/*$/, '/')).href,
    serviceState: deepSearch.state,
    repositories: deepSearch.repositories,
    refusesUnknownRepositories: accounts.mode === 'shared',
    read: createReader({
      ...{ people, channels, botUserId: identity.botUserId, now },
      userGroups: createUserGroups({ slack, log }),
    }),
    readFile: createFileReader({ botToken, slackApiUrl, outbound }),
  };
  return w;
}

/** Lists what a person's questions can search: with their own account if they use one. */
async function repositoriesFor(
  { accounts, deepSearch: { repositories } }: SharedParts,
  person: Person,
): Promise<string[] | undefined> {
  if (accounts.mode === 'shared') return repositories.list('app');
  try {
    const { state } = await accounts.statusOf(person);
    if (state === 'connected') return await repositories.list(person);
    return accounts.mode === 'preferred' ? await repositories.list('app') : undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}

function lifecycleSettings(config: Config): LifecycleSettings {
  return {
    patienceMs: config.PATIENCE_SECONDS * 1000,
    readEveryMs,
    cardEditMs,
    threadLimit,
    lateCallMs,
    accounts: config.ACCOUNTS,
  };
}

/** The parts that all workspaces share. None of them calls Slack. */
export interface SharedParts {
  accounts: Accounts;
  deepSearch: DeepSearchAccess;
  scheduler: CountedScheduler;
  /** Its tick lists the changes of accounts with many running questions. */
  watching: Watching;
}

/** Creates the parts that all workspaces share. Starts nothing. */
export async function createSharedParts(
  context: AppContext,
  accounts: Accounts,
  deepSearch: DeepSearchAccess,
): Promise<SharedParts> {
  const { now, random, log } = context;
  const scheduler = await createScheduler(context);
  return {
    accounts,
    deepSearch,
    scheduler,
    watching: createWatching({ deepSearch: deepSearch.of, scheduler, now, random, log }),
  };
}

/** Loads BullMQ and its client only with Redis: they are a third of what the app loads. */
async function createScheduler({ config, log, random }: AppContext): Promise<CountedScheduler> {
  if (config.REDIS_URL === undefined) return createTimerScheduler({ log, random });
  const { createBullScheduler } = await import('../scheduler/bullmq.ts');
  return createBullScheduler({ redisUrl: config.REDIS_URL.reveal(), log, random });
}
