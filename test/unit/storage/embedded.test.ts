import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Vote } from '../../../src/core/history/votes.ts';
import {
  codeOf,
  openEmbeddedReader,
  openEmbeddedStore,
  refuseForeignFile,
  storeFile,
} from '../../../src/storage/embedded-store.ts';
import { type KeyValueStore, withDeadline } from '../../../src/storage/key-value-store.ts';
import { openStorage, readAllVotes } from '../../../src/storage/open-storage.ts';
import { eventually } from '../../support/eventually.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const { log } = createRecordingLog();
const storageError = expect.objectContaining({ name: 'AppError', kind: 'storage' });

let directory: Awaited<ReturnType<typeof createTempDir>>;
let nowMs: number;
const stores: KeyValueStore[] = [];

function openStore(dataDir = directory.path): KeyValueStore {
  const store = openEmbeddedStore(dataDir, () => nowMs, log);
  stores.push(store);
  return store;
}

beforeEach(async () => {
  directory = await createTempDir();
  nowMs = 1_000_000;
});

afterEach(async () => {
  vi.useRealTimers();
  for (const store of stores.splice(0)) await store.close();
  await directory.remove();
});

describe('the embedded store', () => {
  it('holds a value until its time is over, to the millisecond', async () => {
    const store = openStore();
    await store.set('a', 'x', 1_000);
    nowMs += 999;
    expect(await store.get('a')).toBe('x');
    nowMs += 1;
    expect(await store.get('a')).toBeUndefined();
    expect(await store.delete('a')).toBe(false);
  });

  it('removes every expired value once a minute, and nothing else', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const store = openStore();
    const keys = Array.from({ length: 1_100 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => store.set(key, 'x', 1_000)));
    await store.set('kept', 'x');
    const env = open({ path: storeFile(directory.path), maxDbs: 8, readOnly: true });
    const entries = env.openDB({ name: 'entries' });
    nowMs += 1_001;
    vi.advanceTimersByTime(59_999);
    expect(entries.getCount()).toBe(1_101);
    vi.advanceTimersByTime(1);
    await eventually(() => expect(entries.getCount()).toBe(1));
    await env.close();
    expect(await store.get('kept')).toBe('x');
  });

  it('waits after a sweep', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let readings = 0;
    const store = openEmbeddedStore(
      directory.path,
      () => {
        readings += 1;
        return nowMs;
      },
      log,
    );
    stores.push(store);
    vi.advanceTimersByTime(60_000);
    await eventually(() => expect(readings).toBe(1));
    // A ping needs no time itself, but would let another sweep through.
    for (let pings = 0; pings < 10; pings += 1) await store.ping();
    expect(readings).toBe(1);
  });

  it('does not sweep once it is closed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const recording = createRecordingLog();
    const store = openEmbeddedStore(directory.path, () => nowMs, recording.log);
    expect(vi.getTimerCount()).toBe(1);
    await store.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(recording.lines).toEqual([]);
  });

  it('stops a sweep when it is closed, which is no failure', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const recording = createRecordingLog();
    const store = openEmbeddedStore(directory.path, () => nowMs, recording.log);
    await Promise.all(Array.from({ length: 600 }, (_, index) => store.set(`k${index}`, 'x', 1_000)));
    nowMs += 1_001;
    vi.advanceTimersByTime(60_000);
    await store.close();
    expect(recording.lines).toEqual([]);
    const env = open({ path: storeFile(directory.path), maxDbs: 8, readOnly: true });
    expect(env.openDB({ name: 'entries' }).getCount()).toBe(100);
    await env.close();
  });

  it('reports a sweep that fails, and tries again a minute later', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const recording = createRecordingLog();
    let failures = 1;
    const store = openEmbeddedStore(
      directory.path,
      () => {
        if (nowMs > 1_000_000 && failures-- > 0) throw new Error('a failure of the test');
        return nowMs;
      },
      recording.log,
    );
    stores.push(store);
    await store.set('a', 'x', 1_000);
    nowMs += 1_001;
    vi.advanceTimersByTime(60_000);
    await eventually(() => expect(recording.lines).toHaveLength(1));
    expect(recording.lines[0]).toMatchObject({ event: 'storage.sweep', outcome: 'failed' });
    vi.advanceTimersByTime(60_000);
    const env = open({ path: storeFile(directory.path), maxDbs: 8, readOnly: true });
    await eventually(() => expect(env.openDB({ name: 'entries' }).getCount()).toBe(0));
    await env.close();
    expect(recording.lines).toHaveLength(1);
  });

  // Only there can be seen what a process has open.
  it.runIf(process.platform === 'linux')('leaves no file open when it is closed', async () => {
    const openFiles = () =>
      readdirSync('/proc/self/fd').flatMap((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`);
        } catch {
          // Closed since it was listed.
          return [];
        }
      });
    const ofStore = () => openFiles().filter((path) => path.startsWith(directory.path));
    const store = openStore();
    expect(ofStore()).not.toEqual([]);
    await store.close();
    expect(ofStore()).toEqual([]);
    refuseForeignFile(storeFile(directory.path));
    expect(ofStore()).toEqual([]);
  });

  it('takes keys of 1,024 bytes and refuses longer ones, before it begins to write', async () => {
    const store = openStore();
    const longest = `${'漢'.repeat(341)}x`;
    await store.set(longest, 'x');
    expect(await store.setIfAbsent(longest, 'y')).toBe(false);
    expect(await store.compareAndSet(longest, 'x', 'y')).toBe(true);
    await store.addMember('set', longest.slice(1));
    for (const operation of [
      () => store.set(`${longest}x`, 'x'),
      () => store.setIfAbsent(`${longest}x`, 'x'),
      () => store.compareAndSet(`${longest}x`, undefined, 'x'),
      () => store.addMember('set', longest),
    ]) {
      await expect(operation()).rejects.toMatchObject({
        kind: 'storage',
        message: expect.stringMatching(/A key of 102[57] bytes/),
      });
    }
    expect(await store.members('set')).toEqual([longest.slice(1)]);
  });

  it('finds the members of a set with any names', async () => {
    const store = openStore();
    for (const member of ['', '!', '1', 'z']) await store.addMember('s', member);
    expect(await store.members('s')).toEqual(['', '!', '1', 'z']);
  });

  it('answers a ping by writing, since a full disk still answers reads', async () => {
    const store = openStore();
    await store.ping();
    const env = open({ path: storeFile(directory.path), maxDbs: 8, readOnly: true });
    expect([...env.openDB({ name: 'entries' }).getKeys()]).toEqual(['ds:ping']);
    await env.close();
  });

  it('is closed once, however often that is requested', async () => {
    const store = openStore();
    const [first, second] = [store.close(), store.close()];
    expect(second).toBe(first);
    await first;
    await expect(store.get('a')).rejects.toMatchObject({ message: 'The embedded store is closed' });
  });

  it('translates the errors of the engine', async () => {
    const store = openStore();
    await expect(store.set('a', 7 as never)).rejects.toMatchObject({ kind: 'storage', cause: expect.any(TypeError) });
  });

  it('leaves the lock of another process alone when it closes', async () => {
    const store = openStore();
    const holder = { pid: process.ppid, startTicks: 'another' };
    const env = open({ path: storeFile(directory.path), maxDbs: 8 });
    await env.openDB({ name: 'lock' }).put('holder', holder);
    await store.close();
    const again = open({ path: storeFile(directory.path), maxDbs: 8 });
    expect(again.openDB({ name: 'lock' }).get('holder')).toEqual(holder);
    await again.close();
  });

  it('removes its lock when it closes', async () => {
    const store = openStore();
    await store.close();
    const env = open({ path: storeFile(directory.path), maxDbs: 8 });
    expect(env.openDB({ name: 'lock' }).get('holder')).toBeUndefined();
    await env.close();
  });
});

describe('a file at the path of the store', () => {
  it.each([
    ['that is empty', Buffer.alloc(0)],
    ['of the engine', Buffer.concat([Buffer.alloc(16), Buffer.from([0xde, 0xc0, 0xef, 0xbe]), Buffer.alloc(100)])],
  ])('%s is accepted', async (_, bytes) => {
    const path = join(directory.path, 'file');
    await writeFile(path, bytes);
    expect(() => refuseForeignFile(path)).not.toThrow();
  });

  it.each([
    ['of something else', Buffer.from('SQLite format 3\0'.repeat(10))],
    ['that names the engine too late', Buffer.concat([Buffer.alloc(64), Buffer.from([0xde, 0xc0, 0xef, 0xbe])])],
    ['that is too short', Buffer.from([0xde, 0xc0])],
  ])('%s is refused', async (_, bytes) => {
    const path = join(directory.path, 'file');
    await writeFile(path, bytes);
    expect(() => refuseForeignFile(path)).toThrow(storageError);
  });

  it('that does not exist yet is no problem, and one that cannot be read is', async () => {
    expect(() => refuseForeignFile(join(directory.path, 'none'))).not.toThrow();
    const folder = join(directory.path, 'folder');
    await mkdir(folder);
    expect(() => refuseForeignFile(folder)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
    const file = join(directory.path, 'file');
    await writeFile(file, '');
    expect(() => refuseForeignFile(join(file, 'store.mdb'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it('that is a folder is a failure of the storage, with the reason', async () => {
    await mkdir(storeFile(directory.path));
    expect(() => openStore()).toThrow(expect.objectContaining({ kind: 'storage', code: 'EISDIR' }));
    expect(() => openEmbeddedReader(directory.path, Date.now)).toThrow(
      expect.objectContaining({ kind: 'storage', code: 'EISDIR' }),
    );
  });
});

describe('the code of an error', () => {
  it.each([
    [Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
    [Object.assign(new Error('x'), { code: 28 }), 28],
    [Object.assign(new Error('x'), { code: {} }), undefined],
    [new Error('x'), undefined],
    [{ code: 'ENOENT' }, undefined],
    [undefined, undefined],
  ])('is read where there is one: %o', (error, code) => {
    expect(codeOf(error)).toBe(code);
  });
});

describe('a reader beside the store', () => {
  it('sees what was written, without expired values', async () => {
    const store = openStore();
    await store.set('a', 'x');
    await store.set('b', 'x', 10);
    for (const [set, member] of [
      ['s', '1'],
      ['s', '2'],
      ['t', '3'],
      ['r', '4'],
    ] as const)
      await store.addMember(set, member);
    nowMs += 10;
    const reader = openEmbeddedReader(directory.path, () => nowMs);
    expect([await reader.get('a'), await reader.get('b'), await reader.get('c')]).toEqual(['x', undefined, undefined]);
    expect(await reader.members('s')).toEqual(['1', '2']);
    expect(await reader.members('u')).toEqual([]);
    await reader.close();
    await expect(reader.get('a')).rejects.toThrow();
  });

  it('is refused where there is no store, and creates none', () => {
    expect(() => openEmbeddedReader(directory.path, Date.now)).toThrow(/^There is no store of this app in /);
    expect(existsSync(storeFile(directory.path))).toBe(false);
  });

  it('is refused where the file is not from this app', async () => {
    await writeFile(storeFile(directory.path), 'garbage '.repeat(100));
    expect(() => openStore()).toThrow(/is not a store of this app/);
    expect(() => openEmbeddedReader(directory.path, Date.now)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('is not a store of this app') }),
    );
  });
});

describe('the storage as a whole', () => {
  it('keeps each kind of record in its place', async () => {
    const clock = () => nowMs;
    const storage = await openStorage({ dataDir: directory.path }, { clock, log });
    await storage.durations.update('T1', () => ({ version: 1, entries: [] }));
    await storage.askedQuestions.update('T1', () => ({ version: 1, entries: [{ questionId: 'q1', atMs: 1 }] }));
    await storage.messageLogs.update('T1', () => ({ version: 1, entries: [] }));
    await storage.threadNotes.update('T1', () => ({ version: 1, messages: [] }));
    await storage.visits.update('T1', () => ({ version: 1, openedMs: 1, channelId: 'D1' }));
    expect(await storage.durations.get('T1')).toEqual({ version: 1, entries: [] });
    expect(await storage.askedQuestions.get('T1')).toEqual({ version: 1, entries: [{ questionId: 'q1', atMs: 1 }] });
    expect(await storage.messageLogs.get('T1')).toEqual({ version: 1, entries: [] });
    expect(await storage.threadNotes.get('T1')).toEqual({ version: 1, messages: [] });
    expect(await storage.visits.get('T1')).toEqual({ version: 1, openedMs: 1, channelId: 'D1' });
    expect(storage.redis).toBeUndefined();
    await storage.ping();
    await storage.close();
    await expect(storage.ping()).rejects.toEqual(storageError);
  });

  it('gives all votes to a reader beside it', async () => {
    const clock = () => nowMs;
    const vote: Vote = {
      version: 1,
      teamId: 'T1',
      userId: 'U1',
      questionId: 'q1',
      verdict: 'up',
      reasons: ['wrong'],
      atMs: 1,
    };
    const location = { dataDir: directory.path };
    const storage = await openStorage(location, { clock, log });
    await storage.votes.put(vote);
    expect(await readAllVotes(location, { clock, log })).toEqual({ votes: [vote], unreadable: 0 });
    // The reader gave the file back, the storage goes on.
    await storage.votes.put({ ...vote, verdict: 'down' });
    expect((await storage.votes.get('q1', 'U1'))?.verdict).toBe('down');
    await storage.close();
  });
});

describe('an operation with a deadline', () => {
  it('settles like the operation in time, and leaves no timer', async () => {
    vi.useFakeTimers();
    await expect(withDeadline(Promise.resolve(7), 1_000, 'It')).resolves.toBe(7);
    await expect(withDeadline(Promise.reject(new Error('no')), 1_000, 'It')).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails when the time is over, with an unknown outcome', async () => {
    vi.useFakeTimers();
    const failing = expect(withDeadline(new Promise(() => {}), 1_000, 'It')).rejects.toMatchObject({
      kind: 'storage',
      outcomeUnknown: true,
      message: 'It did not finish within 1000 ms',
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await failing;
  });
});
