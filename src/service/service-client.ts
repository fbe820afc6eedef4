import { setMaxListeners } from 'node:events';
import type { z } from 'zod';
import { AppError, isAppError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { noTracer, type Tracer } from '../core/tracing.ts';
import { type Auth, createAuthorizer } from './auth.ts';
import {
  createHttp,
  type Deadline,
  type Http,
  type HttpReply,
  type HttpRequest,
  retryDelayMs,
  startDeadline,
  waitMs,
} from './http.ts';
import { parseBaseUrl } from './links.ts';
import type { ProxySettings } from './proxy.ts';
import { type FailedRequest, isHtml, parseReply, replyFailure, signInPage } from './replies.ts';

export interface ServiceClientOptions {
  /** Address of the instance. It may have a path prefix and a trailing slash. */
  baseUrl: string;
  auth: Auth;
  /** Version of this application, for the `X-Requested-With` header that the service requires. */
  userAgentVersion: string;
  /** Time limit of one call, including retries. Default 15 s. */
  timeoutMs?: number;
  /**
   * Time limit of creating a conversation or adding a follow-up. Default 60 s: early releases reply only when the
   * answer is ready.
   */
  createTimeoutMs?: number;
  /** Headers that an identity proxy before the service asks for, by their lower-case names. */
  headers?: Record<string, string>;
  /** Default 10 s. */
  connectTimeoutMs?: number;
  /** Default 10 MiB. */
  maxResponseBytes?: number;
  /** Most open connections. Further calls wait within their time limit. Default 16. */
  maxConnections?: number;
  proxy?: ProxySettings;
  /** Connections that several clients share. They stay open when a client closes. Default: connections of its own. */
  http?: Http;
  /** PEM of certificate authorities to trust in addition to the usual ones. */
  ca?: string;
  clock?: Clock;
  /** Uniform in [0, 1). Spreads retries over time. */
  random?: (() => number) | undefined;
  /** Default: nothing is traced. */
  tracer?: Tracer;
}

/** How the unsuccessful replies of one API become errors. */
export interface FailureReader {
  /** Whether the error depends on the body of a reply with this status. */
  needsBody(status: number): boolean;
  /** The error of a reply, or undefined for a success. Its message contains nothing of the body. */
  errorOf(reply: HttpReply, request: FailedRequest, nowMs: number): AppError | undefined;
  /** Whether a safe call is repeated after this error, if it is `unavailable` or `rateLimited`. Default: always. */
  isRetried?(error: AppError): boolean;
}

/** One request to the service. */
export interface ServiceCall {
  method: HttpRequest['method'];
  /** Path below the base address. */
  path: string;
  /** The path with `{id}` in the place of ids, for traces. Default: the path. */
  template?: string;
  query?: URLSearchParams;
  /** A text is already JSON. */
  body?: object | string;
  headers?: Record<string, string>;
  /** Whether the call may be repeated. */
  safe: boolean;
  /** Default: errors by the status alone. */
  failures?: FailureReader;
}

/**
 * The HTTP layer under both generations of the conversation API and GraphQL. Every method throws only `AppError`, within
 * its time limit. Safe calls are retried after temporary failures, others never; `outcomeUnknown` on their error says that
 * they may have taken effect.
 */
export interface ServiceClient {
  /** Returns the body of a successful reply. */
  send(call: ServiceCall): Promise<string>;
  /** Returns the parsed reply. Throws `badReply` for a success that is no JSON of this shape. */
  ask<T>(call: ServiceCall, schema: z.ZodType<T>): Promise<T>;
  /** Aborts running calls and closes all connections. Later calls fail as `unavailable`. */
  close(): Promise<void>;
}

/** How often one call may obtain a new credential after a 401. */
const MAX_RENEWALS = 2;
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

const byStatus: FailureReader = { needsBody: () => false, errorOf: replyFailure };

/** Creates connections to the service. Throws `refused` for an unusable address. */
export function createServiceHttp(options: Omit<ServiceClientOptions, 'auth' | 'http'>): Http {
  return createHttp({
    origin: parseBaseUrl(options.baseUrl).origin,
    headers: options.headers,
    maxConnections: options.maxConnections ?? 16,
    maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    proxy: options.proxy,
    ca: options.ca,
    tracer: options.tracer ?? noTracer,
    sendsTrace: true,
  });
}

/** Throws `refused` for an unusable address and `unauthorized` for an unusable credential, before sending anything. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { timeoutMs = 15_000, createTimeoutMs = 60_000, clock = Date.now, random = Math.random } = options;
  const base = parseBaseUrl(options.baseUrl);
  const authorizer = createAuthorizer(options.auth);
  const closing = new AbortController();
  // Every running call adds a listener. This is no leak: each call removes its listener when it ends.
  setMaxListeners(0, closing.signal);
  const http = options.http ?? createServiceHttp(options);

  async function attempt(
    call: ServiceCall,
    failures: FailureReader,
    authorization: string,
    deadline: Deadline,
  ): Promise<string> {
    const request: HttpRequest = {
      method: call.method,
      path: base.prefix + call.path + (call.query?.size ? `?${call.query}` : ''),
      label: `${call.method} ${call.path}`,
      template: base.prefix + (call.template ?? call.path),
      safe: call.safe,
      readsFailure: failures.needsBody,
      headers: {
        accept: 'application/json',
        authorization,
        'x-requested-with': `deepsearch-slack ${options.userAgentVersion}`,
        ...(call.body && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body && { body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
    };
    const reply = await http.send(request, deadline.signal);
    const failure = failures.errorOf(reply, request, clock());
    if (failure) throw failure;
    if (isHtml(reply)) {
      throw signInPage(`${request.label} answered with an HTML page`, { outcomeUnknown: !call.safe });
    }
    return reply.body;
  }

  /**
   * Sends every request: applies the time limit, adds the credential, renews it after a 401, and retries safe calls. A
   * second 401 is reported too, so that a new credential that is refused at once counts as refused.
   */
  async function send(call: ServiceCall): Promise<string> {
    const { failures = byStatus } = call;
    const deadline = startDeadline(call.safe ? timeoutMs : createTimeoutMs, closing.signal);
    let retries = 0;
    let renewals = 0;
    try {
      for (;;) {
        const authorization = await authorizer.header(deadline.signal);
        try {
          return await attempt(call, failures, authorization, deadline);
        } catch (error) {
          if (!isAppError(error)) throw error;
          // A 401 had no effect, so even a creation may be repeated with a new credential.
          if (error.code === 401 && renewals < MAX_RENEWALS) {
            renewals += 1;
            if (await authorizer.renew(authorization, deadline.signal)) continue;
          }
          const delayMs =
            call.safe && (failures.isRetried?.(error) ?? true)
              ? retryDelayMs(error, { retries, remainingMs: deadline.remainingMs(), random })
              : undefined;
          if (delayMs === undefined) throw error;
          retries += 1;
          await waitMs(delayMs, deadline.signal);
        }
      }
    } finally {
      deadline.stop();
    }
  }

  async function ask<T>(call: ServiceCall, schema: z.ZodType<T>): Promise<T> {
    const body = await send(call);
    let value: unknown;
    try {
      value = parseReply(body);
    } catch {
      // The parser's message quotes the body, which may contain private text.
      throw badReply(call, 'invalid JSON');
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw badReply(call, `the wrong shape: ${describe(parsed.error)}`);
  }

  return {
    send,
    ask,
    async close() {
      closing.abort(new AppError('unavailable', 'the client is closed', { code: 'closed' }));
      if (options.http === undefined) await http.close();
    },
  };
}

function badReply({ method, path, safe }: ServiceCall, what: string): AppError {
  return new AppError('badReply', `${method} ${path} answered with ${what}`, { outcomeUnknown: !safe });
}

/** Says where the reply has the wrong shape, without any value of the reply. */
function describe({ issues }: z.core.$ZodError): string {
  const [issue] = issues;
  return issue ? `${issue.message} at ${issue.path.join('.') || 'the top'}` : 'unknown';
}
