import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { createAccountParts } from './app/accounts.ts';
import { startBackground } from './app/background.ts';
import type { AppContext } from './app/context.ts';
import { createDeepSearchAccess, proxyOf } from './app/deep-search.ts';
import { createSharedParts, slackClientOptions } from './app/workspace.ts';
import { createInstalledWorkspaces, createOnlyWorkspace } from './app/workspaces.ts';
import type { Config } from './config.ts';
import { type AccountChanges, type Accounts, createAccountChanges } from './core/accounts/accounts.ts';
import { createAuditLog } from './core/history/audit.ts';
import type { Clock } from './core/ports.ts';
import type { LifecycleSettings } from './core/settings.ts';
import { noTracer, type Tracer } from './core/tracing.ts';
import type { FarSide } from './observability/health.ts';
import {
  createMetricsServer,
  createOperatorServer,
  type Dependency,
  type Mounts,
} from './observability/http-server.ts';
import { createLog, withInfo } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import type { Tracing } from './observability/tracing.ts';
import { createLimiters } from './rate-limits/limiters.ts';
import { createOutbound } from './service/outbound.ts';
import { createBackgroundTasks } from './slack/background-tasks.ts';
import { createHttpReceiver, eventsPath } from './slack/receivers/http-receiver.ts';
import { createSocketReceiver, type SlackReceiver } from './slack/receivers/socket-receiver.ts';
import { noteFewFiles } from './storage/checks/disk-check.ts';
import { openStorage } from './storage/open-storage.ts';
import { version } from './version.ts';

/** How long running background work may take to end when the app stops, in milliseconds. */
const drainMs = 2_000;

/** How long the last traces may take to reach their collector when the app stops, in milliseconds, if `SHUTDOWN_SECONDS` is longer. */
const lastTracesMs = 5_000;

const dayMs = 24 * 60 * 60 * 1_000;

/** Parts that a test may replace. */
export interface Overrides {
  receiver?: SlackReceiver;
  /** Creates people's accounts. They call `changes.changed`. */
  accounts?: (changes: AccountChanges) => Accounts;
  settings?: Partial<LifecycleSettings>;
  /** Measures the age of the latest metrics. */
  metricsClock?: Clock;
}

interface Ports {
  /** Serves `/livez`, `/readyz` and Slack's events. */
  port: number;
  metricsPort: number;
}

export interface RunningApp {
  /** Resolves once the app accepts questions, with the ports it listens on. Throws if it cannot start. */
  start(): Promise<Ports>;
  /** Accepts nothing new, lets running work finish within the configured time, and closes all parts. */
  stop(): Promise<void>;
}

