import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { storageContract } from './storage-contract.ts';

const { log } = createRecordingLog();

describe.skipIf(!hasRedisServer())('Redis store', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  storageContract({
    open: () => openRedisStore(server.url, log),
    clear: () => server.flush(),
  });

  afterAll(() => server.stop());
});
