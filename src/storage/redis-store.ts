import { createKeyv } from '@keyv/redis';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { EngineStore } from './key-value-store.ts';
import { type Client, createRedisConnection, type RedisConnection } from './redis-connection.ts';
import { createRedisTimedTexts } from './redis-timed-texts.ts';
import { textSerialization } from './text-serialization.ts';

const OLDEST_VERSION = [6, 2] as const;

/** Stores `ARGV[2]` if the key holds `ARGV[1]`. `ARGV[3]` is the expiry in ms, empty for none. */
const COMPARE_AND_SET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;

/**
 * Opens the store in Redis, which any number of processes share. Resolves when Redis has replied and is suitable:
 * version 6.2 or later, without key eviction. Reconnects automatically. Throws `AppError` of kind `storage` that never
 * contains the URL, because the URL may contain a password.
 */
export async function openRedisStore(redisUrl: string, log: Log): Promise<EngineStore & { client: Client }> {
  const connection = createRedisConnection(redisUrl, log);
  const { client, run, close } = connection;
  try {
    await connection.prove();
    await checkFitness(connection, log);
  } catch (error) {
    await close();
    throw error;
  }

  const keyv = createKeyv(client, { throwOnErrors: true });
  keyv.serialize = textSerialization.serialize;
  keyv.deserialize = textSerialization.deserialize;

  async function setIfAbsent(key: string, value: string, ttlMs?: number): Promise<boolean> {
    const expiration = ttlMs === undefined ? {} : { expiration: { type: 'PX' as const, value: ttlMs } };
    return (await run('SET NX', () => client.set(key, value, { condition: 'NX', ...expiration }))) !== null;
  }

  return {
    client,
    get: (key) => run('GET', () => keyv.get<string>(key)),
    async set(key, value, ttlMs) {
      await run('SET', () => keyv.set(key, value, ttlMs));
    },
    delete: (key) => run('DEL', () => keyv.delete(key)),
    setIfAbsent,
    async compareAndSet(key, expected, next, ttlMs) {
      if (expected === undefined) return setIfAbsent(key, next, ttlMs);
      const done = await run('EVAL', () =>
        client.eval(COMPARE_AND_SET, { keys: [key], arguments: [expected, next, ttlMs?.toString() ?? ''] }),
      );
      return done === 1;
    },
    async addMember(set, member) {
      await run('SADD', () => client.sAdd(set, member));
    },
    async removeMember(set, member) {
      await run('SREM', () => client.sRem(set, member));
    },
    members: (set) => run('SMEMBERS', () => client.sMembers(set)),
    timed: createRedisTimedTexts(connection),
    async ping() {
      await run('PING', () => client.ping());
    },
    close,
  };
}

/**
 * Checks version and eviction policy. Only warns when Redis does not report them (some managed services forbid `INFO`).
 */
async function checkFitness({ client, run, where }: RedisConnection, log: Log): Promise<void> {
  const info = await readInfo();
  const version = /^redis_version:(\d+)\.(\d+)/m.exec(info);
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];

  if (version === null || policy === undefined) {
    log.warn({ event: 'storage.redis', outcome: 'unchecked', version: version?.[0], policy });
  }
  if (version !== null && compareVersions([Number(version[1]), Number(version[2])], OLDEST_VERSION) < 0) {
    throw new AppError(
      'storage',
      `Redis at ${where} is too old: at least version ${OLDEST_VERSION.join('.')} is needed`,
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    throw new AppError(
      'storage',
      `Redis at ${where} would drop questions when its memory is full: set its maxmemory-policy to noeviction (it is ${policy})`,
    );
  }

  async function readInfo(): Promise<string> {
    try {
      return await run('INFO', () => client.info());
    } catch (error) {
      if (isAppError(error) && (error.code === 'NOPERM' || error.code === 'ERR')) return '';
      throw error;
    }
  }
}

function compareVersions(left: readonly [number, number], right: readonly [number, number]): number {
  return left[0] - right[0] || left[1] - right[1];
}
