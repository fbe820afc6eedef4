import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { MENDING } from './page-mending.ts';
import { DemoProblem } from './problem.ts';

const host = '127.0.0.1';

export interface Page {
  url: string;
  close(): Promise<void>;
}

/**
 * The local Slack as people see it: everything is passed through, and its web page gets what `MENDING` says. Listens
 * for this machine only; a port of 0 takes a free one. Rejects with a `DemoProblem` when the port cannot be had.
 */
export async function openPage(slackUrl: string, port: number): Promise<Page> {
  const { port: slackPort } = new URL(slackUrl);
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, slackPort));
  server.on('upgrade', (incoming, socket, head) => {
    const far = connect(Number(slackPort), host);
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
      reject(new DemoProblem(`The page can not listen on port ${port}: ${error.message}`)),
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

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: string): void {
  // Compressed pages could not be added to.
  const { 'accept-encoding': _, ...headers } = incoming.headers;
  const { method, url: path } = incoming;
  const onward = request({ host, port, method, path, headers }, (reply) => {
    const isPage = reply.headers['content-type']?.startsWith('text/html') === true && method === 'GET';
    if (!isPage) {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
      return;
    }
    const { 'content-length': _length, 'transfer-encoding': _transfer, ...kept } = reply.headers;
    outgoing.writeHead(reply.statusCode ?? 502, kept);
    reply.on('end', () => outgoing.end(MENDING));
    reply.pipe(outgoing, { end: false });
  });
  onward.on('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'text/plain' });
    outgoing.end('The local Slack does not answer.\n');
  });
  incoming.pipe(onward);
}

function requestHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return lines.map((line) => `${line}\r\n`).join('');
}
