import { createHash, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createAskedQuestions } from './core/history/asked-questions.ts';
import { createDurations } from './core/history/durations.ts';
import { createOpenIn, createOverview } from './core/history/overview.ts';
import { createAccept } from './core/intake/accept.ts';
import { createRequests } from './core/intake/requests.ts';
import { createAdvance } from './core/lifecycle/advance.ts';
import { guardAdvance } from './core/lifecycle/guarded-advance.ts';
import type { LifecyclePorts } from './core/lifecycle/lifecycle-ports.ts';
import { recallAnswer } from './core/lifecycle/resharing.ts';
import { createSweep } from './core/lifecycle/sweep.ts';
import type { Clock } from './core/ports.ts';
import { createRunSlots } from './core/run-slots.ts';
import type { LifecycleSettings } from './core/settings.ts';
import { createDeepSearchClient, type DeepSearchClient } from './deepsearch/client.ts';
import { createDeepSearch } from './deepsearch/deep-search.ts';
import { guardDeepSearch } from './deepsearch/guarded.ts';
import { createOutbound } from './deepsearch/outbound.ts';
import type { ProxySettings } from './deepsearch/proxy.ts';
import { createAccessNote, type FarSide, watchAccess } from './observability/access-watch.ts';
import { createMetricsServer, createOperatorServer } from './observability/http-server.ts';
import { createLog } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import { createLimiters } from './rate-limits/limiters.ts';
import { createBullScheduler } from './scheduler/bullmq.ts';
import { repeat } from './scheduler/repeat.ts';
import { createTimerScheduler } from './scheduler/timers.ts';
import { createAccessControl } from './slack/access/access-control.ts';
import { createMemberships } from './slack/access/membership.ts';
import { createReader } from './slack/access/mention-names.ts';
import { localeOf } from './slack/access/users.ts';
import { isTokenRefused } from './slack/api/errors.ts';
import { learnIdentity } from './slack/api/identity.ts';
import { createLibraryLogger } from './slack/api/library-logger.ts';
import { createMethodLimits } from './slack/api/method-limits.ts';
import { clientFetch } from './slack/api/outbound-fetch.ts';
import { createSlackApi } from './slack/api/slack-api.ts';
import { createWebClient, webClientOptions } from './slack/api/web-client.ts';
import { createBoltApp } from './slack/bolt-app.ts';
import { createPresence } from './slack/home/surfaces.ts';
import { createAnswerUpdates } from './slack/messages/answer-updates.ts';
import { createMessenger } from './slack/messages/messenger.ts';
import { createPrivateNotifier } from './slack/messages/private-notifier.ts';
import { createReceiver } from './slack/receivers/receiver.ts';
import type { SlackReceiver } from './slack/receivers/socket-receiver.ts';
import { createMessageLog } from './slack/reports/message-log.ts';
import { createReports } from './slack/reports/reports.ts';
import { createFileReader } from './slack/threads/thread-files.ts';
import { createThreadNoteKeeper } from './slack/threads/thread-note-keeper.ts';
import { createThreadReader } from './slack/threads/thread-reader.ts';
import { createUnfurls } from './slack/unfurls/unfurls.ts';
import { openStorage } from './storage/open-storage.ts';
import { version } from './version.ts';

/** Open questions are taken up over this time after a start, so that they do not all ask the service at once. */
const resumeSpreadMs = 1_000;

/** How often open questions without a planned look are searched, in milliseconds. */
const sweepEveryMs = 60_000;

/** How often the list of the workspace's people is tended; most times there is nothing to do. */
const tendEveryMs = 10_000;

/** How long private words under way may take to arrive when the app stops, in milliseconds. */
const drainMs = 2_000;

/** What a test may put in place of the real thing. */
export interface Overrides {
  receiver?: SlackReceiver;
  /** Tells how old the metrics are that were computed last. */
  metricsClock?: Clock;
}

interface Ports {
  /** Of `/livez`, `/readyz` and Slack's events. */
  port: number;
  metricsPort: number;
}

export interface RunningApp {
  /** Resolves when the app takes questions, with the ports it listens on. Throws when it cannot start. */
  start(): Promise<Ports>;
  /** Takes nothing new, lets work under way finish within the configured time, and lets go of everything. */
  stop(): Promise<void>;
}

