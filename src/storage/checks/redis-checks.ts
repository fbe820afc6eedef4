import { errorCode } from '../../core/doctor/error-code.ts';
import type { Check, Finding, Says } from '../../core/doctor/finding.ts';
import { once } from '../../core/doctor/run-checks.ts';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { isCluster, proveWrites, refusedCommands } from '../redis-commands.ts';
import { createRedisConnection, type RedisConnection } from '../redis-connection.ts';
import { isTooOld, oldestVersion, versionOf } from '../redis-fitness.ts';

/** Pings of which the median counts, and the time of one from which on people notice it. */
const pings = 5;
const highLatencyMs = 100;

/** Codes of replies with which Redis refuses a client. */
const refusals = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'ERR']);

/** What Redis tells of itself. Undefined values: it does not tell. */
interface Told {
  version: string | undefined;
  policy: string | undefined;
  /** `appendonly` and `appendfsync`. */
  isLogged: boolean | undefined;
  sync: string | undefined;
  /** Whether it makes snapshots by itself. */
  hasSnapshots: boolean | undefined;
  isFailing: boolean;
  isCluster: boolean;
}

/** The checks of Redis, over a connection of their own. They leave nothing behind. `close` ends the connection. */
export function createRedisChecks(redisUrl: string, log: Log): { checks: Check[]; close(): Promise<void> } {
  let connection: RedisConnection | undefined;
  const connect = once(async () => {
    connection = createRedisConnection(redisUrl, log);
    await connection.prove();
    return connection;
  });
  const told = once(async () => readTold(await connect()));

  return {
    checks: [
      { name: 'redis', run: reached },
      { name: 'eviction', run: about(eviction) },
      { name: 'persistence', run: about(persistence) },
      { name: 'latency', run: latency },
    ],
    close: async () => connection?.close(),
  };

  async function reached(say: Says): Promise<Finding[]> {
    try {
      const redis = await connect();
      const { where } = redis;
      const { version, isCluster: isOfCluster } = await told();
      if (isOfCluster) return [say('fail', 'redisIsCluster', { where })];
      if (version !== undefined && isTooOld(version)) {
        return [say('fail', 'redisTooOld', { version, oldest: oldestVersion })];
      }
      const commands = await refusedCommands(redis);
      if (commands.length > 0) return [say('fail', 'redisCommandsRefused', { commands: commands.join(', ') })];
      const noWrite = await proveWrites(redis).catch((error: unknown) => error);
      if (isAppError(noWrite, 'storage')) {
        const code = wordOf(noWrite, errorCode(noWrite));
        if (code === 'CLUSTER') throw noWrite;
        return [say('fail', 'redisNotWritable', { code })];
      }
      if (version === undefined) return [say('warn', 'redisVersionNotTold', { where })];
      return [say('pass', 'redisReached', { where, version })];
    } catch (error) {
      const code = errorCode(error);
      const where = connection?.where ?? 'REDIS_URL';
      if (isAppError(error) && error.code === 'CLUSTER') return [say('fail', 'redisIsCluster', { where })];
      const isRefusal = isAppError(error, 'storage') && refusals.has(String(error.code));
      return [say('fail', isRefusal ? 'redisRefuses' : 'redisUnreachable', { where, code: wordOf(error, code) })];
    }
  }

  /** Runs a judgement on what Redis told, if it told anything. */
  function about(judge: (known: Told, say: Says) => Finding): Check['run'] {
    return async (say) => {
      const known = await told().catch(() => undefined);
      return [known === undefined ? say('warn', 'notChecked', { because: 'redis' }) : judge(known, say)];
    };
  }

  async function latency(say: Says): Promise<Finding[]> {
    const { client, run } = (await connect().catch(() => undefined)) ?? {};
    if (client === undefined || run === undefined) return [say('warn', 'notChecked', { because: 'redis' })];
    const times: number[] = [];
    for (let index = 0; index < pings; index += 1) {
      const startedMs = performance.now();
      await run('PING', () => client.ping());
      times.push(performance.now() - startedMs);
    }
    const ms = Math.ceil(times.toSorted((one, other) => one - other)[Math.floor(pings / 2)] ?? 0);
    return [ms >= highLatencyMs ? say('warn', 'latencyHigh', { ms }) : say('pass', 'latencyLow', { ms })];
  }
}

function eviction({ policy }: Told, say: Says): Finding {
  if (policy === undefined) return say('warn', 'evictionNotTold', {});
  return policy === 'noeviction' ? say('pass', 'evictionOff', {}) : say('fail', 'evictionOn', { policy });
}

function persistence({ isLogged, sync, hasSnapshots, isFailing }: Told, say: Says): Finding {
  if (isFailing) return say('fail', 'persistenceFails', {});
  if (isLogged === undefined) return say('warn', 'persistenceNotTold', {});
  if (isLogged) {
    if (sync === 'always') return say('pass', 'persistenceAlways', {});
    if (sync === 'everysec') return say('pass', 'persistenceEverySecond', {});
    return sync === 'no' ? say('warn', 'persistenceLeftToSystem', {}) : say('pass', 'persistenceLog', {});
  }
  if (hasSnapshots === undefined) return say('warn', 'persistenceNotTold', {});
  return hasSnapshots ? say('warn', 'persistenceSnapshots', {}) : say('warn', 'persistenceNone', {});
}

async function readTold({ client, run }: RedisConnection): Promise<Told> {
  const info = await orNothing(() => run('INFO', () => client.info()));
  const field = (name: string): string | undefined => new RegExp(`^${name}:([\\w-]+)\\s*$`, 'm').exec(info ?? '')?.[1];
  const setting = async (name: string): Promise<string | undefined> =>
    (await orNothing(() => run('CONFIG GET', () => client.configGet(name))))?.[name];
  const save = await setting('save');
  const isWrong = (name: string): boolean => field(name) === 'err';
  return {
    version: versionOf(info ?? ''),
    policy: field('maxmemory_policy'),
    isLogged: field('aof_enabled') === undefined ? undefined : field('aof_enabled') === '1',
    sync: await setting('appendfsync'),
    hasSnapshots: save === undefined ? undefined : save !== '',
    isCluster: isCluster(info ?? ''),
    isFailing: isWrong('aof_last_write_status') || isWrong('rdb_last_bgsave_status'),
  };
}

/** Managed services forbid some commands. */
async function orNothing<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isAppError(error) && (error.code === 'NOPERM' || error.code === 'ERR')) return undefined;
    throw error;
  }
}

/** A reply of Redis begins with its code, and the rest may contain what the app sent. */
function wordOf(error: unknown, code: string): string {
  return isAppError(error) && error.code !== undefined ? String(error.code) : code;
}
