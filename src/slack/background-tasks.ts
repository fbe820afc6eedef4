import { within } from '../core/pacing.ts';
import type { Log, LogFields } from '../core/ports.ts';
import { mostTasksUnderWay } from './settings.ts';

/** Work that Slack does not wait for: what came from Slack is acknowledged at once. */
export interface BackgroundTasks {
  /**
   * Starts `work` and returns at once. Never throws: when the work fails, `failure` is logged with the error. The
   * promise resolves when the work ends, well or not. When too many tasks are under way, the work is not started,
   * `failure` is logged, and the result is undefined.
   */
  run(failure: LogFields, work: () => Promise<unknown>): Promise<void> | undefined;
  /** The same tasks, but with at most `most` under way that were started here. */
  limitedTo(most: number): Pick<BackgroundTasks, 'run'>;
  /** Whether the app stops: what fails is not tried again, and what waits is not started. */
  isStopping(): boolean;
  /** Waits for all tasks under way, at most `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>;
}

export function createBackgroundTasks({ log }: { log: Pick<Log, 'warn'> }): BackgroundTasks {
  const underWay = new Set<Promise<void>>();
  let stopping = false;

  return { ...limitedTo(mostTasksUnderWay), limitedTo, isStopping: () => stopping, drain };

  function limitedTo(most: number): Pick<BackgroundTasks, 'run'> {
    let started = 0;

    return { run };

    function run(failure: LogFields, work: () => Promise<unknown>): Promise<void> | undefined {
      if (started >= most || underWay.size >= mostTasksUnderWay) {
        log.warn({ ...failure, outcome: 'too_much' });
        return undefined;
      }
      started += 1;
      const task = settled(failure, work).finally(() => {
        started -= 1;
        underWay.delete(task);
      });
      underWay.add(task);
      return task;
    }
  }

  async function settled(failure: LogFields, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn(failure, error);
    }
  }

  async function drain(deadlineMs: number): Promise<void> {
    stopping = true;
    await within(allEnded(), deadlineMs);
  }

  /** A task may start another one. */
  async function allEnded(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }
}

/** Brings what Slack shows in line with what is wanted, key by key: at most one run of a key at a time. */
interface Reconciler {
  /**
   * Runs a key now, or soon, once for all that is wanted until then. What is wanted during a run leads to one more run after it.
   * Resolves when the key's run is over, if it runs. Never throws.
   */
  want(key: string, when?: 'now' | 'soon'): Promise<void>;
  isRunning(key: string): boolean;
  /** Whether nothing of a key runs or is planned. */
  isIdle(key: string): boolean;
  /** Starts nothing new. */
  stop(): void;
}

export function createReconciler(options: {
  /** Looks at what is wanted now and shows it. Returns in how many milliseconds to run again, undefined if nothing is left. */
  run: (key: string) => Promise<number | undefined>;
  /** How long `soon` is, in milliseconds. */
  soonMs?: (key: string) => number;
  /** Absent: a stop of the app does not wait for runs. */
  tasks?: Pick<BackgroundTasks, 'run'>;
  failure: LogFields;
  log: Log;
}): Reconciler {
  const { run, soonMs = () => 0, tasks, failure, log } = options;
  const running = new Map<string, Promise<void>>();
  const wanted = new Map<string, 'now' | 'soon'>();
  const timers = new Map<string, NodeJS.Timeout>();
  let isStopped = false;

  return {
    want,
    isRunning: (key) => running.has(key),
    isIdle: (key) => !running.has(key) && !timers.has(key),
    stop() {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };

  async function want(key: string, when: 'now' | 'soon' = 'now'): Promise<void> {
    if (isStopped) return;
    if (running.has(key)) {
      if (when === 'now' || !wanted.has(key)) wanted.set(key, when);
      await running.get(key);
    } else if (when === 'now') {
      await start(key);
    } else if (!timers.has(key)) {
      plan(key, soonMs(key));
    }
  }

  function plan(key: string, delayMs: number): void {
    const timer = setTimeout(() => void start(key), delayMs);
    timer.unref();
    timers.set(key, timer);
  }

  function start(key: string): Promise<void> | undefined {
    clearTimeout(timers.get(key));
    timers.delete(key);
    const work = tasks === undefined ? runOn(key) : tasks.run(failure, () => runOn(key));
    if (work !== undefined) running.set(key, work);
    return work;
  }

  /** If something is wanted between the last look and the end of the run, it never happens; so both are one step. */
  async function runOn(key: string): Promise<void> {
    let nextMs: number | undefined = 0;
    while (nextMs === 0 && !isStopped) {
      wanted.delete(key);
      nextMs = await run(key).catch((error: unknown) => void log.warn(failure, error));
      if (wanted.get(key) === 'now') nextMs = 0;
      else if (wanted.has(key)) nextMs ??= soonMs(key);
    }
    running.delete(key);
    if (nextMs !== undefined && !isStopped) plan(key, nextMs);
  }
}
