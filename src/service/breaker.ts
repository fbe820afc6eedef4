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
import type { Log } from '../core/ports.ts';
import { noCredential } from './auth.ts';
import { isSearchCut } from './generation.ts';
import type { Call } from './methods.ts';

export interface BreakerOptions {
  /** How many calls in a row must fail before the circuit opens. */
  failuresToOpen?: number;
  /** How long the circuit stays open the first time, in milliseconds. Doubles with each failed probe. */
  openMs?: number;
  longestOpenMs?: number;
  log: Log;
}

/** Carries one call. `probe` is the read that goes before another call while the circuit is not closed. */
type Breaker = <Result>(call: Call, run: () => Promise<Result>, probe: () => Promise<unknown>) => Promise<Result>;

/** The `retryAfterMs` that callers get while a probe runs. */
const probeRetryMs = 1_000;

/**
 * Stops calls to a service that does not answer. While the circuit is open, each call fails at once as `unavailable`
 * with `retryAfterMs`, and nothing is sent. `unavailable` is still true then, because the last call got no answer.
 * After that the breaker lets through one read at a time as a probe. A question that comes first is sent only after a
 * probe, so that no question is spent on the test.
 *
 * Only `unavailable` counts as a failure. Every other answer of the service proves that it runs: a success,
 * `unauthorized`, `notFound`, `refused`, and its own 429. Two outcomes prove nothing and leave the circuit as it is: a
 * reply that this client can't read (from a proxy, or about one broken conversation), and a refusal by the app's own
 * budget.
 *
 * All accounts share the state, because they use one service. Each process has its own.
 */
export function createBreaker(options: BreakerOptions): Breaker {
  const { failuresToOpen = 5, openMs = 5_000, longestOpenMs = 30_000, log } = options;
  let probeAtMs = 0;

  const policy: CircuitBreakerPolicy = circuitBreaker(
    handleWhen((error) => isUnreachable(error) || policy.state === CircuitState.HalfOpen),
    {
      breaker: new ConsecutiveBreaker(failuresToOpen),
      halfOpenAfter: new DelegateBackoff(({ attempt }: IHalfOpenAfterBackoffContext) => {
        const leftAloneMs = Math.min(longestOpenMs, openMs * 2 ** (attempt - 1));
        // The library uses this clock and accepts no other.
        probeAtMs = Date.now() + leftAloneMs;
        log.warn({ event: 'deepsearch.circuit', outcome: 'open', attempt, leftAloneMs }, lastFailure());
        return leftAloneMs;
      }),
    },
  );
  policy.onHalfOpen(() => log.info({ event: 'deepsearch.circuit', outcome: 'probing' }));
  policy.onReset(() => log.info({ event: 'deepsearch.circuit', outcome: 'closed' }));

  return async function guarded({ kind }, run, probe) {
    if (kind !== 'read' && policy.state !== CircuitState.Closed) await observe(probe);
    const outcome = await observe(run);
    if ('refusal' in outcome) throw outcome.refusal;
    return outcome.value;
  };

  /** Runs a call if the circuit allows it. Throws any error that does not come from the service itself. */
  async function observe<Result>(run: () => Promise<Result>): Promise<Observed<Result>> {
    // Without this line the library makes callers wait until the probe ends.
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

/** Without a reply of the service. A credential that could not be obtained is the trouble of one account. */
function isUnreachable(error: unknown): boolean {
  return isAppError(error, 'unavailable') && error.code !== noCredential && !isSearchCut(error);
}

/**
 * Whether the service itself sent the error. A refusal by the app's own budget has no code, and one of a person's account
 * may come without a request, so it proves nothing.
 */
function isWordOfService(error: unknown): error is AppError {
  return (
    isAppError(error, 'notFound', 'refused') ||
    (isAppError(error, 'unauthorized') && typeof error.code !== 'string') ||
    (isAppError(error, 'rateLimited') && error.code !== undefined)
  );
}
