import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { accountsContract } from './accounts-contract.ts';
import { channelSettingsContract } from './channel-settings-contract.ts';
import { listingContract } from './listing-contract.ts';
import { locksContract } from './locks-contract.ts';
import { sharedWatchContract } from './shared-watch-contract.ts';
import { type Engine, storageContract } from './storage-contract.ts';

const { log } = createRecordingLog();

describe.skipIf(!hasRedisServer())('Redis store', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  const engine: Engine = {
    open: () => openRedisStore(server.url, log),
    clear: () => server.flush(),
  };

  describe('as a store', () => storageContract(engine));
  describe('with accounts', () => accountsContract(engine));
  describe('with locks', () => locksContract(engine));
  sharedWatchContract(engine);
  listingContract(engine);
  channelSettingsContract(engine);

  afterAll(() => server.stop());
});
