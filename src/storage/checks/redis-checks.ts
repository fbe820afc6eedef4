import { type Check, type Finding, once, reasonOf, type Says } from '../../core/doctor.ts';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { createRedisConnection, type RedisConnection } from '../redis-connection.ts';
import { checkFitness, checkWrites } from '../redis-fitness.ts';

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
