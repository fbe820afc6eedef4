import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBullScheduler } from '../../../src/scheduler/bullmq.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { schedulerContract } from '../../support/scheduler/scheduler-contract.ts';

/** So long that no repair of lost requests hides a loss. */
const neverMs = 3_600_000;

describe.skipIf(!hasRedisServer())('BullMQ', () => {
  let server: RedisServer;
  let count = 0;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  afterAll(() => server.stop());

  schedulerContract('BullMQ on Redis', async ({ concurrency }) => {
    const { log, lines } = createRecordingLog();
    const prefix = `test${count++}`;
    const scheduler = createBullScheduler({
      ...{ redisUrl: server.url, log, random: Math.random, concurrency, prefix },
      repairIntervalMs: neverMs,
    });
    const failures = () => lines.filter(({ event, outcome }) => event === 'advance' && outcome === 'failed').length;
    return { scheduler, failures, async close() {} };
  });

  it('runs a question soon that was thought to be new and has a later run planned', async () => {
    const { log } = createRecordingLog();
    const scheduler = createBullScheduler({
      ...{ redisUrl: server.url, log, random: Math.random, prefix: `test${count++}` },
      repairIntervalMs: 100,
    });
    const ran: string[] = [];
    await scheduler.start(async (id) => void ran.push(id));
    await scheduler.schedule('qa', 3_600_000);
    await scheduler.schedule('qa', 0, { isNew: true });
    // A wake counts as forgotten after 3 s.
    await eventually(async () => expect(ran).toEqual(['qa']), { timeoutMs: 20_000 });
    await scheduler.stop(1_000);
  });
});
