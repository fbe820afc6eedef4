import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { accountsContract } from './accounts-contract.ts';
import { channelSettingsContract } from './channel-settings-contract.ts';
import { listingContract } from './listing-contract.ts';
import { locksContract } from './locks-contract.ts';
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
  listingContract(engine);

  it('carries out nothing after its time that waited in a Redis that hung', async () => {
    await engine.clear();
    const store = await engine.open();
    await store.createListed('before', 'x', 60_000, 'set', 'x', Date.now() + 60_000);
    server.pause();
    const byMs = Date.now() + 200;
    const creating = store.createListed('late', 'x', 60_000, 'set', 'late', byMs);
    const inTime = store.createListed('in time', 'x', 60_000, 'set', 'in time', Date.now() + 60_000);
    await eventually(() => expect(Date.now()).toBeGreaterThan(byMs + 50));
    server.resume();
    await expect(creating).rejects.toMatchObject({ kind: 'storage', code: 'late', outcomeUnknown: false });
    expect(await inTime).toBeUndefined();
    expect([await store.get('late'), (await store.members('set')).toSorted()]).toEqual([undefined, ['in time', 'x']]);
    await store.close();
  });
  channelSettingsContract(engine);

  afterAll(() => server.stop());
});
