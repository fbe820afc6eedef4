import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';

export interface ReceivedRequest {
  method: string;
  /** Path and query as received. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Replies to one request; a response that is not ended stays open until the server closes. */
export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

export interface ScriptedServer {
  origin: string;
  port: number;
  /** Every request in order of arrival, also those without a scripted reply. */
  requests: ReceivedRequest[];
  /** Connections accepted so far. */
  connections: () => number;
  /** Adds replies to the script; each one is used for one request, in order. */
  script: (...replies: Reply[]) => void;
  /** Resolves when the given number of requests has arrived. */
  received: (count: number) => Promise<void>;
  close: () => Promise<void>;
}

/** An HTTP server that replies from a script, request by request; other requests get status 599, which no test expects. */
export async function startScriptedServer(tls?: { key: string; cert: string }): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const replies: Reply[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;

  const server = tls ? createTlsServer(tls) : createServer();
  server.on(tls ? 'secureConnection' : 'connection', () => {
    connections += 1;
  });
  server.on('request', (incoming, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(request);
      const reply = replies.shift() ?? status(599);
      reply(response, request);
      for (const check of waiting) check();
    });
  });
  const port = await listenLocally(server);

  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    script: (...more) => void replies.push(...more),
    received: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (requests.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on a free port of 127.0.0.1 and returns the port. */
export async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/** A JSON reply. */
export function json(value: unknown, code = 200, headers: Record<string, string> = {}): Reply {
  return text(JSON.stringify(value), 'application/json', code, headers);
}

/** A reply with exactly this body. */
export function text(body: string, type: string, code = 200, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(code, { 'content-type': type, ...headers }).end(body);
}

/** A reply without a body. */
export function status(code: number, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(code, headers).end();
}

/** Accepts the request and never replies. */
export const silence: Reply = () => undefined;

/** Closes the connection instead of replying. */
export const hangUp: Reply = (response) => response.destroy();
