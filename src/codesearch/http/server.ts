import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { createGraphql } from '../graphql/execute.ts';
import type { createPages } from '../pages/pages.ts';
import { apiMethods, type createApi } from './api.ts';
import type { createAuthentication } from './authentication.ts';
import { readJsonObject } from './body.ts';
import { readGraphqlRequest } from './graphql-request.ts';
import { HttpError } from './http-error.ts';
import type { createRateLimit } from './rate-limit.ts';
import { errorReply, json, type Reply, send } from './reply.ts';

const API_PREFIX = ['.api', 'deepsearch', 'v1'];

export interface ServerSetup {
  authenticate: ReturnType<typeof createAuthentication>;
  rateLimit: ReturnType<typeof createRateLimit>;
  api: ReturnType<typeof createApi>;
  graphql: ReturnType<typeof createGraphql>;
  pages: ReturnType<typeof createPages>;
  health: () => unknown;
  /** Whether this `Host` header is allowed: stops web pages that reach a local service by DNS rebinding. */
  allowsHost: (host: string | undefined) => boolean;
  onProblem: (error: unknown) => void;
}

/** Creates the HTTP server of the service; it does not listen yet. */
export function createHttpServer(setup: ServerSetup): Server {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    route(request, setup)
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

async function route(request: IncomingMessage, setup: ServerSetup): Promise<Reply> {
  if (!setup.allowsHost(request.headers.host)) throw new HttpError(400, 'This host name is not served here.');
  const { segments, search } = parseTarget(request.url ?? '/');
  const method = request.method ?? 'GET';
  if (API_PREFIX.every((part, index) => segments[index] === part)) {
    const rest = segments.slice(API_PREFIX.length);
    requireMethod(method, apiMethods(rest));
    if (!request.headers['x-requested-with']) {
      throw new HttpError(400, 'The header X-Requested-With is required: the name and version of the client.');
    }
    const username = setup.authenticate(request.headers.authorization);
    setup.rateLimit.take(username);
    const parameters = new URLSearchParams(search);
    return setup.api({ method, segments: rest, parameters, username, body: () => readJsonObject(request) });
  }
  if (segments.join('/') === '.api/graphql') {
    requireMethod(method, ['POST']);
    const username = setup.authenticate(request.headers.authorization);
    setup.rateLimit.take(username);
    return json(200, await setup.graphql(readGraphqlRequest(await readJsonObject(request), username)));
  }
  if (segments[0] === '.api') throw notFound();
  if (segments.join('/') === 'healthz') {
    requireMethod(method, ['GET', 'HEAD']);
    return json(200, setup.health());
  }
  const page = await setup.pages(segments, search);
  if (page === undefined) throw notFound();
  requireMethod(method, ['GET', 'HEAD']);
  return { kind: 'page', status: 200, ...page };
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

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.length === 0) throw notFound();
  if (!allowed.includes(method)) {
    throw new HttpError(405, `Use ${allowed.join(' or ')} here.`, { Allow: allowed.join(', ') });
  }
}

function notFound(): HttpError {
  return new HttpError(404, 'There is nothing at this address.');
}
