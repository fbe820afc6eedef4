import { AppError } from '../../core/errors.ts';

/** Slack wants an answer within 3 s. This is what is left after the time on the network, in milliseconds. */
export const ackBudgetMs = 2_500;

/** Time kept for the second step of storing a question, so that it is not stored after its asker was told otherwise. */
export const confirmMs = 500;

/** Throws after `byMs` (epoch milliseconds), when a question would not be stored in time. */
export function assertInTime(byMs: number): void {
  if (Date.now() > byMs) throw new AppError('storage', 'not done in the time Slack gives');
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
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<never>((_, reject) => {
    const fail = (): void => {
      isLate = true;
      reject(new AppError('storage', 'not done in the time Slack gives'));
    };
    timer = setTimeout(fail, Math.max(0, byMs - Date.now()));
  });
  work.then(
    (result) => (isLate ? undo(result) : undefined),
    () => undefined,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
