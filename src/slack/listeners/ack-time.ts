import { AppError } from '../../core/errors.ts';

/** Slack wants an answer within 3 s of sending; this is what is left after its way here and back. */
export const ackBudgetMs = 2_500;

/** Time kept for the second of the two steps of taking a question, so that nothing is taken after it was called not taken. */
export const confirmMs = 500;

/** Throws once `byMs` (epoch milliseconds) is over: what is asked then would not be taken any more. */
export function assertInTime(byMs: number): void {
  if (Date.now() > byMs) throw new AppError('storage', 'not done in the time Slack gives');
}

/**
 * Waits for `work` until `byMs` (epoch milliseconds) and throws then. Work that ends later is handed to `undo`, because
 * whoever asked was told that it was not done.
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
