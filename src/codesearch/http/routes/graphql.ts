import type { Graphql, GraphqlRequest } from '../../graphql/graphql.ts';
import { isForm, isJson, isObject, readJsonObject } from '../body.ts';
import { HttpError } from '../http-error.ts';
import type { Reply } from '../reply.ts';
import { type Route, type RouteRequest, requireMethod } from '../route.ts';

/** `POST /.api/graphql`; text after `?`, by which clients name the operation, is ignored. Refusals have GraphQL's form. */
export function createGraphqlRoute(graphql: Graphql): Route {
  return async (request) => {
    if (request.segments.join('/') !== '.api/graphql') return undefined;
    try {
      return await answer(request);
    } catch (error) {
      // The server answers OPTIONS by the refusal of its method.
      if (error instanceof HttpError && request.method !== 'OPTIONS') return refusal(error);
      throw error;
    }
  };

  async function answer({ method, incoming, viewer: authenticate }: RouteRequest): Promise<Reply> {
    requireMethod(method, ['POST']);
    const viewer = await authenticate();
    // `curl -d` sends JSON as a form.
    if (!isJson(incoming.headers) && !isForm(incoming.headers)) {
      throw new HttpError(415, 'Send the body with Content-Type: application/json.');
    }
    const request = readRequest(await readJsonObject(incoming));
    const { status, body } = await graphql(request, viewer);
    return { kind: 'json', status, body };
  }
}

/** Reads the body; throws 400 when it is no GraphQL request. */
function readRequest({ query, variables, operationName }: Record<string, unknown>): GraphqlRequest {
  if (typeof query !== 'string') throw new HttpError(400, 'query must be a string.');
  if (variables !== undefined && variables !== null && !isObject(variables)) {
    throw new HttpError(400, 'variables must be an object.');
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw new HttpError(400, 'operationName must be a string.');
  }
  // Some clients send an empty name for a document with one operation.
  return { query, variables: variables ?? {}, operationName: operationName || undefined };
}

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  405: 'METHOD_NOT_ALLOWED',
  413: 'REQUEST_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
};

function refusal({ status, message, headers }: HttpError): Reply {
  const extensions = { code: CODES[status] ?? 'BAD_REQUEST', status };
  return { kind: 'json', status, body: { errors: [{ message, extensions }] }, headers };
}
