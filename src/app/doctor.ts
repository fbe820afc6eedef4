import type { Config } from '../config.ts';
import { type Check, type Finding, worstOf } from '../core/doctor/finding.ts';
import { runChecks } from '../core/doctor/run-checks.ts';
import { isAppError } from '../core/errors.ts';
import type { Claims, Clock, Log } from '../core/ports.ts';
import { createCertificateCheck } from '../deepsearch/checks/certificate.ts';
import { createProxyCheck } from '../deepsearch/checks/proxy-check.ts';
import { createServiceChecks } from '../deepsearch/checks/service-checks.ts';
import { createOutbound } from '../deepsearch/outbound.ts';
import { createLibraryLogger } from '../slack/api/library-logger.ts';
import type { SlackApi } from '../slack/api/slack-api.ts';
import type { Doctor } from '../slack/checks/doctor.ts';
import { createEventCheck, eventsNeedApp } from '../slack/checks/events.ts';
import { createSlackChecks } from '../slack/checks/slack-checks.ts';
import { eventsPath } from '../slack/receivers/http-receiver.ts';
import { createShareUrlReader } from '../slack/unfurls/share-urls.ts';
import { createDiskCheck } from '../storage/checks/disk-check.ts';
import { fewOpenFiles } from '../storage/open-files.ts';
import { apiSettings, appAuth, caOf, proxyOf, serviceOptions } from './deep-search.ts';

/** Longest time of one check, in milliseconds. */
const checkMs = 20_000;
/** Slack opens websockets at this host (docs.slack.dev/apis/events-api/using-socket-mode). */
const slackSockets = 'https://wss-primary.slack.com';

export interface DoctorOptions {
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  log: Log;
  /** The address to which Slack posts. Default: below `PUBLIC_URL`, if that is set. */
  requestUrl?: string | undefined;
  /** The share link of a conversation of another account, to find out whether sharing is on. */
  shareLink?: string | undefined;
  /** Absent in a program beside the app. */
  running?: { botToken: () => Promise<string>; events: Check };
  /** Whether `config` has the service of one workspace instead of the app's own one. */
  isOwnService?: boolean;
}

/** The doctor of the running app, for the people in `ADMINS`. One run at a time: who asks meanwhile gets its result too. */
export function createDoctor({
  config,
  claims,
  slack,
  botToken,
  isOwnService,
  now,
  random,
  log,
}: {
  /** The settings as they are for this workspace. */
  config: Config;
  claims: Claims;
  slack: SlackApi;
  /** The token of this workspace. */
  botToken: () => Promise<string>;
  isOwnService: boolean;
} & Pick<DoctorOptions, 'now' | 'random' | 'log'>): Doctor {
  let running: Promise<Finding[]> | undefined;

  return {
    isFor: (userId) => config.ADMINS?.includes(userId) === true,
    examine(userId, locale) {
      running ??= run(userId, locale).finally(() => {
        running = undefined;
      });
      return running;
    },
  };

  async function run(userId: string, locale: string | undefined): Promise<Finding[]> {
    const startedMs = now();
    const events = createEventCheck({ slack, claims, userId, locale });
    const findings = await examine(config, { now, random, log, isOwnService, running: { botToken, events } });
    log.info({ event: 'doctor', outcome: worstOf(findings), durationMs: now() - startedMs });
    return findings;
  }
}

/**
 * Checks everything that the app needs, with connections of its own. Changes nothing at Slack or at the service, except
 * for what `running.events` does. Never throws an `AppError`.
 */
export async function examine(config: Config, options: DoctorOptions): Promise<Finding[]> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const checks = await createChecks(config, options, (close) => closers.push(close));
    return await runChecks(checks, {
      deadlineMs: checkMs,
      onCrash: ({ name }, error) => options.log.warn({ event: 'doctor_check_crashed', check: name }, error),
    });
  } catch (error) {
    if (!isAppError(error)) throw error;
    // Settings that pass their own checks and that a client can't use. The message has no value of a setting.
    const values = { problem: error.message };
    return [{ check: 'configuration', status: 'fail', code: 'configurationWrong', values }];
  } finally {
    for (const close of closers) await close().catch(() => undefined);
  }
}

