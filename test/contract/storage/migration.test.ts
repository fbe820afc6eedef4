import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBullScheduler } from '../../../src/scheduler/bullmq.ts';
import { openEmbeddedStoreBeside } from '../../../src/storage/embedded-store.ts';
import { readHomeMark, writeHomeMark } from '../../../src/storage/home-mark.ts';
import type { EngineStore } from '../../../src/storage/key-value-store.ts';
import { migrateStore } from '../../../src/storage/migration.ts';
import {
  openStorage,
  openStoreBeside,
  readAllVotes,
  type Storage,
  type StorageLocation,
} from '../../../src/storage/open-storage.ts';
import { openRedisStore } from '../../../src/storage/redis-store.ts';
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
const auditKeepMs = 90 * 24 * 3_600_000;

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

  const migrate = (to: 'redis' | 'embedded') => migrateStore({ ...embedded, ...redis, to, ...options, auditKeepMs });

  /** Makes a store with open questions, as the app does, and records of every other form. */
  async function storeSome(location: StorageLocation, count = 450): Promise<void> {
    const storage = await openStorage(location, options);
    for (const id of ['qopen', 'qother']) await storage.questions.create(sampleQuestion({ id }));
    await storage.close();
    await fillStore(location, count);
  }

  async function change(location: StorageLocation, key: string, value: string | undefined): Promise<void> {
    const store = await openStoreBeside(location, options);
    if (value === undefined) await store.delete(key);
    else await store.set(key, value);
    await store.close();
  }

  it('moves every record to Redis and back with its life, and no app starts on the storage that it left', async () => {
    await storeSome(embedded);
    const before = await readStore(embedded);
    const { counts, wasDone } = await migrate('redis');
    expect([counts.claim, counts.vote, counts.votes, counts.audit, counts.question, wasDone]).toEqual([
      ...[450, 450, 450, 450, 2],
      false,
    ]);
    expect(counts).not.toHaveProperty('lock');
    expect(await readStore(redis)).toEqual(before);
    await expect(openStorage(embedded, options)).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringContaining('moved to the other storage'),
    });
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
    await expect(openStorage(redis, options)).rejects.toMatchObject({ kind: 'storage' });
    await expect(readAllVotes(redis, options)).rejects.toMatchObject({ kind: 'storage' });

    const storage = await openStorage(embedded, options);
    expect((await storage.questions.openIds()).sort()).toEqual(['qopen', 'qother']);
    await storage.close();
  });

  it('leaves entries of the audit log behind that have to go, and ends all the same', async () => {
    await storeSome(embedded, 5);
    const store = await openStoreBeside(embedded, options);
    const old = { atMs: Date.now() - auditKeepMs - 3 * 24 * 3_600_000, name: 'old', text: '{}' };
    await store.timed.append(old, auditKeepMs);
    await store.close();
    expect((await migrate('redis')).counts.audit).toBe(5);
  });

  it('that is run again after its end does nothing', async () => {
    await storeSome(embedded, 10);
    await migrate('redis');
    await change(redis, 'ds:claim:event-1', 'newer');
    expect(await migrate('redis')).toEqual({ counts: {}, wasDone: true });
    expect(await readStore(redis)).toContain('ds:claim:event-1 = newer');
  });

  it('that was interrupted keeps the app away from its target, and the next run takes what changed meanwhile', async () => {
    await storeSome(embedded, 10);
    await change(embedded, 'ds:claim:gone', 'there');
    await migrate('redis');
    // As if the process was killed just before the end.
    const source = await openStoreAnyway(embedded);
    const target = await openStoreAnyway(redis);
    const [from, to] = [await readHomeMark(source), await readHomeMark(target)];
    if (from === undefined || to === undefined) throw new Error('no marks');
    await writeHomeMark(source, { ...from, state: 'here' });
    await writeHomeMark(target, { ...to, state: 'arriving', otherId: from.id });
    await source.delete('ds:claim:gone');
    await source.set('ds:claim:event-1', 'newer');
    await source.removeMember('ds:votes', 'q1:U1');
    for await (const [first] of source.timed.pages({ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })) {
      if (first !== undefined) await source.timed.replace(first, undefined);
    }
    await source.close();
    await target.close();
    await expect(openStorage(redis, options)).rejects.toMatchObject({
      message: expect.stringContaining('has not ended'),
    });
    const before = await readStore(embedded);
    expect(await migrate('redis')).toMatchObject({ wasDone: false });
    expect(await readStore(redis)).toEqual(before);
  });

  /** Opens a store whatever its mark says. */
  async function openStoreAnyway(location: StorageLocation) {
    if ('redisUrl' in location) return openRedisStore(location.redisUrl, log);
    return openEmbeddedStoreBeside(location.dataDir, Date.now, log);
  }

  it('is refused into a storage with records of its own, and changes nothing there', async () => {
    await storeSome(embedded, 10);
    await storeSome(redis, 5);
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

  it('is refused while an app runs on either storage, or another migration', async () => {
    await storeSome(embedded, 10);
    const onRedis = await openStorage(redis, options);
    await expect(migrate('redis')).rejects.toMatchObject({ message: expect.stringContaining('copy of the app runs') });
    await onRedis.close();
    const writer = runProgram(writerProgram, [embedded.dataDir]);
    await eventually(() => expect(writer.output()).toContain('open\n'));
    await expect(migrate('redis')).rejects.toMatchObject({ message: expect.stringContaining('in use by process') });
    writer.child.kill('SIGKILL');
    await writer.ended;
    const store = await openRedisStore(server.url, log);
    await store.set('ds:migrating', 'another', 20_000);
    await expect(migrate('redis')).rejects.toMatchObject({ message: expect.stringContaining('Another migration') });
    await expect(openStorage(redis, options)).rejects.toMatchObject({
      message: expect.stringContaining('migration of this'),
    });
    await store.delete('ds:migrating');
    await store.close();
    await migrate('redis');
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
    const settings = { DATA_DIR: embedded.dataDir, REDIS_URL: server.url };
    const program = runProgram(adminProgram, ['migrate', '--to', 'redis'], settings);
    expect([await program.ended, program.output()]).toEqual([
      0,
      expect.stringMatching(/start the app with REDIS_URL[\s\S]*claim: 30/),
    ]);
    const again = runProgram(adminProgram, ['migrate', '--to', 'redis'], settings);
    expect([await again.ended, again.output()]).toEqual([0, expect.stringContaining('moved before')]);
    const back = runProgram(adminProgram, ['migrate', '--to', 'embedded'], settings);
    expect([await back.ended, back.output()]).toEqual([0, expect.stringContaining('without REDIS_URL')]);
    expect(await readStore(embedded)).toEqual(before);
  });
});

