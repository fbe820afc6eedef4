import { GraphqlError } from './lexer.ts';
import { type Field, type Operation, parseDocument } from './parser.ts';

type Resolve = (field: Field, type: string) => Promise<unknown>;

/** A query as it was sent, and the user who sent it. */
export interface GraphqlRequest {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | undefined;
  username: string;
}

export interface GraphqlSetup {
  matchCount: (query: string) => Promise<number>;
}

/**
 * The schema offered: `currentUser { username }` and `search(query: String!) { results { matchCount } }`, with
 * `__typename`. Problems of a query are returned in `errors`, as GraphQL does; they are never thrown.
 */
export function createGraphql({ matchCount }: GraphqlSetup) {
  return async ({ query, variables, operationName, username }: GraphqlRequest): Promise<unknown> => {
    try {
      const operation = choose(parseDocument(query), operationName);
      const values = bind(operation, variables);
      return { data: await execute(operation, values, username, matchCount) };
    } catch (error) {
      if (error instanceof GraphqlError) return { data: null, errors: [{ message: error.message }] };
      throw error;
    }
  };
}

function choose(operations: readonly Operation[], name: string | undefined): Operation {
  const chosen = name === undefined ? operations[0] : operations.find((operation) => operation.name === name);
  if (chosen === undefined) throw new GraphqlError('There is no such operation in the query.');
  if (operations.length > 1 && name === undefined)
    throw new GraphqlError('operationName is needed where a query has several.');
  return chosen;
}

function bind(operation: Operation, variables: Record<string, unknown>): Map<string, unknown> {
  const values = new Map([...operation.defaults, ...Object.entries(variables)]);
  for (const name of operation.required) {
    if (values.get(name) === undefined || values.get(name) === null)
      throw new GraphqlError(`Variable "$${name}" is required.`);
  }
  return values;
}

function execute(
  operation: Operation,
  values: ReadonlyMap<string, unknown>,
  username: string,
  matchCount: GraphqlSetup['matchCount'],
): Promise<unknown> {
  const resolve: Resolve = async (field, type) => {
    switch (`${type}.${field.name}`) {
      case 'Query.currentUser':
        return select(field, 'User', resolve);
      case 'User.username':
        return leaf(field, username);
      case 'Query.search': {
        const query = argument(field, 'query', values);
        return select(field, 'Search', async (inner, innerType) =>
          inner.name === 'results'
            ? select(inner, 'SearchResults', async (last, lastType) =>
                last.name === 'matchCount' ? leaf(last, await matchCount(query)) : refuse(last, lastType),
              )
            : refuse(inner, innerType),
        );
      }
      default:
        return refuse(field, type);
    }
  };
  return selectAll(operation.selection, 'Query', resolve);
}

function select(field: Field, type: string, resolve: Resolve): Promise<unknown> {
  if (field.selection === undefined)
    throw new GraphqlError(`Field "${field.name}" of type "${type}" must have a selection of subfields.`);
  return selectAll(field.selection, type, resolve);
}

async function selectAll(selection: readonly Field[], type: string, resolve: Resolve): Promise<unknown> {
  const result = new Map<string, unknown>();
  for (const field of selection) {
    result.set(field.key, field.name === '__typename' ? type : await resolve(field, type));
  }
  return Object.fromEntries(result);
}

function leaf(field: Field, value: unknown): unknown {
  if (field.selection !== undefined) throw new GraphqlError(`Field "${field.name}" has no subfields.`);
  return value;
}

function refuse(field: Field, type: string): never {
  throw new GraphqlError(`Cannot query field "${field.name}" on type "${type}".`);
}

function argument(field: Field, name: string, values: ReadonlyMap<string, unknown>): string {
  const given = field.parameters.get(name);
  const value = given?.kind === 'variable' ? values.get(given.name) : given?.value;
  if (typeof value !== 'string')
    throw new GraphqlError(`Argument "${name}" of field "${field.name}" must be a String.`);
  return value;
}
