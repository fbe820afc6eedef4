import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { AppError, isAppError, serviceCodes } from '../core/errors.ts';
import type { Tracer } from '../core/tracing.ts';
import { createProxyAgent, type ProxySettings } from './proxy.ts';

export interface HttpOptions {
  /** The only origin that this client sends requests to. Redirects don't change it. */
  origin: string;
  /** Headers that each request has besides its own, by their lower-case names. */
  headers?: Record<string, string> | undefined;
  maxConnections: number;
  maxResponseBytes: number;
  connectTimeoutMs: number;
  proxy: ProxySettings | undefined;
  /** PEM of certificate authorities to trust in addition to the usual ones. */
  ca?: string | undefined;
  tracer: Tracer;
  /** Whether requests tell the far side which trace they belong to (W3C `traceparent`). */
  sendsTrace: boolean;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path and query, as sent. */
  path: string;
  /** Names the request in error messages. Contains no secrets. */
  label: string;
  /** The path with `{names}` in the place of ids, and without a query, for traces. */
  template: string;
  /** Whether the request may be repeated. If so, its outcome is never unknown. */
  safe: boolean;
  headers: Record<string, string>;
  body?: string;
  /**
   * Whether the caller needs the body of a reply with this status that is no success, because its error depends on it. If
   * such a body breaks off, the reply counts as incomplete.
   */
  readsFailure?: (status: number) => boolean;
}

export interface HttpReply {
  status: number;
  /** First value of each header, by its lower-case name. */
  headers: Record<string, string>;
  /** Of a failure the first 64 KiB, or what came of it within a second if the request does not need it. */
  body: string;
}

export interface Http {
  /**
   * Returns any complete reply, whatever its status. Throws `unavailable` without a complete reply and `badReply` for a
   * reply over the size limit.
   */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/** The codes of errors that a compressed reply causes begin with this, and name the coding after it. */
export const compressed = 'compressed_';

/** How much of a failure's body is read. */
const FAILURE_BYTES = 64 * 1024;
/** How long a failure's body is read on which no error depends. */
const DRAIN_MS = 1_000;

/** Connections to one origin, directly or through a proxy. */
export function createHttp(options: HttpOptions): Http {
  const pools = { ...options, scheme: options.origin.startsWith('https:') ? 'https' : 'http' } as const;
  const kept = createProxyAgent(pools);
  // If the far side closes an idle connection just when a request is written to it, no one can tell whether it took the
  // request. So a request that may not be repeated gets a connection of its own.
  const fresh = createProxyAgent({ ...pools, keepsAlive: false });
  const { origin, tracer, sendsTrace } = options;
  // Replies are not decompressed.
  const common = { 'accept-encoding': 'identity' };
  return { send, close: () => Promise.all([kept.destroy(), fresh.destroy()]).then(() => undefined) };

  function send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    return tracer.request({ method: request.method, origin, path: request.template }, async (span) => {
      const { context } = span;
      const trace: Record<string, string> = sendsTrace && context ? { traceparent: context } : {};
      const headers = { ...options.headers, ...request.headers, ...common, ...trace };
      const reply = await exchange(request.safe ? kept : fresh, options, { ...request, headers }, signal);
      span.note({ status: reply.status });
      return reply;
    });
  }
}

