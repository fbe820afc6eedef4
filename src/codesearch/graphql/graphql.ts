import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLFormattedError,
  type GraphQLSchema,
  NoFragmentCyclesRule,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  validate,
} from 'graphql';
import type { Viewer } from '../accounts/viewer.ts';
import { currentBudget, withinBudget } from '../git/budget.ts';
import { LIMITS } from '../limits.ts';
import { type Excess, findExcesses } from './cost.ts';
import { withoutRepetitions } from './repetitions.ts';
import type { RateLimits } from './site-configuration.ts';
import { containsNul, hasNulInString, measureSource, parseSource } from './source.ts';
import { createWork, type Work } from './work.ts';

export interface GraphqlRequest {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | undefined;
}

/** A reply with its HTTP status: 400 for a query that exceeds a limit, 200 for everything else, with or without errors. */
export interface GraphqlReply {
  status: 200 | 400;
  body: { data?: unknown; errors?: GraphQLFormattedError[] };
}

export interface GraphqlSetup {
  schema: GraphQLSchema;
  /** The object whose fields are those of `Query` and `Mutation`. */
  root: unknown;
  fieldResolver: GraphQLFieldResolver<unknown, Work>;
  limits: RateLimits;
  /** Milliseconds for one request; default `LIMITS.graphqlDeadlineMs`. */
  deadlineMs?: number | undefined;
}

/** Checks and runs one request; its work also ends with the budget that it is called within. */
export type Graphql = (request: GraphqlRequest, viewer: Viewer) => Promise<GraphqlReply>;

const rulesWithoutMerging = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/** Creates the GraphQL engine: measure, parse, check the cost, validate, execute. Problems of a query are never thrown. */
export function createGraphql({ schema, root, fieldResolver, limits, deadlineMs }: GraphqlSetup): Graphql {
  return async ({ query, variables, operationName }, viewer) => {
    const document = check(schema, query, variables, limits);
    if (!('kind' in document)) return document;
    const end = [AbortSignal.timeout(deadlineMs ?? LIMITS.graphqlDeadlineMs), currentBudget().signal];
    const signal = AbortSignal.any(end.filter((one) => one !== undefined));
    const work = createWork(viewer, signal, limits.graphQLMaxFieldCount);
    const { data, errors } = await withinBudget({ user: viewer.username, signal }, () =>
      execute({
        schema,
        document,
        rootValue: root,
        contextValue: work,
        variableValues: variables,
        operationName,
        fieldResolver,
      }),
    );
    if (work.fields() > limits.graphQLMaxFieldCount) {
      return excessReply([{ type: 'field count', limit: limits.graphQLMaxFieldCount, actual: work.fields() }]);
    }
    return { status: 200, body: { ...(data === undefined ? {} : { data }), ...(errors ? format(errors) : {}) } };
  };
}

/** The document of a query that may run, or else the reply that says why not. */
function check(
  schema: GraphQLSchema,
  query: string,
  variables: Record<string, unknown>,
  limits: RateLimits,
): DocumentNode | GraphqlReply {
  if (query.includes('\0') || containsNul(variables)) return nulReply();
  let document: DocumentNode;
  try {
    const { tokens, nesting, depth } = measureSource(query);
    if (tokens > LIMITS.graphqlTokens) {
      return excessReply([{ type: 'token count', limit: LIMITS.graphqlTokens, actual: tokens }]);
    }
    if (nesting > LIMITS.graphqlNesting) {
      const tooDeep = { type: 'query depth', limit: limits.graphQLMaxDepth, actual: depth } as const;
      const tooNested = { type: 'nesting', limit: LIMITS.graphqlNesting, actual: nesting } as const;
      return excessReply([depth > limits.graphQLMaxDepth ? tooDeep : tooNested]);
    }
    document = parseSource(query);
  } catch (error) {
    if (error instanceof GraphQLError) return { status: 200, body: format([error]) };
    throw error;
  }
  if (hasNulInString(document)) return nulReply();
  const excesses = findExcesses(document, limits);
  if (excesses === 'cyclic') return { status: 200, body: format(validate(schema, document, [NoFragmentCyclesRule])) };
  if (excesses.length > 0) return excessReply(excesses);
  const errors = [
    ...validate(schema, document, rulesWithoutMerging),
    ...validate(schema, withoutRepetitions(document), [OverlappingFieldsCanBeMergedRule]),
  ];
  return errors.length > 0 ? { status: 200, body: format(errors) } : document;
}

function excessReply(excesses: readonly Excess[]): GraphqlReply {
  const errors = excesses.map(({ type, limit, actual }) => ({
    message: `Query exceeds maximum ${type} limit: ${actual} of ${limit}.`,
    extensions: { code: 'ErrQueryComplexityLimitExceeded', type, limit, actual },
  }));
  return { status: 400, body: { errors } };
}

function nulReply(): GraphqlReply {
  const message = 'The request contains a NUL character.';
  return { status: 400, body: { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] } };
}

/** Leaves out errors beyond the most a response lists; the last one then says how many. */
function format(errors: readonly GraphQLError[]): { errors: GraphQLFormattedError[] } {
  const listed = errors.slice(0, LIMITS.graphqlErrors).map((error) => error.toJSON());
  const more = errors.length - listed.length;
  return { errors: more > 0 ? [...listed, { message: `There are ${more} more errors.` }] : listed };
}
