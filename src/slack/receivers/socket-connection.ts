import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { SocketModeClient } from '@slack/socket-mode';
import type { Logger as SlackLogger, WebClientOptions } from '@slack/web-api';
import type { Log } from '../../core/ports.ts';
import { within, withTimeout } from '../../core/timeout.ts';
import type { Outbound } from '../api/outbound-fetch.ts';
import { closingMs, helloTimeoutMs, lastAcksMs, pingTimeoutMs } from '../settings.ts';

export interface SocketEvent {
  ack: (response?: Record<string, unknown>) => Promise<void>;
  type?: string;
  body: unknown;
  retry_num?: number;
  retry_reason?: string;
}

/** One connection of Socket Mode. It never connects again. */
export interface SocketConnection {
  /** Resolves with Slack's `hello`. Throws Slack's refusal, or an error that names why the connection ended before. */
  open(): Promise<void>;
  /** Whether events can come: from `hello` until the socket is closed, also after Slack asked to end it. */
  isOpen(): boolean;
  /** Resolves with the reason once Slack asks to end the connection, or when it is closed. */
  ended: Promise<string>;
  /** Closes it, after the acknowledgements of what came on it: they can only be sent here. Takes a bounded time. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  appToken: string;
  clientOptions: WebClientOptions;
  outbound: Outbound;
  logger: SlackLogger;
  log: Log;
}

/** What undici publishes of a socket that is closed. */
const closeChannel = 'undici:websocket:close';

/** `receive` never throws, and resolves when the event needs no acknowledgement any more. */
export function createSocketConnection(
  { appToken, clientOptions, outbound, logger, log }: ConnectionOptions,
  receive: (event: SocketEvent) => Promise<void>,
): SocketConnection {
  // The receiver logs why a connection failed or ended, so the library's own lines would say it two or three times.
  const quiet = { ...logger, warn: () => {}, error: () => {} };
  // A copy, because the client writes its own defaults into this object.
  const callOptions = { ...clientOptions, logger: quiet };
  const { dispatcher, destroy } = outbound.socketDispatcher();
  const client = new SocketModeClient({
    appToken,
    logger: quiet,
    autoReconnectEnabled: false,
    clientPingTimeout: pingTimeoutMs,
    dispatcher,
    clientOptions: callOptions,
  });
  const unacknowledged = new Set<Promise<void>>();
  let url: string | undefined;
  let closeCode: number | undefined;
  let broken: unknown;
  let isOpen = false;
  let isClosing = false;
  let onEnd: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    onEnd = resolve;
  });
  let onClosed = (): void => {};
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });

  for (const read of client.listeners('ws_message')) {
    client.off('ws_message', read);
    client.on('ws_message', (...frame: unknown[]) => {
      const reason = disconnectReason(frame[0]);
      // The client would close the socket at once, before the acknowledgements of what came on it.
      if (reason !== undefined) return onEnd(reason);
      // The client does not handle errors when it reads a frame. An unreadable frame would end the process.
      Promise.resolve(read(...frame)).catch((error: unknown) =>
        log.warn({ event: 'slack_frame_unreadable', outcome: 'ignored' }, error),
      );
    });
  }
  client.on('slack_event', (event: SocketEvent) => {
    const received = receive(event).finally(() => {
      unacknowledged.delete(received);
    });
    unacknowledged.add(received);
  });
  // The client does not tell the code of a close frame.
  const noteClose = (message: unknown): void => {
    if (url !== undefined && urlOf(message) === url) closeCode = codeOf(message);
  };
  subscribe(closeChannel, noteClose);
  client.on('authenticated', (reply: { url?: string }) => {
    // Otherwise the client would go on and open a socket that no one closes.
    if (isClosing) throw new Error('the connection was given up');
    url = reply.url;
  });
  client.on('error', (error: { original?: unknown }) => {
    broken = error.original ?? error;
  });
  client.on('connected', () => {
    isOpen = true;
  });
  client.on('disconnected', () => {
    isOpen = false;
    // The code is published after this event.
    queueMicrotask(() => {
      unsubscribe(closeChannel, noteClose);
      onEnd(closeCode === undefined ? 'lost' : `closed_${closeCode}`);
      onClosed();
    });
  });

  return { open, isOpen: () => isOpen, ended, close };

  async function open(): Promise<void> {
    const endedEarly = ended.then((reason) => {
      throw new Error(`Slack ended the connection before its hello (${reason})`, { cause: broken });
    });
    try {
      // The client's own promise rejects with nothing when the socket closes.
      await withTimeout(Promise.race([endedEarly, client.start()]), helloTimeoutMs, () => {
        throw new Error(`no hello within ${helloTimeoutMs} ms`);
      });
    } catch (error) {
      await close();
      throw error;
    }
  }

  async function close(): Promise<void> {
    isClosing = true;
    if (isOpen) await within(Promise.all(unacknowledged), lastAcksMs);
    client.disconnect().catch((error: unknown) => log.warn({ event: 'slack_disconnect_failed' }, error));
    await within(closed, closingMs);
    // If the far side is silent, the client waits for its close frame.
    destroy();
    unsubscribe(closeChannel, noteClose);
  }
}

/** The reason in Slack's request to end the connection. Undefined for every other frame. */
function disconnectReason(frame: unknown): string | undefined {
  const isRequest = typeof frame === 'string' && frame.length < 10_000 && frame.includes('"disconnect"');
  if (!isRequest) return undefined;
  try {
    const { type, reason } = JSON.parse(frame) as { type?: unknown; reason?: unknown };
    if (type !== 'disconnect') return undefined;
    return typeof reason === 'string' && /^\w{1,60}$/.test(reason) ? reason : 'unknown';
  } catch {
    return undefined;
  }
}

function urlOf(message: unknown): string | undefined {
  const socket = isRecord(message) ? message.websocket : undefined;
  return isRecord(socket) && typeof socket.url === 'string' ? socket.url : undefined;
}

function codeOf(message: unknown): number | undefined {
  return isRecord(message) && typeof message.code === 'number' ? message.code : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
