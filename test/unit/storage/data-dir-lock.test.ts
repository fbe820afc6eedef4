import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Database, open, type RootDatabase } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockDataDir } from '../../../src/storage/data-dir-lock.ts';
import { eventually } from '../../support/eventually.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';

interface Holder {
  pid: number;
  bootId?: string;
  startTicks?: string;
}

const noProcess = 2 ** 22 - 1;

let directory: Awaited<ReturnType<typeof createTempDir>>;
let env: RootDatabase;
let db: Database<Holder, string>;
const enders: (() => void)[] = [];

beforeEach(async () => {
  directory = await createTempDir();
  env = open({ path: join(directory.path, 'store.mdb'), maxDbs: 1 });
  db = env.openDB({ name: 'lock' });
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of enders.splice(0)) end();
  await env.close();
  await directory.remove();
});

/** Locks the directory after `holder` has locked it; returns how to give it up. */
function lockAfter(holder: Holder): () => void {
  db.putSync('holder', holder);
  return lockDataDir(db, 'the directory');
}

describe('a data directory', () => {
  it('is refused where all that is known of the other process is that it lives', () => {
    expect(() => lockAfter({ pid: process.ppid })).toThrow(
      expect.objectContaining({
        kind: 'storage',
        message: expect.stringContaining(`the directory is in use by process ${process.ppid}`),
      }),
    );
    expect(db.get('holder')).toEqual({ pid: process.ppid });
  });

  it('is refused where the other process lives, and belongs to another user', () => {
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    expect(() => lockAfter({ pid: noProcess })).toThrow(expect.objectContaining({ kind: 'storage' }));
  });

  it.each([
    ['a process that is gone', { pid: noProcess }],
    ['an earlier process with our own id, as in a container', { pid: process.pid }],
  ])('is taken over from %s, of which no more is known', (_, holder) => {
    lockAfter(holder);
    expect(db.get('holder')).not.toEqual(holder);
  });

  it('may be opened twice by one process', () => {
    lockDataDir(db, 'the directory');
    expect(() => lockDataDir(db, 'the directory')).not.toThrow();
  });
});

// Elsewhere no more than the id of a process is known.
describe.runIf(process.platform === 'linux')('a data directory on Linux', () => {
  const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

  /** When a process started, field 22 of its statistics (proc(5)). */
  const startTicksOf = (pid: number) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[22 - 3] ?? '';

  it('tells which process uses it, since when, and since which start of the machine', () => {
    const unlock = lockDataDir(db, 'the directory');
    expect(db.get('holder')).toEqual({
      pid: process.pid,
      bootId: bootId(),
      startTicks: startTicksOf(process.pid),
    });
    unlock();
    expect(db.get('holder')).toBeUndefined();
  });

  it.each(['app', 'app) Z 1'])('is refused while the process %s uses it, and free when that is gone', async (name) => {
    const script = join(directory.path, name);
    await writeFile(script, '#!/bin/sh\necho started\nread _\n', { mode: 0o700 });
    const program = spawn(script, { stdio: ['pipe', 'pipe', 'ignore'] });
    enders.push(() => program.kill('SIGKILL'));
    await once(program.stdout, 'data');
    const pid = program.pid ?? 0;
    const holder = { pid, bootId: bootId(), startTicks: startTicksOf(pid) };
    expect(() => lockAfter(holder)).toThrow(`in use by process ${pid}`);
    expect(() => lockAfter({ pid, startTicks: holder.startTicks })).toThrow(`in use by process ${pid}`);
    expect(() => lockAfter({ pid, bootId: holder.bootId })).toThrow(`in use by process ${pid}`);

    program.kill('SIGKILL');
    await once(program, 'exit');
    lockAfter(holder);
    expect(db.get('holder')).toMatchObject({ pid: process.pid });
  });

  it('is taken over from a process that was killed, and whose parent has not asked for its end yet', async () => {
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
    enders.push(() => parent.kill('SIGKILL'));
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const pid = Number(line);
    const holder = { pid, bootId: bootId(), startTicks: startTicksOf(pid) };
    expect(() => lockAfter(holder)).toThrow(`in use by process ${pid}`);
    process.kill(pid, 'SIGKILL');
    await eventually(() => lockAfter(holder));
    // It still has its id.
    expect(startTicksOf(pid)).toBe(holder.startTicks);
  });

  it('is taken over from a process of before the last start of the machine, whatever has its id now', () => {
    const holder = { pid: process.ppid, bootId: 'another', startTicks: startTicksOf(process.ppid) };
    lockAfter(holder);
    expect(db.get('holder')).toMatchObject({ pid: process.pid });
  });

  it.each([
    ['process that started at the same time', () => ({ pid: noProcess, startTicks: startTicksOf(process.pid) })],
    ['process with our id', () => ({ pid: process.pid, startTicks: '1' })],
  ])('that another %s has taken over is left to that one', (_, describeHolder) => {
    const unlock = lockDataDir(db, 'the directory');
    const holder = describeHolder();
    db.putSync('holder', holder);
    unlock();
    expect(db.get('holder')).toEqual(holder);
  });

  it('that is free already may be given up again', () => {
    const unlock = lockDataDir(db, 'the directory');
    unlock();
    expect(unlock).not.toThrow();
  });
});
