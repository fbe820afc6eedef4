import { afterAll, beforeAll, describe } from 'vitest';
import { createBullLooks } from '../../../src/jobs/bullmq.ts';
import { looksContract } from '../../support/jobs/looks-contract.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

/** No search for lost requests hides a loss here. */
const neverMs = 3_600_000;

describe.skipIf(!hasRedisServer())('BullMQ', () => {
  let server: RedisServer;
  let count = 0;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  afterAll(() => server.stop());

  looksContract('BullMQ on Redis', async ({ concurrency }) => {
    const { journal, lines } = createRecordingJournal();
    const prefix = `test${count++}`;
    const looks = createBullLooks({
      ...{ redisUrl: server.url, journal, random: Math.random, concurrency, prefix },
      repairIntervalMs: neverMs,
    });
    const failures = () => lines.filter(({ event, outcome }) => event === 'look' && outcome === 'failed').length;
    return { looks, failures, async close() {} };
  });
});