/** Puts the app together: the only place that knows every part. */
export function createApp(config: Config, logger: Logger, overrides: Overrides = {}): RunningApp {
  const now = Date.now;
  const random = (): number => randomInt(2 ** 32) / 2 ** 32;
  let countOpen = async (): Promise<number> => 0;
  let farSides: FarSide[] = [];
  const metrics = createMetrics({
    countOpen: () => countOpen(),
    farSides: () => farSides,
    now: overrides.metricsClock ?? (() => performance.now()),
  });
  const log = createLog(logger, metrics.count);
  const closers: (() => Promise<void>)[] = [];
  let started = false;

  return { start, stop };

  async function start(): Promise<Ports> {
    try {
      return await startParts();
    } catch (error) {
      await stop();
      throw error;
    }
  }

  async function startParts(): Promise<Ports> {
    const storage = await openStorage(
      config.REDIS_URL === undefined ? { dataDir: config.DATA_DIR } : { redisUrl: config.REDIS_URL.reveal() },
      { clock: now, log },
    );
    closers.push(() => storage.close());
    countOpen = async () => (await storage.questions.openIds()).length;

    const deepSearch = createApiClient(config, now, random);
    closers.push(() => deepSearch.close());
    const createLimiter = createLimiters({ redis: storage.redis, log });
    const guarded = guardDeepSearch(createDeepSearch(deepSearch, config.SRC_ENDPOINT), {
      createLimiter,
      requestsPerSecond: config.SRC_REQUESTS_PER_SECOND,
      burst: config.SRC_REQUEST_BURST,
      log,
    });
    const access = watchAccess(guarded, now);

    const libraryLogger = createLibraryLogger(log);
    const outbound = createOutbound(proxyOf(config));
    closers.push(() => outbound.close());
    const clientOptions = { ...webClientOptions(config.SLACK_API_URL, libraryLogger), fetch: clientFetch(outbound) };
    const botToken = config.SLACK_BOT_TOKEN.reveal();
    const client = createWebClient(botToken, clientOptions);
    const { SLACK_STAND_IN: isStandIn, CONTACT: contact } = config;
    const identity = { ...(await learnIdentity(client, log, random)), isStandIn, contact };
    if (isStandIn) log.warn({ event: 'slack_stand_in' });
    const slackAccess = createAccessNote({
      probe: () => slack.call('auth.test', {}, { priority: 'private' }),
      isRefusal: isTokenRefused,
      now,
    });
    const slack = createSlackApi({
      client,
      identity,
      methodLimits: createMethodLimits({ createLimiter, now, log }),
      noting: slackAccess.noting,
    });
    const accessControl = createAccessControl({
      slack,
      settings: {
        open: config.OPEN_CHANNELS ?? [],
        allowed: config.ALLOWED_CHANNELS ?? [],
        refused: config.REFUSED_CHANNELS ?? [],
        shareWithOthers: config.SHARE_WITH_OTHER_ORGANIZATIONS,
      },
      log,
      now,
    });
    const { people, channels, audiences, access: accessPolicy } = accessControl;
    const messenger = createMessenger({
      slack,
      outbound,
      format: config.MESSAGE_FORMAT,
      log,
      now,
      localeOf: (userId) => localeOf(people, userId),
    });

    const read = createReader({ people, channels, botUserId: identity.botUserId, now });
    const readFile = createFileReader({ botToken, slackApiUrl: config.SLACK_API_URL, outbound });
    const threadNoteKeeper = createThreadNoteKeeper({ ...storage, log });

    const scheduler =
      config.REDIS_URL === undefined
        ? createTimerScheduler({ clock: now, log, random })
        : createBullScheduler({ redisUrl: config.REDIS_URL.reveal(), log, random });
    const { questions, threads, claims } = storage;
    const settings = lifecycleSettings(config);
    const askedQuestions = createAskedQuestions(storage.askedQuestions);
    const overviewOf = createOverview({ askedQuestions, questions, threads, now });
    const presence = createPresence({
      slack,
      accessPolicy,
      overviewOf,
      serviceState: access.state,
      visits: storage.visits,
      threads,
      claims,
      everyMs: config.CARD_EDIT_MS,
      now,
      log,
    });
    const ports: LifecyclePorts = {
      accessPolicy,
      threadReader: createThreadReader({
        slack,
        read,
        readFile,
        threadNotes: storage.threadNotes,
        questions,
      }),
      durations: createDurations(storage.durations),
      askedQuestions,
      refusedTexts: storage.refusedTexts,
      observer: presence.observer,
      questions,
      threads,
      claims,
      runSlots: createRunSlots(storage.runSlots, {
        perWorkspace: config.RUNNING_PER_WORKSPACE,
        perPerson: config.RUNNING_PER_PERSON,
      }),
      deepSearch: access.codeSearch,
      messenger,
      scheduler,
      log,
      now,
      random,
      settings,
    };
    const accept = createAccept({ ...ports, digest: shortDigest });
    const requests = createRequests({ ...ports, accept, digest: shortDigest, addedMentions: storage.addedMentions });
    const messageLog = createMessageLog({ records: storage.messageLogs, log });
    const reports = createReports({
      questions,
      threads,
      messageLog,
      deepSearch: access.codeSearch,
      openIn: createOpenIn({ questions, threads, now }),
      overviewOf,
      serviceState: access.state,
      identity,
      log,
      now,
    });
    const privateNotifier = createPrivateNotifier({ sendPrivately: messenger.sendPrivately, log });
    const unfurls = createUnfurls({
      slack,
      endpoint: config.SRC_ENDPOINT,
      codeSearch: access.codeSearch,
      access: accessPolicy,
      audiences,
      claims,
      digest: shortDigest,
      log,
    });
    const answerUpdates = createAnswerUpdates({
      slack,
      format: config.MESSAGE_FORMAT,
      markUsed: requests.markUsed,
      recall: (question) => recallAnswer(ports, question),
      log,
    });
    const { receiver, mounts } = createReceiver({
      given: overrides.receiver,
      appToken: config.SLACK_APP_TOKEN?.reveal(),
      signingSecret: config.SLACK_SIGNING_SECRET?.reveal(),
      clientOptions,
      outbound,
      logger: libraryLogger,
      log,
    });
    const bolt = createBoltApp({
      receiver,
      botToken,
      clientOptions,
      logger: libraryLogger,
      desk: {
        slack,
        accept,
        requests,
        threads,
        questions,
        claims,
        messageLog,
        reports,
        access: accessPolicy,
        people,
        noteChanged: accessControl.noteChanged,
        channels,
        audiences,
        memberships: createMemberships({ slack, people }),
        answerUpdates,
        read,
        threadNotes: threadNoteKeeper,
        votes: storage.votes,
        notify: privateNotifier.notify,
        ...presence,
        unfurls,
        log,
      },
    });

    farSides = [
      { target: 'slack', state: slackAccess.latest },
      { target: 'deepsearch', state: access.latest },
    ];
    const server = createOperatorServer({
      port: config.PORT,
      host: config.HOST,
      dependencies: [
        { name: 'started', check: async () => started },
        { name: 'storage', check: () => storage.ping().then(() => true) },
        { name: 'slack', check: async () => receiver.isConnected() },
      ],
      farSides,
      mounts,
    });
    closers.push(() => server.stop());
    const metricsServer = createMetricsServer({ port: config.METRICS_PORT, host: config.METRICS_HOST, metrics });
    closers.push(() => metricsServer.stop());
    const listening: Ports = { port: await server.start(), metricsPort: await metricsServer.start() };

    const tending = repeat('directory', tendEveryMs, accessControl.directory.tend, log, 0);
    closers.push(async () => tending.stop());

    closers.push(() => presence.stop(drainMs));
    closers.push(() => scheduler.stop(config.SHUTDOWN_SECONDS * 1000));
    await scheduler.start(guardAdvance(createAdvance(ports), ports));
    const open = await questions.openIds();
    await Promise.all(open.map((id) => scheduler.schedule(id, random() * resumeSpreadMs)));
    const sweeper = repeat('sweep', sweepEveryMs, createSweep({ questions, scheduler, log }), log);
    closers.push(async () => sweeper.stop());
    closers.push(() => privateNotifier.drain(drainMs));
    closers.push(() => answerUpdates.drain(drainMs));
    closers.push(() => threadNoteKeeper.drain(drainMs));
    closers.push(() => messageLog.drain(drainMs));
    closers.push(() => unfurls.drain(drainMs));
    closers.push(async () => void (await bolt.stop()));
    await bolt.start();
    started = true;
    const { teamId } = identity;
    log.info({ event: 'app_started', outcome: 'ok', version, ...listening, resumed: open.length, teamId });
    return listening;
  }

  /** Ends the parts in the reverse order of their beginning; one that fails does not keep the others. */
  async function stop(): Promise<void> {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      try {
        await close();
      } catch (error) {
        log.warn({ event: 'stop_failed' }, error);
      }
    }
  }
}

function createApiClient(config: Config, clock: () => number, random: () => number): DeepSearchClient {
  const token = config.SRC_ACCESS_TOKEN.reveal();
  return createDeepSearchClient({
    baseUrl: config.SRC_ENDPOINT,
    auth:
      config.SRC_SUDO_USER === undefined
        ? { kind: 'token', token }
        : { kind: 'sudo', username: config.SRC_SUDO_USER, token },
    userAgentVersion: version,
    timeoutMs: config.SRC_TIMEOUT_MS,
    proxy: proxyOf(config),
    ...(config.SRC_CA_FILE === undefined ? {} : { ca: readFileSync(config.SRC_CA_FILE, 'utf8') }),
    clock,
    random,
  });
}

function proxyOf(config: Config): ProxySettings {
  return { http: config.HTTP_PROXY?.reveal(), https: config.HTTPS_PROXY?.reveal(), noProxy: config.NO_PROXY };
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
  };
}

function shortDigest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}
