import { LRUCache } from 'lru-cache';
import { type AccountCredentials, type Person, personName } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { DeepSearch } from '../core/ports.ts';
import { noCredential } from './auth.ts';
import { type BothGenerationsOptions, createBothGenerations } from './both-generations.ts';
import { type BreakerOptions, createBreaker } from './breaker.ts';
import { type BudgetOptions, createBudget } from './budget.ts';
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
