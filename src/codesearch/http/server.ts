import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Authentication } from '../accounts/authentication.ts';
import { AccessError } from '../accounts/viewer.ts';
import { type Budget, currentBudget, withinBudget } from '../git/budget.ts';
import { GitError } from '../git/git.ts';
import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';
import type { createRateLimit } from './rate-limit.ts';
import { errorReply, isForPeople, type Reply, send } from './reply.ts';
import { notFound, type Route, type RouteRequest } from './route.ts';

interface ServerSetup {
  /** Asked in order; the first reply is sent. */
  routes: readonly Route[];
  authentication: Pick<Authentication, 'authenticate' | 'pageViewer'>;
  rateLimit: ReturnType<typeof createRateLimit>;
  /** Whether this `Host` header is allowed: stops web pages that reach a local service by DNS rebinding. */
  allowsHost: (host: string | undefined) => boolean;
  onProblem: (error: unknown) => void;
  /** Instead of {@link LIMITS}`.stalledConnectionMs`. */
  stalledMs?: number;
}

/** Creates the HTTP server of the service; it does not listen yet. */
export function createHttpServer(setup: ServerSetup): Server {
  const bounds = {
    requestTimeout: LIMITS.requestReceivedMs,
    headersTimeout: LIMITS.headersReceivedMs,
    maxHeaderSize: LIMITS.headerBytes,
  };
  const server = createServer(bounds, (request, response) => {
    withinRequestBudget(response, setup.onProblem, () => route(request, setup))
      .catch((error: unknown) => {
        if (!(error instanceof HttpError) && !isHangUp(error)) setup.onProblem(error);
        return asksForMethods(request, error) ?? errorReply(error, isForPeople(request));
      })
      .then((reply) => send(response, reply))
      .catch(setup.onProblem);
  });
  server.keepAliveTimeout = LIMITS.idleConnectionMs;
  server.timeout = setup.stalledMs ?? LIMITS.stalledConnectionMs;
  server.maxConnections = LIMITS.connections;
  return server;
}

async function route(incoming: IncomingMessage, setup: ServerSetup): Promise<Reply> {
  if (!setup.allowsHost(incoming.headers.host)) throw new HttpError(400, 'This host name is not served here.');
  const { segments, search } = parseTarget(incoming.url ?? '/');
  const request: RouteRequest = {
    method: incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? 'GET'),
    segments,
    search,
    headers: incoming.headers,
    incoming,
    async viewer(accepts) {
      const viewer = await setup.authentication.authenticate(incoming.headers, accepts).catch(throwHttpError);
      setup.rateLimit.take(viewer.username);
      countFor(viewer.username);
      return viewer;
    },
    async pageViewer() {
      const viewer = await setup.authentication.pageViewer(incoming.headers).catch(throwHttpError);
      if (viewer === undefined) throw signInFirst(incoming.method, incoming.url ?? '/');
      if (viewer.credential !== 'none') setup.rateLimit.take(viewer.username);
      countFor(viewer.username);
      return viewer;
    },
  };
  for (const answer of setup.routes) {
    const reply = await answer(request);
    if (reply !== undefined) return reply;
  }
  // Within the API, a caller without a valid token does not learn which addresses exist.
  if (segments[0] === '.api') await request.viewer();
  throw notFound();
}

/** The reply to `OPTIONS`: the methods that the refusal of this one names. */
function asksForMethods({ method }: IncomingMessage, error: unknown): Reply | undefined {
  if (method !== 'OPTIONS' || !(error instanceof HttpError) || error.status !== 405) return undefined;
  return { kind: 'json', status: 204, headers: error.headers };
}

function throwHttpError(error: unknown): never {
  if (!(error instanceof AccessError)) throw error;
  if (error.kind === 'forbidden') throw new HttpError(403, error.message);
  throw new HttpError(401, error.message, { 'WWW-Authenticate': 'token' });
}

/** Sends a browser to the sign-in page and back to the address it asked for. */
function signInFirst(method: string | undefined, target: string): HttpError {
  const isPage = method === 'GET' || method === 'HEAD';
  const query = isPage ? `?${new URLSearchParams({ returnTo: target })}` : '';
  return new HttpError(303, 'Sign in first.', { Location: `/sign-in${query}` });
}

/** The client disconnected while it was sending: not an error, and there is no client to reply to. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/** Splits before decoding, so that an encoded slash never becomes a separator; `.` and `..` are ordinary segments. */
function parseTarget(target: string): { segments: string[]; search: string } {
  const [path = '/', ...rest] = target.split('?');
  try {
    const segments = path
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => decodeURIComponent(segment));
    return { segments, search: rest.join('?') };
  } catch {
    throw new HttpError(400, 'The path is not valid.');
  }
}

/**
 * Runs a request so that all git commands it starts end when the client leaves or after `LIMITS.requestDeadlineMs`. Work that
 * outlives the request, such as answering a question, sets its own budget. `onProblem` is called when git refuses to work.
 */
async function withinRequestBudget<T>(
  response: ServerResponse,
  onProblem: (error: unknown) => void,
  run: () => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), LIMITS.requestDeadlineMs);
  response.once('close', () => {
    clearTimeout(timer);
    ending.abort();
  });
  const budget: Budget = { user: '', signal: ending.signal };
  return withinBudget(budget, run).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    if (error.kind === 'failed') onProblem(error);
    throw asHttpError(error);
  });
}

/** Shares git fairly: from now on the git commands of the current request count for this user. */
function countFor(username: string): void {
  currentBudget().user = username;
}

/** Not the client's fault, and no failure of the service: a repository may be damaged. */
function asHttpError({ kind, message }: GitError): HttpError {
  if (kind === 'busy') return new HttpError(503, message, { 'Retry-After': '5' });
  if (kind === 'timeout' || kind === 'stopped') return new HttpError(503, 'Reading the repository took too long.');
  if (kind === 'tooMuch') return new HttpError(503, 'The result is too large to show.');
  return new HttpError(503, 'git can’t read this repository. The log of the service says why.');
}
