import { AppError } from '../../core/errors.ts';
import { withTimeout } from '../../core/timeout.ts';

/** Throws after `byMs` (epoch milliseconds), when a question would not be stored in time. */
export function assertInTime(byMs: number): void {
  if (Date.now() > byMs) throw tooLate();
}

function tooLate(): AppError {
  return new AppError('storage', 'not done in the time Slack gives');
}

/**
 * Waits for `work` until `byMs` (epoch milliseconds) and throws after that. The result of work that ends later goes to
 * `undo`, because the person was told that nothing was done.
 */
export async function inAckTime<Result>(
  work: Promise<Result>,
  byMs: number,
  undo: (result: Result) => Promise<void>,
): Promise<Result> {
  return withTimeout(work, Math.max(0, byMs - Date.now()), () => {
    work.then(undo, () => undefined);
    throw tooLate();
  });
}
