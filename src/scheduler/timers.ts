import { exponentialMs, within } from '../core/pacing.ts';
import type { Log } from '../core/ports.ts';
import type { CountedScheduler } from './counted-scheduler.ts';

const DEFAULT_CONCURRENCY = 50;
const LONGEST_BACK_OFF_MS = 30_000;

/** The longest delay of setTimeout. A longer one would fire at once (Node's documentation of timers). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export interface TimerSchedulerDeps {
  log: Log;
  /** In [0, 1). */
  random: () => number;
  /** Most runs at once. Default 50. Waiting runs start in the order in which they became due. */
  concurrency?: number;
}

interface Planned {
  /** By the clock that timers go by. Unlike the time of day it never jumps, for example after the machine was suspended. */
  dueMs: number;
  /** How many runs in a row have thrown. */
  failures: number;
  state: 'planned' | 'ready' | 'running';
  timer?: NodeJS.Timeout;
  /** While the question runs: the due time of the next requested run. */
  againMs?: number;
}

/**
 * A scheduler for a single process, in memory only. After a restart the app must schedule every open question again.
 * The timers keep the process alive, because an open question is unfinished work; `stop` clears them.
 */
export function createTimerScheduler({
  log,
  random,
  concurrency = DEFAULT_CONCURRENCY,
}: TimerSchedulerDeps): CountedScheduler {
  const planned = new Map<string, Planned>();
  const ready: string[] = [];
  const running = new Set<Promise<void>>();
  let advance: ((questionId: string) => Promise<number | undefined>) | undefined;
  let isStopped = false;

  function plan(questionId: string, dueMs: number, failures: number): void {
    const entry: Planned = { dueMs, failures, state: 'planned' };
    planned.set(questionId, entry);
    arm(questionId, entry);
  }

  function arm(questionId: string, entry: Planned): void {
    clearTimeout(entry.timer);
    const delayMs = Math.max(0, entry.dueMs - performance.now());
    entry.timer =
      delayMs > LONGEST_TIMEOUT_MS
        ? setTimeout(() => arm(questionId, entry), LONGEST_TIMEOUT_MS)
        : setTimeout(() => fallDue(questionId, entry), delayMs);
  }

  function fallDue(questionId: string, entry: Planned): void {
    entry.state = 'ready';
    ready.push(questionId);
    serve();
  }

  function serve(): void {
    while (advance !== undefined && !isStopped && running.size < concurrency) {
      const questionId = ready.shift();
      if (questionId === undefined) return;
      const entry = planned.get(questionId);
      if (entry === undefined) continue;
      const run = runAdvance(questionId, entry, advance).finally(() => {
        running.delete(run);
        serve();
      });
      running.add(run);
    }
  }

  async function runAdvance(
    questionId: string,
    entry: Planned,
    take: (questionId: string) => Promise<number | undefined>,
  ): Promise<void> {
    entry.state = 'running';
    let failures = 0;
    let delayMs: number | undefined;
    try {
      delayMs = await take(questionId);
    } catch (error) {
      failures = entry.failures + 1;
      delayMs = exponentialMs(failures, random(), LONGEST_BACK_OFF_MS);
      log.warn({ event: 'advance', outcome: 'failed', questionId, failures, retryInMs: delayMs }, error);
    }
    planned.delete(questionId);
    if (isStopped) return;
    const dueTimes = [delayMs === undefined ? undefined : performance.now() + delayMs, entry.againMs].filter(isKnown);
    if (dueTimes.length > 0) plan(questionId, Math.min(...dueTimes), failures);
  }

  return {
    async start(take) {
      advance = take;
      serve();
    },

    /**
     * Before `start` the request is remembered. After `stop` it does nothing, because the question is stored as open.
     */
    async schedule(questionId, delayMs) {
      if (isStopped) return;
      const dueMs = performance.now() + delayMs;
      const entry = planned.get(questionId);
      if (entry === undefined) {
        plan(questionId, dueMs, 0);
      } else if (entry.state === 'running') {
        entry.againMs = Math.min(dueMs, entry.againMs ?? dueMs);
      } else if (entry.state === 'planned' && dueMs < entry.dueMs) {
        entry.dueMs = dueMs;
        arm(questionId, entry);
      }
    },

    async unscheduled(questionIds) {
      return questionIds.filter((id) => !planned.has(id));
    },

    async counts() {
      const states = [...planned.values()].map(({ state }) => state);
      const count = (wanted: Planned['state']): number => states.filter((state) => state === wanted).length;
      return { delayed: count('planned'), waiting: count('ready'), active: count('running') };
    },

    async stop(deadlineMs) {
      isStopped = true;
      ready.length = 0;
      for (const entry of planned.values()) clearTimeout(entry.timer);
      planned.clear();
      if (running.size === 0) return;
      await within(Promise.all(running), deadlineMs);
      if (running.size > 0) log.warn({ event: 'scheduler.stop', outcome: 'deadlinePassed', running: running.size });
    },
  };
}

function isKnown(timeMs: number | undefined): timeMs is number {
  return timeMs !== undefined;
}
