import { randomUUID } from 'node:crypto';
import { createClient, type RedisClientType } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { CreateLimiter } from '../../../src/core/ports.ts';
import { createLimiters } from '../../../src/rate-limits/limiters.ts';
import { createMethodLimits, type MethodLimits } from '../../../src/slack/api/method-limits.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

type None = Record<never, never>;
type Client = RedisClientType<None, None, None, 2, None>;

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function connect(url: string): Promise<Client> {
  const client: Client = createClient<None, None, None, 2, None>({
    url,
    socket: { reconnectStrategy: 50, connectTimeout: 1_000 },
  });
  client.on('error', () => {});
  await client.connect();
  closers.push(async () => client.destroy());
  return client;
}

/** Takes concurrently, so that all calls are in one window. */
async function countTaken(take: () => Promise<number>, tries: number): Promise<number> {
  const missing = await Promise.all(Array.from({ length: tries }, take));
  return missing.filter((ms) => ms === 0).length;
}

/** The contract of both kinds of limiters, in real time with small windows. */
function limiterContract(open: () => Promise<CreateLimiter>) {
  it('grant the points of a window, and then say when the next window may begin', async () => {
    const limiter = (await open())(randomUUID(), { points: 3, windowSeconds: 2 });
    expect(await countTaken(() => limiter.take('a'), 10)).toBe(3);
    const missingMs = await limiter.take('a');
    expect(missingMs).toBeGreaterThan(0);
    expect(missingMs).toBeLessThanOrEqual(2_000);
    await eventually(async () => expect(await limiter.take('a')).toBe(0));
  });

  it('count each key and each name separately', async () => {
    const createLimiter = await open();
    const name = randomUUID();
    const one = createLimiter(name, { points: 1, windowSeconds: 10 });
    const other = createLimiter(`${name}.other`, { points: 1, windowSeconds: 10 });
    expect([await one.take('a'), await one.take('b'), await other.take('a')]).toEqual([0, 0, 0]);
    expect(await one.take('a')).toBeGreaterThan(0);
  });

  it('keep points for urgent calls from callers that must leave some, however often these ask', async () => {
    const limiter = (await open())(randomUUID(), { points: 5, windowSeconds: 10 });
    expect(await countTaken(() => limiter.take('a', { leaving: 2 }), 50)).toBe(3);
    expect(await countTaken(() => limiter.take('a'), 50)).toBe(2);
  });

  it('grant a burst beyond the window', async () => {
    const burst = { points: 4, windowSeconds: 10 };
    const limiter = (await open())(randomUUID(), { points: 1, windowSeconds: 1, burst });
    expect(await countTaken(() => limiter.take('a'), 20)).toBe(5);
    await eventually(async () => expect(await limiter.take('a')).toBe(0));
  });

  it('wait for a point as long as the caller allows, and refuse at once what takes longer', async () => {
    const createLimiter = await open();
    const quick = createLimiter(randomUUID(), { points: 1, windowSeconds: 2 });
    const slow = createLimiter(randomUUID(), { points: 1, windowSeconds: 300 });
    await slow.take('a');
    await quick.take('a');
    const order: string[] = [];
    const [waited, refused] = await Promise.all([
      quick.take('a', { patienceMs: 60_000 }).finally(() => order.push('waited')),
      slow.take('a', { patienceMs: 60_000 }).finally(() => order.push('refused')),
    ]);
    expect(waited).toBe(0);
    expect(refused).toBeGreaterThan(60_000);
    expect(order).toEqual(['refused', 'waited']);
  });

  it('grant nothing while blocked, not even a burst, and everything afterwards', async () => {
    const burst = { points: 4, windowSeconds: 10 };
    const limiter = (await open())(randomUUID(), { points: 2, windowSeconds: 10, burst });
    await limiter.take('a');
    await limiter.block('a', 2_000);
    const missingMs = await limiter.take('a');
    expect(missingMs).toBeGreaterThan(0);
    expect(missingMs).toBeLessThanOrEqual(2_000);
    expect(await limiter.take('b')).toBe(0);
    await eventually(async () => expect(await limiter.take('a')).toBe(0));
  });
}

