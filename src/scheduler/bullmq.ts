import { setTimeout as wait } from 'node:timers/promises';
import { DelayedError, ErrorCode, type Job, Queue, Worker } from 'bullmq';
import { AppError } from '../core/errors.ts';
import { exponentialMs, within } from '../core/pacing.ts';
import type { Log } from '../core/ports.ts';
import { type BullConnection, openBullConnection, translateRedisError, withinDeadline } from './bullmq-connection.ts';
import { type AdvanceJob, createWakes, isBullError, type Wakes } from './bullmq-wakes.ts';
import type { CountedScheduler } from './counted-scheduler.ts';

const DEFAULT_CONCURRENCY = 50;
const DEFAULT_PREFIX = 'ds:bull';
const QUEUE_NAME = 'runs';
const LONGEST_BACK_OFF_MS = 30_000;

const START_DEADLINE_MS = 5_000;
/** The app must answer a command or button within Slack's 3 s. */
const OPERATION_DEADLINE_MS = 2_000;
const CLOSE_DEADLINE_MS = 1_000;

/** How long a question stays with a process that gives no sign of life, and how often expired leases are searched. */
const LEASE_MS = 10_000;
const LEASE_CHECK_INTERVAL_MS = 5_000;
/** Early enough that no lease is lost when Redis is silent for 5 s. */
const LEASE_RENEWAL_MS = 3_000;
const REPAIR_INTERVAL_MS = 5_000;
/** Retry delay when this process lost a question's lease but still runs that question. */
const STILL_RUNNING_RETRY_MS = 1_000;
/** Wait before BullMQ's worker retries after a lost connection. */
const RETRY_DELAY_MS = 500;
/** How many entries BullMQ keeps in its own event stream, which this app does not read. */
const KEPT_EVENTS = 100;

export interface BullSchedulerDeps {
  redisUrl: string;
  log: Log;
  /** In [0, 1). */
  random: () => number;
  /** Most runs at once in this process. Default 50. */
  concurrency?: number;
  /** How often to search for requests that a dead process left behind. Default every 5 s. */
  repairIntervalMs?: number;
  /** Prefix of every key in Redis. Default `ds:bull`. Processes with the same prefix share the work. */
  prefix?: string;
}

type Take = (questionId: string) => Promise<number | undefined>;

interface Opened {
  connection: BullConnection;
  queue: Queue<AdvanceJob>;
  wakes: Wakes;
}

/**
 * A scheduler for any number of processes, stored in Redis (≥ 6.2). Its plans survive every process: if a process dies,
 * another one continues with its questions within about 20 s. `schedule` and `start` throw `AppError` of kind `storage`
 * when Redis does not answer in time. If Redis goes away later, runs pause and continue when it is back.
 */
