import { createServer, request as forward } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenLocally } from './scripted-server.ts';

export interface TestProxy {
  address: (credentials?: string) => string;
  /** The requests and credentials it received. */
  seen: string[];
}

/** A minimal proxy: forwards absolute requests, and opens tunnels unless `refuse` is true. Closes at the end of the test. */
export async function openProxy({ refuse = false } = {}): Promise<TestProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    const { 'proxy-authorization': credentials, ...headers } = incoming.headers;
    seen.push(`${incoming.method} ${incoming.url} ${credentials}`);
    const onward = forward(incoming.url ?? '', { method: incoming.method ?? 'GET', headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (incoming, socket: Socket) => {
    seen.push(`CONNECT ${incoming.url} ${incoming.headers['proxy-authorization']}`);
    if (refuse) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const [host, port] = (incoming.url ?? '').split(':');
    const onward = connectSocket(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  const port = await listenLocally(server);
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return { seen, address: (credentials = '') => `http://${credentials}127.0.0.1:${port}` };
}
