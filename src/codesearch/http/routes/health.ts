import { json } from '../reply.ts';
import { type Route, requireMethod } from '../route.ts';

/** `GET /healthz`, without a token. */
export function createHealthRoute(health: () => unknown): Route {
  return async ({ method, segments }) => {
    if (segments.join('/') !== 'healthz') return undefined;
    requireMethod(method, ['GET']);
    return json(200, health());
  };
}

/** `GET /__version`: the version that the service claims, as plain text, without a token. */
export function createVersionRoute(version: string): Route {
  return async ({ method, segments }) => {
    if (segments.join('/') !== '__version') return undefined;
    requireMethod(method, ['GET']);
    return { kind: 'text', status: 200, text: version };
  };
}
