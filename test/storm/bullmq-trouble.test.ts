import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { describe, expect, it, type TestContext } from 'vitest';
import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import type { CountedScheduler } from '../../src/scheduler/counted-scheduler.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const FAR_MS = 60_000;
/** Longer than every lease, back-off and load time in these tests. */
const patient = { timeoutMs: 45_000 };

/** Tests run concurrently, so each one registers its own cleanup. */
type Closer = TestContext['onTestFinished'];

async function startServer(onTestFinished: Closer, args: string[] = []) {
  const server = await startRedisServer(args);
  onTestFinished(() => server.stop());
  return server;
}

async function temporaryDir(onTestFinished: Closer): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'bullmq-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

function createScheduler(onTestFinished: Closer, redisUrl: string) {
  const { log, lines } = createRecordingLog();
  const scheduler = createBullScheduler({ redisUrl, log, random: Math.random });
  onTestFinished(() => scheduler.stop(1_000));
  return { scheduler, lines };
}

/** Runs each question every 50 ms and counts the runs. */
async function startCounting(scheduler: CountedScheduler): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  await scheduler.start(async (id) => {
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return 50;
  });
  return counts;
}

async function expectGoesOn(counts: Map<string, number>, ids: string[]): Promise<void> {
  const before = new Map(counts);
  await eventually(() => {
    for (const id of ids) expect(counts.get(id) ?? 0).toBeGreaterThan((before.get(id) ?? 0) + 5);
  }, patient);
}

/** Call it while Redis does not reply: scheduling fails within its time limit. */
async function expectRefused(scheduler: CountedScheduler): Promise<void> {
  await expect(scheduler.schedule('qz', FAR_MS)).rejects.toMatchObject({ name: 'AppError', kind: 'storage' });
}

async function callsOf(url: string, name: string): Promise<number> {
  const client = createClient({ url });
  await client.connect();
  const stats = await client.info('commandstats');
  client.destroy();
  const ofCommand = new RegExp(`cmdstat_${name}:calls=(\\d+).*?rejected_calls=(\\d+),failed_calls=(\\d+)`).exec(stats);
  return Number(ofCommand?.[1] ?? 0) + Number(ofCommand?.[2] ?? 0);
}

