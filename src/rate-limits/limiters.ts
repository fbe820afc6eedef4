import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, RLWrapperTimeouts } from 'rate-limiter-flexible';
import type { RedisClientType } from 'redis';
import type { Allowance, CreateLimiter, Limiter, Log, TakeOptions } from '../core/ports.ts';

/** If the store takes longer than this, the limiter counts in memory, so that the limited work does not wait. */
const STORE_DEADLINE_MS = 250;
const KEY_PREFIX = 'ds:limit';
/** Shortest wait between two tries of one waiter, whatever the store answers. */
const SHORTEST_WAIT_MS = 10;

/**
 * Counts only granted points, unlike the library's own script: a refused caller that leaves points for others must not
 * use them up. ARGV: points to take, seconds of the window, points of the window.
 */
const TAKE_SCRIPT = `
local taken = tonumber(redis.call('get', KEYS[1]) or '0')
if taken + tonumber(ARGV[1]) > tonumber(ARGV[3]) then
  return {tonumber(ARGV[3]) + 1, redis.call('pttl', KEYS[1])}
end
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
return {redis.call('incrby', KEYS[1], ARGV[1]), redis.call('pttl', KEYS[1])}
`;

type None = Record<never, never>;

export interface LimiterDeps {
  /** All processes on the same Redis share the counts. Without Redis each process counts for itself. */
  redis?: RedisClientType<None, None, None, 2, None>;
  log: Log;
}

interface Counter {
  /**
   * Takes a point if one is left of `points`, which may be fewer than the window has. Returns 0, or the milliseconds
   * until a point may be free.
   */
  take(key: string, points: number): Promise<number>;
  block(key: string, seconds: number): Promise<void>;
}

/**
 * Creates limiters on Redis or in memory. While Redis is down, frozen or refuses commands, they count in memory, so
 * each process has the whole allowance. The log records the loss and the return once each. A block is also kept in the
 * memory of the process that set it, so that it survives a loss of Redis there.
 */
export function createLimiters({ redis, log }: LimiterDeps): CreateLimiter {
  let isLost = false;

  return function createLimiter(name, allowance): Limiter {
    const own = createCounter(name, allowance);
    const { burst } = allowance;
    const bursting = burst === undefined ? undefined : createCounter(`${name}.burst`, burst);

    return { take, block };

    async function take(key: string, { patienceMs = 0, leaving = 0 }: TakeOptions = {}): Promise<number> {
      for (let leftMs = patienceMs; ; ) {
        const missingMs = await takeNow(key, leaving);
        if (missingMs === 0 || missingMs > leftMs) return missingMs;
        const pauseMs = Math.max(SHORTEST_WAIT_MS, missingMs);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        leftMs -= pauseMs;
      }
    }

    async function takeNow(key: string, leaving: number): Promise<number> {
      const missingMs = await own.take(key, allowance.points - leaving);
      if (missingMs === 0 || burst === undefined || bursting === undefined) return missingMs;
      return Math.min(missingMs, await bursting.take(key, burst.points));
    }

    async function block(key: string, ms: number): Promise<void> {
      const seconds = Math.max(1, Math.ceil(ms / 1000));
      await Promise.all([own.block(key, seconds), bursting?.block(key, seconds)]);
    }
  };

  function createCounter(name: string, allowance: Allowance): Counter {
    const memory = createMemoryCounter(allowance);
    if (redis === undefined) return memory;
    const store = createRedisCounter(redis, name, allowance);
    return {
      take: async (key, points) =>
        (await memory.blockedMs(key)) || ((await trying(() => store.take(key, points))) ?? memory.take(key, points)),
      async block(key, seconds) {
        await memory.block(key, seconds);
        await trying(() => store.block(key, seconds));
      },
    };
  }

  /** Returns the result, or undefined when the store failed. */
  async function trying<Result>(operation: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await operation();
      if (isLost) log.info({ event: 'limits.redis', outcome: 'back' });
      isLost = false;
      return result;
    } catch (error) {
      if (!isLost) log.warn({ event: 'limits.redis', outcome: 'lost' }, error);
      isLost = true;
      return undefined;
    }
  }
}

function createMemoryCounter({ points, windowSeconds }: Allowance) {
  const limiter = new RateLimiterMemory({ points, duration: windowSeconds });
  let last: Promise<unknown> = Promise.resolve();

  return { take, block, blockedMs };

  /** Calls run one after the other, so that no call takes a point between another call's check and its own. */
  function take(key: string, ofPoints: number): Promise<number> {
    const taken = last.then(async () => {
      const missingMs = await fullMs(key, ofPoints);
      return missingMs || missingPoint(limiter.consume(key));
    });
    last = taken.catch(() => {});
    return taken;
  }

  async function block(key: string, seconds: number): Promise<void> {
    await limiter.block(key, seconds);
  }

  function blockedMs(key: string): Promise<number> {
    return fullMs(key, points + 1);
  }

  async function fullMs(key: string, ofPoints: number): Promise<number> {
    const held = await limiter.get(key);
    return held === null || held.consumedPoints < ofPoints ? 0 : Math.max(0, held.msBeforeNext);
  }
}

function createRedisCounter(
  storeClient: NonNullable<LimiterDeps['redis']>,
  name: string,
  { points, windowSeconds }: Allowance,
): Counter {
  const limiters = new Map<number, RLWrapperTimeouts>();

  return {
    take: (key, ofPoints) => missingPoint(limiterOf(ofPoints).consume(key)),
    async block(key, seconds) {
      await limiterOf(points).block(key, seconds);
    },
  };

  /** One limiter per number of points, all counting on the same keys. */
  function limiterOf(ofPoints: number): RLWrapperTimeouts {
    const known = limiters.get(ofPoints);
    if (known !== undefined) return known;
    const limiter = new RLWrapperTimeouts({
      limiter: new RateLimiterRedis({
        storeClient,
        keyPrefix: `${KEY_PREFIX}:${name}`,
        points: ofPoints,
        duration: windowSeconds,
        customIncrTtlLuaScript: TAKE_SCRIPT,
        useRedisPackage: true,
        rejectIfRedisNotReady: true,
      }),
      timeoutMs: STORE_DEADLINE_MS,
    });
    limiters.set(ofPoints, limiter);
    return limiter;
  }
}

/**
 * Returns 0 or the wait in ms. The library resolves when there was a point, and rejects with an instance of the same
 * class when there was none.
 */
async function missingPoint(taken: Promise<RateLimiterRes>): Promise<number> {
  try {
    await taken;
    return 0;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
    throw refusal;
  }
}
