import type { Log, LogFields } from '../core/ports.ts';
import type { BackgroundTasks } from './background-tasks.ts';

/** Brings what Slack shows in line with what is wanted, key by key: at most one run of a key at a time. */
export interface Reconciler {
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
