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
import { LRUCache } from 'lru-cache';
import { type AccountCredentials, type Person, personName } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { Allowance, CreateLimiter, DeepSearch, Log } from '../core/ports.ts';
import { noCredential } from './auth.ts';
import { type BothGenerationsOptions, createBothGenerations } from './both-generations.ts';
import { isBusyConversation, isSearchCut } from './generation.ts';
import type { Http } from './http.ts';
import { type Call, createMethods, type Perform, withoutCredentials } from './methods.ts';
import { createServiceClient, type ServiceClient, type ServiceClientOptions } from './service-client.ts';

type PipelineOptions = BothGenerationsOptions & BudgetOptions & BreakerOptions & { hidesCredentials: boolean };

/** Notes how a call of the app's account ends. `isAsk`: it may be refused while all others are allowed. */
type Noting = <Result>(result: Promise<Result>, isAsk: boolean) => Promise<Result>;

/** The service as one account sees it. `account` names its budget. */
type Connect = (client: ServiceClient, account: string, noting?: Noting) => DeepSearch;

/**
 * The way of every call to the service: health of the app's account → breaker → budget → account → generation → HTTP. The
 * breaker comes before the budget, so that calls to an unreachable service use no budget, do not queue, and fail as
 * `unavailable` instead of `rateLimited`. It therefore also sees refusals of the budget, which it does not count.
 *
 * Without `noting` the account is a person's: `unauthorized` with the code `accountRefused` says that the service refuses it.
 */
export function createPipeline(options: PipelineOptions): Connect {
  const { hidesCredentials } = options;
  const breaker = createBreaker(options);
  const budget = createBudget(options);
  const overGenerations = createBothGenerations(options);

  return function connect(client, account, noting) {
    const overEither = overGenerations(client);
    const budgeted: Perform = (call, run) =>
      budget(account, call.kind, async (spend) => {
        try {
          return await overEither(call, (generation) => run(generation, spend));
        } catch (error) {
          const said = hidesCredentials ? withoutCredentials(error) : error;
          throw noting === undefined ? aboutAccount(said) : said;
        }
      });
    const probe = () => budgeted({ kind: 'read' }, ({ deepSearch }) => deepSearch.newest(1));
    return createMethods((call, run) => {
      const result = breaker(call, () => budgeted(call, run), probe);
      return noting === undefined ? result : noted(noting, call, result);
    }, hidesCredentials);
  };
}

/** The refusal of a conversation that someone shared does not mean that the service refuses the account. */
export function noted<Result>(noting: Noting, { kind, isShared }: Call, result: Promise<Result>): Promise<Result> {
  return isShared ? result : noting(result, kind === 'question');
}

/** Marks a 401 that stays although the credential was renewed. A 403 is about one thing that the account may not do. */
function aboutAccount(error: unknown): unknown {
  if (!isAppError(error, 'unauthorized') || error.code !== 401) return error;
  return new AppError('unauthorized', error.message, { cause: error, code: 'accountRefused' });
}

/** Of how many people clients are kept. A client holds no connection and no credential, so a dropped one is simply created again. */
const mostPersons = 500;

/** The service as people's own accounts see it. Every method also throws what `AccountCredentials` throws. */
export function createPersonsService(
  connect: Connect,
  clientOf: (person: Person) => ServiceClient,
): (person: Person) => DeepSearch {
  const persons = new LRUCache<string, DeepSearch, Person>({
    max: mostPersons,
    memoMethod: (name, _known, { context: person }) => connect(clientOf(person), name),
  });
  return (person) => persons.memo(personName(person), { context: person });
}

/** A client with a person's own account. It throws also what `AccountCredentials` throws. */
export function createPersonsClient(
  service: Omit<ServiceClientOptions, 'auth'> & { http: Http },
  credentials: AccountCredentials,
  person: Person,
): ServiceClient {
  return createServiceClient({
    ...service,
    auth: {
      kind: 'account',
      current: () => credentials.current(person).catch(asCredentialError),
      renewed: (rejected) => credentials.renewed(person, rejected).catch(asCredentialError),
    },
  });
}

/** An account that can't be decrypted is like a refused one: its owner connects it again. */
function asCredentialError(error: unknown): never {
  if (isAppError(error, 'corrupt')) {
    throw new AppError('unauthorized', 'the stored account can not be read', { cause: error, code: 'accountRefused' });
  }
  if (!isAppError(error, 'unavailable')) throw error;
  const { retryAfterMs } = error;
  throw new AppError('unavailable', error.message, { cause: error, code: noCredential, retryAfterMs });
}

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