async function command(url: string, ...words: string[]): Promise<void> {
  const client = createClient({ url });
  await client.connect();
  try {
    await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}

describe.skipIf(!hasRedisServer()).concurrent('BullMQ on a failing Redis', () => {
  it('fails while Redis is not there, and works as soon as it is', async ({ onTestFinished }) => {
    const server = await startServer(onTestFinished);
    await server.kill();
    const { scheduler } = createScheduler(onTestFinished, server.url);
    await expectRefused(scheduler);
    await expect(scheduler.start(async () => undefined)).rejects.toMatchObject({ kind: 'storage' });
    await server.restart();
    const counts = await startCounting(scheduler);
    await scheduler.schedule('qa', 0);
    await expectGoesOn(counts, ['qa']);
  });

  it('keeps every question over a crash of a Redis that persists, and continues without help', async ({
    onTestFinished,
  }) => {
    const dir = await temporaryDir(onTestFinished);
    const server = await startServer(onTestFinished, ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', dir]);
    const { scheduler, lines } = createScheduler(onTestFinished, server.url);
    const counts = await startCounting(scheduler);
    const ids = Array.from({ length: 10 }, (_, index) => `q${index}`);
    await Promise.all(ids.map((id) => scheduler.schedule(id, 0)));
    await expectGoesOn(counts, ids);
    await server.kill();
    await expectRefused(scheduler);
    await server.restart();
    // A run that was being scheduled when Redis crashed waits until its lease ends.
    await expectGoesOn(counts, ids);
    await scheduler.schedule('new', 0);
    await expectGoesOn(counts, ['new']);
    const ofRedis = () => lines.filter(({ event }) => event === 'scheduler.redis').map(({ outcome }) => outcome);
    await eventually(() => expect(ofRedis()).toEqual(['lost', 'back']));
  });

  it('continues without help after Redis was silent for 5 s, without a second run at the same time', async ({
    onTestFinished,
  }) => {
    const server = await startServer(onTestFinished);
    const { scheduler } = createScheduler(onTestFinished, server.url);
    let current = 0;
    let most = 0;
    let count = 0;
    await scheduler.start(async (id) => {
      if (id !== 'qa') return 50;
      count += 1;
      current += 1;
      most = Math.max(most, current);
      // The first run lasts longer than the silence.
      await new Promise((resolve) => setTimeout(resolve, count === 1 ? 7_000 : 1));
      current -= 1;
      return 50;
    });
    await scheduler.schedule('qa', 0);
    await eventually(() => expect(count).toBe(1));
    server.pause();
    const silentUntilMs = performance.now() + 5_000;
    await expectRefused(scheduler);
    await eventually(() => expect(performance.now()).toBeGreaterThan(silentUntilMs), { timeoutMs: 6_000 });
    server.resume();
    await eventually(() => expect(count).toBeGreaterThan(10), patient);
    expect(most).toBe(1);
  });

  it('retries while Redis is a replica, and continues when it is not', async ({ onTestFinished }) => {
    const server = await startServer(onTestFinished);
    const { scheduler, lines } = createScheduler(onTestFinished, server.url);
    const counts = await startCounting(scheduler);
    await scheduler.schedule('qa', 0);
    await expectGoesOn(counts, ['qa']);
    await command(server.url, 'REPLICAOF', '127.0.0.1', '1');
    const callsBefore = await callsOf(server.url, 'evalsha');
    const readonlyUntilMs = performance.now() + 3_000;
    await expectRefused(scheduler);
    await eventually(() => expect(performance.now()).toBeGreaterThan(readonlyUntilMs));
    expect((await callsOf(server.url, 'evalsha')) - callsBefore).toBeLessThan(200);
    expect(lines.length).toBeLessThan(10);
    await command(server.url, 'REPLICAOF', 'NO', 'ONE');
    await expectGoesOn(counts, ['qa']);
  });

  it('retries while Redis is loading, and continues when it has finished', async ({ onTestFinished }) => {
    const dir = await temporaryDir(onTestFinished);
    // Loading takes 1 ms for each of 4,000 keys; Redis replies to clients now and then meanwhile.
    const server = await startServer(onTestFinished, [
      ...['--appendonly', 'yes', '--dir', dir, '--key-load-delay', '1000'],
      ...['--loading-process-events-interval-bytes', '1024'],
    ]);
    const { scheduler } = createScheduler(onTestFinished, server.url);
    const counts = await startCounting(scheduler);
    await scheduler.schedule('qa', 0);
    await expectGoesOn(counts, ['qa']);
    await command(server.url, 'EVAL', "for i = 1, 4000 do redis.call('SET', 'k' .. i, string.rep('x', 64)) end", '0');
    await command(server.url, 'BGREWRITEAOF');
    await eventually(async () => {
      const client = createClient({ url: server.url });
      await client.connect();
      const info = await client.info('persistence');
      client.destroy();
      expect(info).toContain('aof_rewrite_in_progress:0');
    });
    await server.restart();
    await expect(command(server.url, 'GET', 'k1')).rejects.toThrow(/^LOADING/);
    await expectRefused(scheduler);
    expect(await callsOf(server.url, 'evalsha')).toBeLessThan(200);
    await expectGoesOn(counts, ['qa']);
  });

  it('stops although Redis is silent', async ({ onTestFinished }) => {
    const server = await startServer(onTestFinished);
    const { scheduler } = createScheduler(onTestFinished, server.url);
    const counts = await startCounting(scheduler);
    await scheduler.schedule('qa', 0);
    await expectGoesOn(counts, ['qa']);
    server.pause();
    await scheduler.stop(500);
    server.resume();
  });
});
