import type { Scheduler } from '../core/ports.ts';

/** How many questions have a run that is not due yet, one that is due and has not begun, and one that runs now. */
export interface RunCounts {
  delayed: number;
  waiting: number;
  active: number;
}

/** A scheduler that counts its runs, on Redis those of all processes together. */
export interface CountedScheduler extends Scheduler {
  /** Throws `AppError` of kind `storage` within 2 s if Redis does not answer. */
  counts(): Promise<RunCounts>;
}
