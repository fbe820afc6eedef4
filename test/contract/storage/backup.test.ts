import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUpStore } from '../../../src/storage/backup.ts';
import { refuseHolder } from '../../../src/storage/data-dir-lock.ts';
import { openStorage, openStoreBeside } from '../../../src/storage/open-storage.ts';
import { createQuestionStore } from '../../../src/storage/repositories.ts';
import { restoreStore } from '../../../src/storage/restore.ts';
import { probeStore } from '../../../src/storage/store-probe.ts';
import { CLOSED_KEY, UNFINISHED } from '../../../src/storage/store-use.ts';
import { eventually } from '../../support/eventually.ts';
import { builtProgram } from '../../support/processes/built-programs.ts';
import { type Run, run, runProgram } from '../../support/processes/run.ts';
import { createTempDir } from '../../support/processes/temp-dir.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { fillStore, readStore } from '../../support/storage/full-store.ts';
import { sampleQuestion } from './sample-records.ts';

const adminProgram = await builtProgram('src/cli/admin.ts');
const writerProgram = fileURLToPath(new URL('./writer-process.ts', import.meta.url));

const { log } = createRecordingLog();
const options = { clock: Date.now, log };
const replaces = { ...options, replaces: true };
const keeps = { ...options, replaces: false };

let directory: Awaited<ReturnType<typeof createTempDir>>;
let data: string;
let copy: string;
let restored: string;
let writer: Run | undefined;

beforeEach(async () => {
  directory = await createTempDir();
  [data, copy, restored] = [
    join(directory.path, 'data'),
    join(directory.path, 'copy'),
    join(directory.path, 'restored'),
  ];
});

afterEach(async () => {
  writer?.child.kill('SIGKILL');
  await writer?.ended;
  writer = undefined;
  await directory.remove();
});

async function startWriter(dataDir: string): Promise<() => string[]> {
  const started = runProgram(writerProgram, [dataDir]);
  writer = started;
  await eventually(() => expect(started.output()).toContain('open\n'));
  return () =>
    started
      .output()
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('q'));
}

/** Makes a store with an open question and a closed one. */
async function storeSome(dataDir: string): Promise<void> {
  const storage = await openStorage({ dataDir }, options);
  await storage.questions.create(sampleQuestion({ id: 'qopen' }));
  await storage.questions.create(sampleQuestion({ id: 'qclosed', phase: 'closed' }));
  await storage.questions.markClosed('qclosed');
  await storage.close();
  await fillStore({ dataDir }, 20);
}

const backUp = () => backUpStore(data, copy, { version: '9.9.9', clock: Date.now });

