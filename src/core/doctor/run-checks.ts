import { withTimeout } from '../timeout.ts';
import { errorCode } from './error-code.ts';
import type { Check, Finding, Says } from './finding.ts';

/**
 * Runs all checks at once and returns what they found, in their order. Never throws: a check that fails or takes longer
 * than `deadlineMs` becomes a line of its own. `onCrash` gets the error of a check that failed.
 */
export async function runChecks(
  checks: readonly Check[],
  { deadlineMs, onCrash }: { deadlineMs: number; onCrash(check: Check, error: unknown): void },
): Promise<Finding[]> {
  const found = await Promise.all(checks.map((check) => runOne(check)));
  return found.flat();

  async function runOne(check: Check): Promise<Finding[]> {
    const say: Says = (status, code, values) => ({ check: check.name, status, code, values });
    try {
      return await withTimeout(check.run(say), deadlineMs, () => [
        say('fail', 'checkLate', { seconds: deadlineMs / 1000 }),
      ]);
    } catch (error) {
      onCrash(check, error);
      return [say('fail', 'checkCrashed', { what: errorCode(error) })];
    }
  }
}

/** Runs `work` at the first call, and returns the same promise at every call. */
export function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
