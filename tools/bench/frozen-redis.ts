import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import { openRedisStore } from '../../src/storage/redis-store.ts';
import { startRedisServer } from '../../test/support/processes/redis-server.ts';
import { silentLog } from './silent-log.ts';
import { round } from './statistics.ts';

export interface FrozenRedisRow {
  call: string;
  endsAfterMs: number;
}

/** Measures operations that people wait for while Redis is frozen; Slack waits 3 s for an acknowledgement. */
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
    await measure('schedule a run', () => scheduler.schedule('qa', 60_000));
    await measure('stop the scheduler, with a limit of 500 ms', () => scheduler.stop(500));
    await measure('close the store', () => store.close());
  } finally {
    redis.resume();
    await redis.stop();
  }
  return rows;
}
