import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { personName } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import { within } from '../core/pacing.ts';
import type { Clock, DeepSearchOf, Log } from '../core/ports.ts';
import type { Quota } from '../core/question/question.ts';
import { quotaLifeMs, quotaPatienceMs } from '../core/settings.ts';
import { defined, parseTime } from './replies.ts';
import type { ServiceClient } from './service-client.ts';

export type Graphql = ReturnType<typeof createGraphql>;

const path = '/.api/graphql';

const currentUserSchema = z.object({ currentUser: z.object({ username: z.string() }).nullable() });

const repositoryNamesSchema = z.object({
  repositories: z.object({ nodes: z.array(z.object({ name: z.string() })) }),
});

/** A `BigInt` is written as a number or as a text. */
const bigInt = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);

const quotaSchema = z.object({
  deepSearchQuotaUsage: z.object({ limit: bigInt, consumed: bigInt, resetTime: z.string().nullish() }).nullable(),
});

/**
 * The queries to the service's GraphQL API that the app needs, which is the same beside both generations of the conversation
 * API. Every method throws only `AppError`.
 */
export function createGraphql(service: ServiceClient) {
  return {
    /** Fails as `unauthorized` when the credential belongs to no user. */
    async currentUser() {
      const { currentUser } = await query('query CurrentUser { currentUser { username } }', {}, currentUserSchema);
      if (currentUser) return currentUser;
      throw new AppError('unauthorized', 'the credential belongs to no user');
    },
    /** Those of these names that belong to a repository which the credential may read, as the service writes them. */
    async repositoryNames(names: readonly string[]) {
      const { repositories } = await query(
        'query RepositoryNames($names: [String!], $first: Int) { repositories(names: $names, first: $first) { nodes { name } } }',
        { names, first: names.length },
        repositoryNamesSchema,
      );
      return repositories.nodes.map(({ name }) => name);
    },
    /** All names of repositories that the credential may read. Undefined if there are more than `most`. */
    async allRepositoryNames(most: number) {
      const { repositories } = await query(
        'query AllRepositoryNames($first: Int) { repositories(first: $first) { nodes { name } } }',
        { first: most + 1 },
        repositoryNamesSchema,
      );
      return repositories.nodes.length > most ? undefined : repositories.nodes.map(({ name }) => name);
    },
    /** The quota of the credential's user. Undefined if there is no limit. Fails as `refused` before service version 7.0. */
    async quota(): Promise<Quota | undefined> {
      const text = 'query Quota { deepSearchQuotaUsage { limit consumed resetTime } }';
      const { deepSearchQuotaUsage: usage } = await query(text, {}, quotaSchema);
      // As in the first generation, a limit that is not positive means that there is none.
      if (usage === null || usage.limit <= 0) return undefined;
      const { limit, consumed, resetTime } = usage;
      return { used: consumed, limit, ...defined('resetAtMs', parseTime(resetTime)) };
    },
  };

  async function query<T>(text: string, variables: object, schema: z.ZodType<T>): Promise<T> {
    const envelope = z.object({ data: z.unknown().optional(), errors: z.array(z.unknown()).nullish() });
    const reply = await service.ask(
      { method: 'POST', path, body: { query: text, variables }, safe: true },
      envelope.transform(({ data, errors }, context) => {
        if (errors?.length) return { errors: errors.length };
        const parsed = schema.safeParse(data);
        if (parsed.success) return { data: parsed.data };
        for (const { message, path: place } of parsed.error.issues)
          context.addIssue({ code: 'custom', message, path: place });
        return z.NEVER;
      }),
    );
    if (reply.errors === undefined) return reply.data;
    throw new AppError('refused', `POST ${path} answered with ${reply.errors} GraphQL errors`, { code: 'graphql' });
  }
}

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

export function createRepositoryLists(
  graphqlOf: (account: Account) => Pick<Graphql, 'allRepositoryNames'>,
  log: Log,
): RepositoryLists {
  const lists = new LRUCache<string, { names: string[] | undefined }, Account>({
    max: mostLists,
    ttl: keptMs,
    // If more accounts ask at once than lists are kept, the first ones would fail; so a list without a place still arrives.
    ignoreFetchAbort: true,
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

/** How long a service that does not tell the quota is not asked again, in milliseconds. */
const unknownLifeMs = 10 * 60_000;

/**
 * Reads the quota of one account, which only GraphQL tells beside generation 2. Undefined if the account has none, or if it
 * is not known in time. Never throws an `AppError`.
 */
export function createQuotaReader(graphql: Pick<Graphql, 'quota'>, now: Clock): () => Promise<Quota | undefined> {
  const known = new LRUCache<'quota', { quota: Quota | undefined }>({
    max: 1,
    ttl: quotaLifeMs,
    ttlResolution: 0,
    perf: { now },
    async fetchMethod(_key, _stale, { options }) {
      const quota = await graphql.quota().catch((error: unknown) => {
        if (!isAppError(error)) throw error;
        return undefined;
      });
      if (quota === undefined) options.ttl = unknownLifeMs;
      return { quota };
    },
  });
  return async () => (await within(known.fetch('quota'), quotaPatienceMs))?.quota;
}