/** Creates the app. Only this file and its builders in `app/` know every part. */
export function createApp(config: Config, logger: Logger, overrides: Overrides = {}): RunningApp {
  const now = Date.now;
  const random = (): number => randomInt(2 ** 32) / 2 ** 32;
  let countOpen = async (): Promise<number> => 0;
  let countRuns = async () => ({ delayed: 0, waiting: 0, active: 0 });
  let dependencies: Dependency[] = [];
  let farSides: FarSide[] = [];
  let generation = (): number | undefined => undefined;
  const metrics = createMetrics({
    countOpen: () => countOpen(),
    countRuns: () => countRuns(),
    dependencies: () => dependencies,
    farSides: () => farSides,
    generation: () => generation(),
    now: overrides.metricsClock ?? (() => performance.now()),
  });
  let tracing: Tracing | undefined;
  const log = createLog(logger, metrics.count, () => tracing?.traceId());
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
    noteFewFiles(log);
    const context = await createContext();
    const { storage, tasks, onStop } = context;
    countOpen = async () => (await storage.questions.openIds()).length;
    const accountParts = createAccountParts(context);
    const accounts = overrides.accounts?.(context.accountChanges) ?? accountParts.accounts;
    const deepSearch = createDeepSearchAccess(context, accountParts.credentials);
    const shared = await createSharedParts(context, accounts, deepSearch);
    countRuns = shared.scheduler.counts;
    const { SLACK_BOT_TOKEN: botToken } = config;
    const workspaces =
      botToken === undefined
        ? createInstalledWorkspaces(context, shared)
        : await createOnlyWorkspace(context, shared, botToken);
    const { receiver, mounts } = createReceiver(context);
    receiver.init(workspaces);

    farSides = [
      { target: 'slack', state: workspaces.state },
      { target: 'deepsearch', state: deepSearch.latest },
    ];
    generation = deepSearch.generation;
    dependencies = [
      { name: 'started', check: async () => started },
      { name: 'storage', check: () => storage.ping().then(() => true) },
      { name: 'slack', check: async () => receiver.isConnected() },
    ];
    const server = createOperatorServer({
      port: config.PORT,
      host: config.HOST,
      dependencies,
      farSides,
      mounts: { ...mounts, ...accountParts.mounts, ...workspaces.mounts },
      log,
    });
    onStop(() => server.stop());
    const metricsServer = createMetricsServer({ port: config.METRICS_PORT, host: config.METRICS_HOST, metrics });
    onStop(() => metricsServer.stop());
    const listening: Ports = { port: await server.start(), metricsPort: await metricsServer.start() };

    onStop(() => tasks.drain(drainMs));
    onStop(async () => workspaces.stop());
    const resumed = await startBackground(context, shared, workspaces);
    onStop(async () => void (await receiver.stop()));
    await receiver.start();
    started = true;
    log.info({ event: 'app_started', outcome: 'ok', version, ...listening, resumed, ...workspaces.describe() });
    return listening;
  }

  /** Uses Socket Mode if there is an app-level token, else signed HTTP requests, which the app's server takes. */
  function createReceiver(context: AppContext): { receiver: SlackReceiver; mounts: Mounts } {
    if (overrides.receiver !== undefined) return { receiver: overrides.receiver, mounts: {} };
    const appToken = config.SLACK_APP_TOKEN?.reveal();
    const clients = slackClientOptions(context);
    if (appToken !== undefined) {
      const { outbound } = context;
      return { receiver: createSocketReceiver({ ...clients, appToken, outbound, log, random }), mounts: {} };
    }
    const signingSecret = config.SLACK_SIGNING_SECRET?.reveal() ?? '';
    const receiver = createHttpReceiver({ signingSecret, logger: clients.logger, log });
    return { receiver, mounts: { [eventsPath]: receiver.handle } };
  }

  async function createContext(): Promise<AppContext> {
    const onStop: AppContext['onStop'] = (close) => void closers.push(close);
    const tracer = await startTracing(onStop);
    const storage = await openStorage(
      config.REDIS_URL === undefined ? { dataDir: config.DATA_DIR } : { redisUrl: config.REDIS_URL.reveal() },
      {
        clock: now,
        log,
        encryptionKeys: config.ENCRYPTION_KEYS,
        retentionMs: config.RETENTION_DAYS && config.RETENTION_DAYS * dayMs,
      },
    );
    onStop(() => storage.close());
    const outbound = createOutbound(proxyOf(config));
    onStop(() => outbound.close());
    const createLimiter = createLimiters({ redis: storage.redis, log });
    const tasks = createBackgroundTasks({ log });
    // An operator who raises the level loses no entry.
    const audit = createAuditLog(createLog(withInfo(logger), metrics.count, () => tracing?.traceId()));
    const accountChanges = createAccountChanges();
    const parts = { config, settings: overrides.settings, log, tracer, now, random, storage };
    return { ...parts, audit, createLimiter, outbound, accountChanges, tasks, onStop };
  }

  /** Loads the SDK of OpenTelemetry only if there is a collector. */
  async function startTracing(onStop: AppContext['onStop']): Promise<Tracer> {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
    if (endpoint === undefined) return noTracer;
    const { startTracing: start } = await import('./observability/tracing.ts');
    const started = start({ endpoint, version, scheduler: config.REDIS_URL === undefined ? 'timers' : 'bullmq', log });
    tracing = started;
    onStop(() => started.stop(Math.min(lastTracesMs, config.SHUTDOWN_SECONDS * 1000)));
    return started.tracer;
  }

  /** Ends the parts in the reverse order of their start. Continues if a part fails to end. */
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
