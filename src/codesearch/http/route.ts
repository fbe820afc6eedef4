import type { IncomingMessage } from 'node:http';
import type { Viewer } from '../accounts/viewer.ts';
import { HttpError } from './http-error.ts';
import type { Reply } from './reply.ts';

/** A request with its path split and decoded. */
export interface RouteRequest {
  method: string;
  /** Decoded path segments; an encoded slash stays within its segment. */
  segments: readonly string[];
  /** The text after `?`, not decoded. */
  search: string;
  headers: IncomingMessage['headers'];
  incoming: IncomingMessage;
  /**
   * Authenticates the request and counts it against the rate limit; throws 401, 403 or 429. Call it once.
   * `bearerAccessToken`: `Bearer` may also carry an access token, as in the second generation of the conversation API.
   */
  viewer(options?: { bearerAccessToken: boolean }): Promise<Viewer>;
}

/** Answers the requests it knows and returns undefined for all others; refusals are thrown as {@link HttpError}. */
export type Route = (request: RouteRequest) => Promise<Reply | undefined>;

/** The viewer of a request that proves itself with a token; throws 401 for a browser session and for no credential. */
export async function tokenViewer(request: RouteRequest, options?: { bearerAccessToken: boolean }): Promise<Viewer> {
  const viewer = await request.viewer(options);
  if (viewer.credential === 'session' || viewer.credential === 'none') {
    throw new HttpError(401, 'This API requires authentication: send an access token. It accepts no cookies.', {
      'WWW-Authenticate': 'token',
    });
  }
  return viewer;
}

/** Throws 405 with `Allow`, or 404 when no method is allowed at this address. */
export function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.length === 0) throw notFound();
  if (!allowed.includes(method)) {
    throw new HttpError(405, `Use ${allowed.join(' or ')} here.`, { Allow: allowed.join(', ') });
  }
}

export function notFound(): HttpError {
  return new HttpError(404, 'There is nothing at this address.');
}
