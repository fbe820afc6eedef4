import { z } from 'zod';
import { AppError } from '../core/errors.ts';
import type { Quota } from '../core/question/question.ts';
import { defined, parseTime } from './reply-values.ts';
import type { ServiceClient } from './service-client.ts';

/** The GraphQL queries that the app needs. Every method throws only `AppError`. */
export interface Graphql {
  /** Fails as `unauthorized` when the credential belongs to no user. */
  currentUser(): Promise<{ username: string }>;
  /** Those of these names that belong to a repository which the credential may read, as the service writes them. */
  repositoryNames(names: readonly string[]): Promise<string[]>;
  /** All names of repositories that the credential may read. Undefined if there are more than `most`. */
  allRepositoryNames(most: number): Promise<string[] | undefined>;
  /** Number of matches of a search. `query` is in the service's query syntax. */
  matchCount(query: string): Promise<number>;
  /** The quota of the credential's user. Undefined if there is no limit. Fails as `refused` before service version 7.0. */
  quota(): Promise<Quota | undefined>;
}

const path = '/.api/graphql';

const currentUserSchema = z.object({ currentUser: z.object({ username: z.string() }).nullable() });

const repositoryNamesSchema = z.object({
  repositories: z.object({ nodes: z.array(z.object({ name: z.string() })) }),
});

const matchCountSchema = z.object({
  search: z.object({ results: z.object({ matchCount: z.number() }) }),
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

/** Asks the service's GraphQL API, which is the same beside both generations of the conversation API. */
export function createGraphql(service: ServiceClient): Graphql {
  return {
    async currentUser() {
      const { currentUser } = await query('query CurrentUser { currentUser { username } }', {}, currentUserSchema);
      if (currentUser) return currentUser;
      throw new AppError('unauthorized', 'the credential belongs to no user');
    },
    async repositoryNames(names) {
      const { repositories } = await query(
        'query RepositoryNames($names: [String!], $first: Int) { repositories(names: $names, first: $first) { nodes { name } } }',
        { names, first: names.length },
        repositoryNamesSchema,
      );
      return repositories.nodes.map(({ name }) => name);
    },
    async allRepositoryNames(most) {
      const { repositories } = await query(
        'query AllRepositoryNames($first: Int) { repositories(first: $first) { nodes { name } } }',
        { first: most + 1 },
        repositoryNamesSchema,
      );
      return repositories.nodes.length > most ? undefined : repositories.nodes.map(({ name }) => name);
    },
    async matchCount(search) {
      const { search: found } = await query(
        'query MatchCount($query: String!) { search(query: $query) { results { matchCount } } }',
        { query: search },
        matchCountSchema,
      );
      return found.results.matchCount;
    },
    async quota() {
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
