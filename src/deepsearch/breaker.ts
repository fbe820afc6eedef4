import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhen,
  type IHalfOpenAfterBackoffContext,
  isBrokenCircuitError,
} from 'cockatiel';
import { AppError, isAppError } from '../core/errors.ts';
import type { DeepSearch, Log } from '../core/ports.ts';

export interface BreakerOptions {
  /** Calls without an answer in a row, after which the service is left alone. */
  failuresToOpen?: number;
  /** How long it is left alone the first time; doubles with each probe that fails. */
  openMs?: number;
  longestOpenMs?: number;
  log: Log;
}

/** What callers see while a probe is under way. */
const probeRetryMs = 1_000;

/**
 * Leaves a service that does not answer alone. While the circuit is open every call fails at once as `unavailable`, with
 * `retryAfterMs` and nothing sent: still true, as nothing was heard from the service when it was last asked. After that
 * one read at a time is let through as a probe; a question that comes first is preceded by one, so that no question is
 * spent on finding out. Only `unavailable` counts as a failure. Any other word from the service shows that it is there:
 * a success, `unauthorized`, `notFound`, `refused`, and its own 429. What shows neither, a reply that nobody understands
 * (of a proxy, or one broken conversation) or a refusal by our own budget, leaves a closed circuit as it is and an open
 * one open. The state is this process's own.
 */
export function withBreaker(codeSearch: DeepSearch, options: BreakerOptions): DeepSearch {
  const { failuresToOpen = 5, openMs = 5_000, longestOpenMs = 30_000, log } = options;
  let probeAtMs = 0;

  const policy: CircuitBreakerPolicy = circuitBreaker(
    handleWhen((error) => isAppError(error, 'unavailable') || policy.state === CircuitState.HalfOpen),
    {
      breaker: new ConsecutiveBreaker(failuresToOpen),
      halfOpenAfter: new DelegateBackoff(({ attempt }: IHalfOpenAfterBackoffContext) => {
        const leftAloneMs = Math.min(longestOpenMs, openMs * 2 ** (attempt - 1));
        // The library's own clock; it takes no other.
        probeAtMs = Date.now() + leftAloneMs;
        log.warn({ event: 'deepsearch.circuit', outcome: 'open', attempt, leftAloneMs }, lastFailure());
        return leftAloneMs;
      }),
    },
  );
  policy.onHalfOpen(() => log.info({ event: 'deepsearch.circuit', outcome: 'probing' }));
  policy.onReset(() => log.info({ event: 'deepsearch.circuit', outcome: 'closed' }));

  return {
    create: (text) => probingFirst(() => codeSearch.create(text)),
    followUp: (conversationId, text) => probingFirst(() => codeSearch.followUp(conversationId, text)),
    read: (conversationId) => guarded(() => codeSearch.read(conversationId)),
    byReadToken: (readToken) => guarded(() => codeSearch.byReadToken(readToken)),
    newest: (limit, sinceMs) => guarded(() => codeSearch.newest(limit, sinceMs)),
    cancel: (conversationId, questionId) => probingFirst(() => codeSearch.cancel(conversationId, questionId)),
  };

  async function guarded<Result>(run: () => Promise<Result>): Promise<Result> {
    const outcome = await observe(run);
    if ('refusal' in outcome) throw outcome.refusal;
    return outcome.value;
  }

  async function probingFirst<Result>(run: () => Promise<Result>): Promise<Result> {
    if (policy.state !== CircuitState.Closed) await observe(() => codeSearch.newest(1));
    return guarded(run);
  }

  /** Runs a call if the circuit lets it; throws what is no word from the service. */
  async function observe<Result>(run: () => Promise<Result>): Promise<Observed<Result>> {
    // Otherwise the library would let callers wait for the end of the probe.
    if (policy.state === CircuitState.HalfOpen) throw leftAlone(probeRetryMs);
    try {
      return await policy.execute(async () => {
        try {
          return { value: await run() };
        } catch (error) {
          if (isWordOfService(error)) return { refusal: error };
          throw error;
        }
      });
    } catch (error) {
      throw isBrokenCircuitError(error) ? leftAlone(Math.max(1, probeAtMs - Date.now())) : error;
    }
  }

  function leftAlone(retryAfterMs: number): AppError {
    log.debug({ event: 'deepsearch.circuit', outcome: 'refused', retryAfterMs });
    return new AppError('unavailable', 'the service did not answer and is left alone', {
      cause: lastFailure(),
      retryAfterMs,
    });
  }

  function lastFailure(): unknown {
    const failure = policy.lastFailure;
    return failure !== undefined && 'error' in failure ? failure.error : undefined;
  }
}

type Observed<Result> = { value: Result } | { refusal: AppError };

/** A refusal by our own budget carries no code. */
function isWordOfService(error: unknown): error is AppError {
  return (
    isAppError(error, 'unauthorized', 'notFound', 'refused') ||
    (isAppError(error, 'rateLimited') && error.code !== undefined)
  );
}
