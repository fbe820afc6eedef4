import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorPage } from '../pages/page.ts';
import { HttpError } from './http-error.ts';

/** The reply of a route; a JSON body of `undefined` is sent as an empty body. `headers` are added to those of the kind. */
export type Reply =
  | { kind: 'json'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'page'; status: number; html: string; contentSecurityPolicy: string; headers?: Record<string, string> }
  | { kind: 'text'; status: number; text: string; headers?: Record<string, string> }
  /** Text or bytes that a browser shows or loads; never HTML of this service. */
  | { kind: 'file'; status: number; contentType: string; body: string | Buffer; headers: Record<string, string> }
  | { kind: 'stream'; contentType: string; stream: Streamer };

/**
 * Writes the body of a stream part by part. `write` waits while the client reads slowly; the signal is aborted when the client
 * disconnects, also before the stream began. A thrown error ends the response.
 */
export type Streamer = (write: (text: string) => Promise<void>, signal: AbortSignal) => Promise<void>;

export function json(status: number, body?: unknown): Reply {
  return body === undefined ? { kind: 'json', status } : { kind: 'json', status, body };
}

/** Writes a reply once; does nothing but end a stream when the client has disconnected. */
export function send(response: ServerResponse, reply: Reply): Promise<void> | void {
  if (reply.kind === 'stream') return sendStream(response, reply);
  if (response.headersSent || response.destroyed) return;
  if (reply.kind === 'page') {
    response.writeHead(reply.status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': reply.contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      // Not `no-referrer`: browsers would then send forms of our own pages with `Origin: null`.
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
      ...reply.headers,
    });
    response.end(reply.html);
    return;
  }
  if (reply.kind === 'file') {
    response.writeHead(reply.status, {
      'Content-Type': reply.contentType,
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      ...reply.headers,
    });
    response.end(reply.body);
    return;
  }
  if (reply.kind === 'text') {
    response.writeHead(reply.status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...reply.headers,
    });
    response.end(reply.text);
    return;
  }
  if (reply.body === undefined) {
    response.writeHead(reply.status, reply.headers ?? {});
    response.end();
    return;
  }
  response.writeHead(reply.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...reply.headers,
  });
  response.end(JSON.stringify(reply.body));
}

async function sendStream(response: ServerResponse, reply: Reply & { kind: 'stream' }): Promise<void> {
  const disconnected = new AbortController();
  const abort = (): void => disconnected.abort();
  response.once('close', abort);
  if (response.destroyed) abort();
  else {
    response.writeHead(200, {
      'Content-Type': reply.contentType,
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }
  try {
    await reply.stream(async (text) => {
      if (disconnected.signal.aborted || response.write(text)) return;
      await once(response, 'drain', { signal: disconnected.signal }).catch(() => {});
    }, disconnected.signal);
  } finally {
    response.off('close', abort);
    response.end();
  }
}

/**
 * Converts an error thrown by a route: to JSON, or for people who read it in a browser to a page. Anything but an
 * {@link HttpError} becomes a plain 500.
 */
export function errorReply(error: unknown, forPeople = false): Reply {
  const known = error instanceof HttpError ? error : new HttpError(500, 'Internal server error.');
  if (forPeople && known.status >= 400) {
    return { kind: 'page', ...errorPage(known.status, known.message), headers: known.headers };
  }
  return {
    kind: 'json',
    status: known.status,
    body: { message: known.message, error: { status: known.status, message: known.message } },
    headers: known.headers,
  };
}

/** Whether a browser shows the reply to a person: not within the API. */
export function isForPeople({ url, headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return url?.startsWith('/.') === false && headers.accept?.includes('text/html') === true;
}
