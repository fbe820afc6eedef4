import { type ChildProcess, spawn } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
import { createLmdbEntries } from '../../../src/storage/lmdb-adapter.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { createQuestionStore } from '../../../src/storage/repositories.ts';
import { eventually } from '../../support/eventually.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const { log } = createRecordingLog();

let directory: Awaited<ReturnType<typeof createTempDir>>;

beforeEach(async () => {
  directory = await createTempDir();
});

afterEach(() => directory.remove());

describe('a process that is killed while it writes', () => {
  it('has stored every write that it acknowledged, and leaves the directory usable', async () => {
    for (let round = 1; round <= 3; round++) {
      const writer = startWriter(directory.path);
      const wanted = 200 * round;
      await eventually(() => expect(writer.lines.length).toBeGreaterThan(wanted));
      await writer.kill();

      const store = openEmbeddedStore(directory.path, Date.now, log);
      const questions = createQuestionStore(store);
      const openIds = new Set(await questions.openIds());
      const acknowledged = writer.lines.filter((queue) => queue !== 'open');
      for (const id of acknowledged) {
        expect((await questions.get(id))?.text).toBe(`acknowledged ${id}`);
        expect(openIds).toContain(id);
      }
      await store.close();
    }
  }, 60_000);
});

describe('a disk that is full', () => {
  // A limit on the size of files stands for the full disk; it is the same failed write to LMDB.
  it.skipIf(process.platform === 'win32')(
    'refuses writes, can still be read, and does not end the process',
    async () => {
      const writer = startWriter(directory.path, { fileLimitKiB: 400 });
      await eventually(() => expect(writer.exitCode()).toBe(0));
      await eventually(() => expect(writer.lines.slice(-2)).toEqual(['refused', 'readable']));

      const store = openEmbeddedStore(directory.path, Date.now, log);
      const questions = createQuestionStore(store);
      const acknowledged = writer.lines.filter((queue) => queue.startsWith('q'));
      expect(acknowledged.length).toBeGreaterThan(0);
      for (const id of acknowledged) expect((await questions.get(id))?.text).toBe(`acknowledged ${id}`);
      await store.close();
    },
  );
});

describe('a directory in use', () => {
  it('is refused to a second process, with a message that names the first', async () => {
    const writer = startWriter(directory.path);
    await eventually(() => expect(writer.lines).toContain('open'));
    try {
      await expect(openStorage({ dataDir: directory.path }, { clock: Date.now, log })).rejects.toMatchObject({
        name: 'AppError',
        kind: 'storage',
        message: expect.stringContaining(`process ${writer.pid}`),
      });
    } finally {
      await writer.kill();
    }
  });

  // Elsewhere a process can't be told from a later one with the same id.
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

  it('is free again after closing', async () => {
    const store = openEmbeddedStore(directory.path, Date.now, log);
    await store.close();
    const writer = startWriter(directory.path);
    await eventually(() => expect(writer.lines).toContain('open'));
    await writer.kill();
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

interface Writer {
  pid: number | undefined;
  lines: string[];
  exitCode(): number | null;
  kill(): Promise<void>;
}

function startWriter(dataDir: string, { fileLimitKiB }: { fileLimitKiB?: number } = {}): Writer {
  const script = fileURLToPath(new URL('./writer-process.ts', import.meta.url));
  const command = [process.execPath, '--import', 'tsx', script, dataDir];
  // `ulimit -f` counts blocks of 512 bytes (POSIX).
  const limit = fileLimitKiB === undefined ? '' : `ulimit -f ${fileLimitKiB * 2}; `;
  const writer: ChildProcess = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  if (writer.stdout !== null) createInterface({ input: writer.stdout }).on('line', (queue) => lines.push(queue));
  return {
    pid: writer.pid,
    lines,
    exitCode: () => writer.exitCode,
    async kill() {
      // What it acknowledged in its last moments is still in the pipe when it exits: `close` comes after that was read.
      const closed = new Promise((resolve) => writer.once('close', resolve));
      writer.kill('SIGKILL');
      await closed;
    },
  };
}
