import { createHash, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createAccept } from './core/accept.ts';
import { createDurations } from './core/durations.ts';
import { guardLook } from './core/guarded-look.ts';
import { createHistories } from './core/histories.ts';
import type { LifePorts } from './core/life-ports.ts';
import { createLook } from './core/look.ts';
import { createOpenIn, createOverview } from './core/overview.ts';
import type { Clock } from './core/ports.ts';
import { recallAnswer } from './core/recalling.ts';
import { createRequests } from './core/requests.ts';
import type { LifeSettings } from './core/settings.ts';
import { createSweep } from './core/sweep.ts';
import { createTurns } from './core/turns.ts';
import { createDeepSearchClient, type DeepSearchClient } from './deepsearch/client.ts';
import { createCodeSearch } from './deepsearch/code-search.ts';
import { guardCodeSearch } from './deepsearch/guarded.ts';
import { createOutbound } from './deepsearch/outbound.ts';
import type { ProxySettings } from './deepsearch/proxy.ts';
import { createBullLooks } from './jobs/bullmq.ts';
import { repeat } from './jobs/repeat.ts';
import { createTimers } from './jobs/timers.ts';
import { createLimiters } from './limits/limiters.ts';
import { createAccessNote, type FarSide, watchAccess } from './observability/access-watch.ts';
import { createMetricsServer, createOperatorServer } from './observability/http-server.ts';
import { createJournal } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import { createBoltApp } from './slack/bolt-app.ts';
import { isTokenRefused } from './slack/calls/errors.ts';
import { createSlackGate } from './slack/calls/gate.ts';
import { createLibraryLogger } from './slack/calls/library-logger.ts';
import { clientFetch } from './slack/calls/outbound.ts';
import { createThrough } from './slack/calls/through.ts';
import { createWebClient, learnIdentity, webClientOptions } from './slack/calls/web-client.ts';
import { createMessenger } from './slack/messages/messenger.ts';
import { createRepainting } from './slack/messages/repainting.ts';
import { createTeller } from './slack/messages/teller.ts';
import { createGatehouse } from './slack/people/gatehouse.ts';
import { createReader } from './slack/people/names.ts';
import { localeOf } from './slack/people/people.ts';
import { createReaches } from './slack/people/reaches.ts';
import { createPresence } from './slack/presence/presence.ts';
import { createUnfurls } from './slack/previews/unfurls.ts';
import { createReceiver } from './slack/receivers/receiver.ts';
import type { SlackReceiver } from './slack/receivers/socket-receiver.ts';
import { createDiary } from './slack/reports/diary.ts';
import { createReports } from './slack/reports/reports.ts';
import { createHearing } from './slack/threads/hearing.ts';
import { createFileReader } from './slack/threads/thread-files.ts';
import { createThreadReader } from './slack/threads/thread-reader.ts';
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
  const journal = createJournal(logger, metrics.count);
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
      { clock: now, journal },
    );
    closers.push(() => storage.close());
    countOpen = async () => (await storage.questions.openIds()).length;

    const deepSearch = createDeepSearch(config, now, random);
    closers.push(() => deepSearch.close());
    const createLimiter = createLimiters({ redis: storage.redis, journal });
    const guarded = guardCodeSearch(createCodeSearch(deepSearch, config.SRC_ENDPOINT), {
      createLimiter,
      requestsPerSecond: config.SRC_REQUESTS_PER_SECOND,
      burst: config.SRC_REQUEST_BURST,
      journal,
    });
    const access = watchAccess(guarded, now);

    const libraryLogger = createLibraryLogger(journal);
    const outbound = createOutbound(proxyOf(config));
    closers.push(() => outbound.close());
    const clientOptions = { ...webClientOptions(config.SLACK_API_URL, libraryLogger), fetch: clientFetch(outbound) };
    const botToken = config.SLACK_BOT_TOKEN.reveal();
    const client = createWebClient(botToken, clientOptions);
    const identity = {
      ...(await learnIdentity(client, journal, random)),
      isStandIn: config.SLACK_STAND_IN,
    };
    if (config.SLACK_STAND_IN) journal.warn({ event: 'slack_stand_in' });
    const slackAccess = createAccessNote({
      probe: () => through('auth.test', 'private', () => client.auth.test()),
      isRefusal: isTokenRefused,
      now,
    });
    const through = createThrough({
      gate: createSlackGate({ createLimiter, now, journal }),
      teamId: identity.teamId,
      noting: slackAccess.noting,
    });
    const gatehouse = createGatehouse({
      client,
      through,
      identity,
      settings: {
        open: config.OPEN_CHANNELS ?? [],
        allowed: config.ALLOWED_CHANNELS ?? [],
        refused: config.REFUSED_CHANNELS ?? [],
        shareWithOthers: config.SHARE_WITH_OTHER_ORGANIZATIONS,
      },
      journal,
      now,
    });
    const { people, channels, audiences, access: gatekeeper } = gatehouse;
    const messenger = createMessenger({
      client,
      through,
      outbound,
      identity,
      format: config.MESSAGE_FORMAT,
      journal,
      now,
      localeOf: (userId) => localeOf(people, userId),
    });

    const read = createReader({ people, channels, botUserId: identity.botUserId, now });
    const readFile = createFileReader({ botToken, slackApiUrl: config.SLACK_API_URL, outbound });
    const hearing = createHearing({ ...storage, journal });

    const looks =
      config.REDIS_URL === undefined
        ? createTimers({ clock: now, journal, random })
        : createBullLooks({ redisUrl: config.REDIS_URL.reveal(), journal, random });
    const { questions, threads, claims } = storage;
    const settings = lifeSettings(config);
    const histories = createHistories(storage.histories);
    const overviewOf = createOverview({ histories, questions, threads, now });
    const presence = createPresence({
      client,
      through,
      identity,
      gatekeeper,
      overviewOf,
      serviceState: access.state,
      visits: storage.visits,
      threads,
      claims,
      everyMs: config.CARD_EDIT_MS,
      now,
      journal,
    });
    const ports: LifePorts = {
      gatekeeper,
      threadReader: createThreadReader({ client, through, identity, read, readFile, heard: storage.heard, questions }),
      durations: createDurations(storage.durations),
      histories,
      refusedTexts: storage.refusedTexts,
      witness: presence.witness,
      questions,
      threads,
      claims,
      turns: createTurns(storage.turns, {
        perWorkspace: config.RUNNING_PER_WORKSPACE,
        perPerson: config.RUNNING_PER_PERSON,
      }),
      codeSearch: access.codeSearch,
      messenger,
      looks,
      journal,
      now,
      random,
      settings,
    };
    const accept = createAccept({ ...ports, digest: shortDigest });
    const requests = createRequests({ ...ports, accept, digest: shortDigest });
    const diary = createDiary({ records: storage.diaries, journal });
    const reports = createReports({
      questions,
      threads,
      diary,
      codeSearch: access.codeSearch,
      openIn: createOpenIn({ questions, threads, now }),
      overviewOf,
      serviceState: access.state,
      identity,
      journal,
      now,
    });
    const teller = createTeller({ whisper: messenger.whisper, journal });
    const unfurls = createUnfurls({
      client,
      through,
      endpoint: config.SRC_ENDPOINT,
      codeSearch: access.codeSearch,
      access: gatekeeper,
      audiences,
      claims,
      digest: shortDigest,
      journal,
    });
    const repainting = createRepainting({
      client,
      through,
      format: config.MESSAGE_FORMAT,
      markUsed: requests.markUsed,
      recall: (question) => recallAnswer(ports, question),
      journal,
    });
    const { receiver, mounts } = createReceiver({
      given: overrides.receiver,
      appToken: config.SLACK_APP_TOKEN?.reveal(),
      signingSecret: config.SLACK_SIGNING_SECRET?.reveal(),
      clientOptions,
      outbound,
      logger: libraryLogger,
      journal,
    });
    const bolt = createBoltApp({
      receiver,
      botToken,
      clientOptions,
      logger: libraryLogger,
      desk: {
        client,
        through,
        identity,
        accept,
        requests,
        threads,
        questions,
        claims,
        diary,
        reports,
        access: gatekeeper,
        people,
        noteChanged: gatehouse.noteChanged,
        channels,
        audiences,
        reaches: createReaches({ client, through, people }),
        repainting,
        read,
        heard: hearing,
        votes: storage.votes,
        tell: teller.tell,
        ...presence,
        unfurls,
        journal,
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

    const tending = repeat('directory', tendEveryMs, gatehouse.directory.tend, journal, 0);
    closers.push(async () => tending.stop());

    closers.push(() => presence.stop(drainMs));
    closers.push(() => looks.stop(config.SHUTDOWN_SECONDS * 1000));
    await looks.start(guardLook(createLook(ports), ports));
    const open = await questions.openIds();
    await Promise.all(open.map((id) => looks.lookIn(id, random() * resumeSpreadMs)));
    const sweeper = repeat('sweep', sweepEveryMs, createSweep({ questions, looks, journal }), journal);
    closers.push(async () => sweeper.stop());
    closers.push(() => teller.drain(drainMs));
    closers.push(() => repainting.drain(drainMs));
    closers.push(() => hearing.drain(drainMs));
    closers.push(() => diary.drain(drainMs));
    closers.push(() => unfurls.drain(drainMs));
    closers.push(async () => void (await bolt.stop()));
    await bolt.start();
    started = true;
    const { teamId } = identity;
    journal.info({ event: 'app_started', outcome: 'ok', version, ...listening, resumed: open.length, teamId });
    return listening;
  }

  /** Ends the parts in the reverse order of their beginning; one that fails does not keep the others. */
  async function stop(): Promise<void> {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      try {
        await close();
      } catch (error) {
        journal.warn({ event: 'stop_failed' }, error);
      }
    }
  }
}

function createDeepSearch(config: Config, clock: () => number, random: () => number): DeepSearchClient {
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

function lifeSettings(config: Config): LifeSettings {
  return {
    pacing: {
      firstLookMs: config.POLL_FIRST_MS,
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
