import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharing, within } from '../core/pacing.ts';
import type { Log } from '../core/ports.ts';
import type { FarSide } from './health.ts';

/** Something that the app needs to take questions. `check` throws or returns false when it is not usable now. */
export interface Dependency {
  name: string;
  check: () => Promise<boolean>;
}

/** Request handlers of other parts, by exact path. */
export type Mounts = Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

export interface PageServer {
  /**
   * Starts to listen. Returns the port; 0 in the settings picks a free one. Throws an error that names the setting to
   * change.
   */
  start(): Promise<number>;
  stop(): Promise<void>;
}

/** The replies of one server to GET and HEAD, by exact path. */
type Pages = Record<string, (response: ServerResponse) => void | Promise<void>>;

/** Longest time for the check of one dependency, in milliseconds. */
const checkTimeoutMs = 2_000;

/**
 * How long a client may take to send a request and its headers, how often that is checked, and how long a connection without
 * a request stays open, in milliseconds.
 */
export interface Patience {
  keepAliveTimeout?: number;
  requestTimeout: number;
  headersTimeout: number;
  connectionsCheckingInterval: number;
}

/**
 * Load balancers keep idle connections for 60 s. If this server closed one sooner, a request that is just on its way there
 * would be lost; so the server waits longer, also for the headers of the first request on a connection. Node wants the
 * whole request to be the longest. A client that sends slowly holds a socket no longer than that.
 */
const usualPatience: Patience = {
  keepAliveTimeout: 70_000,
  headersTimeout: 75_000,
  requestTimeout: 80_000,
  connectionsCheckingInterval: 5_000,
};

/** How often requests to a wrong path are logged, in milliseconds. */
const misplacedLoggedEveryMs = 60_000;

/** How long running requests may take to finish when the server stops, in milliseconds. */
const stopTimeoutMs = 5_000;

/**
 * The app's HTTP server, in both modes: `/livez` (the process answers), `/readyz` (it can take questions now; otherwise
 * 503 and the names of what is missing), and the paths of `mounts`, for example Slack's events. `/readyz` shows the
 * state of Slack and the service but does not depend on it. A copy with a refused token can still tell people so, and
 * otherwise a load balancer would drop all copies at once.
 */
export function createOperatorServer(options: {
  port: number;
  host?: string;
  dependencies: Dependency[];
  farSides: FarSide[];
  mounts: Mounts;
  patience?: Patience;
  log?: Log;
}): PageServer {
  const { port, host, dependencies, farSides, mounts, patience, log } = options;
  const pages: Pages = { '/livez': (response) => send(response, 200, 'text/plain', 'ok\n'), '/readyz': ready };
  // A flood of requests asks the dependencies no more than one.
  const shared = sharing(check);
  return createPageServer({ name: 'PORT', port, host, pages, mounts, patience, log });

  async function ready(response: ServerResponse): Promise<void> {
    const { status, text } = await shared();
    send(response, status, 'application/json', text);
  }

  async function check(): Promise<{ status: number; text: string }> {
    const [states, access] = await Promise.all([
      Promise.all(dependencies.map(async ({ name, check }) => [name, await isUsable(check)] as const)),
      Promise.all(farSides.map(async ({ target, state }) => [target, await state()] as const)),
    ]);
    const usable = states.every(([, works]) => works);
    const body = {
      ready: usable,
      ...Object.fromEntries(states.map(([name, works]) => [name, works ? 'ok' : 'unusable'])),
      access: Object.fromEntries(access.map(([target, state]) => [target, state === 'fine' ? 'ok' : state])),
    };
    return { status: usable ? 200 : 503, text: `${JSON.stringify(body)}\n` };
  }
}

/**
 * Serves `/metrics` on a separate port, because metrics show how much a company asks, and other programs can reach
 * Slack's port.
 */
export function createMetricsServer(options: {
  port: number;
  host: string;
  metrics: { expose: () => Promise<string>; contentType: string };
}): PageServer {
  const { port, host, metrics } = options;
  const pages: Pages = {
    '/metrics': async (response) => send(response, 200, metrics.contentType, await metrics.expose()),
  };
  return createPageServer({ name: 'METRICS_PORT', port, host, pages, mounts: {} });
}

/** `name` is the name of the setting with the port. */
function createPageServer(options: {
  name: string;
  port: number;
  host?: string;
  pages: Pages;
  mounts: Mounts;
  patience?: Patience;
  log?: Log;
}): PageServer {
  let misplacedLoggedMs = Number.NEGATIVE_INFINITY;
  const server: Server = createServer(options.patience ?? usualPatience, (request, response) => {
    handle(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });

  return { start, stop };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = plainPath(request.url ?? '/');
    const mount = options.mounts[path];
    if (mount !== undefined) return mount(request, response);
    const page = options.pages[path];
    if (page === undefined) {
      if (request.method === 'POST') noteMisplaced(path);
      return send(response, 404, 'text/plain', 'not found\n');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return send(response, 405, 'text/plain', 'method not allowed\n');
    }
    return page(response);
  }

  /** Otherwise a proxy that keeps its own prefix would make all of Slack's requests fail without a line. */
  function noteMisplaced(path: string): void {
    const expected = Object.keys(options.mounts).find((mount) => path.endsWith(mount));
    const nowMs = performance.now();
    if (expected === undefined || nowMs - misplacedLoggedMs < misplacedLoggedEveryMs) return;
    misplacedLoggedMs = nowMs;
    const prefix = path.slice(0, -expected.length);
    options.log?.warn({
      event: 'http_path_wrong',
      outcome: 'not_found',
      rule: `the path must be ${expected}: let the proxy remove what it put before it`,
      prefix: /^[\w./~-]{1,200}$/.test(prefix) ? prefix : 'unreadable',
    });
  }

  function start(): Promise<number> {
    return new Promise((resolve, reject) => {
      const refuse = (error: Error): void => reject(unusablePort(options, error));
      server.once('error', refuse);
      server.listen(options.port, options.host, () => {
        server.off('error', refuse);
        const address: AddressInfo | string | null = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : options.port);
      });
    });
  }

  function stop(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), stopTimeoutMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
    });
  }
}

/** The path without doubled slashes and without one at its end, which people write by mistake. */
function plainPath(url: string): string {
  const path = `/${url.split('?', 1)[0]}`.replaceAll(/\/{2,}/g, '/');
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The operating system's codes for an unusable port, in an operator's words. */
const portProblems: Record<string, string> = {
  EADDRINUSE: 'is taken',
  EACCES: 'is not open to this user',
  EADDRNOTAVAIL: 'is on an address that this machine does not have',
};

function unusablePort(
  { name, port, host = 'all addresses' }: { name: string; port: number; host?: string | undefined },
  cause: Error,
): Error {
  const problem = 'code' in cause ? portProblems[String(cause.code)] : undefined;
  return new Error(`${name}: port ${port} on ${host} ${problem ?? 'can not be listened on'}`, { cause });
}

/** Whether a dependency works. A check that takes longer than two seconds counts as failed. */
export async function isUsable(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return (await within(check(), checkTimeoutMs)) ?? false;
  } catch {
    return false;
  }
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
}
