import { createServer, type IncomingMessage, type Server } from 'node:http';
import { AccessError, type Viewer } from '../accounts/viewer.ts';
import { HttpError } from './http-error.ts';
import type { createRateLimit } from './rate-limit.ts';
import { errorReply, type Reply, send } from './reply.ts';
import { countFor, withinRequestBudget } from './request-budget.ts';
import { notFound, type Route, type RouteRequest } from './route.ts';

export interface ServerSetup {
  /** Asked in order; the first reply is sent. */
  routes: readonly Route[];
  authenticate: (headers: IncomingMessage['headers']) => Promise<Viewer>;
  rateLimit: ReturnType<typeof createRateLimit>;
  /** Whether this `Host` header is allowed: stops web pages that reach a local service by DNS rebinding. */
  allowsHost: (host: string | undefined) => boolean;
  onProblem: (error: unknown) => void;
}

/** Creates the HTTP server of the service; it does not listen yet. */
export function createHttpServer(setup: ServerSetup): Server {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    withinRequestBudget(response, () => route(request, setup))
      .catch((error: unknown) => {
        if (!(error instanceof HttpError) && !isHangUp(error)) setup.onProblem(error);
        return errorReply(error);
      })
      .then((reply) => send(response, reply))
      .catch(setup.onProblem);
  });
  server.keepAliveTimeout = 5_000;
  return server;
}

async function route(incoming: IncomingMessage, setup: ServerSetup): Promise<Reply> {
  if (!setup.allowsHost(incoming.headers.host)) throw new HttpError(400, 'This host name is not served here.');
  const { segments, search } = parseTarget(incoming.url ?? '/');
  const request: RouteRequest = {
    method: incoming.method ?? 'GET',
    segments,
    search,
    headers: incoming.headers,
    incoming,
    async viewer() {
      const viewer = await setup.authenticate(incoming.headers).catch((error: unknown) => {
        throw error instanceof AccessError ? asHttpError(error) : error;
      });
      setup.rateLimit.take(viewer.username);
      countFor(viewer.username);
      return viewer;
    },
  };
  for (const answer of setup.routes) {
    const reply = await answer(request);
    if (reply !== undefined) return reply;
  }
  throw notFound();
}

function asHttpError({ kind, message }: AccessError): HttpError {
  return kind === 'unauthenticated'
    ? new HttpError(401, message, { 'WWW-Authenticate': 'token' })
    : new HttpError(403, message);
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
