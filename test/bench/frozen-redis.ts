import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import { openRedisStore } from '../../src/storage/redis-store.ts';
import { startRedisServer } from '../support/processes/redis-server.ts';
import { silentLog } from './silent-log.ts';
import { round } from './statistics.ts';

export interface FrozenRedisRow {
  call: string;
  endsAfterMs: number;
}

/** How long what a person waits for takes while Redis is frozen; Slack grants 3 s for an acknowledgement. */
export async function measureFrozenRedis(): Promise<FrozenRedisRow[]> {
  const redis = await startRedisServer();
  const log = silentLog;
  const store = await openRedisStore(redis.url, log);
  const scheduler = createBullScheduler({ redisUrl: redis.url, log, random: Math.random });
  await scheduler.start(async () => undefined);
  const rows: FrozenRedisRow[] = [];
  const measure = async (call: string, run: () => Promise<unknown>): Promise<void> => {
    const startMs = performance.now();
    await run().catch(() => undefined);
    rows.push({ call, endsAfterMs: round(performance.now() - startMs, 0) });
  };
  redis.pause();
  try {
    await measure('read a value', () => store.get('a'));
    await measure('write a value', () => store.set('a', 'x'));
    await measure('plan a look', () => scheduler.schedule('qa', 60_000));
    await measure('stop the looks, with 500 ms to end', () => scheduler.stop(500));
    await measure('close the store', () => store.close());
  } finally {
    redis.resume();
    await redis.stop();
  }
  return rows;
}
