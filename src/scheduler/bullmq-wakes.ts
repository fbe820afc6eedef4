import { ErrorCode, type Queue } from 'bullmq';
import type { BullConnection } from './bullmq-connection.ts';

/** How often to try to move one planned job forward while others change the plan too. */
const MOST_ROUNDS = 5;
/** A wake overdue by this much counts as forgotten. */
const FORGOTTEN_AFTER_MS = 3_000;
const MOST_REPAIRED_AT_ONCE = 100;

/** BullMQ keeps delayed jobs in a sorted set by due time in ms × 4096 plus a counter (its `getDelayedScore.lua`). */
const SCORE_PER_MS = 4_096;

/** The data of a job. The job's id is the question's id. */
export interface AdvanceJob {
  /** How many runs in a row have thrown. */
  failures: number;
}

export interface WakesDeps {
  connection: BullConnection;
  queue: Queue<AdvanceJob>;
  prefix: string;
}

/**
 * The requested runs that have not begun: the earliest due time per question. A wake is written before the job changes,
 * and removed when a run begins. If a run ends while another one is requested, then either the run finds the wake, or
 * the requester finds the job where the run put it.
 */
export interface Wakes {
  /**
   * Writes the wake, then makes the job due at `dueMs` or earlier. `isNew`: there is no job yet. If there is one after all, the
   * wake stays, and the job's next run or the next repair finds it.
   */
  wake(questionId: string, dueMs: number, options?: { isNew?: boolean }): Promise<void>;
  /** Adds the job if it does not exist, and moves it forward if it is due later. */
  bring(questionId: string, dueMs: number): Promise<void>;
  /** Removes the wake when a run begins, because that run serves all requests so far. */
  clear(questionId: string): Promise<void>;
  dueMs(questionId: string): Promise<number | undefined>;
  /** Whether a run is planned or in progress. */
  isPlanned(questionId: string): Promise<boolean>;
  /** Schedules the runs that a process requested before it died between two steps. Bounded per call. */
  repair(): Promise<void>;
}

/** Every method passes on the errors of BullMQ and the Redis client. */
export function createWakes({ connection: { client, run }, queue, prefix }: WakesDeps): Wakes {
  const key = `${prefix}:wakes`;

  async function add(questionId: string, dueMs: number): Promise<void> {
    await queue.add(
      'advance',
      { failures: 0 },
      {
        jobId: questionId,
        delay: Math.max(0, dueMs - Date.now()),
        removeOnComplete: true,
        // A job never fails, because no error leaves the processor. If one does, these options keep the job.
        attempts: 2 ** 31 - 1,
        backoff: { type: 'fixed', delay: 1_000 },
        removeOnFail: true,
      },
    );
  }

  async function dueMs(questionId: string): Promise<number | undefined> {
    return (await run(() => client.zScore(key, questionId))) ?? undefined;
  }

  /** When the question's job is due. Undefined unless it is delayed: it may be in the queue, running, or missing. */
  async function plannedMs(questionId: string): Promise<number | undefined> {
    const score = await run(() => client.zScore(queue.toKey('delayed'), questionId));
    return score === null ? undefined : Math.floor(score / SCORE_PER_MS);
  }

  /** Returns whether the job was still delayed. */
  async function whilePlanned(change: () => Promise<void>): Promise<boolean> {
    try {
      await change();
      return true;
    } catch (error) {
      if (isBullError(error, ErrorCode.JobNotInState, ErrorCode.JobNotExist)) return false;
      throw error;
    }
  }

  async function bring(questionId: string, wantedMs: number): Promise<void> {
    let targetMs = wantedMs;
    await add(questionId, targetMs);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const currentMs = await plannedMs(questionId);
      if (currentMs === undefined || currentMs <= targetMs) return;
      const job = await queue.getJob(questionId);
      if (job === undefined) return;
      const delayMs = targetMs - Date.now();
      if (delayMs <= 0) {
        await whilePlanned(() => job.promote());
        return;
      }
      if (!(await whilePlanned(() => job.changeDelay(delayMs)))) return;

      // Another process may have requested an earlier run, or a run may have begun and planned an earlier one.
      const earliestMs = await dueMs(questionId);
      if (earliestMs === undefined) {
        await whilePlanned(() => job.promote());
        return;
      }
      if (earliestMs >= targetMs) return;
      targetMs = earliestMs;
    }
  }

  return {
    async wake(questionId, wantedMs, { isNew = false } = {}) {
      // One connection carries out both in this order, so the second does not wait for the reply to the first.
      const written = run(() => client.zAdd(key, { score: wantedMs, value: questionId }, { comparison: 'LT' }));
      await Promise.all([written, isNew ? add(questionId, wantedMs) : bring(questionId, wantedMs)]);
    },

    bring,

    async clear(questionId) {
      await run(() => client.zRem(key, questionId));
    },

    dueMs,

    isPlanned: async (questionId) => (await run(() => client.exists(queue.toKey(questionId)))) > 0,

    async repair() {
      const forgotten = await run(() =>
        client.zRangeWithScores(key, '-inf', Date.now() - FORGOTTEN_AFTER_MS, {
          BY: 'SCORE',
          LIMIT: { offset: 0, count: MOST_REPAIRED_AT_ONCE },
        }),
      );
      for (const { value, score } of forgotten) await bring(value, score);
    },
  };
}

/** Whether BullMQ refused with one of the `codes` because of the job's state. */
export function isBullError(error: unknown, ...codes: ErrorCode[]): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'number' && codes.some((c) => c === error.code)
  );
}
