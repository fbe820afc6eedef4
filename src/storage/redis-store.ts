import { createKeyv } from '@keyv/redis';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { type EngineStore, KEYS_PER_PAGE } from './key-value-store.ts';
import { clusterRefusal, commandsRefusal, isCluster, proveWrites, refusedCommands } from './redis-commands.ts';
import { createRedisConnection, type RedisConnection } from './redis-connection.ts';
import { isTooOld, oldestVersion, versionOf } from './redis-fitness.ts';
import { createRedisTimedTexts } from './redis-timed-texts.ts';
import { textSerialization } from './text-serialization.ts';

/** The code of the refusal to store something for a copy of the app whose mark is gone. */
const NO_MARK = 'NOMARK';

/** Refuses a script unless its last key, the mark of a copy, holds the last argument. */
const ONLY_WITH_MARK = `
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[#ARGV] then return redis.error_reply('${NO_MARK} this copy was suspended') end`;

/** Stores `ARGV[2]` if the key holds `ARGV[1]`. `ARGV[3]` is the expiry in ms, empty for none. */
const COMPARE_AND_SET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;

/** Returns the key's value. If there is none, stores `ARGV[1]` for `ARGV[2]` ms and adds `ARGV[3]` to the set. */
const CREATE_LISTED = `
local existing = redis.call('GET', KEYS[1])
if existing then return existing end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SADD', KEYS[2], ARGV[3])
return false`;

/** Deletes the key if it holds `ARGV[1]`. */
const COMPARE_AND_DELETE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Sets an expiry of `ARGV[1]` ms unless the key expires earlier. `PEXPIRE … LT` needs Redis 7. */
const SHORTEN_LIFE = `
local left = redis.call('PTTL', KEYS[1])
if left == -2 or (left >= 0 and left <= tonumber(ARGV[1])) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

export interface RedisStore extends EngineStore, Pick<RedisConnection, 'client' | 'run'> {
  /**
   * `createListed` and `compareAndSet` of an existing text that do nothing unless the key of `mark` holds its value, checked in
   * the same step. Without the mark they call `prove` and try once more. They throw what it throws.
   */
  guardedBy(copy: { mark: Mark; prove(): Promise<void> }): ListingWrites;
}

/** The text under a key, which a process needs to store something. */
interface Mark {
  key: string;
  value: string;
}

/** What questions are stored and changed with. */
type ListingWrites = Pick<EngineStore, 'createListed' | 'compareAndSet'>;

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

  async function setIfAbsent(key: string, value: string, ttlMs?: number): Promise<boolean> {
    const expiration = ttlMs === undefined ? {} : { expiration: { type: 'PX' as const, value: ttlMs } };
    return (await run('SET NX', () => client.set(key, value, { condition: 'NX', ...expiration }))) !== null;
  }

  function listingWrites(
    evaluate: (script: string, keys: string[], args: string[]) => Promise<unknown>,
  ): ListingWrites {
    return {
      async createListed(key, value, ttlMs, set, member) {
        const existing = await evaluate(CREATE_LISTED, [key, set], [value, ttlMs.toString(), member]);
        return typeof existing === 'string' ? existing : undefined;
      },
      async compareAndSet(key, expected, next, ttlMs) {
        if (expected === undefined) return setIfAbsent(key, next, ttlMs);
        return (await evaluate(COMPARE_AND_SET, [key], [expected, next, ttlMs?.toString() ?? ''])) === 1;
      },
    };
  }

  return {
    client,
    run,
    guardedBy: ({ mark, prove }) =>
      listingWrites(async (script, keys, args) => {
        const guarded = { keys: [...keys, mark.key], arguments: [...args, mark.value] };
        const attempt = () => run('EVAL', () => client.eval(ONLY_WITH_MARK + script, guarded));
        try {
          return await attempt();
        } catch (error) {
          if (!isAppError(error) || error.code !== NO_MARK) throw error;
          await prove();
          return attempt();
        }
      }),
    get: (key) => run('GET', () => keyv.get<string>(key)),
    async set(key, value, ttlMs) {
      await run('SET', () => keyv.set(key, value, ttlMs));
    },
    delete: (key) => run('DEL', () => keyv.delete(key)),
    setIfAbsent,
    ...listingWrites((script, keys, args) => run('EVAL', () => client.eval(script, { keys, arguments: args }))),
    async compareAndDelete(key, expected) {
      const done = await run('EVAL', () => client.eval(COMPARE_AND_DELETE, { keys: [key], arguments: [expected] }));
      return done === 1;
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
      const done = await run('EVAL', () =>
        client.eval(SHORTEN_LIFE, { keys: [key], arguments: [longestMs.toString()] }),
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
    // With a write, because a replica, a full Redis and one whose disk is full still answer reads.
    ping: () => proveWrites(connection),
    close,
  };
}

async function checkWrites(connection: RedisConnection): Promise<void> {
  const refused = await refusedCommands(connection);
  if (refused.length > 0) throw commandsRefusal(connection.where, refused);
  await proveWrites(connection);
}

/** Slack's ids have no special characters of a glob pattern, but nothing here depends on that. */
function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&');
}

/**
 * Checks version, mode and eviction policy. Only warns when Redis does not report them (some managed services forbid `INFO`).
 */
async function checkFitness(connection: RedisConnection, log: Log): Promise<void> {
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

  async function readInfo(): Promise<string> {
    try {
      return await run('INFO', () => client.info());
    } catch (error) {
      if (isAppError(error) && (error.code === 'NOPERM' || error.code === 'ERR')) return '';
      throw error;
    }
  }
}
