import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { createAccountParts } from './app/accounts.ts';
import { startBackground } from './app/background.ts';
import type { AppContext } from './app/context.ts';
import { createDeepSearchAccess, proxyOf } from './app/deep-search.ts';
import { createLifecycle } from './app/lifecycle.ts';
import { createListeners } from './app/listeners.ts';
import { createSlack } from './app/slack.ts';
import type { Config } from './config.ts';
import { type AccountChanges, createAccountChanges } from './core/accounts/account-changes.ts';
import type { Accounts } from './core/accounts/accounts.ts';
import { createAuditLog } from './core/history/audit.ts';
import type { Clock } from './core/ports.ts';
import { createOutbound } from './deepsearch/outbound.ts';
import type { FarSide } from './observability/access-watch.ts';
import { createMetricsServer, createOperatorServer } from './observability/http-server.ts';
import { createLog } from './observability/logger.ts';
import { type ApiGeneration, createMetrics } from './observability/metrics.ts';
import { createLimiters } from './rate-limits/limiters.ts';
import { createBackgroundTasks } from './slack/background-tasks.ts';
import type { SlackReceiver } from './slack/receivers/socket-receiver.ts';
import { openStorage } from './storage/open-storage.ts';
import { version } from './version.ts';

/** How long running background work may take to end when the app stops, in milliseconds. */
const drainMs = 2_000;

const dayMs = 24 * 60 * 60 * 1_000;

/** Parts that a test may replace. */
export interface Overrides {
  receiver?: SlackReceiver;
  /** Creates people's accounts. They call `changes.changed`. */
  accounts?: (changes: AccountChanges) => Accounts;
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
  let farSides: FarSide[] = [];
  let apiGenerations = (): ApiGeneration[] => [];
  const metrics = createMetrics({
    countOpen: () => countOpen(),
    farSides: () => farSides,
    apiGenerations: () => apiGenerations(),
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
    const context = await createContext();
    const { storage, tasks, onStop } = context;
    countOpen = async () => (await storage.questions.openIds()).length;
    const accountParts = createAccountParts(context);
    const accounts = overrides.accounts?.(context.accountChanges) ?? accountParts.accounts;
    const deepSearch = createDeepSearchAccess(context, accountParts.credentials);
    const slackParts = await createSlack(context, accounts);
    const lifecycle = createLifecycle(context, slackParts, deepSearch, accounts);
    const listeners = createListeners(context, slackParts, deepSearch, lifecycle, accounts, overrides.receiver);

    farSides = [
      { target: 'slack', state: slackParts.state },
      { target: 'deepsearch', state: deepSearch.latest },
    ];
    apiGenerations = deepSearch.apiGenerations;
    const server = createOperatorServer({
      port: config.PORT,
      host: config.HOST,
      dependencies: [
        { name: 'started', check: async () => started },
        { name: 'storage', check: () => storage.ping().then(() => true) },
        { name: 'slack', check: async () => listeners.isConnected() },
      ],
      farSides,
      mounts: { ...listeners.mounts, ...accountParts.mounts },
    });
    onStop(() => server.stop());
    const metricsServer = createMetricsServer({ port: config.METRICS_PORT, host: config.METRICS_HOST, metrics });
    onStop(() => metricsServer.stop());
    const listening: Ports = { port: await server.start(), metricsPort: await metricsServer.start() };

    onStop(() => tasks.drain(drainMs));
    onStop(async () => lifecycle.presence.stop());
    const resumed = await startBackground(context, slackParts, lifecycle, accounts, deepSearch);
    onStop(() => listeners.stop());
    await listeners.start();
    started = true;
    const { teamId } = slackParts.slack.identity;
    log.info({ event: 'app_started', outcome: 'ok', version, ...listening, resumed, teamId });
    return listening;
  }

  async function createContext(): Promise<AppContext> {
    const onStop: AppContext['onStop'] = (close) => void closers.push(close);
    const storage = await openStorage(
      config.REDIS_URL === undefined ? { dataDir: config.DATA_DIR } : { redisUrl: config.REDIS_URL.reveal() },
      {
        clock: now,
        log,
        encryptionKeys: config.ENCRYPTION_KEYS,
        retentionMs: config.RETENTION_DAYS && config.RETENTION_DAYS * dayMs,
        auditDays: config.AUDIT_DAYS,
      },
    );
    onStop(() => storage.close());
    const outbound = createOutbound(proxyOf(config));
    onStop(() => outbound.close());
    const createLimiter = createLimiters({ redis: storage.redis, log });
    const tasks = createBackgroundTasks({ log });
    const audit = createAuditLog({ store: storage.audit, log });
    const accountChanges = createAccountChanges();
    return { config, log, now, random, storage, audit, createLimiter, outbound, accountChanges, tasks, onStop };
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