describe('a backup', () => {
  it('of a store that is written all the time has one moment of it, with everything acknowledged before', async () => {
    const acknowledged = await startWriter(data);
    for (let round = 1; round <= 3; round += 1) {
      const before = acknowledged().length;
      await eventually(() => expect(acknowledged().length).toBeGreaterThan(before + 30));
      const known = acknowledged();
      const folder = `${copy}${round}`;
      const manifest = await backUpStore(data, folder, { version: '9.9.9', clock: Date.now });
      const to = `${restored}${round}`;
      await restoreStore(folder, to, keeps);
      const storage = await openStorage({ dataDir: to }, options);
      const open = await storage.questions.openIds();
      expect(open).toEqual(expect.arrayContaining(known));
      expect(open.length).toBe(manifest.counts.question);
      for (let queue = 0; queue < 8; queue += 1) {
        const numbers = open.filter((id) => id.startsWith(`q${queue}-`)).map((id) => Number(id.split('-')[1]));
        // Each queue writes one question after the other: a snapshot has the first ones without a gap, all but one changed.
        expect(numbers.sort((one, other) => one - other)).toEqual(numbers.map((_, index) => index));
        const unchanged: string[] = [];
        for (const id of numbers.slice(0, -1).map((number) => `q${queue}-${number}`)) {
          const text = (await storage.questions.get(id))?.text;
          if (text === `acknowledged ${id}`) continue;
          const beside = await openStoreBeside({ dataDir: data }, options);
          const there = (await createQuestionStore(beside).get(id))?.text;
          await beside.close();
          unchanged.push(`${id} of ${numbers.length} is "${text}", and "${there}" in the store that is backed up`);
        }
        expect(unchanged).toEqual([]);
      }
      await storage.close();
    }
  });

  it('is for its owner only, has a manifest, and holds neither the lock nor keys', async () => {
    await storeSome(data);
    const manifest = await backUp();
    expect(await readdir(copy)).toEqual(['manifest.json', 'store.mdb']);
    expect((await stat(copy)).mode & 0o777).toBe(0o700);
    for (const file of ['manifest.json', 'store.mdb']) expect((await stat(join(copy, file))).mode & 0o777).toBe(0o600);
    expect(manifest).toMatchObject({ format: 1, version: '9.9.9', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(manifest.counts).toMatchObject({
      question: 2,
      'open-questions': 1,
      vote: 20,
      votes: 20,
      account: 1,
    });
    expect(manifest.bytes).toBe((await stat(join(copy, 'store.mdb'))).size);
    expect(JSON.parse(await readFile(join(copy, 'manifest.json'), 'utf8'))).toEqual(manifest);
  });

  it('is refused into a folder with anything in it, and of a folder without a store', async () => {
    await storeSome(data);
    await mkdir(copy);
    await writeFile(join(copy, 'mine.txt'), 'mine');
    await expect(backUp()).rejects.toMatchObject({ kind: 'storage', message: expect.stringContaining('not empty') });
    expect(await readdir(copy)).toEqual(['mine.txt']);
    await expect(
      backUpStore(join(directory.path, 'none'), restored, { version: '1', clock: Date.now }),
    ).rejects.toMatchObject({ kind: 'storage', message: expect.stringContaining('no store') });
  });

  it('is refused of a store whose records are not all there', async () => {
    await storeSome(data);
    const store = await openStoreBeside({ dataDir: data }, options);
    await store.set(CLOSED_KEY, UNFINISHED);
    await store.close();
    await expect(backUp()).rejects.toMatchObject({ message: expect.stringContaining('has not ended') });
    await expect(stat(copy)).rejects.toThrow();
  });

  it('that fails on a full disk leaves nothing that looks whole', async () => {
    await storeSome(data);
    await fillStore({ dataDir: data }, 2_000);
    // A limit on the size of files simulates a full disk. `ulimit -f` counts blocks of 512 bytes (POSIX).
    const command = [process.execPath, adminProgram, 'backup', '--out', copy];
    const failed = run('sh', ['-c', 'ulimit -f 200; exec "$@"', 'sh', ...command], { DATA_DIR: data });
    expect([await failed.ended, failed.output()]).toEqual([1, expect.stringContaining('failed')]);
    await expect(stat(copy)).rejects.toThrow();
  });

  it('is made and restored by the programs beside a running app', async () => {
    const acknowledged = await startWriter(data);
    await eventually(() => expect(acknowledged().length).toBeGreaterThan(50));
    const made = runProgram(adminProgram, ['backup', '--out', copy], { DATA_DIR: data });
    expect([await made.ended, made.output()]).toEqual([0, expect.stringMatching(/backed up to [\s\S]*question: \d+/)]);
    const refused = runProgram(adminProgram, ['restore', '--from', copy, '--replace'], { DATA_DIR: data });
    expect([await refused.ended, refused.output()]).toEqual([1, expect.stringContaining('in use by process')]);
    const done = runProgram(adminProgram, ['restore', '--from', copy], { DATA_DIR: restored });
    expect([await done.ended, done.output()]).toEqual([0, expect.stringMatching(/questions that go on: \d+/)]);
    const again = runProgram(adminProgram, ['restore', '--from', copy], { DATA_DIR: restored });
    expect([await again.ended, again.output()]).toEqual([1, expect.stringContaining('--replace')]);
  });
});

describe('a restore', () => {
  it('brings everything back, marks the open questions, and leaves the data directory as the app leaves it', async () => {
    await storeSome(data);
    const before = await readStore({ dataDir: data });
    await backUp();
    expect(await restoreStore(copy, restored, keeps)).toMatchObject({ open: 1 });
    expect(await readdir(restored)).toEqual(['store.mdb']);
    expect((await stat(join(restored, 'store.mdb'))).mode & 0o777).toBe(0o600);
    const isQuestion = (line: string) => line.startsWith('ds:question:qopen');
    const after = await readStore({ dataDir: restored });
    expect(after.filter((line) => !isQuestion(line))).toEqual(before.filter((line) => !isQuestion(line)));
    const storage = await openStorage({ dataDir: restored }, options);
    const { restored: mark, ...question } = (await storage.questions.get('qopen')) ?? {};
    expect(question).toEqual(sampleQuestion({ id: 'qopen' }));
    expect(mark?.toMs).toBeGreaterThanOrEqual(mark?.fromMs ?? Number.NaN);
    expect(await storage.questions.get('qclosed')).not.toHaveProperty('restored');
    await storage.close();
  });

  it('replaces a store that was cut, which ends every process that reads it', async () => {
    await storeSome(data);
    await backUp();
    // Less than that could leave every page that is read.
    await truncate(join(data, 'store.mdb'), 4 * 4_096);
    const before = runProgram(adminProgram, ['usage'], { DATA_DIR: data });
    expect(['SIGBUS', 'SIGSEGV']).toContain(await before.ended);
    const replacing = runProgram(adminProgram, ['restore', '--from', copy, '--replace'], { DATA_DIR: data });
    expect([await replacing.ended, replacing.output()]).toEqual([0, expect.stringContaining('restored')]);
    const storage = await openStorage({ dataDir: data }, options);
    expect(await storage.questions.openIds()).toEqual(['qopen']);
    await storage.close();
  });

  it('replaces a store whose pages were overwritten, of which reading throws', async () => {
    await storeSome(data);
    await backUp();
    const file = join(data, 'store.mdb');
    await writeFile(file, (await readFile(file)).fill(0, 2 * 4_096));
    await restoreStore(copy, data, replaces);
    const storage = await openStorage({ dataDir: data }, options);
    expect(await storage.questions.openIds()).toEqual(['qopen']);
    await storage.close();
  });

  it('does not replace a cut store under an app that runs and does not read what is missing', async () => {
    await storeSome(data);
    await backUp();
    await fillStore({ dataDir: data }, 2_000);
    await startWriter(data);
    // A suspended app reads nothing.
    writer?.child.kill('SIGSTOP');
    const file = join(data, 'store.mdb');
    await truncate(file, Math.trunc((await stat(file)).size / 2));
    const { ino } = await stat(file);
    const refused = runProgram(adminProgram, ['restore', '--from', copy, '--replace'], { DATA_DIR: data });
    const pid = String(writer?.child.pid);
    expect([await refused.ended, refused.output()]).toEqual([1, expect.stringContaining(`in use by process ${pid}`)]);
    expect((await stat(file)).ino).toBe(ino);
    writer?.child.kill('SIGKILL');
    await writer?.ended;
    const done = runProgram(adminProgram, ['restore', '--from', copy, '--replace'], { DATA_DIR: data });
    expect([await done.ended, done.output()]).toEqual([0, expect.stringContaining('restored')]);
  });

  it('reads who has the lock of a store before it reads the rest', async () => {
    await storeSome(data);
    const file = join(data, 'store.mdb');
    expect(probeStore(file)).toEqual({ damaged: false, holder: null });
    await startWriter(data);
    const { damaged, holder } = probeStore(file);
    expect([damaged, holder]).toEqual([false, expect.objectContaining({ pid: writer?.child.pid })]);
    expect(() => refuseHolder(holder, data)).toThrow(`in use by process ${writer?.child.pid}`);
    writer?.child.kill('SIGKILL');
    await writer?.ended;
    expect(() => refuseHolder(holder, data)).not.toThrow();
  });

  it('replaces a store only if asked, also a damaged one', async () => {
    await storeSome(data);
    await backUp();
    const before = await readStore({ dataDir: data });
    await fillStore({ dataDir: data }, 50);
    await expect(restoreStore(copy, data, keeps)).rejects.toMatchObject({ kind: 'storage' });
    await restoreStore(copy, data, replaces);
    expect((await readStore({ dataDir: data })).length).toBe(before.length);
    await writeFile(join(data, 'store.mdb'), 'no longer a store');
    await expect(restoreStore(copy, data, keeps)).rejects.toMatchObject({ kind: 'storage' });
    await restoreStore(copy, data, replaces);
    expect((await readStore({ dataDir: data })).length).toBe(before.length);
  });

  it.each<[what: string, damage: () => Promise<unknown>]>([
    ['has no manifest', () => chmod(copy, 0o700).then(() => execFileSync('rm', [join(copy, 'manifest.json')]))],
    ['has half a manifest', () => writeFile(join(copy, 'manifest.json'), '{"format":1,')],
    ['is of another format', () => writeFile(join(copy, 'manifest.json'), '{"format":2}')],
    ['has other records than its manifest says', () => appendFile(join(copy, 'store.mdb'), 'x')],
  ])('is refused, and changes nothing, if the backup %s', async (_, damage) => {
    await storeSome(data);
    await backUp();
    await damage();
    const before = await readStore({ dataDir: data });
    await expect(restoreStore(copy, data, replaces)).rejects.toMatchObject({ kind: 'storage' });
    expect(await readStore({ dataDir: data })).toEqual(before);
    await expect(restoreStore(copy, restored, keeps)).rejects.toMatchObject({ kind: 'storage' });
    expect(await readdir(restored).catch(() => [])).toEqual([]);
  });
});

describe('the programs for backup and restore', () => {
  it.each([
    ['backup without a folder', ['backup'], {}, 2, /--out is missing/],
    ['restore without a folder', ['restore'], {}, 2, /--from is missing/],
    ['an unknown option', ['backup', '--out', 'x', '--force'], {}, 2, /--force/],
    ['an app on Redis', ['backup', '--out', 'x'], { REDIS_URL: 'redis://127.0.0.1:1' }, 2, /by its own means/],
    ['help', ['restore', '--help'], {}, 0, /npm run admin -- restore --from DIR/],
  ])('end with the right code for %s', async (_, args, settings, code, said) => {
    const program = runProgram(adminProgram, args, { DATA_DIR: data, ...settings });
    expect([await program.ended, program.output()]).toEqual([code, expect.stringMatching(said)]);
  });
});