describe('limiters in memory', () => {
  limiterContract(async () => createLimiters({ log: createRecordingLog().log }));
});

describe.skipIf(!hasRedisServer())('limiters on Redis', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  const open = async () => createLimiters({ redis: await connect(server.url), log: createRecordingLog().log });

  limiterContract(open);

  it('count together over all processes', async () => {
    const name = randomUUID();
    const allowance = { points: 5, windowSeconds: 10 };
    const [one, other] = [(await open())(name, allowance), (await open())(name, allowance)];
    const taken = await Promise.all([countTaken(() => one.take('a'), 20), countTaken(() => other.take('a'), 20)]);
    expect(taken[0] + taken[1]).toBe(5);
  });

  it('leave no data behind in Redis', async () => {
    const client = await connect(server.url);
    const limiter = (await open())(randomUUID(), { points: 1, windowSeconds: 3 });
    await limiter.take('left');
    await limiter.block('left', 2_900);
    expect(await client.keys('ds:limit:*:left')).toHaveLength(1);
    await eventually(async () => expect(await client.keys('ds:limit:*:left')).toEqual([]));
  });

  it('let two processes share one limit: a 429 to one stops that method for both', async () => {
    const newGate = async (): Promise<MethodLimits> => {
      const { log } = createRecordingLog();
      return createMethodLimits({ createLimiter: await open(), now: Date.now, log });
    };
    const [one, other] = [await newGate(), await newGate()];
    const teamId = randomUUID();
    const refused = one.pass('chat.update', { teamId, priority: 'card' }, async () => {
      throw new AppError('rateLimited', 'told so', { retryAfterMs: 30_000 });
    });
    await expect(refused).rejects.toThrow('told so');
    let sent = 0;
    const send = async () => {
      sent += 1;
    };
    await expect(other.pass('chat.update', { teamId, priority: 'card' }, send)).rejects.toMatchObject({
      kind: 'rateLimited',
      outcomeUnknown: false,
    });
    expect(sent).toBe(0);
    await other.pass('chat.postMessage', { teamId, channelId: 'C1', priority: 'answer' }, send);
    expect(sent).toBe(1);
  });
});

describe.skipIf(!hasRedisServer())('limiters on a failing Redis', () => {
  async function openAlone() {
    const server = await startRedisServer();
    closers.push(() => server.stop());
    const { log, lines } = createRecordingLog();
    const createLimiter = createLimiters({ redis: await connect(server.url), log });
    const outcomes = () => lines.filter(({ event }) => event === 'limits.redis').map(({ outcome }) => outcome);
    return { server, limiter: createLimiter('a', { points: 3, windowSeconds: 2 }), outcomes };
  }

  it('count in memory while Redis is down, and together again when it is back, and report each change once', async () => {
    const { server, limiter, outcomes } = await openAlone();
    expect(await limiter.take('a')).toBe(0);
    await server.kill();
    expect(await countTaken(() => limiter.take('b'), 30)).toBe(3);
    expect(outcomes()).toEqual(['lost']);
    await server.restart();
    await eventually(async () => {
      await limiter.take('c');
      expect(outcomes()).toEqual(['lost', 'back']);
    });
  });

  it('do not wait for a frozen Redis', async () => {
    const { server, limiter, outcomes } = await openAlone();
    server.pause();
    expect(await countTaken(() => limiter.take('b'), 30)).toBe(3);
    expect(outcomes()).toEqual(['lost']);
    server.resume();
  });

  it('keep a block that was set before', async () => {
    const { server, limiter } = await openAlone();
    await limiter.block('a', 30_000);
    await server.kill();
    expect(await limiter.take('a')).toBeGreaterThan(20_000);
  });

  it('keep a block that was set in the meantime', async () => {
    const { server, limiter, outcomes } = await openAlone();
    await server.kill();
    await limiter.block('a', 30_000);
    await server.restart();
    await eventually(async () => {
      await limiter.take('b');
      expect(outcomes()).toContain('back');
    });
    expect(await limiter.take('a')).toBeGreaterThan(20_000);
  });
});
