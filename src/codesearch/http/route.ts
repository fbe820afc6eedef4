import type { IncomingMessage } from 'node:http';
import type { Accepts, Viewer } from '../accounts/viewer.ts';
import { HttpError } from './http-error.ts';
import type { Reply } from './reply.ts';

/** A request with its path split and decoded. */
export interface RouteRequest {
  /** `GET` also for `HEAD`: the reply is the same, and is sent without its body. */
  method: string;
  /** Decoded path segments; an encoded slash stays within its segment. */
  segments: readonly string[];
  /** The text after `?`, not decoded. */
  search: string;
  headers: IncomingMessage['headers'];
  incoming: IncomingMessage;
  /** Authenticates an API request and counts it against the rate limit; throws 401, 403 or 429. Call it once. */
  viewer(accepts?: Accepts): Promise<Viewer>;
  /**
   * The viewer of a page: signed in, or without a credential where pages are open. Throws a redirect to the sign-in
   * page otherwise, and 401 or 403 for a wrong `Authorization` header.
   */
  pageViewer(): Promise<Viewer>;
}

/** Answers the requests it knows and returns undefined for all others; refusals are thrown as {@link HttpError}. */
export type Route = (request: RouteRequest) => Promise<Reply | undefined>;

/** Throws 405 with `Allow`, or 404 when no method is allowed at this address. */
export function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.length === 0) throw notFound();
  if (!allowed.includes(method)) {
    const also = allowed.includes('GET') ? ['HEAD'] : [];
    throw new HttpError(405, `Use ${allowed.join(' or ')} here.`, { Allow: [...allowed, ...also].join(', ') });
  }
}

export function notFound(): HttpError {
  return new HttpError(404, 'There is nothing at this address.');
}
