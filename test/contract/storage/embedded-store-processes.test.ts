import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../src/storage/embedded-store.ts';
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
  it('has kept every write that it acknowledged, and leaves the directory to the next', async () => {
    for (let round = 1; round <= 3; round++) {
      const writer = startWriter(directory.path);
      const wanted = 200 * round;
      await eventually(() => expect(writer.lines.length).toBeGreaterThan(wanted));
      await writer.kill();

      const store = openEmbeddedStore(directory.path, Date.now, log);
      const questions = createQuestionStore(store);
      const openIds = new Set(await questions.openIds());
      const acknowledged = writer.lines.filter((line) => line !== 'open');
      for (const id of acknowledged) {
        expect((await questions.get(id))?.text).toBe(`acknowledged ${id}`);
        expect(openIds).toContain(id);
      }
      await store.close();
    }
  });
});

describe('a disk that is full', () => {
  // A limit on the size of files simulates a full disk: for LMDB it is the same failed write.
  it.skipIf(process.platform === 'win32')('refuses writes and is still read, and the process lives on', async () => {
    const writer = startWriter(directory.path, { fileLimitKiB: 400 });
    await eventually(() => expect(writer.exitCode()).toBe(0));
    await eventually(() => expect(writer.lines.slice(-2)).toEqual(['refused', 'readable']));

    const store = openEmbeddedStore(directory.path, Date.now, log);
    const questions = createQuestionStore(store);
    const acknowledged = writer.lines.filter((line) => line.startsWith('q'));
    expect(acknowledged.length).toBeGreaterThan(0);
    for (const id of acknowledged) expect((await questions.get(id))?.text).toBe(`acknowledged ${id}`);
    await store.close();
  });
});

describe('a directory in use', () => {
  it('is refused to a second process, whose message names the first', async () => {
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

  it('is free again after closing', async () => {
    const store = openEmbeddedStore(directory.path, Date.now, log);
    await store.close();
    const writer = startWriter(directory.path);
    await eventually(() => expect(writer.lines).toContain('open'));
    await writer.kill();
  });
});

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
  if (writer.stdout !== null) createInterface({ input: writer.stdout }).on('line', (line) => lines.push(line));
  return {
    pid: writer.pid,
    lines,
    exitCode: () => writer.exitCode,
    async kill() {
      // The last acknowledgements are still in the pipe when the process exits; `close` is emitted after they were read.
      const closed = new Promise((resolve) => writer.once('close', resolve));
      writer.kill('SIGKILL');
      await closed;
    },
  };
}
