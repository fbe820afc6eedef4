import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeFile } from '../../src/storage/embedded-store.ts';
import { openStorage, openStoreBeside, type StorageLocation } from '../../src/storage/open-storage.ts';
import { openRedisStore } from '../../src/storage/redis-store.ts';
import { sampleQuestion } from '../contract/storage/sample-records.ts';
import { eventually } from '../support/eventually.ts';
import { builtProgram } from '../support/processes/built-programs.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { type Run, runProgram } from '../support/processes/run.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { fillStore, readStore } from '../support/storage/full-store.ts';

const adminProgram = await builtProgram('src/cli/admin.ts');

const { log } = createRecordingLog();
const options = { clock: Date.now, log };
const records = 1_500;

describe.skipIf(!hasRedisServer())('a migration that is killed again and again', () => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;
  let server: RedisServer;
  let embedded: { dataDir: string };
  let settings: Record<string, string>;

  beforeEach(async () => {
    directory = await createTempDir();
    server = await startRedisServer();
    embedded = { dataDir: join(directory.path, 'data') };
    settings = { DATA_DIR: embedded.dataDir, REDIS_URL: server.url };
  });

  afterEach(async () => {
    await server.stop();
    await directory.remove();
  });

  /** Starts the program once the lock of a killed one is over, which a test does not wait for. */
  async function start(to: string): Promise<Run> {
    const store = await openRedisStore(server.url, log);
    await store.delete('ds:lock:store');
    await store.close();
    return runProgram(adminProgram, ['migrate', '--to', to], settings);
  }

  /** How far the migration has come: keys on Redis, or bytes of the file, as a share of those at the end. */
  async function shareIn(location: StorageLocation): Promise<number> {
    if ('dataDir' in location)
      return (statSync(storeFile(location.dataDir), { throwIfNoEntry: false })?.size ?? 0) / 600_000;
    const store = await openRedisStore(location.redisUrl, log);
    const count = await store.client.dbSize();
    await store.close();
    return count / (2 * records);
  }

  /** Whether the app starts on a storage. */
  async function starts(location: StorageLocation): Promise<boolean> {
    try {
      await (await openStorage(location, options)).close();
      return true;
    } catch {
      return false;
    }
  }

  it.each(['redis', 'embedded'] as const)(
    'loses nothing on the way to %s, and lets no app start where records are missing',
    async (to) => {
      const onRedis = { redisUrl: server.url };
      const [source, target] = to === 'redis' ? [embedded, onRedis] : [onRedis, embedded];
      const storage = await openStorage(source, options);
      for (const id of ['q1', 'q2']) await storage.questions.create(sampleQuestion({ id }));
      await storage.close();
      await fillStore(source, records);
      const before = await readStore(source);
      const ends: unknown[] = [];
      for (let round = 1; round <= 12; round += 1) {
        const run = await start(to);
        await eventually(async () => {
          if (run.child.exitCode === null) expect(await shareIn(target)).toBeGreaterThan(round / 13);
        });
        run.child.kill('SIGKILL');
        ends.push(await run.ended);
        if (await starts(target)) expect(await readStore(target)).toEqual(before);
        if (ends.at(-1) === 0) break;
      }
      expect(ends).toContain('SIGKILL');
      if (ends.at(-1) !== 0) {
        const last = await start(to);
        expect([await last.ended, last.output()]).toEqual([0, expect.stringMatching(/moved/)]);
      }
      expect(await readStore(target)).toEqual(before);
      expect([await starts(source), await starts(target)]).toEqual([false, true]);
      const beside = await openStoreBeside(target, options);
      expect((await beside.members('ds:open-questions')).sort()).toEqual(['q1', 'q2']);
      await beside.close();
    },
    300_000,
  );
});
