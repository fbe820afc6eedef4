import type { Config } from '../config.ts';
import { type Check, type Doctor, type Finding, findingOf, runChecks, worstOf } from '../core/doctor.ts';
import { isAppError } from '../core/errors.ts';
import { sharing } from '../core/pacing.ts';
import type { Clock, Log } from '../core/ports.ts';
import { createOutbound } from '../service/outbound.ts';
import { createServiceChecks } from '../service/service-checks.ts';
import type { SlackApi } from '../slack/api/slack-api.ts';
import { createLibraryLogger } from '../slack/api/web-client.ts';
import { createEventCheck, createSlackChecks, eventsNeedApp } from '../slack/checks/slack-checks.ts';
import { eventsPath } from '../slack/receivers/http-receiver.ts';
import { createDiskCheck, fewOpenFiles } from '../storage/checks/disk-check.ts';
import type { AppContext } from './context.ts';
import { apiSettings, appAuth, proxyOf, serviceOptions } from './deep-search.ts';

/** Longest time of one check, in milliseconds. */
const checkMs = 20_000;
const thisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

interface DoctorOptions {
  now: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  log: Log;
  /** The address to which Slack posts. Default: below `PUBLIC_URL`, if that is set. */
  requestUrl?: string;
  /** Absent in a program beside the app. */
  running?: { botToken: () => Promise<string>; events: Check };
}

/** The doctor of the running app, for the people in `ADMINS`. One run at a time: who asks meanwhile gets its result too. */
export function createDoctor(
  { config, storage: { claims }, now, random, log }: AppContext,
  slack: SlackApi,
  botToken: () => Promise<string>,
): Doctor {
  return {
    isFor: (userId) => config.ADMINS?.includes(userId) === true,
    examine: sharing(run),
  };

  async function run(userId: string, locale: string | undefined): Promise<Finding[]> {
    const startedMs = now();
    const events = createEventCheck({ slack, claims, userId, locale });
    const findings = await examine(config, { now, random, log, running: { botToken, events } });
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
    return [findingOf('configuration', 'configurationWrong', { problem: error.message })];
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
  const outbound = createOutbound(proxyOf(config));
  onEnd(() => outbound.close());
  const service = createServiceChecks({
    service: { ...serviceOptions({ config, now, random }), auth: appAuth({ config, now, log, onStop: onEnd }) },
    apiSetting: apiSettings[config.SRC_API],
    sudoUser: config.SRC_SUDO_USER,
  });
  onEnd(service.close);
  const { SLACK_BOT_TOKEN: botToken } = config;
  const ofSettings = botToken === undefined ? undefined : async () => botToken.reveal();
  const [token, scopes, delivery, clock] = createSlackChecks({
    slackApiUrl: config.SLACK_API_URL,
    botToken: running?.botToken ?? ofSettings,
    appToken: config.SLACK_APP_TOKEN?.reveal(),
    signingSecret: config.SLACK_SIGNING_SECRET?.reveal(),
    requestUrl: options.requestUrl ?? requestUrlOf(config),
    outbound,
    logger: createLibraryLogger(log),
    now,
  });
  const configuration: Check = { name: 'configuration', run: async (say) => aboutConfiguration(config, say) };
  const events = running?.events ?? eventsNeedApp;
  return [configuration, token, scopes, delivery, events, clock, ...service.checks, ...(await storageChecks())].filter(
    (check): check is Check => check !== undefined,
  );

  async function storageChecks(): Promise<Check[]> {
    if (config.REDIS_URL === undefined) return [createDiskCheck(config.DATA_DIR)];
    const { createRedisChecks } = await import('../storage/checks/redis-checks.ts');
    const redis = createRedisChecks(config.REDIS_URL.reveal(), log);
    onEnd(redis.close);
    return redis.checks;
  }
}

function aboutConfiguration(config: Config, say: Parameters<Check['run']>[0]): Finding[] {
  const openFiles = fewOpenFiles();
  const { protocol, hostname } = new URL(config.SRC_ENDPOINT);
  const risks = [
    ...(openFiles === undefined ? [] : [say('fewOpenFiles', { limit: openFiles })]),
    ...(config.SLACK_STAND_IN ? [say('standIn', {})] : []),
    ...(protocol === 'https:' || thisMachine.test(hostname) ? [] : [say('serviceWithoutTls', {})]),
    ...(config.ACCOUNTS !== 'shared' && config.ENCRYPTION_KEYS === undefined
      ? [say('accountsWithoutKeys', { mode: config.ACCOUNTS })]
      : []),
  ];
  return risks.length === 0 ? [say('configurationFine', {})] : risks;
}

/** People's browsers reach the same port as Slack. */
function requestUrlOf({ PUBLIC_URL: publicUrl }: Config): string | undefined {
  return publicUrl === undefined ? undefined : new URL(`.${eventsPath}`, publicUrl.replace(/\/*$/, '/')).href;
}