async function createChecks(
  config: Config,
  options: DoctorOptions,
  onEnd: (close: () => Promise<void>) => void,
): Promise<Check[]> {
  const { now, random, log, running } = options;
  const proxy = proxyOf(config);
  const outbound = createOutbound(proxy);
  onEnd(() => outbound.close());
  const auth = appAuth({ config, now, log, onStop: onEnd });
  const { SRC_ENDPOINT: endpoint, SLACK_API_URL: slackApiUrl } = config;
  const { shareLink } = options;
  const readShareUrl = createShareUrlReader(endpoint);
  const service = createServiceChecks({
    service: { ...serviceOptions({ config, now, random }), auth },
    apiSetting: apiSettings[config.SRC_API],
    sudoUser: config.SRC_SUDO_USER,
    shareToken: shareLink === undefined ? undefined : () => readShareUrl(shareLink)?.readToken,
    log,
  });
  onEnd(service.close);
  const [address, ...ofService] = service.checks;
  const certificate = createCertificateCheck({
    baseUrl: endpoint,
    proxy,
    ca: caOf(config).ca,
    now,
  });
  const appToken = config.SLACK_APP_TOKEN?.reveal();
  const { SLACK_BOT_TOKEN: botToken } = config;
  const ofSettings = botToken === undefined ? undefined : async () => botToken.reveal();
  const [token, scopes, delivery, ...ofWorkspace] = createSlackChecks({
    slackApiUrl,
    botToken: running?.botToken ?? ofSettings,
    appToken,
    signingSecret: config.SLACK_SIGNING_SECRET?.reveal(),
    requestUrl: options.requestUrl ?? requestUrlOf(config),
    outbound,
    logger: createLibraryLogger(log),
    now,
  });
  const usesSockets = appToken !== undefined && /(?:^|\.)slack\.com$/.test(new URL(slackApiUrl).hostname);
  const configuration: Check = { name: 'configuration', run: async (say) => aboutConfiguration(config, options, say) };
  return [
    configuration,
    createProxyCheck(proxy, [slackApiUrl, ...(usesSockets ? [slackSockets] : []), endpoint]),
    token,
    scopes,
    delivery,
    running?.events ?? eventsNeedApp,
    ...ofWorkspace,
    address,
    certificate,
    ...ofService,
    ...(await storageChecks()),
  ].filter((check): check is Check => check !== undefined);

  async function storageChecks(): Promise<Check[]> {
    if (config.REDIS_URL === undefined) return [createDiskCheck(config.DATA_DIR)];
    const { createRedisChecks } = await import('../storage/checks/redis-checks.ts');
    const redis = createRedisChecks(config.REDIS_URL.reveal(), log);
    onEnd(redis.close);
    return redis.checks;
  }
}

function aboutConfiguration(
  config: Config,
  { isOwnService = false }: DoctorOptions,
  say: Parameters<Check['run']>[0],
): Finding[] {
  const openFiles = fewOpenFiles();
  const risks = [
    ...(openFiles === undefined ? [] : [say('warn', 'fewOpenFiles', { limit: openFiles })]),
    ...(config.SLACK_STAND_IN ? [say('warn', 'standIn', {})] : []),
    ...(config.ACCOUNTS !== 'shared' && config.ENCRYPTION_KEYS === undefined
      ? [say('warn', 'accountsWithoutKeys', { mode: config.ACCOUNTS })]
      : []),
  ];
  const own = isOwnService ? [say('pass', 'ownService', { host: new URL(config.SRC_ENDPOINT).host })] : [];
  return [...own, ...(risks.length === 0 ? [say('pass', 'configurationFine', {})] : risks)];
}

/** People's browsers reach the same port as Slack. */
function requestUrlOf({ PUBLIC_URL: publicUrl }: Config): string | undefined {
  return publicUrl === undefined ? undefined : new URL(`.${eventsPath}`, publicUrl.replace(/\/*$/, '/')).href;
}
