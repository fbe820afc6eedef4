import { createKeyv } from '@keyv/redis';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { checkFitness, checkWrites } from './checks/redis-checks.ts';
import { KEYS_PER_PAGE, type KeyValueStore, textSerialization, tooLate } from './key-value-store.ts';
import { proveWrites } from './redis-commands.ts';
import { createRedisConnection, type RedisConnection } from './redis-connection.ts';

/** Stores `ARGV[2]` if the key holds `ARGV[1]`. `ARGV[3]` is the expiry in ms, empty for none. */
const COMPARE_AND_SET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;

/**
 * Returns the key's value. If there is none, stores `ARGV[1]` for `ARGV[2]` ms and adds `ARGV[3]` to the set, but not after
 * `ARGV[4]`, in ms by Redis' own clock, empty for any time: a Redis that hangs may carry the script out later.
 */
const CREATE_LISTED = `
local existing = redis.call('GET', KEYS[1])
if existing then return existing end
local now = redis.call('TIME')
if ARGV[4] ~= '' and now[1] * 1000 + now[2] / 1000 > tonumber(ARGV[4]) then return redis.error_reply('LATE too late to be stored') end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SADD', KEYS[2], ARGV[3])
return false`;

/** How long what Redis' clock showed tells its time, in milliseconds: clocks drift by less than 0.05 % (NTP). */
const CLOCK_READ_MS = 10_000;
/** What this machine's clock differs in that time from one that is not set, in milliseconds, was set. */
const CLOCK_SET_MS = 100;

