import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { team } from '../../../src/local-slack/people.ts';
import { eventually } from '../eventually.ts';

/** How a connection ends: the reason that Slack sends before it closes it, or the code of the close frame (1006: none). */
export type SocketEnd = 'too_many_websockets' | 'link_disabled' | 'refresh_requested' | 1000 | 1006;

/** Slack closes a connection about ten seconds after it asked for its end. */
const slackClosesAfterMs = 10_000;

interface Refusal {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

/** A fake of Slack's side of Socket Mode: `apps.connections.open` and its sockets. */
export async function startSocketSlack() {
  const sockets: WebSocket[] = [];
  const acknowledged: { envelopeId: string; payload: unknown }[] = [];
  let opened = 0;
  let refusals: Refusal[] = [];
  let serial = 0;
  let endsAtOnce: SocketEnd | undefined;

  const server = createServer((request, response) => {
    request.resume();
    opened += 1;
    const refusal = refusals.shift();
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { 'content-type': 'application/json', ...refusal.headers }).end(refusal.body);
      return;
    }
    const isOurs =
      request.url === '/api/apps.connections.open' && request.headers.authorization === `Bearer ${team.appToken}`;
    const { port } = server.address() as AddressInfo;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(
        JSON.stringify(
          isOurs
            ? { ok: true, url: `ws://127.0.0.1:${port}/link?ticket=${opened}&app_id=A0APP` }
            : { ok: false, error: 'invalid_auth' },
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
    if (endsAtOnce !== undefined) end(socket, endsAtOnce);
  });
  /** As Slack does: it closes the socket soon after its request, also if the app does not. */
  function end(socket: WebSocket | undefined, how: SocketEnd): void {
    if (how === 1006) socket?.terminate();
    else if (how === 1000) socket?.close(1000);
    else {
      socket?.send(JSON.stringify({ type: 'disconnect', reason: how, debug_info: { host: 'applink-1' } }));
      setTimeout(() => socket?.close(1000), slackClosesAfterMs).unref();
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    acknowledged,
    opened: () => opened,
    connections: () => sockets.length,
    openNow: () => sockets.filter(({ readyState, OPEN }) => readyState === OPEN).length,
    /** The next calls of `apps.connections.open` get these failures. */
    refuse: (...next: Refusal[]) => {
      refusals = next;
    },
    /** Every connection from now on ends like this right after its `hello`. */
    endAtOnce: (how: SocketEnd | undefined) => {
      endsAtOnce = how;
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
    refresh: () => end(sockets.at(-1), 'refresh_requested'),
    /** Breaks the newest connection without a close frame. */
    sever: () => end(sockets.at(-1), 1006),
    stop: () => {
      for (const socket of sockets) socket.terminate();
      socketServer.close();
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
