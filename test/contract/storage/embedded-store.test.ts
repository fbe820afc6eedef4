import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { createLmdbEntries } from '../../../src/storage/lmdb-adapter.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const { log } = createRecordingLog();

let directory: Awaited<ReturnType<typeof createTempDir>>;

beforeEach(async () => {
  directory = await createTempDir();
});

afterEach(() => directory.remove());

describe('a directory in use', () => {
  // Other systems cannot distinguish a process from a later one with the same id.
  it.skipIf(process.platform !== 'linux').each([
    ['a process that is gone', { pid: 2 ** 22 - 1, startTicks: '1' }],
    ['an earlier process with the same id as a living one', { pid: process.ppid, startTicks: '1' }],
    ['an earlier process with our own id, as in a container', { pid: process.pid, startTicks: '1' }],
    ['a living process, but before the last start of the machine', { pid: process.ppid, bootId: 'another' }],
  ])('is taken over from %s', async (_, holder) => {
    await writeHolder(directory.path, holder);
    const storage = await openStorage({ dataDir: directory.path }, { clock: Date.now, log });
    await storage.ping();
    await storage.close();
  });

  it('is refused when it is only known that the other process is alive', async () => {
    await writeHolder(directory.path, { pid: process.ppid });
    await expect(openStorage({ dataDir: directory.path }, { clock: Date.now, log })).rejects.toMatchObject({
      kind: 'storage',
    });
  });
});

describe('a directory that cannot be used', () => {
  it('is refused with its path when its file is not from this app', async () => {
    await writeFile(join(directory.path, 'store.mdb'), 'garbage '.repeat(10_000));
    await expect(openStorage({ dataDir: directory.path }, { clock: Date.now, log })).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringContaining(directory.path),
    });
  });

  it('is refused with its path when it is a file', async () => {
    const path = join(directory.path, 'file');
    await writeFile(path, '');
    await expect(openStorage({ dataDir: path }, { clock: Date.now, log })).rejects.toMatchObject({
      kind: 'storage',
      message: expect.stringContaining(path),
    });
  });

  it('is created with its parents when it is missing, for its owner only', async () => {
    const dataDir = join(directory.path, 'a', 'b');
    const storage = await openStorage({ dataDir }, { clock: Date.now, log });
    await storage.ping();
    await storage.close();
    for (const path of [dataDir, join(dataDir, 'store.mdb')]) expect((await stat(path)).mode & 0o077).toBe(0);
  });
});

describe('expired entries', () => {
  it('are removed, a limited number at a time, and no others', async () => {
    let nowMs = 1_000_000;
    const env = open({ path: join(directory.path, 'store.mdb'), maxDbs: 4 });
    const entries = createLmdbEntries(env, () => nowMs);
    await entries.transaction(() => {
      for (let index = 0; index < 25; index++) entries.write(`short ${index}`, 'x', 1_000);
      entries.write('long', 'x', 10_000);
      entries.write('renewed', 'x', 1_000);
      entries.write('renewed', 'y', 10_000);
      entries.write('kept', 'x', 1_000);
      entries.write('kept', 'y', undefined);
    });
    expect(await entries.sweep(10)).toBe(0);
    nowMs += 1_001;
    expect(entries.read('short 0')).toBeUndefined();
    expect([await entries.sweep(10), await entries.sweep(10), await entries.sweep(10)]).toEqual([10, 10, 5]);
    nowMs -= 1_001;
    expect(entries.read('short 0')).toBeUndefined();
    expect(entries.read('long')).toBe('x');
    expect(entries.read('renewed')).toBe('y');
    expect(entries.read('kept')).toBe('y');
    await env.close();
  });
});

it('a key that is too long is refused, and the store continues', async () => {
  const store = openEmbeddedStore(directory.path, Date.now, log);
  const key = 'k'.repeat(3_000);
  await expect(store.set(key, 'x')).rejects.toMatchObject({ kind: 'storage' });
  await expect(store.setIfAbsent(key, 'x')).rejects.toMatchObject({ kind: 'storage' });
  await expect(store.addMember('set', key)).rejects.toMatchObject({ kind: 'storage' });
  await store.set('a', 'one');
  expect(await store.get('a')).toBe('one');
  await store.close();
});

async function writeHolder(
  dataDir: string,
  holder: { pid: number; bootId?: string; startTicks?: string },
): Promise<void> {
  const env = open({ path: join(dataDir, 'store.mdb'), maxDbs: 8, overlappingSync: false });
  await env.openDB({ name: 'lock' }).put('holder', holder);
  await env.close();
}
