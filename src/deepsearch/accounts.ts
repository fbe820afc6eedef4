import { LRUCache } from 'lru-cache';
import type { AccountCredentials, Person } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { DeepSearch } from '../core/ports.ts';
import { noCredential } from './breaker.ts';
import type { Guard } from './guarded.ts';
import type { Http } from './http.ts';
import { createServiceClient, type ServiceClient, type ServiceClientOptions } from './service-client.ts';

/** Clients that are kept. A client holds no connection and no credential, so a dropped one is simply created again. */
const mostClients = 500;

export interface AccountClientOptions {
  /** How to reach the service, with the connections that all accounts share. */
  service: Omit<ServiceClientOptions, 'auth'> & { http: Http };
  credentials: AccountCredentials;
  guard: Guard;
  /** What a client sees, over the generation of the API that its account uses. */
  deepSearchOf: (client: ServiceClient) => DeepSearch;
}

/**
 * The service as people's own accounts see it. Every method also throws what `AccountCredentials` throws, and
 * `unauthorized` with the code `accountRefused` if the service refuses the account.
 */
export function createAccountClients(options: AccountClientOptions): (person: Person) => DeepSearch {
  const { service, credentials, guard, deepSearchOf } = options;
  const clients = new LRUCache<string, DeepSearch>({ max: mostClients });

  return function deepSearchOf(person) {
    const name = `${person.teamId}:${person.userId}`;
    const known = clients.get(name);
    if (known !== undefined) return known;
    const created = guard(createFor(person), name);
    clients.set(name, created);
    return created;
  };

  function createFor(person: Person): DeepSearch {
    const deepSearch = deepSearchOf(createPersonsClient(service, credentials, person));
    return {
      create: (text) => aboutAccount(deepSearch.create(text)),
      followUp: (conversationId, text) => aboutAccount(deepSearch.followUp(conversationId, text)),
      read: (conversationId) => aboutAccount(deepSearch.read(conversationId)),
      byReadToken: (readToken) => aboutAccount(deepSearch.byReadToken(readToken)),
      newest: (limit, sinceMs, search) => aboutAccount(deepSearch.newest(limit, sinceMs, search)),
      changes: (most, after) => aboutAccount(deepSearch.changes(most, after)),
      cancel: (conversationId, target) => aboutAccount(deepSearch.cancel(conversationId, target)),
    };
  }
}

/** A client with a person's own account. It throws also what `AccountCredentials` throws. */
export function createPersonsClient(
  service: AccountClientOptions['service'],
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

/** Names a 401 that no new credential helped against. A 403 is about one thing that the account may not do. */
async function aboutAccount<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!isAppError(error, 'unauthorized') || error.code !== 401) throw error;
    throw new AppError('unauthorized', error.message, { cause: error, code: 'accountRefused' });
  }
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
