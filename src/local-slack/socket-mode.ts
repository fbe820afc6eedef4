import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Attempt, acknowledgeMs, type Send } from './delivery.ts';
import { appId } from './people.ts';

/** Slack's most open sockets of one app. */
const mostSockets = 10;

/** Slack's side of Socket Mode on an HTTP server: sockets with a ticket each, one of which gets each payload. */
export function createSocketMode(http: Server, noteChange: () => void) {
  const sockets = new Set<WebSocket>();
  const tickets = new Set<string>();
  const waiting = new Map<string, (attempt: Attempt) => void>();
  let serial = 0;

  const server = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    // Each address works once.
    if (pathname !== '/link' || !tickets.delete(searchParams.get('ticket') ?? '')) return void socket.destroy();
    server.handleUpgrade(request, socket, head, (opened) => open(opened));
  });

  const send: Send = (type, payload, retry) =>
    new Promise((resolve) => {
      const socket = [...sockets].at(-1);
      if (socket === undefined) return resolve({ acknowledged: false, reason: 'connection_failed' });
      serial += 1;
      const id = `envelope-${serial}`;
      const settle = (attempt: Attempt): void => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(attempt);
      };
      const timer = setTimeout(() => settle({ acknowledged: false, reason: 'timeout' }), acknowledgeMs);
      waiting.set(id, settle);
      socket.send(
        JSON.stringify({
          envelope_id: id,
          payload,
          type,
          accepts_response_payload: type !== 'events_api',
          ...(type === 'events_api' && { retry_attempt: retry?.attempt ?? 0, retry_reason: retry?.reason ?? '' }),
        }),
      );
    });

  return {
    send,
    /** A new address of a socket, relative to the server, for `apps.connections.open`. */
    ticket: () => {
      serial += 1;
      tickets.add(String(serial));
      return `/link?ticket=${serial}&app_id=${appId}`;
    },
    isConnected: () => sockets.size > 0,
    stop: () => {
      for (const socket of sockets) socket.terminate();
      server.close();
    },
  };

  function open(socket: WebSocket): void {
    if (sockets.size >= mostSockets) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets', debug_info: {} }));
      socket.close(1000);
      return;
    }
    sockets.add(socket);
    noteChange();
    socket.on('close', () => {
      sockets.delete(socket);
      noteChange();
    });
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      const { envelope_id: id, payload } = JSON.parse(String(data)) as { envelope_id: string; payload?: unknown };
      waiting.get(id)?.({ acknowledged: true, ...(payload === undefined ? {} : { response: payload }) });
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: sockets.size,
        debug_info: { host: 'local', approximate_connection_time: 18_060 },
        connection_info: { app_id: appId },
      }),
    );
  }
}