export function createBullScheduler(deps: BullSchedulerDeps): CountedScheduler {
  const { log, random, concurrency = DEFAULT_CONCURRENCY, prefix = DEFAULT_PREFIX } = deps;
  const { repairIntervalMs = REPAIR_INTERVAL_MS } = deps;
  const running = new Set<Promise<void>>();
  /** Questions that this process is advancing now. */
  const beingAdvanced = new Set<string>();
  let opening: Promise<Opened> | undefined;
  let worker: Worker<AdvanceJob> | undefined;
  let repairTimer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let isClosed = false;

  /** The first caller opens the connection. After a failure the next caller tries again. */
  function open(): Promise<Opened> {
    opening ??= connect().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function connect(): Promise<Opened> {
    const connection = await openBullConnection(deps, START_DEADLINE_MS);
    const queue = new Queue<AdvanceJob>(QUEUE_NAME, {
      connection: connection.bull,
      prefix,
      streams: { events: { maxLen: KEPT_EVENTS } },
    });
    // The connection logs errors, and the caller receives them.
    queue.on('error', () => {});
    try {
      await withinDeadline(queue.waitUntilReady(), START_DEADLINE_MS, 'Connecting');
      if (isClosed) throw closedError();
    } catch (error) {
      connection.destroy();
      throw translateRedisError(error, 'Connecting');
    }
    return { connection, queue, wakes: createWakes({ connection, queue, prefix }) };
  }

  async function run<T>(what: string, operation: (opened: Opened) => Promise<T>): Promise<T> {
    if (isClosed) throw closedError();
    try {
      return await withinDeadline(open().then(operation), OPERATION_DEADLINE_MS, what);
    } catch (error) {
      throw translateRedisError(error, what);
    }
  }

  /** Runs one job. Always throws DelayedError, which tells BullMQ that the job was already moved. */
  async function process(opened: Opened, take: Take, job: Job<AdvanceJob>, token: string): Promise<never> {
    const questionId = job.id ?? '';
    if (isStopping || beingAdvanced.has(questionId)) {
      const delayMs = isStopping ? 0 : STILL_RUNNING_RETRY_MS;
      await untilLeaseEnds(questionId, () => job.moveToDelayed(Date.now() + delayMs, token));
      throw new DelayedError();
    }
    const run = advanceOnce(opened, take, job, questionId, token).finally(() => running.delete(run));
    running.add(run);
    await run;
    throw new DelayedError();
  }

  async function advanceOnce(
    { wakes }: Opened,
    take: Take,
    job: Job<AdvanceJob>,
    questionId: string,
    token: string,
  ): Promise<void> {
    let failures = 0;
    let delayMs: number | undefined;
    beingAdvanced.add(questionId);
    try {
      if (!(await untilLeaseEnds(questionId, () => wakes.clear(questionId)))) return;
      delayMs = await take(questionId);
    } catch (error) {
      failures = job.data.failures + 1;
      delayMs = exponentialMs(failures, random(), LONGEST_BACK_OFF_MS);
      log.warn({ event: 'advance', outcome: 'failed', questionId, failures, retryInMs: delayMs }, error);
    } finally {
      beingAdvanced.delete(questionId);
    }
    const plannedMs = delayMs === undefined ? undefined : Date.now() + delayMs;

    await untilLeaseEnds(questionId, async () => {
      if (plannedMs === undefined) {
        await job.moveToCompleted(undefined, token, false);
        return;
      }
      if (failures !== job.data.failures) await job.updateData({ failures });
      try {
        await job.moveToDelayed(plannedMs, token);
      } catch (error) {
        if (!isBullError(error, ErrorCode.JobNotExist)) throw error;
        // Redis lost its data, or another process took over and finished. One extra run is harmless.
        await wakes.wake(questionId, plannedMs);
      }
    });
    try {
      // Read the wake only after the job was moved: a later request finds the job where it was put.
      const wakeMs = await wakes.dueMs(questionId);
      if (wakeMs !== undefined && (plannedMs === undefined || wakeMs < plannedMs)) {
        await wakes.bring(questionId, wakeMs);
      }
    } catch {
      // The wake stays, and the next repair finds it.
    }
  }

  /**
   * Repeats `step` while Redis is away, until this process's lease may have expired. Returns false when the lease is
   * lost: then the process that finds the lease expired runs the question again.
   */
  async function untilLeaseEnds(questionId: string, step: () => Promise<void>): Promise<boolean> {
    const endMs = performance.now() + LEASE_MS;
    for (;;) {
      try {
        await step();
        return true;
      } catch (error) {
        const isLost = isBullError(
          error,
          ErrorCode.JobNotExist,
          ErrorCode.JobLockNotExist,
          ErrorCode.JobLockMismatch,
          ErrorCode.JobNotInState,
        );
        if (isLost || isClosed || performance.now() >= endMs) {
          log.warn({ event: 'scheduler.lease', outcome: 'lost', questionId }, error);
          return false;
        }
      }
      await wait(100);
    }
  }

  function repairRegularly(wakes: Wakes): void {
    repairTimer = setTimeout(async () => {
      try {
        await wakes.repair();
      } catch {
        // The connection logs the error, and the next repair tries again.
      }
      if (!isStopping) repairRegularly(wakes);
    }, repairIntervalMs);
  }

  function createWorker(opened: Opened, take: Take): Worker<AdvanceJob> {
    const created = new Worker<AdvanceJob>(QUEUE_NAME, (job, token = '') => process(opened, take, job, token), {
      connection: opened.connection.bull,
      prefix,
      concurrency,
      autorun: false,
      lockDuration: LEASE_MS,
      lockRenewTime: LEASE_RENEWAL_MS,
      stalledInterval: LEASE_CHECK_INTERVAL_MS,
      // Never give up a question, however often its process dies.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: RETRY_DELAY_MS,
    });
    // The connection logs failures of Redis; the listeners below and `untilLeaseEnds` log lost leases.
    created.on('error', () => {});
    created.on('stalled', (questionId) => {
      log.warn({ event: 'scheduler.lease', outcome: 'takenOver', questionId });
    });
    created.on('lockRenewalFailed', (questionIds) => {
      for (const questionId of questionIds) log.warn({ event: 'scheduler.lease', outcome: 'notRenewed', questionId });
    });
    return created;
  }

  /** Restarts BullMQ's loop if it ends before `stop`, which is not known to happen. */
  async function keepRunning(started: Worker<AdvanceJob>): Promise<void> {
    while (!isStopping) {
      try {
        await started.run();
      } catch (error) {
        log.error({ event: 'scheduler.worker', outcome: 'failed' }, error);
      }
      if (!isStopping) await wait(RETRY_DELAY_MS);
    }
  }

  return {
    async start(take) {
      const opened = await open();
      const created = createWorker(opened, take);
      try {
        await withinDeadline(created.waitUntilReady(), START_DEADLINE_MS, 'Starting');
        if (isStopping) throw closedError();
      } catch (error) {
        void created.close(true);
        throw translateRedisError(error, 'Starting');
      }
      worker = created;
      void keepRunning(created);
      repairRegularly(opened.wakes);
    },

    /** Works until the end of `stop`, so that running questions can still schedule others. */
    schedule: (questionId, delayMs, options) =>
      run('schedule', ({ wakes }) => wakes.wake(questionId, Date.now() + Math.max(0, delayMs), options)),

    unscheduled: (questionIds) =>
      run('unscheduled', async ({ wakes }) => {
        const planned = await Promise.all(questionIds.map((id) => wakes.isPlanned(id)));
        return questionIds.filter((_, index) => planned[index] === false);
      }),

    counts: () =>
      run('counts', async ({ queue }) => {
        const { wait: waiting = 0, delayed = 0, active = 0 } = await queue.getJobCounts('wait', 'delayed', 'active');
        return { waiting, delayed, active };
      }),

    async stop(deadlineMs) {
      isStopping = true;
      clearTimeout(repairTimer);
      // Stops fetching jobs. A job that is being fetched is put back.
      await worker?.pause(true);
      await settledWithin([...running], deadlineMs);
      const isCutShort = running.size > 0;
      if (isCutShort) log.warn({ event: 'scheduler.stop', outcome: 'deadlinePassed', running: running.size });
      if (worker !== undefined) await settledWithin([worker.close(isCutShort)], CLOSE_DEADLINE_MS);
      isClosed = true;
      if (opening === undefined) return;
      await settledWithin([opening.then(({ connection }) => connection.destroy())], CLOSE_DEADLINE_MS);
    },
  };
}

async function settledWithin(promises: Promise<unknown>[], deadlineMs: number): Promise<void> {
  if (promises.length === 0) return;
  await within(Promise.allSettled(promises), deadlineMs);
}

function closedError(): AppError {
  return new AppError('storage', 'The scheduler on Redis is stopped');
}
