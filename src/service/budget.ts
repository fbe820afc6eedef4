import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { Allowance, CreateLimiter } from '../core/rate-limits.ts';
import { isBusyConversation } from './generation.ts';
import type { Call } from './methods.ts';

/** How long a question or a cancellation waits here for a free request. The core handles longer waits. */
const queuePatienceMs = 5_000;
/** The share of the budget that reads leave free for questions and cancellations. */
const keptShare = 0.2;
/**
 * The requests of so many seconds may go at once after a quiet time: questions come together, and a search takes several
 * requests.
 */
const windowSeconds = 2;
/** How long all calls pause after a 429 without `Retry-After`. */
const unsaidPauseMs = 1_000;
/** The longest pause of reads. The app must see running questions end, even on a day without quota. */
const longestReadPauseMs = 60_000;

/** For a limiter that is used only for blocking: the allowance is never exhausted. */
const onlyBlocked: Allowance = { points: 1_000_000, windowSeconds: 1 };

type Kind = Call['kind'];

/** Carries one call of this account. `run` spends a further point for each further request. */
type Budget = <Result>(
  account: string,
  kind: Kind,
  run: (spend: () => Promise<void>) => Promise<Result>,
) => Promise<Result>;

export interface BudgetOptions {
  createLimiter: CreateLimiter;
  /** Sustained rate for all processes that share the limiters' store. */
  requestsPerSecond: number;
  /** Whether several accounts share the budget. Then each of them has at most as much as all together. */
  hasTotal?: boolean;
  log: Log;
}

/**
 * Keeps the calls of all processes within one budget per account, and those of all accounts within one. A read without room fails at once, and reads use at most four
 * fifths of the budget. Questions and cancellations wait for up to 5 s. A call without room fails as `rateLimited` with
 * `retryAfterMs`, and nothing is sent. One call counts as one request, although the client repeats a failed read up to
 * twice, a call may go to the other generation of the API, and a cancellation there reads first. A search counts each of its
 * requests, and one without room ends it.
 *
 * After a 429 of the service everything of that account pauses for the `Retry-After`, up to 60 s. A longer `Retry-After` is about a
 * quota. It stops new questions for the whole time, and their callers see that time, so that they park the questions.
 * Reads and cancellations then pause for 60 s if the service refused one of them, and not at all if it refused a
 * question.
 */
export function createBudget({ createLimiter, requestsPerSecond, hasTotal = false, log }: BudgetOptions): Budget {
  const allowance: Allowance = { points: requestsPerSecond * windowSeconds, windowSeconds };
  const keptPoints = Math.min(allowance.points - 1, Math.ceil(allowance.points * keptShare));
  const all = createLimiter('codesearch', allowance);
  const questions = createLimiter('codesearch.questions', onlyBlocked);
  const total = hasTotal ? createLimiter('codesearch.total', allowance) : undefined;

  return async function within(account, kind, run) {
    const heldBack = new Set<unknown>();
    const spend = async (): Promise<void> => {
      const missingMs = (await takePoint(kind, account)) || (await takeOfTotal(kind));
      if (missingMs <= 0) return;
      log.debug({ event: 'deepsearch.held_back', outcome: kind, retryAfterMs: missingMs });
      const message = `no room left in our own budget for a ${kind}`;
      const error = new AppError('rateLimited', message, { retryAfterMs: missingMs });
      heldBack.add(error);
      throw error;
    };
    await spend();
    try {
      return await run(spend);
    } catch (error) {
      const isOfService = isAppError(error, 'rateLimited') && !heldBack.has(error) && !isBusyConversation(error);
      throw isOfService ? await heed(error, kind, account) : error;
    }
  };

  async function takePoint(kind: Kind, account: string): Promise<number> {
    switch (kind) {
      case 'read':
        return all.take(account, { leaving: keptPoints });
      case 'question':
        return (await questions.take(account)) || all.take(account, { patienceMs: queuePatienceMs });
      case 'cancellation':
        return all.take(account, { patienceMs: queuePatienceMs });
    }
  }

  async function takeOfTotal(kind: Kind): Promise<number> {
    if (total === undefined) return 0;
    return total.take('all', kind === 'read' ? { leaving: keptPoints } : { patienceMs: queuePatienceMs });
  }

  /** Pauses the kinds of calls that the 429 is about. Returns the error for the caller. */
  async function heed(error: AppError, kind: Kind, account: string): Promise<AppError> {
    const pauseMs = error.retryAfterMs ?? unsaidPauseMs;
    log.warn({ event: 'deepsearch.rate_limited', outcome: kind, retryAfterMs: error.retryAfterMs });
    if (pauseMs > longestReadPauseMs) await questions.block(account, pauseMs);
    if (pauseMs <= longestReadPauseMs || kind !== 'question') {
      await all.block(account, Math.min(pauseMs, longestReadPauseMs));
    }
    return kind === 'question' || pauseMs <= longestReadPauseMs
      ? error
      : new AppError('rateLimited', error.message, {
          cause: error,
          code: error.code,
          retryAfterMs: longestReadPauseMs,
        });
  }
}
