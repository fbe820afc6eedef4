import { type DocumentNode, execute, GraphQLError, type GraphQLFormattedError, parse, validate, visit } from 'graphql';
import type { Viewer } from '../accounts/viewer.ts';
import { currentBudget, withinBudget } from '../git/budget.ts';
import { LIMITS } from '../limits.ts';
import { type Excess, findExcesses, findExcessOfText } from './cost.ts';
import { createRoot, type Host } from './root.ts';
import { createSchema } from './schema.ts';
import { type CostLimits, DEFAULT_COST_LIMITS } from './site-configuration.ts';
import { createFieldResolver, createWork } from './work.ts';

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

export interface GraphqlSetup extends Host {
  /** Default: those of the site configuration's documentation. */
  limits?: CostLimits | undefined;
  /** Milliseconds for one request; default `LIMITS.graphqlDeadlineMs`. */
  deadlineMs?: number | undefined;
  onProblem: (error: unknown) => void;
}

/** Checks and runs one request; its work also ends with the budget that it is called within. */
export type Graphql = (request: GraphqlRequest, viewer: Viewer) => Promise<GraphqlReply>;

/** Creates the GraphQL API: check the cost, parse, validate, execute. Problems of a query are never thrown. */
export function createGraphql(setup: GraphqlSetup): Graphql {
  const { limits = DEFAULT_COST_LIMITS, deadlineMs = LIMITS.graphqlDeadlineMs, onProblem } = setup;
  const schema = createSchema();
  const rootValue = createRoot(setup);
  const fieldResolver = createFieldResolver(onProblem);

  /** The document of a query that may run, or else the reply that says why not. */
  function check(query: string): DocumentNode | GraphqlReply {
    try {
      const excess = findExcessOfText(query);
      if (excess !== undefined) return refuse([excess]);
      const whole = parse(query);
      const excesses = findExcesses(whole, limits);
      if (excesses.length > 0) return refuse(excesses);
      const document = withoutRepetitions(whole, query);
      const errors = validate(schema, document);
      return errors.length > 0 ? { status: 200, body: format(errors) } : document;
    } catch (error) {
      if (error instanceof GraphQLError) return { status: 200, body: format([error]) };
      throw error;
    }
  }

  return async ({ query, variables, operationName }, viewer) => {
    const document = check(query);
    if (!('kind' in document)) return document;
    const end = [AbortSignal.timeout(deadlineMs), currentBudget().signal];
    const signal = AbortSignal.any(end.filter((one) => one !== undefined));
    const work = createWork(viewer, signal, limits.graphQLMaxFieldCount);
    const { data, errors } = await withinBudget({ user: viewer.username, signal }, () =>
      execute({
        schema,
        document,
        rootValue,
        contextValue: work,
        variableValues: variables,
        operationName,
        fieldResolver,
      }),
    );
    if (work.fields() > limits.graphQLMaxFieldCount) {
      return refuse([{ type: 'field count', limit: limits.graphQLMaxFieldCount, actual: work.fields() }]);
    }
    return { status: 200, body: { ...(data === undefined ? {} : { data }), ...(errors ? format(errors) : {}) } };
  };
}

/** Leaves out selections that one place repeats word by word: they change nothing, and validation compares each with each. */
function withoutRepetitions(document: DocumentNode, text: string): DocumentNode {
  return visit(document, {
    SelectionSet(set) {
      const byText = new Map(set.selections.map((one) => [text.slice(one.loc?.start, one.loc?.end), one]));
      return { ...set, selections: [...byText.values()] };
    },
  });
}

function refuse(excesses: readonly Excess[]): GraphqlReply {
  const errors = excesses.map(({ type, limit, actual }) => ({
    message: `Query exceeds maximum ${type} limit: ${actual} of ${limit}.`,
    extensions: { code: 'ErrQueryComplexityLimitExceeded', type, limit, actual },
  }));
  return { status: 400, body: { errors } };
}

/** Leaves out errors beyond the most a response lists; the last one then says how many. */
function format(errors: readonly GraphQLError[]): { errors: GraphQLFormattedError[] } {
  const listed = errors.slice(0, LIMITS.graphqlErrors).map((error) => error.toJSON());
  const more = errors.length - listed.length;
  return { errors: more > 0 ? [...listed, { message: `There are ${more} more errors.` }] : listed };
}
