import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Accounts } from '../core/accounts/accounts.ts';
import { createEndDeparted, createForgetChoices } from '../core/accounts/departed.ts';
import { createAccountWaits } from '../core/accounts/waiting.ts';
import { isAppError } from '../core/errors.ts';
import { createAskedQuestions } from '../core/history/asked-questions.ts';
import { createDurations } from '../core/history/durations.ts';
import { createOpenIn, createOverview } from '../core/history/overview.ts';
import { createRecentUsage } from '../core/history/recent-usage.ts';
import { createAccept } from '../core/intake/accept.ts';
import { createRequests, type Requests } from '../core/intake/requests.ts';
import { createNoteWorkspaceEnd } from '../core/intake/workspace-end.ts';
import { createAdvance } from '../core/lifecycle/advance.ts';
import type { LifecyclePorts } from '../core/lifecycle/lifecycle-ports.ts';
import { recallAnswer } from '../core/lifecycle/resharing.ts';
import { createDailyCaps } from '../core/question/daily-caps.ts';
import { createPreviewRule } from '../core/question/link-previews.ts';
import { isInThread } from '../core/question/question.ts';
import { dayMs } from '../core/record.ts';
import { createRunSlots } from '../core/run-slots.ts';
import type { Secret } from '../core/secret.ts';
import {
  cardEditMs,
  freshAccessMs,
  type LifecycleSettings,
  lateCallMs,
  readEveryMs,
  threadLimit,
} from '../core/settings.ts';
import { within } from '../core/timeout.ts';
import type { Installation } from '../core/workspaces/installations.ts';
import { createHealth, type FarSide } from '../observability/health.ts';
import { repeat } from '../scheduler/repeat.ts';
import { type AccessControl, createAccessControl } from '../slack/access/access-control.ts';
import { createReader } from '../slack/access/mention-names.ts';
import { createUserGroups } from '../slack/access/user-groups.ts';
import { localeOf } from '../slack/access/users.ts';
import { isTokenRefused } from '../slack/api/errors.ts';
import { type Identity, learnIdentity } from '../slack/api/identity.ts';
import { createLibraryLogger } from '../slack/api/library-logger.ts';
import { createMethodLimits } from '../slack/api/method-limits.ts';
import { clientFetch, traceOutbound } from '../slack/api/outbound-fetch.ts';
import { createSlackApi, type SlackApi, type SlackApiDeps } from '../slack/api/slack-api.ts';
import { createClientSource, createWebClient, webClientOptions } from '../slack/api/web-client.ts';
import { createBoltApp } from '../slack/bolt-app.ts';
import type { WorkspaceContext } from '../slack/context.ts';
import { type AccountViews, createAccountViews } from '../slack/home/accounts.ts';
import { createChannelList, createPresence, type Presence } from '../slack/home/surfaces.ts';
import { createHandleMessage } from '../slack/listeners/message.ts';
import { createAnswerReaders } from '../slack/messages/answer-readers.ts';
import { createAnswerUpdates } from '../slack/messages/answer-updates.ts';
import { createMessenger } from '../slack/messages/messenger.ts';
import { createPrivateNotifier } from '../slack/messages/private-notifier.ts';
import { type AttendanceKeeper, createAttendanceKeeper } from '../slack/missed/attendance-keeper.ts';
import { createCatchUp } from '../slack/missed/catch-up.ts';
import type { Processor } from '../slack/receivers/socket-receiver.ts';
import { createMessageLog } from '../slack/reports/message-log.ts';
import { createReports } from '../slack/reports/reports.ts';
import { attendanceEveryMs, namesPatienceMs, sessionsEveryMs } from '../slack/settings.ts';
import { createFileReader, type ReadFile } from '../slack/threads/thread-files.ts';
import { createThreadNoteKeeper } from '../slack/threads/thread-note-keeper.ts';
import { createThreadReader } from '../slack/threads/thread-reader.ts';
import { createUnfurls } from '../slack/unfurls/unfurls.ts';
import { claimLifeMs } from '../storage/record-kinds.ts';
import type { AppContext } from './context.ts';
import { createDoctor } from './doctor.ts';
import type { SharedParts } from './shared.ts';

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
  slack: SlackParts['slack'];
  state: SlackParts['state'];
  /** Runs a question of this workspace, as `createAdvance` says. */
  advance: ReturnType<typeof createAdvance>;
  /** Begins the work that needs no event from Slack. */
  start(): void;
  /** Ends that work. Questions that run continue. */
  stop(): void;
}

