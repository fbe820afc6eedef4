import { AppError } from '../core/errors.ts';

/**
 * Longest wait for one operation of either engine, because the app must answer a command or button within Slack's 3 s.
 */
export const OPERATION_DEADLINE_MS = 2_000;

/**
 * Returns the result of `operation`, or throws `AppError` of kind `storage` with an unknown outcome after `deadlineMs`.
 */
export async function withDeadline<T>(operation: Promise<T>, deadlineMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError('storage', `${what} did not finish within ${deadlineMs} ms`, { outcomeUnknown: true }));
    }, deadlineMs);
  });
  try {
    return await Promise.race([operation, expired]);
  } finally {
    clearTimeout(timer);
  }
}