function exchange(
  dispatcher: Dispatcher,
  { origin, maxResponseBytes }: HttpOptions,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    // Becomes true when undici takes a connected socket to write the request. A failure before that (name lookup,
    // connection, certificate, proxy tunnel, wait in the queue) had no effect.
    let sent = false;
    let settled = false;
    let status = 0;
    let headers: Record<string, string> = {};
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    let isFailure = false;
    let needsBody = true;
    let drainTimer: NodeJS.Timeout | undefined;

    const settle = (act: () => void) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const fail = (kind: 'unavailable' | 'badReply', what: string, details: { cause?: unknown; code?: string }) =>
      settle(() =>
        reject(new AppError(kind, `${request.label}: ${what}`, { ...details, outcomeUnknown: sent && !request.safe })),
      );
    // TextDecoder drops a byte order mark, which JSON.parse rejects.
    const reply = () =>
      settle(() => resolve({ status, headers, body: new TextDecoder().decode(Buffer.concat(chunks)) }));
    const onAbort = () => {
      const { message, code } = reasonOf(signal);
      if (!needsBody) reply();
      fail('unavailable', message, { code });
      controller?.abort(new Error('abandoned'));
    };

    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });

    dispatcher.dispatch(
      {
        origin,
        path: request.path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        // The caller's signal limits the whole exchange.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(current) {
          controller = current;
          if (settled) current.abort(new Error('abandoned'));
          else sent = true;
        },
        onResponseStart(current, statusCode, replyHeaders) {
          if (statusCode < 200) return;
          status = statusCode;
          headers = firstValues(replyHeaders);
          isFailure = status >= 300;
          needsBody = !isFailure || request.readsFailure?.(status) === true;
          const coding = codingOf(headers);
          if (coding !== undefined) {
            if (!needsBody) reply();
            fail('badReply', `the reply has the content coding ${coding}`, { code: `${compressed}${coding}` });
            current.abort(new Error('no reply that this client reads'));
            return;
          }
          if (!isFailure) {
            if (Number(headers['content-length'] ?? 0) > maxResponseBytes) refuseSize(current);
            return;
          }
          if (needsBody) return;
          drainTimer = setTimeout(() => {
            reply();
            current.abort(new Error('read long enough'));
          }, DRAIN_MS);
          drainTimer.unref();
        },
        onResponseData(current, chunk) {
          receivedBytes += chunk.length;
          if (!settled) chunks.push(chunk);
          if (isFailure) {
            if (receivedBytes <= FAILURE_BYTES) return;
            reply();
            current.abort(new Error('read far enough'));
          } else if (receivedBytes > maxResponseBytes) refuseSize(current);
        },
        onResponseEnd() {
          clearTimeout(drainTimer);
          reply();
        },
        onResponseError(_controller, error) {
          clearTimeout(drainTimer);
          if (!needsBody) reply();
          const code = codeOf(error);
          fail('unavailable', `no complete reply (${code ?? error.name})`, { cause: error, ...(code && { code }) });
        },
      },
    );

    function refuseSize(current: Dispatcher.DispatchController) {
      fail('badReply', `the reply is larger than ${maxResponseBytes} bytes`, { code: serviceCodes.tooLarge });
      current.abort(new Error('reply too large'));
    }
  });
}

/** The content coding of a reply, if it has one although none was asked for. A proxy may add one. */
function codingOf({ 'content-encoding': value = '' }: HttpReply['headers']): string | undefined {
  const coding = value.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return undefined;
  return coding.replace(/[^\w-]+/g, '_').slice(0, 20);
}

function reasonOf(signal: AbortSignal): { message: string; code: string } {
  const reason: unknown = signal.reason;
  if (reason instanceof AppError) return { message: reason.message, code: String(reason.code ?? 'aborted') };
  return { message: 'abandoned', code: 'aborted' };
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values[name.toLowerCase()] = first;
  }
  return values;
}

/**
 * System errors and undici errors both have a `code`. If several addresses of one name fail, the error is an
 * AggregateError with a `code`.
 */
function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The code of the error when the time of a call is up. */
export const timedOut = 'timeout';

export type Deadline = ReturnType<typeof startDeadline>;

/**
 * The total time limit of one call: its waits, its credential refresh and every attempt. `signal` aborts with an
 * {@link AppError} of kind `unavailable` when the time is up or the client closes. `stop` frees the timer: call it when the
 * call ends.
 */
export function startDeadline(timeoutMs: number, closing: AbortSignal) {
  const endsAtMs = performance.now() + timeoutMs;
  const controller = new AbortController();
  const close = () => controller.abort(closing.reason);
  const timer = setTimeout(
    () => controller.abort(new AppError('unavailable', `no answer within ${timeoutMs} ms`, { code: timedOut })),
    timeoutMs,
  );
  if (closing.aborted) close();
  else closing.addEventListener('abort', close, { once: true });
  return {
    signal: controller.signal,
    remainingMs: () => endsAtMs - performance.now(),
    stop() {
      clearTimeout(timer);
      closing.removeEventListener('abort', close);
    },
  };
}

/** Settles like `promise`, or rejects with the signal's reason as soon as the signal aborts. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits `delayMs`. Rejects with the signal's reason if the signal aborts first. */
export async function waitMs(delayMs: number, signal: AbortSignal): Promise<void> {
  await delay(delayMs, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}

/** How often a safe call is retried after its first failure. */
const MAX_RETRIES = 2;
const BASE_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;
/** Shortest time left in the budget for which another attempt is worth sending. */
const MIN_ATTEMPT_MS = 50;

export interface RetryMoment {
  /** Retries made so far. */
  retries: number;
  /** Time left in the call's budget. */
  remainingMs: number;
  /** Uniform in [0, 1). */
  random: () => number;
}

/**
 * How long to wait before retrying a safe call, with full jitter. Undefined when the call must not be retried. The far
 * side's `Retry-After` is a lower bound; if it does not fit into the budget, the caller handles it.
 */
export function retryDelayMs(error: AppError, { retries, remainingMs, random }: RetryMoment): number | undefined {
  if (!isAppError(error, 'unavailable', 'rateLimited') || retries >= MAX_RETRIES) return undefined;
  const jitterMs = random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retries);
  const delayMs = (error.retryAfterMs ?? 0) + jitterMs;
  return delayMs + MIN_ATTEMPT_MS <= remainingMs ? delayMs : undefined;
}
