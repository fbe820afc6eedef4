import { cp } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/core/history/audit.ts';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { openStorage, readAuditLog, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { all, auditContract, sampleEntry } from './audit-contract.ts';

const { log } = createRecordingLog();
const dayMs = 24 * 3_600_000;
const options = { clock: Date.now, log };

describe('how long the audit log is stored', () => {
  it.each([
    ['as long as the audit log', { auditDays: 30 }, 30],
    ['as long as everything, if that is shorter', { auditDays: 30, retentionMs: 7 * dayMs }, 7],
    ['not longer than the audit log, if everything else is', { auditDays: 30, retentionMs: 365 * dayMs }, 30],
  ])('%s may be stored', async (_title, limits, days) => {
    const directory = await createTempDir();
    const storage = await openStorage({ dataDir: directory.path }, { ...options, ...limits });
    expect(storage.auditKeepMs).toBe(days * dayMs);
    await storage.close();
    await directory.remove();
  });
});

async function readBeside(location: StorageLocation): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const page of readAuditLog(location, all, options)) entries.push(...page);
  return entries;
}

describe('the audit log in LMDB', () => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;

  auditContract({
    open: async () => openEmbeddedStore(directory.path, Date.now, log),
    async clear() {
      await directory?.remove();
      directory = await createTempDir();
    },
  });

  it('is read beside the app that writes it', async () => {
    const storage = await openStorage({ dataDir: directory.path }, options);
    await storage.audit.append(sampleEntry());
    expect(await readBeside({ dataDir: directory.path })).toEqual([sampleEntry()]);
    await storage.audit.append(sampleEntry({ id: 'next' }));
    expect(await readBeside({ dataDir: directory.path })).toHaveLength(2);
    await storage.close();
  });

  it('is empty in a store of an earlier version', async () => {
    const earlier = await createTempDir();
    await cp('test/fixtures/store-2026-11/embedded', earlier.path, { recursive: true });
    expect(await readBeside({ dataDir: earlier.path })).toEqual([]);
    await earlier.remove();
  });

  afterAll(() => directory.remove());
});

describe.skipIf(!hasRedisServer())('the audit log in Redis', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  auditContract({
    open: () => openRedisStore(server.url, log),
    clear: () => server.flush(),
  });

  it('is read beside the app that writes it', async () => {
    const storage = await openStorage({ redisUrl: server.url }, options);
    await storage.audit.append(sampleEntry());
    expect(await readBeside({ redisUrl: server.url })).toEqual([sampleEntry()]);
    await storage.close();
  });

  it('ends a day by itself once its entries are old enough', async () => {
    const storage = await openStorage({ redisUrl: server.url }, { ...options, auditDays: 30, retentionMs: dayMs });
    const store = await openRedisStore(server.url, log);
    const entry = sampleEntry({ id: 'short' });
    await storage.audit.append(entry);
    const day = new Date(entry.atMs).toISOString().slice(0, 10);
    const leftMs = await store.client.pTTL(`ds:audit:${day}`);
    expect(leftMs).toBeGreaterThan(dayMs / 2);
    expect(leftMs).toBeLessThanOrEqual(2 * dayMs);
    await store.close();
    await storage.close();
  });

  afterAll(() => server.stop());
});
