import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { createAuthorizer } from './auth.ts';
import { startDeadline } from './deadline.ts';
import type { GenerationNumber } from './generation.ts';
import { isNoRoute } from './generation-1/conversation-api.ts';
import { connectCodeOf } from './generation-2/connect-errors.ts';
import type { HttpReply, HttpRequest } from './http.ts';
import { createServiceHttp, parseBaseUrl, type ServiceClientOptions } from './service-client.ts';
import { isHtml } from './sign-in-page.ts';

/** Whether the instance offers a generation of the API. `unknown` proves nothing. */
export type Offer = 'yes' | 'no' | 'unknown';

/** What the instance offers, by the number of the generation. */
export type Offers = Record<GenerationNumber, Offer>;

/** What one round of probes found. */
export interface Findings {
  /** What the two lists prove. */
  offers: Offers;
  /** What `/__version` answered, if that may be a version. Not every version is a number. */
  version?: string | undefined;
  /** Whether the service refuses the credential: it gave none of the lists, and refused one with 401. */
  isRefused?: boolean;
}

/** Reads that show which generations of the API an instance offers. They change nothing there, and never throw. */
export interface Probes {
  /** Three requests at once. Takes at most `longestProbeMs`. */
  all(): Promise<Findings>;
  /** One request. */
  version(): Promise<string | undefined>;
  /** Aborts running probes and closes their connections. */
  close(): Promise<void>;
}

/** Longest time of one probe, in milliseconds. The first calls after a start wait for it. */
export const longestProbeMs = 5_000;

/** Longest text that may be a version, in characters. */
const longestVersion = 64;

const versionPath = '/__version';
const generation1Path = '/.api/deepsearch/v1';
const generation2Path = '/api/deepsearch.v1.Service/ListConversationSummaries';

/**
 * Creates the probes of one account. They have connections of their own, so that they do not wait for other calls, and
 * follow no redirect.
 */
export function createProbes(options: Omit<ServiceClientOptions, 'http'>, log: Log): Probes {
  const http = createServiceHttp({ ...options, maxConnections: 3, connectTimeoutMs: longestProbeMs });
  const base = parseBaseUrl(options.baseUrl);
  const authorizer = createAuthorizer(options.auth);
  const requestedWith = { 'x-requested-with': `deepsearch-slack ${options.userAgentVersion}` };
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);

  return {
    async all() {
      const [version, reply1, reply2] = await Promise.all([readVersion(), ask1(), ask2()]);
      const offers: Offers = {
        1: reply1 === undefined ? 'unknown' : offerOfGeneration1(reply1),
        2: reply2 === undefined ? 'unknown' : offerOfGeneration2(reply2),
      };
      const isAccepted =
        (reply1?.status === 200 && offers[1] === 'yes') || (reply2?.status === 200 && offers[2] === 'yes');
      const isRefused = !isAccepted && [reply1, reply2].some((reply) => reply?.status === 401);
      return { offers, version, ...(isRefused && { isRefused }) };
    },
    version: readVersion,
    async close() {
      closing.abort(new AppError('unavailable', 'the probes are closed', { code: 'closed' }));
      await http.close();
    },
  };

  async function readVersion(): Promise<string | undefined> {
    const reply = await send('GET', versionPath, { accept: 'text/plain', ...requestedWith });
    return reply && versionText(reply);
  }

  function ask1(): Promise<HttpReply | undefined> {
    const headers = { accept: 'application/json', ...requestedWith };
    return send('GET', generation1Path, headers, { query: '?page_first=1' });
  }

  function ask2(): Promise<HttpReply | undefined> {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'connect-protocol-version': '1',
      ...requestedWith,
    };
    const body = JSON.stringify({ parent: 'users/~self', pageSize: 1 });
    return send('POST', generation2Path, headers, { body });
  }

  async function send(
    method: HttpRequest['method'],
    path: string,
    headers: Record<string, string>,
    { query = '', body }: { query?: string; body?: string } = {},
  ): Promise<HttpReply | undefined> {
    const deadline = startDeadline(longestProbeMs, closing.signal);
    try {
      const authorization = path === versionPath ? undefined : await authorizer.header(deadline.signal);
      const request = (credential: string | undefined): HttpRequest => ({
        method,
        path: base.prefix + path + query,
        label: `${method} ${path}`,
        template: base.prefix + path,
        safe: true,
        headers: { ...headers, ...(credential === undefined ? {} : { authorization: credential }) },
        readsFailure: () => true,
        ...(body === undefined ? {} : { body }),
      });
      let reply = await http.send(request(authorization), deadline.signal);
      if (reply.status === 401 && authorization && (await authorizer.renew(authorization, deadline.signal))) {
        reply = await http.send(request(await authorizer.header(deadline.signal)), deadline.signal);
      }
      const origin = movedTo(reply, base.prefix + path);
      if (origin !== undefined) log.warn({ event: 'deepsearch.address', outcome: 'redirected', origin });
      return reply;
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'deepsearch.probe', outcome: 'failed', path, kind: error.kind });
      // An account that gets no token is refused like one with a wrong token.
      return error.kind === 'unauthorized' ? { status: 401, headers: {}, body: '' } : undefined;
    } finally {
      deadline.stop();
    }
  }
}

