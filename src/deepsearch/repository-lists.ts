import { LRUCache } from 'lru-cache';
import { personName } from '../core/accounts/accounts.ts';
import { isAppError } from '../core/errors.ts';
import type { DeepSearchOf, Log } from '../core/ports.ts';
import { within } from '../core/timeout.ts';
import type { Graphql } from './graphql.ts';

type Account = Parameters<DeepSearchOf>[0];

/** How long a list is used, in milliseconds. A repository that is added is found after that. */
const keptMs = 60_000;
/** Of how many accounts a list is kept. */
const mostLists = 200;
/** Most names of a list. With more repositories there is no list, and names are taken as people write them. */
const mostNames = 1_000;
/** How long anyone waits for a list, in milliseconds. It is there the next time. */
const patienceMs = 1_500;

/**
 * The names of all repositories that an account may search. Undefined if the service does not tell them in time, or has too
 * many. Never throws `AppError`.
 */
export type RepositoryLists = (account: Account) => Promise<string[] | undefined>;

export function createRepositoryLists(graphqlOf: (account: Account) => Graphql, log: Log): RepositoryLists {
  const lists = new LRUCache<string, { names: string[] | undefined }, Account>({
    max: mostLists,
    ttl: keptMs,
    fetchMethod: async (_name, _stale, { context: account }) => ({ names: await load(account) }),
  });
  return async (account) => {
    const name = account === 'app' ? 'app' : personName(account);
    return (await within(lists.fetch(name, { context: account }), patienceMs))?.names;
  };

  async function load(account: Account): Promise<string[] | undefined> {
    try {
      return await graphqlOf(account).allRepositoryNames(mostNames);
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'repositories_not_listed', kind: error.kind });
      return undefined;
    }
  }
}
