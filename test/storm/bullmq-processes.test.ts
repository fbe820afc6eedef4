import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { createBullScheduler } from '../../src/scheduler/bullmq.ts';
import type { CountedScheduler } from '../../src/scheduler/counted-scheduler.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedisServer, type RedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { expectNothingLost } from '../support/scheduler/scheduler-contract.ts';

const WORKER = fileURLToPath(new URL('../support/scheduler/bullmq-worker.ts', import.meta.url));
const FAR_MS = 60_000;
/** Longer than the lease of a killed process. */
const patient = { timeoutMs: 45_000 };

/** Tests run concurrently, so each one registers its own cleanup. */
type Closer = TestContext['onTestFinished'];

interface Run {
  worker: number;
  id: string;
  beginNs: bigint;
  /** Absent while the run lasts, and forever when its process was killed. */
  endNs?: bigint;
}

interface Worker {
  process: ChildProcess;
  runs: Run[];
}

describe.skipIf(!hasRedisServer()).concurrent('several processes on BullMQ', () => {
  let server: RedisServer;
  let count = 0;

  beforeAll(async () => {
    server = await startRedisServer();
  });

  afterAll(() => server.stop());

  function createScheduler(
    onTestFinished: Closer,
    prefix: string,
    more: { repairIntervalMs?: number } = {},
  ): CountedScheduler {
    const { log } = createRecordingLog();
    const scheduler = createBullScheduler({ redisUrl: server.url, log, random: Math.random, prefix, ...more });
    onTestFinished(() => scheduler.stop(1_000));
    return scheduler;
  }

  async function startWorker(
    onTestFinished: Closer,
    worker: number,
    prefix: string,
    runMs: number,
    nextMs: number,
  ): Promise<Worker> {
    const args = ['--import', 'tsx', WORKER, server.url, prefix, String(runMs), String(nextMs)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const runs: Run[] = [];
    onTestFinished(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const lines = createInterface({ input: child.stdout });
    const isReady = new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the worker ended')));
      lines.on('line', (line) => {
        const [what, id = '', atNs = '0'] = line.split(' ');
        if (what === 'ready') resolve();
        if (what === 'begin') runs.push({ worker, id, beginNs: BigInt(atNs) });
        const last = runs.findLast((run) => run.id === id);
        if (what === 'end' && last !== undefined) last.endNs = BigInt(atNs);
      });
    });
    await isReady;
    return { process: child, runs };
  }

  it('share the work, and never run the same question at the same time', async ({ onTestFinished }) => {
    const prefix = `test${count++}`;
    const workers = await Promise.all([1, 2].map((worker) => startWorker(onTestFinished, worker, prefix, 15, 10)));
    const scheduler = createScheduler(onTestFinished, prefix);
    const ids = Array.from({ length: 20 }, (_, index) => `q${index}`);
    // More requests than needed, so that some arrive while a run schedules the next one.
    for (let round = 0; round < 10; round++) await Promise.all(ids.map((id) => scheduler.schedule(id, round)));
    await eventually(() => {
      for (const { runs } of workers) expect(runs.length).toBeGreaterThan(150);
    }, patient);
    const all = workers.flatMap(({ runs }) => runs);
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(ids));
    expect(overlapsOf(all)).toEqual([]);
  });

  it('lose no request between two processes', async ({ onTestFinished }) => {
    const prefix = `test${count++}`;
    const processes = [1, 2].map(() => createScheduler(onTestFinished, prefix, { repairIntervalMs: 10 * FAR_MS }));
    await expectNothingLost(processes, 800);
  });

  it('continue with what a killed process leaves behind', async ({ onTestFinished }) => {
    const prefix = `test${count++}`;
    const doomed = await startWorker(onTestFinished, 1, prefix, FAR_MS, FAR_MS);
    const survivor = createScheduler(onTestFinished, prefix);
    await survivor.schedule('qa', 0);
    await survivor.schedule('qb', 0);
    await eventually(() => expect(doomed.runs).toHaveLength(2));
    const seen: string[] = [];
    await survivor.start(async (id) => {
      seen.push(id);
      return undefined;
    });
    doomed.process.kill('SIGKILL');
    await eventually(() => expect(seen.sort()).toEqual(['qa', 'qb']), patient);
    expect(await survivor.counts()).toEqual({ delayed: 0, waiting: 0, active: 0 });
  });

  it('find the request of a process that died before it had touched the job', async ({ onTestFinished }) => {
    const prefix = `test${count++}`;
    const client = createClient({ url: server.url });
    await client.connect();
    await client.zAdd(`${prefix}:wakes`, { score: Date.now(), value: 'qa' });
    client.destroy();
    const scheduler = createScheduler(onTestFinished, prefix);
    const seen: string[] = [];
    await scheduler.start(async (id) => {
      seen.push(id);
      return undefined;
    });
    await eventually(() => expect(seen).toEqual(['qa']), patient);
  });

  it('take over from a frozen process, which changes nothing when it wakes up', async ({ onTestFinished }) => {
    const prefix = `test${count++}`;
    const frozen = await startWorker(onTestFinished, 1, prefix, 200, 1);
    const other = createScheduler(onTestFinished, prefix);
    await other.schedule('qa', 0);
    await eventually(() => expect(frozen.runs).toHaveLength(1));
    frozen.process.kill('SIGSTOP');
    let began = 0;
    let current = 0;
    let most = 0;
    await other.start(async () => {
      began += 1;
      current += 1;
      most = Math.max(most, current);
      // The frozen process wakes up during this run and still tries to schedule its next run.
      if (began === 1) frozen.process.kill('SIGCONT');
      if (began === 1) await eventually(() => expect(frozen.runs.at(-1)?.endNs).toBeDefined());
      await new Promise((resolve) => setTimeout(resolve, 500));
      current -= 1;
      return FAR_MS;
    });
    await eventually(() => expect(began).toBe(1), patient);
    await eventually(async () => expect(await other.counts()).toEqual({ delayed: 1, waiting: 0, active: 0 }));
    expect([began, most]).toEqual([1, 1]);
  });

  it('hand over at a stop, where present runs end and others continue at once', async ({ onTestFinished }) => {
    const prefix = `test${count++}`;
    const leaving = await startWorker(onTestFinished, 1, prefix, 300, 5);
    const staying = createScheduler(onTestFinished, prefix);
    for (let index = 0; index < 10; index++) await staying.schedule(`q${index}`, 0);
    await eventually(() => expect(leaving.runs.length).toBeGreaterThanOrEqual(5));
    const left = once(leaving.process, 'exit');
    leaving.process.kill('SIGTERM');
    const seen = new Map<string, bigint>();
    await staying.start(async (id) => {
      if (!seen.has(id)) seen.set(id, process.hrtime.bigint());
      return FAR_MS;
    });
    expect(await left).toEqual([0, null]);
    await eventually(() => expect(seen.size).toBe(10), patient);
    for (const { id, endNs } of leaving.runs) {
      expect(endNs).toBeDefined();
      expect(seen.get(id)).toBeGreaterThan(endNs ?? 0n);
    }
  });

  it('end a run at the deadline of a stop, and lose none of its questions', async ({ onTestFinished }) => {
    const prefix = `test${count++}`;
    const leaving = createScheduler(onTestFinished, prefix);
    let began = 0;
    await leaving.start(async () => {
      began += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return undefined;
    });
    await leaving.schedule('qa', 0);
    await eventually(() => expect(began).toBe(1));
    await leaving.stop(50);
    const staying = createScheduler(onTestFinished, prefix);
    const { active, waiting, delayed } = await staying.counts();
    expect(active + waiting + delayed).toBe(1);
    await expect(leaving.schedule('qb', 0)).rejects.toMatchObject({ kind: 'storage' });
  });
});

/** Runs that began before the previous run of the same question had ended. */
function overlapsOf(runs: Run[]): Run[] {
  const previous = new Map<string, Run>();
  const overlaps: Run[] = [];
  for (const run of runs.sort((a, b) => (a.beginNs < b.beginNs ? -1 : 1))) {
    const { endNs } = previous.get(run.id) ?? { endNs: 0n };
    if (endNs === undefined || endNs > run.beginNs) overlaps.push(run);
    previous.set(run.id, run);
  }
  return overlaps;
}