/** What a version offers. Generation 1 has its path since 6.7, generation 2 is there since 7.0. */
export function offersOfVersion(version: string | undefined): Offers {
  const [, majorText, minorText] = /^v?(\d{1,3})\.(\d{1,4})(?:\.\d{1,6})?(?:[-+][\w.+-]*)?$/.exec(version ?? '') ?? [];
  if (majorText === undefined || minorText === undefined) return { 1: 'unknown', 2: 'unknown' };
  const major = Number(majorText);
  const has1 = major > 6 || (major === 6 && Number(minorText) >= 7);
  // No one says yet whether version 8 still has generation 1.
  return { 1: major > 7 ? 'unknown' : yesOrNo(has1), 2: yesOrNo(major >= 7) };
}

/** The version that `/__version` answered. Builds of the cloud have one that is not a plain number. */
export function versionText({ status, headers, body }: HttpReply): string | undefined {
  const text = body.trim();
  if (status !== 200 || isHtml({ headers }) || text.length > longestVersion) return undefined;
  return /^[\w.+-]+$/.test(text) ? text : undefined;
}

/** What the reply to a list of generation 1 proves. A 401 comes before the routing, so it is about the token. */
export function offerOfGeneration1(reply: HttpReply): Offer {
  const { status, headers, body } = reply;
  if (status === 200) return !isHtml({ headers }) && isJsonList(body) ? 'yes' : 'unknown';
  return isNoRoute(reply) ? 'no' : 'unknown';
}

/** What the reply to a list of generation 2 proves. Before 7.0 the web page has this path. */
export function offerOfGeneration2({ status, headers, body }: HttpReply): Offer {
  if (status >= 200 && status < 300) {
    if (isHtml({ headers })) return 'no';
    return isJsonObject(body) ? 'yes' : 'unknown';
  }
  const code = connectCodeOf(body);
  if (code === 'unimplemented') return 'no';
  if (code === 'not_found') return 'unknown';
  if (code !== undefined) return 'yes';
  if (status === 404 || status === 405 || isSignIn(status, headers.location)) return 'no';
  if (status === 401 || status === 403 || status === 429 || status >= 500) return 'unknown';
  return isHtml({ headers }) && status >= 400 ? 'no' : 'unknown';
}

/** The origin to which a redirect moves this path. The address in the settings is then wrong. */
export function movedTo({ status, headers: { location = '' } }: HttpReply, path: string): string | undefined {
  if (status < 300 || status >= 400 || !URL.canParse(location)) return undefined;
  const { origin, pathname } = new URL(location);
  return pathname === path ? origin : undefined;
}

function isSignIn(status: number, location = ''): boolean {
  if (status < 300 || status >= 400) return false;
  const path = URL.canParse(location) ? new URL(location).pathname : location.replace(/[?#].*$/s, '');
  return path.endsWith('/sign-in');
}

function isJsonObject(body: string): boolean {
  return z.record(z.string(), z.unknown()).safeParse(parseJson(body)).success;
}

function isJsonList(body: string): boolean {
  return isJsonObject(body) || Array.isArray(parseJson(body));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function yesOrNo(isOffered: boolean): Offer {
  return isOffered ? 'yes' : 'no';
}
