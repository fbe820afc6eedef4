import { AppError, isAppError } from '../core/errors.ts';
import type { DeepSearch, Log } from '../core/ports.ts';
import type { Allowance, CreateLimiter } from '../core/rate-limits.ts';

/** How long a question or a cancellation waits here for its turn; longer waits are the core's. */
const queuePatienceMs = 5_000;
/** The part of the budget that reads leave to what people ask and cancel. */
const keptShare = 0.2;
/** How long everybody pauses when the service limits us without saying for how long. */
const unsaidPauseMs = 1_000;
/** The longest pause of reads: running questions must be seen to end, even on a day without quota. */
const longestReadPauseMs = 60_000;

/** One budget for the one account the app has at the service. */
const account = 'account';

/** For a limiter that is there to be blocked: more than anybody asks. */
const onlyBlocked: Allowance = { points: 1_000_000, windowSeconds: 1 };

type Kind = 'question' | 'cancellation' | 'read';

export interface BudgetOptions {
  createLimiter: CreateLimiter;
  /** Sustained rate over all processes that share the limiters' store. */
  requestsPerSecond: number;
  /** Calls that may be made at once after a quiet time; at least one second's worth. */
  burst: number;
  log: Log;
}

/**
 * Keeps the calls of all processes within one budget. A read without room fails at once, and reads never use more than
 * four fifths; questions and cancellations wait for up to 5 s. What has no room is `rateLimited`, with `retryAfterMs`
 * and nothing sent. One call counts as one request, although the client repeats a failed read up to twice.
 *
 * When the service says 429, everything pauses for the `Retry-After`, up to 60 s. A longer one is about a quota, and
 * stops new questions for all of its time, which their callers see, so that they park; reads and cancellations pause
 * for 60 s if it was them the service refused, and not at all if it was a question.
 */
export function withBudget(
  codeSearch: DeepSearch,
  { createLimiter, requestsPerSecond, burst, log }: BudgetOptions,
): DeepSearch {
  const allowance = allowanceOf(requestsPerSecond, burst);
  const keptPoints = Math.min(allowance.points - 1, Math.ceil(allowance.points * keptShare));
  const all = createLimiter('codesearch', allowance);
  const questions = createLimiter('codesearch.questions', onlyBlocked);

  return {
    create: (text) => within('question', () => codeSearch.create(text)),
    followUp: (conversationId, text) => within('question', () => codeSearch.followUp(conversationId, text)),
    read: (conversationId) => within('read', () => codeSearch.read(conversationId)),
    byReadToken: (readToken) => within('read', () => codeSearch.byReadToken(readToken)),
    newest: (limit, sinceMs) => within('read', () => codeSearch.newest(limit, sinceMs)),
    cancel: (conversationId, questionId) => within('cancellation', () => codeSearch.cancel(conversationId, questionId)),
  };

  async function within<Result>(kind: Kind, run: () => Promise<Result>): Promise<Result> {
    const missingMs = await takePoint(kind);
    if (missingMs > 0) {
      log.debug({ event: 'deepsearch.held_back', outcome: kind, retryAfterMs: missingMs });
      throw new AppError('rateLimited', `no room left in our own budget for a ${kind}`, { retryAfterMs: missingMs });
    }
    try {
      return await run();
    } catch (error) {
      throw isAppError(error, 'rateLimited') ? await heed(error, kind) : error;
    }
  }

  async function takePoint(kind: Kind): Promise<number> {
    switch (kind) {
      case 'read':
        return all.take(account, { leaving: keptPoints });
      case 'question':
        return (await questions.take(account)) || all.take(account, { patienceMs: queuePatienceMs });
      case 'cancellation':
        return all.take(account, { patienceMs: queuePatienceMs });
    }
  }

  /** Pauses whom the refusal is about; returns what the caller is to see. */
  async function heed(error: AppError, kind: Kind): Promise<AppError> {
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

/** The shortest window of whole seconds that holds the burst at the given rate. */
function allowanceOf(requestsPerSecond: number, burst: number): Allowance {
  const windowSeconds = Math.max(1, Math.ceil(burst / requestsPerSecond));
  return { points: Math.max(1, Math.floor(requestsPerSecond * windowSeconds)), windowSeconds };
}