/** Creates the parts of one workspace. Starts nothing. */
export function createWorkspace(context: AppContext, shared: SharedParts, connection: Connection): Workspace {
  const { storage, log } = context;
  const slackParts = createSlack(context, shared.accounts, connection);
  const lifecycle = createLifecycle(context, slackParts, shared);
  const listeners = createListeners(context, slackParts, shared, lifecycle);
  const { directory, departures } = slackParts.accessControl;
  const { teamId } = connection.identity;
  const running: { stop(): void }[] = [];

  return {
    processEvent: (event) => listeners.processEvent(event),
    missed: () => listeners.missed?.(),
    slack: slackParts.slack,
    state: slackParts.state,
    advance: createAdvance(lifecycle.ports),
    start() {
      running.push(
        repeat('directory', tendEveryMs, directory.tend, log, 0),
        repeat('departures', departuresEveryMs, checkDepartures, log, departuresFirstMs),
        repeat('sessions', sessionsEveryMs, lifecycle.presence.sessions.tend, log),
        repeat('attendance', attendanceEveryMs, listeners.storeAttendance, log, 0),
        repeat('missed_messages', attendanceEveryMs, listeners.catchUp, log, missedFirstMs),
      );
    },
    stop() {
      for (const work of running.splice(0)) work.stop();
      lifecycle.presence.stop();
    },
  };

  async function checkDepartures(): Promise<void> {
    const owners = await storage.accounts.people(teamId);
    await departures.check(owners.map(({ userId }) => userId));
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

/** The parts of one workspace that call Slack: access control, posts and reads. */
interface SlackParts {
  slack: SlackApi;
  accessControl: AccessControl;
  /** What people see of their own accounts. */
  accountViews: AccountViews;
  messenger: ReturnType<typeof createMessenger>;
  /** Turns Slack's text into text as people see it. */
  read: (text: string) => Promise<string>;
  readFile: ReadFile;
  /** As in {@link Connection}. */
  botToken: Connection['botToken'];
  /** The result of the latest call to Slack. */
  state: FarSide['state'];
}

/** What every client of Slack is created with. */
export function slackClientOptions({ config, log, outbound }: Pick<AppContext, 'config' | 'log' | 'outbound'>) {
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
export function noteStandIn({ config, log }: Pick<AppContext, 'config' | 'log'>): void {
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

/** Creates the parts that call Slack. */
function createSlack(
  { config, log, tracer, now, storage, createLimiter, outbound }: AppContext,
  accounts: Accounts,
  { identity, client, botToken }: Connection,
): SlackParts {
  const { SLACK_API_URL: slackApiUrl } = config;
  const { noting, latest } = createHealth({
    probe: () => slack.call('auth.test', {}, { priority: 'private' }),
    isRefusal: isTokenRefused,
    now,
  });
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
  const { people, channels } = accessControl;
  const named = traceOutbound(outbound, tracer);
  const messenger = createMessenger({
    slack,
    outbound: named,
    slackApiUrl,
    format: config.MESSAGE_FORMAT,
    log,
    now,
    localeOf: (userId) => localeOf(people, userId),
  });
  const tokensUrl = new URL('user/settings/tokens', config.SRC_ENDPOINT.replace(/\/*$/, '/')).href;
  return {
    slack,
    accessControl,
    accountViews: createAccountViews({ accounts, slack, people, tokensUrl, log }),
    messenger,
    read: createReader({
      ...{ people, channels, botUserId: identity.botUserId, now },
      userGroups: createUserGroups({ slack, log }),
    }),
    readFile: createFileReader({ botToken, slackApiUrl, outbound: named }),
    botToken,
    state: latest,
  };
}

/** The parts that handle a question from its acceptance to its end. */
interface Lifecycle {
  ports: LifecyclePorts;
  accept: ReturnType<typeof createAccept>;
  requests: Requests;
  /** Home, agent sessions and prompts. They show the state of each question. */
  presence: Presence;
  overviewOf: ReturnType<typeof createOverview>;
  attendance: AttendanceKeeper;
}

/** Connects the core to one workspace, the code search service and the storage. Starts nothing. */
function createLifecycle(
  { config, log, tracer, now, random, storage, accountChanges, audit, tasks, settings: changed }: AppContext,
  { slack, accessControl, accountViews, messenger, read, readFile }: SlackParts,
  { accounts, deepSearch, scheduler, watching }: SharedParts,
): Lifecycle {
  const { questions, threads, claims, visits, refusedTexts, threadNotes } = storage;
  const askedQuestions = createAskedQuestions(storage.askedQuestions);
  const runSlots = createRunSlots(storage.runSlots, {
    perWorkspace: config.RUNNING_PER_WORKSPACE,
    perPerson: config.RUNNING_PER_PERSON,
  });
  const attendance = createAttendanceKeeper({ attendance: storage.attendance, teamId: slack.identity.teamId, now });
  const overviewOf = createOverview({ askedQuestions, questions, threads, runSlots, now });
  const recentUsage = createRecentUsage({ askedSince: storage.askedSince, teamId: slack.identity.teamId, now, log });
  const settings = { ...lifecycleSettings(config), ...changed };
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
    everyMs: settings.cardEditMs,
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
  // If a question is not woken, its own check finds the account soon.
  accountChanges.listen((person) => void tasks.run({ event: 'waiting_not_woken' }, () => accountWaits.wake(person)));
  const ports: LifecyclePorts = {
    accessPolicy: accessControl.access,
    dailyCaps: createDailyCaps({
      counts: storage.dayCounts,
      settings: { perPerson: config.QUESTIONS_PER_PERSON_PER_DAY, perChannel: config.QUESTIONS_PER_CHANNEL_PER_DAY },
      isExempt: accessControl.admins.isAdmin,
    }),
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
    tracer,
    log,
    now,
    random,
    settings,
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

interface Listeners extends Processor {
  /** Stores until when deliveries were handled. */
  storeAttendance(): Promise<void>;
  /** Looks for what people wrote while Slack could not reach the app. */
  catchUp(): Promise<void>;
}

/**
 * Connects the events, commands, block actions and view submissions of one workspace to its lifecycle. Returns what
 * handles its deliveries.
 */
function createListeners(
  context: AppContext,
  { slack, accessControl, accountViews, messenger, read, botToken }: SlackParts,
  { accounts, deepSearch }: SharedParts,
  { ports, accept, requests, presence, overviewOf, attendance }: Lifecycle,
): Listeners {
  const { config, log, now, random, storage, audit, tasks } = context;
  const { identity } = slack;
  const { questions, threads, claims, votes } = storage;
  const { audiences, access } = accessControl;
  const endDeparted = createEndDeparted({ accounts, overviewOf, requests, log });
  accessControl.departures.listen((userId) => {
    const departed = { teamId: identity.teamId, userId };
    void tasks.run({ event: 'departed_not_ended', userId }, () => endDeparted(departed));
  });
  const messageLog = createMessageLog({ records: storage.messageLogs, tasks, log });
  const privateNotifier = createPrivateNotifier({ ...messenger, tasks });
  const threadNotes = createThreadNoteKeeper({ ...storage, tasks, log });
  const reports = createReports({
    questions,
    threads,
    claims,
    messageLog,
    deepSearch: deepSearch.deepSearch,
    openIn: createOpenIn({ questions, threads, runSlots: ports.runSlots, now }),
    overviewOf,
    serviceState: deepSearch.state,
    identity,
    log,
    now,
  });
  const unfurls = createUnfurls({
    slack,
    endpoint: config.SRC_ENDPOINT,
    deepSearch: deepSearch.deepSearch,
    mayPreview: createPreviewRule({
      ...storage,
      claimLifeMs: claimLifeMs((config.RETENTION_DAYS || Number.POSITIVE_INFINITY) * dayMs),
      now,
    }),
    access,
    audiences,
    claims,
    audit,
    digest: shortDigest,
    tasks,
    log,
    now,
  });
  const answerUpdates = createAnswerUpdates({
    slack,
    format: config.MESSAGE_FORMAT,
    markUsed: requests.markUsed,
    markAskedAgain: requests.markAskedAgain,
    offerMute: requests.offerMute,
    recall: async (question) => {
      const { shares } = question;
      if (shares?.withheld !== true) return recallAnswer(ports, question);
      const source = await questions.get(shares.questionId);
      const answer = source && (await recallAnswer(ports, source));
      if (answer === undefined) return undefined;
      const { quota: _, ...shown } = answer;
      return shown;
    },
    mayShow: async ({ askerId, place, shares }) => {
      const sinceMs = now() - freshAccessMs;
      return (await access.admit(askerId, place, { confirmed: shares?.confirmed, sinceMs })).may;
    },
    tasks,
  });
  const doctor = createDoctor({ config, claims, slack, botToken, now, random, log });
  const w: WorkspaceContext = {
    ...accessControl,
    ...presence,
    ...privateNotifier,
    ...ports,
    slack,
    tasks,
    votes,
    channelSettings: storage.channelSettings,
    moveChannel: storage.moveChannel,
    accept,
    requests,
    noteWorkspaceEnd: createNoteWorkspaceEnd({ ...storage, now }),
    accounts,
    accountViews,
    accountChanges: context.accountChanges,
    doctor,
    repositories: deepSearch.repositories,
    refusesUnknownRepositories: accounts.mode === 'shared',
    reports,
    messageLog,
    answerUpdates,
    threadNotes,
    unfurls,
    attendance,
    read,
  };
  const bolt = createBoltApp({ ...slackClientOptions(context), w });
  const catchUp = createCatchUp({
    slack,
    attendance: storage.attendance,
    keeper: attendance,
    questions,
    askedQuestions: ports.askedQuestions,
    claims,
    requests,
    handle: createHandleMessage(w),
    sendPrivately: messenger.sendPrivately,
    isStopping: tasks.isStopping,
    now,
    log,
  });
  return {
    processEvent: (event) => attendance.during(() => bolt.processEvent(event)),
    missed: attendance.begin,
    storeAttendance: attendance.store,
    catchUp,
  };
}
