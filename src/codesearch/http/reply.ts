import type { ServerResponse } from 'node:http';
import { HttpError } from './http-error.ts';

/** The reply of a route; a JSON body of `undefined` is sent as an empty body. `headers` are added to those of the kind. */
export type Reply =
  | { kind: 'json'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'page'; status: number; html: string; contentSecurityPolicy: string; headers?: Record<string, string> }
  | { kind: 'text'; status: number; text: string; headers?: Record<string, string> }
  /** Text or bytes that a browser shows or loads; never HTML of this service. */
  | { kind: 'file'; status: number; contentType: string; body: string | Buffer; headers: Record<string, string> };

export function json(status: number, body?: unknown): Reply {
  return body === undefined ? { kind: 'json', status } : { kind: 'json', status, body };
}

/** Writes a reply once; does nothing when the client has disconnected. */
export function send(response: ServerResponse, reply: Reply): void {
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

/** Converts an error thrown by a route into a JSON error; anything but an {@link HttpError} becomes a plain 500. */
export function errorReply(error: unknown): Reply {
  const known = error instanceof HttpError ? error : new HttpError(500, 'Internal server error.');
  return {
    kind: 'json',
    status: known.status,
    body: { message: known.message, error: { status: known.status, message: known.message } },
    headers: known.headers,
  };
}
