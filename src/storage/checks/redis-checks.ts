import { type Check, type Finding, once, reasonOf, type Says } from '../../core/doctor.ts';
import { AppError, isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { clusterRefusal, commandsRefusal, isCluster, proveWrites, refusedCommands } from '../redis-commands.ts';
import { createRedisConnection, type RedisConnection } from '../redis-connection.ts';

/** What the store demands of Redis at its start, over a connection of the doctor's own. It leaves nothing behind. */
export function createRedisChecks(redisUrl: string, log: Log): { checks: Check[]; close(): Promise<void> } {
  let connection: RedisConnection | undefined;
  const connect = once(async () => {
    connection = createRedisConnection(redisUrl, log);
    await connection.prove();
    return { ...(await checkFitness(connection, log)), connection };
  });

  return {
    checks: [
      { name: 'redis', run: reached },
      { name: 'persistence', run: persistence },
    ],
    close: async () => connection?.close(),
  };

  async function reached(say: Says): Promise<Finding[]> {
    try {
      const { connection: redis, version, policy } = await connect();
      await checkWrites(redis);
      const { where } = redis;
      if (version === undefined || policy === undefined) return [say('redisNotTold', { where })];
      return [say('redisReached', { where, version })];
    } catch (error) {
      return [say('refused', { reason: reasonOf(error), settings: 'REDIS_URL' })];
    }
  }

  async function persistence(say: Says): Promise<Finding[]> {
    const known = await connect().catch(() => undefined);
    if (known === undefined) return [say('notChecked', { because: 'redis' })];
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}:([\\w-]+)\\s*$`, 'm').exec(known.info)?.[1];
    if ([field('aof_last_write_status'), field('rdb_last_bgsave_status')].includes('err')) {
      return [say('persistenceFails', {})];
    }
    const isLogged = field('aof_enabled');
    if (isLogged === undefined) return [say('notTold', { reason: 'INFO has no aof_enabled' })];
    if (isLogged === '0') return [say('persistenceWeak', { setting: 'appendonly no' })];
    const sync = await syncOf(known.connection);
    if (sync === 'no') return [say('persistenceWeak', { setting: 'appendfsync no' })];
    return [say('persistenceOn', { sync })];
  }
}

/** Managed services forbid some commands. */
async function syncOf({ client, run }: RedisConnection): Promise<string> {
  try {
    return (await run('CONFIG GET', () => client.configGet('appendfsync'))).appendfsync ?? '?';
  } catch (error) {
    if (isAppError(error) && (error.code === 'NOPERM' || error.code === 'ERR')) return '?';
    throw error;
  }
}

/** The oldest Redis that has the commands of the store. */
const oldestVersion = '6.2';

/** The reply to `INFO`, empty if Redis refuses it, and what it tells. */
interface Fitness {
  info: string;
  version: string | undefined;
  /** `maxmemory-policy`. */
  policy: string | undefined;
}

/**
 * Checks version, mode and eviction policy. Only warns when Redis does not report them (some managed services forbid `INFO`).
 */
export async function checkFitness(connection: RedisConnection, log: Log): Promise<Fitness> {
  const { client, run, where } = connection;
  const info = await readInfo();
  const version = versionOf(info);
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];

  if (isCluster(info)) throw clusterRefusal(where);
  if (version === undefined || policy === undefined) {
    log.warn({ event: 'storage.redis', outcome: 'unchecked', version, policy });
  }
  if (version !== undefined && isTooOld(version)) {
    throw new AppError('storage', `Redis at ${where} is too old: at least version ${oldestVersion} is needed`);
  }
  if (policy !== undefined && policy !== 'noeviction') {
    throw new AppError(
      'storage',
      `Redis at ${where} would drop questions when its memory is full: set its maxmemory-policy to noeviction (it is ${policy})`,
    );
  }
  return { info, version, policy };

  async function readInfo(): Promise<string> {
    try {
      return await run('INFO', () => client.info());
    } catch (error) {
      if (isAppError(error) && (error.code === 'NOPERM' || error.code === 'ERR')) return '';
      throw error;
    }
  }
}

/** Whether Redis lets the app run every command that it needs, and takes writes. */
export async function checkWrites(connection: RedisConnection): Promise<void> {
  const refused = await refusedCommands(connection);
  if (refused.length > 0) throw commandsRefusal(connection.where, refused);
  await proveWrites(connection);
}

/** The version in the reply to `INFO`. Undefined if Redis does not tell it. */
function versionOf(info: string): string | undefined {
  return /^redis_version:(\d+\.\d+[\w.]*)/m.exec(info)?.[1];
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestVersion.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
