import type { GraphqlRequest } from '../graphql/execute.ts';
import { isObject } from './body.ts';
import { HttpError } from './http-error.ts';

/** Reads the body of a GraphQL request; throws 400 when it has another form. Ignores an `operationName` that is not a string. */
export function readGraphqlRequest(body: Record<string, unknown>, username: string): GraphqlRequest {
  const { query, variables, operationName } = body;
  if (typeof query !== 'string') throw new HttpError(400, 'query must be a string.');
  if (variables !== undefined && variables !== null && !isObject(variables)) {
    throw new HttpError(400, 'variables must be an object.');
  }
  return {
    query,
    variables: variables ?? {},
    operationName: typeof operationName === 'string' ? operationName : undefined,
    username,
  };
}
