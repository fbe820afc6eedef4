import type { Log, LogFields } from '../core/ports.ts';
import { within } from '../core/timeout.ts';
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
