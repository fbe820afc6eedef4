import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { eventually } from '../eventually.ts';

export const appToken = 'xapp-fake-token';

/** A fake of Slack's side of Socket Mode: `apps.connections.open` and its sockets. */
export async function startSocketSlack() {
  const sockets: WebSocket[] = [];
  const acknowledged: { envelopeId: string; payload: unknown }[] = [];
  let opened = 0;
  let refusals: (() => { status: number; body: string })[] = [];
  let serial = 0;

  const server = createServer((request, response) => {
    request.resume();
    opened += 1;
    const refusal = refusals.shift()?.();
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(refusal.body);
      return;
    }
    const isOurs =
      request.url === '/api/apps.connections.open' && request.headers.authorization === `Bearer ${appToken}`;
    const { port } = server.address() as AddressInfo;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        JSON.stringify(
          isOurs ? { ok: true, url: `ws://127.0.0.1:${port}/link` } : { ok: false, error: 'invalid_auth' },
        ),
      );
  });
  const socketServer = new WebSocketServer({ server, path: '/link' });
  socketServer.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { envelope_id: string; payload?: unknown };
      acknowledged.push({ envelopeId: message.envelope_id, payload: message.payload });
    });
    socket.send(
      JSON.stringify({ type: 'hello', num_connections: 1, debug_info: {}, connection_info: { app_id: 'A0APP' } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    acknowledged,
    opened: () => opened,
    connections: () => sockets.length,
    /** The next calls of `apps.connections.open` get these failures. */
    refuse: (...next: { status: number; body: string }[]) => {
      refusals = next.map((refusal) => () => refusal);
    },
    /** Sends an envelope on the newest connection; returns its id. */
    send: async (type: 'events_api' | 'slash_commands' | 'interactive', payload: unknown): Promise<string> => {
      const socket = await eventually(() => {
        const newest = sockets.at(-1);
        if (newest?.readyState !== newest?.OPEN || newest === undefined) throw new Error('no open connection');
        return newest;
      });
      serial += 1;
      const envelopeId = `envelope-${serial}`;
      socket.send(
        JSON.stringify({ type, envelope_id: envelopeId, payload, accepts_response_payload: type !== 'events_api' }),
      );
      return envelopeId;
    },
    /** Sends a raw frame. */
    sendFrame: (frame: string) => sockets.at(-1)?.send(frame),
    /** Asks the app to reconnect, as Slack does every few hours. */
    refresh: () => sockets.at(-1)?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' })),
    /** Breaks the newest connection without a close frame. */
    sever: () => sockets.at(-1)?.terminate(),
    stop: () => {
      for (const socket of sockets) socket.terminate();
      socketServer.close();
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
