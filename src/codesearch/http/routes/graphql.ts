import type { createGraphql } from '../../graphql/execute.ts';
import { readJsonObject } from '../body.ts';
import { readGraphqlRequest } from '../graphql-request.ts';
import { json } from '../reply.ts';
import { type Route, requireMethod } from '../route.ts';

/** `POST /.api/graphql`. */
export function createGraphqlRoute(graphql: ReturnType<typeof createGraphql>): Route {
  return async ({ method, segments, incoming, viewer }) => {
    if (segments.join('/') !== '.api/graphql') return undefined;
    requireMethod(method, ['POST']);
    const { username } = await viewer();
    return json(200, await graphql(readGraphqlRequest(await readJsonObject(incoming), username)));
  };
}
