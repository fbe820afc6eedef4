import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { MENDING } from './page-mending.ts';
import { DemoProblem } from './problem.ts';
import { requestProblem } from './request-check.ts';

const host = '127.0.0.1';

/** Where the local Slack listens: a port of this machine, or a unix socket that leads to it. */
export type SlackAddress = { host: string; port: number } | { socketPath: string };

export interface Page {
  url: string;
  close(): Promise<void>;
}

/**
 * The local Slack as people see it: everything is passed through, and its web page gets what `MENDING` says. Listens
 * for this machine only and refuses what other sites send through a browser here; a port of 0 takes a free one. Rejects
 * with a `DemoProblem` when the port cannot be had.
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
    const far = connect('socketPath' in slack ? { path: slack.socketPath } : slack);
    for (const [near, other] of [[socket, far] as const, [far, socket] as const]) {
      sockets.add(near);
      near.on('error', () => other.destroy());
      near.on('close', () => {
        sockets.delete(near);
        other.destroy();
      });
    }
    far.write(`${requestHead(incoming)}\r\n`);
    far.write(head);
    socket.pipe(far).pipe(socket);
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
  // Compressed pages could not be added to, and how long a connection is kept is between its two ends.
  const { 'accept-encoding': _, connection: _near, ...headers } = incoming.headers;
  const { method, url: path } = incoming;
  // What a person opens is mended; a file that a program reads stays as it is.
  const mayBePage = method === 'GET' && headers.accept?.includes('text/html') === true;
  // A connection of its own for each request: one kept from an earlier request may be closed at this moment.
  const onward = request({ ...slack, agent: false, method, path, headers }, (reply) => {
    const { connection: _far, 'keep-alive': _keep, ...passed } = reply.headers;
    reply.on('error', () => outgoing.destroy());
    if (!mayBePage || passed['content-type']?.startsWith('text/html') !== true) {
      outgoing.writeHead(reply.statusCode ?? 502, passed);
      reply.pipe(outgoing);
      return;
    }
    const { 'content-length': _length, 'transfer-encoding': _transfer, ...kept } = passed;
    outgoing.writeHead(reply.statusCode ?? 502, kept);
    reply.on('end', () => outgoing.end(MENDING));
    reply.pipe(outgoing, { end: false });
  });
  onward.on('error', () => {
    if (outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(502, { 'content-type': 'text/plain' });
    outgoing.end('The local Slack does not answer.\n');
  });
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

function requestHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return lines.map((line) => `${line}\r\n`).join('');
}