describe.skipIf(!hasRedisServer())('a copy on Redis that was suspended for longer than its sign lives', () => {
  let directory: Awaited<ReturnType<typeof createTempDir>>;
  let server: RedisServer;
  let copy: Storage;
  let told: string[];

  beforeEach(async () => {
    directory = await createTempDir();
    server = await startRedisServer();
    told = [];
    copy = await openStorage({ redisUrl: server.url }, { ...options, onElsewhere: (why) => told.push(why.message) });
    await copy.questions.create(sampleQuestion({ id: 'qopen' }));
    await withRedis(async (store) => {
      for await (const key of store.keys('ds:running:')) await store.delete(key);
    });
  });

  afterEach(async () => {
    await copy.close();
    await server.stop();
    await directory.remove();
  });

  async function withRedis<Result>(work: (store: EngineStore) => Promise<Result>): Promise<Result> {
    const store = await openRedisStore(server.url, log);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  const migrateAway = () =>
    migrateStore({
      dataDir: join(directory.path, 'data'),
      redisUrl: server.url,
      to: 'embedded',
      ...options,
      auditKeepMs,
    });

  const moved = { kind: 'storage', message: expect.stringContaining('moved to the other storage') };

  it.each<[what: string, work: () => Promise<unknown>]>([
    ['runs no question', () => copy.proveHome()],
    ['takes no question', () => copy.questions.create(sampleQuestion({ id: 'qlate' }))],
    ['changes no question', () => copy.questions.update('qopen', (question) => ({ ...question, text: 'changed' }))],
  ])('%s after a migration, and is told once where the records are', async (_, work) => {
    await migrateAway();
    await expect(work()).rejects.toMatchObject(moved);
    await expect(work()).rejects.toMatchObject(moved);
    expect(told).toEqual([expect.stringContaining('moved to the other storage')]);
    expect(await copy.questions.get('qlate')).toBeUndefined();
    expect((await copy.questions.get('qopen'))?.text).toBe(sampleQuestion({ id: 'qopen' }).text);
  });

  it('finds the migration by itself, and no longer stands in the way of the next one', async () => {
    await migrateAway();
    await eventually(() => expect(told).toHaveLength(1), { timeoutMs: 30_000 });
    expect(await migrateAway()).toMatchObject({ wasDone: true });
  });

  it('takes nothing while a migration runs', async () => {
    await withRedis((store) => store.set('ds:migrating', 'another', 20_000));
    await expect(copy.questions.create(sampleQuestion({ id: 'qlate' }))).rejects.toMatchObject({ kind: 'storage' });
    expect(told).toEqual([expect.stringContaining('A migration of this storage runs')]);
  });

  it('goes on if nothing was moved, and a migration sees it again', async () => {
    await copy.questions.update('qopen', (question) => ({ ...question, text: 'changed' }));
    expect((await copy.questions.get('qopen'))?.text).toBe('changed');
    await copy.proveHome();
    await expect(migrateAway()).rejects.toMatchObject({ message: expect.stringContaining('copy of the app runs') });
    expect(told).toEqual([]);
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
