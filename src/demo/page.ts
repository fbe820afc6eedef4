import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { PAGE_FIXES } from './page-fixes.ts';
import { DemoProblem } from './problem.ts';
import { requestProblem } from './request-check.ts';

const host = '127.0.0.1';

/** Where the local Slack listens: a port of this machine, or a unix socket that is forwarded to it. */
export type SlackAddress = { host: string; port: number } | { socketPath: string };

export interface Page {
  url: string;
  close(): Promise<void>;
}

/**
 * A proxy in front of the local Slack, for people and programs. It adds `PAGE_FIXES` to the web page. It listens on
 * 127.0.0.1 only and refuses requests that other web sites send through a browser; port 0 chooses a free one. Rejects
 * with a `DemoProblem` when it cannot listen on the port.
 */
export async function openPage(slack: SlackAddress, port: number): Promise<Page> {
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => {
    const problem = requestProblem(incoming);
    if (problem === undefined) forward(incoming, outgoing, slack);
    else outgoing.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(`${problem}\n`);
  });
  server.on('upgrade', (incoming, socket, head) => {
    const problem = requestProblem(incoming);
    if (problem !== undefined) {
      socket.on('error', () => undefined);
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${problem}\n`);
      return;
    }
    const slackSocket = connect('socketPath' in slack ? { path: slack.socketPath } : slack);
    for (const [one, other] of [[socket, slackSocket] as const, [slackSocket, socket] as const]) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    slackSocket.write(`${requestHead(incoming)}\r\n`);
    slackSocket.write(head);
    socket.pipe(slackSocket).pipe(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new DemoProblem(`The page cannot listen on port ${port}: ${error.message}`)),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host}:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, slack: SlackAddress): void {
  // Nothing can be added to compressed pages, and connection headers apply to one connection only.
  const { 'accept-encoding': _, connection: _requestConnection, ...headers } = incoming.headers;
  const { method, url: path } = incoming;
  // Fix only the page that a person opens, not files that a program reads.
  const mayBePage = method === 'GET' && headers.accept?.includes('text/html') === true;
  // A new connection for each request: the other side may close a reused one at this moment.
  const forwarded = request({ ...slack, agent: false, method, path, headers }, (reply) => {
    const { connection: _replyConnection, 'keep-alive': _keepAlive, ...passed } = reply.headers;
    reply.on('error', () => outgoing.destroy());
    if (!mayBePage || passed['content-type']?.startsWith('text/html') !== true) {
      outgoing.writeHead(reply.statusCode ?? 502, passed);
      reply.pipe(outgoing);
      return;
    }
    const { 'content-length': _length, 'transfer-encoding': _transfer, ...otherHeaders } = passed;
    outgoing.writeHead(reply.statusCode ?? 502, otherHeaders);
    reply.on('end', () => outgoing.end(PAGE_FIXES));
    reply.pipe(outgoing, { end: false });
  });
  forwarded.on('error', () => {
    if (outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(502, { 'content-type': 'text/plain' });
    outgoing.end('The local Slack does not answer.\n');
  });
  outgoing.on('close', () => forwarded.destroy());
  incoming.pipe(forwarded);
}

function requestHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return lines.map((line) => `${line}\r\n`).join('');
}
