import { AppError } from '../core/errors.ts';
import { withTimeout } from '../core/timeout.ts';

/** Longest wait for one operation of either engine. A command or a button must be answered within Slack's 3 s. */
export const OPERATION_DEADLINE_MS = 2_000;

/** The result of `operation`, or `AppError` of kind `storage` with an unknown outcome after `deadlineMs`. */
export function withDeadline<T>(operation: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  return withTimeout(operation, deadlineMs, () => {
    throw new AppError('storage', `${what} did not finish within ${deadlineMs} ms`, { outcomeUnknown: true });
  });
}
