import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBullScheduler } from '../../../src/scheduler/bullmq.ts';
import { openEmbeddedStoreBeside } from '../../../src/storage/embedded-store.ts';
import { migrateStore } from '../../../src/storage/migration.ts';
import { openStorage, openStoreBeside, readAllVotes, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
import { CLOSED_KEY, useAsMigration } from '../../../src/storage/store-use.ts';
import { eventually } from '../../support/eventually.ts';
import { builtProgram } from '../../support/processes/built-programs.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../../support/processes/redis-server.ts';
import { runProgram } from '../../support/processes/run.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { fillStore, readStore, someTexts } from '../../support/storage/full-store.ts';
import { sampleQuestion } from './sample-records.ts';

const adminProgram = await builtProgram('src/cli/admin.ts');
const writerProgram = fileURLToPath(new URL('./writer-process.ts', import.meta.url));

const { log } = createRecordingLog();
const options = { clock: Date.now, log };

describe.skipIf(!hasRedisServer())('a migration', () => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;
  let server: RedisServer;
  let embedded: { dataDir: string };
  let redis: { redisUrl: string };

  beforeEach(async () => {
    directory = await createTempDir();
    server = await startRedisServer();
    embedded = { dataDir: join(directory.path, 'data') };
    redis = { redisUrl: server.url };
  });

  afterEach(async () => {
    await server.stop();
    await directory.remove();
  });

  const migrate = (to: 'redis' | 'embedded', patienceMs = 0) =>
    migrateStore({ ...embedded, ...redis, to, patienceMs, ...options });
  const runMigration = (to: 'redis' | 'embedded') =>
    runProgram(adminProgram, ['migrate', '--to', to], { DATA_DIR: embedded.dataDir, REDIS_URL: server.url });
  const moved = { kind: 'storage', message: expect.stringContaining('moved to the other storage') };

  /** Makes a store with open questions, as the app does, and records of every other form. */
  async function storeSome(location: StorageLocation, count = 450): Promise<void> {
    const storage = await openStorage(location, options);
    for (const id of ['qopen', 'qother']) await storage.questions.create(sampleQuestion({ id }));
    await storage.close();
    await fillStore(location, count);
  }

  async function change(location: StorageLocation, key: string, value: string | undefined): Promise<void> {
    const store = await openAnyway(location);
    if (value === undefined) await store.delete(key);
    else await store.set(key, value);
    await store.close();
  }

  /** Opens a store, also one on which nothing may run. */
  async function openAnyway(location: StorageLocation) {
    if ('redisUrl' in location) return openRedisStore(location.redisUrl, log);
    return openEmbeddedStoreBeside(location.dataDir, Date.now, log);
  }

  /** As if an app on Redis ended some time ago. */
  const endLock = () => change(redis, 'ds:lock:store', undefined);

  it('moves every record to Redis and back with its life, and no app starts on the storage that it left', async () => {
    await storeSome(embedded);
    const before = await readStore(embedded);
    const counts = await migrate('redis');
    expect([counts.claim, counts.vote, counts.votes, counts.question]).toEqual([450, 450, 450, 2]);
    expect(counts).not.toHaveProperty('lock');
    expect(await readStore(redis)).toEqual(before);
    await expect(openStorage(embedded, options)).rejects.toMatchObject(moved);
    const store = await openRedisStore(server.url, log);
    for (const [key, , ttlMs] of someTexts) {
      const leftMs = await store.client.pTTL(key);
      expect([key, ttlMs === undefined ? leftMs === -1 : leftMs > ttlMs - 120_000 && leftMs <= ttlMs]).toEqual([
        key,
        true,
      ]);
    }
    await store.close();

    await change(redis, 'ds:claim:event-1', 'changed on Redis');
    await change(redis, 'ds:claim:event-2', undefined);
    const onRedis = await readStore(redis);
    await migrate('embedded');
    expect(await readStore(embedded)).toEqual(onRedis);
    await expect(openStorage(redis, options)).rejects.toMatchObject(moved);
    await expect(readAllVotes(redis, options)).rejects.toMatchObject(moved);

    const storage = await openStorage(embedded, options);
    expect((await storage.questions.openIds()).sort()).toEqual(['qopen', 'qother']);
    await storage.close();
    // The start on Redis, which was refused, does not stand in the way.
    await migrate('redis');
  });

  it('that is run again after its end is refused, and changes nothing', async () => {
    await storeSome(embedded, 10);
    await migrate('redis');
    await change(redis, 'ds:claim:event-1', 'newer');
    await expect(migrate('redis')).rejects.toMatchObject(moved);
    expect(await readStore(redis)).toContain('ds:claim:event-1 = newer');
  });

  it('that is killed keeps everything away from its target, and the next run takes what changed meanwhile', async () => {
    await storeSome(embedded, 3_000);
    const program = runMigration('redis');
    const target = await openAnyway(redis);
    await eventually(async () => expect(await target.get('ds:claim:event-1')).toBeDefined(), { timeoutMs: 20_000 });
    program.child.kill('SIGKILL');
    expect(await program.ended).toBe('SIGKILL');
    await endLock();
    for (const open of [() => openStorage(redis, options), () => openStoreBeside(redis, options)]) {
      await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('has not ended') });
    }
    await expect(migrate('embedded')).rejects.toMatchObject({ message: expect.stringContaining('has not ended') });
    await target.set('ds:claim:of-nothing', 'left over');
    await target.close();
    // The app may have gone on with the source.
    const source = await openStoreBeside(embedded, options);
    await source.delete('ds:claim:event-2');
    await source.set('ds:claim:event-1', 'newer');
    await source.removeMember('ds:votes', 'q1:U1');
    await source.close();
    const before = await readStore(embedded);
    await migrate('redis');
    expect(await readStore(redis)).toEqual(before);
    await expect(openStorage(embedded, options)).rejects.toMatchObject(moved);
  });

  it('that is killed between its last two steps is ended by the next run', async () => {
    await storeSome(embedded, 10);
    await migrate('redis');
    await change(embedded, CLOSED_KEY, undefined);
    await migrate('redis');
    await expect(openStorage(embedded, options)).rejects.toMatchObject(moved);
    await (await openStorage(redis, options)).close();
  });

  it('is refused into a storage with records of its own, and changes nothing there', async () => {
    await storeSome(embedded, 10);
    await storeSome(redis, 5);
    await endLock();
    const before = await readStore(redis);
    for (const to of ['redis', 'embedded'] as const) {
      await expect(migrate(to)).rejects.toMatchObject({
        kind: 'storage',
        message: expect.stringContaining('empty it first'),
      });
    }
    expect(await readStore(redis)).toEqual(before);
    await (await openStorage(embedded, options)).close();
    await (await openStorage(redis, options)).close();
  });

  it('is refused while an app runs on either storage, or another migration, and refuses the start of an app', async () => {
    await storeSome(embedded, 10);
    const [one, other] = [await openStorage(redis, options), await openStorage(redis, options)];
    await one.close();
    await expect(migrate('redis')).rejects.toMatchObject({ message: expect.stringContaining('The app runs on Redis') });
    await other.close();
    await endLock();
    const writer = runProgram(writerProgram, [embedded.dataDir]);
    await eventually(() => expect(writer.output()).toContain('open\n'));
    await expect(migrate('redis')).rejects.toMatchObject({ message: expect.stringContaining('in use by process') });
    writer.child.kill('SIGKILL');
    await writer.ended;
    const store = await openRedisStore(server.url, log);
    const running = await useAsMigration(store, 0);
    await expect(migrate('redis')).rejects.toMatchObject({ message: expect.stringContaining('Another migration') });
    await expect(openStorage(redis, options)).rejects.toMatchObject({
      message: expect.stringContaining('migration of this'),
    });
    await running.prove();
    await running.stop();
    await store.close();
    await migrate('redis');
  });

  it('waits for the lock of an app that ended', async () => {
    await storeSome(embedded, 10);
    await (await openStorage(redis, options)).close();
    const migrated = migrate('redis', 30_000);
    await endLock();
    expect((await migrated).claim).toBe(10);
  });

  it('drops the planned runs of an earlier time on Redis, so that the app plans each open question once', async () => {
    await storeSome(embedded, 5);
    const scheduler = createBullScheduler({ redisUrl: server.url, log, random: Math.random });
    await scheduler.schedule('qold', 3_600_000);
    await scheduler.stop(1_000);
    await migrate('redis');
    const later = createBullScheduler({ redisUrl: server.url, log, random: Math.random });
    expect(await later.unscheduled(['qold', 'qopen'])).toEqual(['qold', 'qopen']);
    await later.stop(1_000);
  });

  it('is carried out by the program', async () => {
    await storeSome(embedded, 30);
    const before = await readStore(embedded);
    const program = runMigration('redis');
    expect([await program.ended, program.output()]).toEqual([
      0,
      expect.stringMatching(/start the app with REDIS_URL[\s\S]*claim: 30/),
    ]);
    const again = runMigration('redis');
    expect([await again.ended, again.output()]).toEqual([1, expect.stringContaining('moved to the other storage')]);
    const back = runMigration('embedded');
    expect([await back.ended, back.output()]).toEqual([0, expect.stringContaining('without REDIS_URL')]);
    expect(await readStore(embedded)).toEqual(before);
  });
});

describe('the program for migrations', () => {
  it.each([
    ['no target', ['migrate'], {}, 2, /--to must be redis or embedded/],
    ['an unknown target', ['migrate', '--to', 'disk'], {}, 2, /--to must be redis or embedded/],
    ['no Redis', ['migrate', '--to', 'redis'], {}, 2, /REDIS_URL is not set/],
    ['no store', ['migrate', '--to', 'redis'], { REDIS_URL: 'redis://127.0.0.1:1' }, 1, /no store of this app/],
  ])('ends with the right code for %s', async (_, args, settings, code, said) => {
    const directory = await createTempDir();
    const program = runProgram(adminProgram, args, { DATA_DIR: directory.path, ...settings });
    expect([await program.ended, program.output()]).toEqual([code, expect.stringMatching(said)]);
    await directory.remove();
  });
});
