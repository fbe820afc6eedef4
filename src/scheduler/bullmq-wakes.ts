import { ErrorCode, type Queue } from 'bullmq';
import type { BullConnection } from './bullmq-connection.ts';

/** Tries to bring one planned look forward while others change the plan, too. */
const MOST_ROUNDS = 5;
/** A wake this long overdue is taken for forgotten. */
const FORGOTTEN_AFTER_MS = 3_000;
const MOST_REPAIRED_AT_ONCE = 100;

/** BullMQ keeps delayed jobs in a sorted set by due time in ms × 4096, plus a counter (its `getDelayedScore.lua`). */
const SCORE_PER_MS = 4_096;

/** What a job carries besides its id, which is that of its question. */
export interface AdvanceJob {
  /** Looks in a row that threw. */
  failures: number;
}

export interface WakesDeps {
  connection: BullConnection;
  queue: Queue<AdvanceJob>;
  prefix: string;
}

/**
 * The looks asked for and not yet begun: per question the earliest due time. A wake is written before the job is touched
 * and taken away when a look begins, so that a look that ends at the same moment as one is asked for finds the wake, or
 * whoever asks finds the job where the look has put it.
 */
export interface Wakes {
  /** Writes the wake, then sees to it that the job is due no later. */
  wake(questionId: string, dueMs: number): Promise<void>;
  /** Adds the job unless it is there, and brings it forward unless it is due before. */
  bring(questionId: string, dueMs: number): Promise<void>;
  /** A look begins: it serves every wake until now. */
  clear(questionId: string): Promise<void>;
  dueMs(questionId: string): Promise<number | undefined>;
  /** Whether a look is planned or running. */
  isPlanned(questionId: string): Promise<boolean>;
  /** Brings what a process that died between two steps left behind. Bounded per call. */
  repair(): Promise<void>;
}

/** Every method throws whatever BullMQ and the Redis client throw. */
export function createWakes({ connection: { client, run }, queue, prefix }: WakesDeps): Wakes {
  const key = `${prefix}:wakes`;

  async function add(questionId: string, dueMs: number): Promise<void> {
    await queue.add(
      'look',
      { failures: 0 },
      {
        jobId: questionId,
        delay: Math.max(0, dueMs - Date.now()),
        removeOnComplete: true,
        // Neither is expected to happen, as no error leaves the processor; should one, the job stays.
        attempts: 2 ** 31 - 1,
        backoff: { type: 'fixed', delay: 1_000 },
        removeOnFail: true,
      },
    );
  }

  async function dueMs(questionId: string): Promise<number | undefined> {
    return (await run(() => client.zScore(key, questionId))) ?? undefined;
  }

  /** When the job of the question is due; undefined unless it is planned: it waits for its turn, runs, or is not there. */
  async function plannedMs(questionId: string): Promise<number | undefined> {
    const score = await run(() => client.zScore(queue.toKey('delayed'), questionId));
    return score === null ? undefined : Math.floor(score / SCORE_PER_MS);
  }

  /** Returns whether the job was still planned. */
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

      // Someone else may have asked for an earlier look, or a look may have begun and planned an earlier one.
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
    async wake(questionId, wantedMs) {
      await run(() => client.zAdd(key, { score: wantedMs, value: questionId }, { comparison: 'LT' }));
      await bring(questionId, wantedMs);
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

/** Whether BullMQ refused because of the state of the job, with one of the `codes`. */
export function isBullError(error: unknown, ...codes: ErrorCode[]): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'number' && codes.some((c) => c === error.code)
  );
}