/** Deletes the key if it holds `ARGV[1]`. */
const COMPARE_AND_DELETE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Sets an expiry of `ARGV[1]` ms unless the key expires earlier. `PEXPIRE … LT` needs Redis 7. */
const SHORTEN_LIFE = `
local left = redis.call('PTTL', KEYS[1])
if left == -2 or (left >= 0 and left <= tonumber(ARGV[1])) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

export type RedisStore = KeyValueStore & Pick<RedisConnection, 'client' | 'run'>;

/**
 * Opens the store in Redis, which any number of processes share. Resolves when Redis has replied and is suitable:
 * version 6.2 or later, without key eviction and not in cluster mode. For a program that writes, it also takes writes. Reconnects automatically. Throws `AppError` of kind `storage` that never
 * contains the URL, because the URL may contain a password.
 */
export async function openRedisStore(
  redisUrl: string,
  log: Log,
  use: 'writes' | 'reads' = 'writes',
): Promise<RedisStore> {
  const connection = createRedisConnection(redisUrl, log);
  const { client, run, close } = connection;
  try {
    await connection.prove();
    await checkFitness(connection, log);
    if (use === 'writes') await checkWrites(connection);
  } catch (error) {
    await close();
    throw error;
  }

  const keyv = createKeyv(client, { throwOnErrors: true });
  keyv.serialize = textSerialization.serialize;
  keyv.deserialize = textSerialization.deserialize;

  const clock = createRedisClock(connection);

  async function setIfAbsent(key: string, value: string, ttlMs?: number): Promise<boolean> {
    const expiration = ttlMs === undefined ? {} : { expiration: { type: 'PX' as const, value: ttlMs } };
    return (await run('SET NX', () => client.set(key, value, { condition: 'NX', ...expiration }))) !== null;
  }

  function evaluate(script: string, keys: string[], args: string[]): Promise<unknown> {
    return run('EVAL', () => client.eval(script, { keys, arguments: args }));
  }

  return {
    client,
    run,
    get: (key) => run('GET', () => keyv.get<string>(key)),
    async set(key, value, ttlMs) {
      await run('SET', () => keyv.set(key, value, ttlMs));
    },
    delete: (key) => run('DEL', () => keyv.delete(key)),
    setIfAbsent,
    async createListed(key, value, ttlMs, set, member, byMs) {
      const create = async (until: string): Promise<string | undefined> => {
        const existing = await evaluate(CREATE_LISTED, [key, set], [value, ttlMs.toString(), member, until]);
        return typeof existing === 'string' ? existing : undefined;
      };
      if (byMs === undefined) return create('');
      const isLate = (error: unknown): boolean => isAppError(error) && error.code === 'LATE';
      try {
        return await create(await clock.at(byMs));
      } catch (error) {
        if (!isLate(error)) throw error;
      }
      // If what is known of Redis' clock is wrong, everything is refused for seconds; so it is read again before this is told.
      clock.forget();
      if (Date.now() > byMs) throw tooLate();
      try {
        return await create(await clock.at(byMs));
      } catch (error) {
        throw isLate(error) ? tooLate() : error;
      }
    },
    async compareAndSet(key, expected, next, ttlMs) {
      if (expected === undefined) return setIfAbsent(key, next, ttlMs);
      return (await evaluate(COMPARE_AND_SET, [key], [expected, next, ttlMs?.toString() ?? ''])) === 1;
    },
    async compareAndDelete(key, expected) {
      return (await evaluate(COMPARE_AND_DELETE, [key], [expected])) === 1;
    },
    async *keys(prefix) {
      let cursor = '0';
      do {
        const from = cursor;
        const page = await run('SCAN', () =>
          client.scan(from, { MATCH: `${escapeGlob(prefix)}*`, COUNT: KEYS_PER_PAGE, TYPE: 'string' }),
        );
        yield* page.keys;
        cursor = page.cursor;
      } while (cursor !== '0');
    },
    async shortenLife(key, longestMs) {
      return (await evaluate(SHORTEN_LIFE, [key], [longestMs.toString()])) === 1;
    },
    async addMember(set, member) {
      await run('SADD', () => client.sAdd(set, member));
    },
    async removeMember(set, member) {
      await run('SREM', () => client.sRem(set, member));
    },
    members: (set) => run('SMEMBERS', () => client.sMembers(set)),
    // With a write, because a replica, a full Redis and one whose disk is full still answer reads.
    ping: () => proveWrites(connection),
    close,
  };
}

/** Reads the clock of Redis, which may differ from this machine's. */
function createRedisClock({ client, run }: RedisConnection) {
  let read: ClockRead | undefined;
  const forget = (): void => {
    read = undefined;
  };
  // Another server may reply now.
  client.on('ready', forget);

  async function readClock(): Promise<ClockRead> {
    try {
      const [seconds, microseconds] = await run('TIME', () => client.time());
      const atMs = Date.now();
      const aheadMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000 - atMs;
      return { aheadMs, atMs, monotonicMs: performance.now() };
    } catch (error) {
      // A lost reply to this leaves no doubt: nothing is stored yet.
      throw new AppError('storage', 'The clock of Redis could not be read', { cause: error });
    }
  }

  return {
    forget,
    /** What Redis' clock shows at this time, in whole milliseconds, and rather too early than too late. */
    async at(ms: number): Promise<string> {
      if (read === undefined || isOld(read)) read = await readClock();
      return Math.floor(ms + read.aheadMs).toString();
    },
  };
}

interface ClockRead {
  /** How far Redis' clock is ahead of this machine's. */
  aheadMs: number;
  /** When it was read, by this machine's clock, which may be set, and by one that is not. */
  atMs: number;
  monotonicMs: number;
}

function isOld({ atMs, monotonicMs }: ClockRead): boolean {
  const elapsedMs = performance.now() - monotonicMs;
  // If this machine's clock is set, a question may be stored after its asker was told that it was not; so Redis' is read again.
  const wasSet = Math.abs(Date.now() - atMs - elapsedMs) > CLOCK_SET_MS;
  return elapsedMs > CLOCK_READ_MS || wasSet;
}

/** Slack's ids have no special characters of a glob pattern, but nothing here depends on that. */
function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&');
}
