import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { type Logger as SlackLogger, WebAPIRateLimitedError, type WebClientOptions } from '@slack/web-api';
import { backOffMs, within, withTimeout } from '../../core/pacing.ts';
import type { Log } from '../../core/ports.ts';
import type { Outbound } from '../api/web-client.ts';
import {
  closingMs,
  helloTimeoutMs,
  lastAcksMs,
  longestBlockMs,
  pingTimeoutMs,
  shortestAbsenceMs,
  steadyConnectionMs,
} from '../settings.ts';
import { readPayload } from './payload.ts';

/** Handles one delivery of Slack. Throws if it was not taken. */
export interface Processor {
  processEvent: App['processEvent'];
  /** There was no connection for so long that deliveries may be lost. */
  missed?(): void;
}

/** A receiver that knows whether Slack can reach the app now. */
export interface SlackReceiver extends Receiver {
  init(processor: Processor): void;
  isConnected(): boolean;
}

/**
 * Receives through Socket Mode. Two things differ from Bolt's own receiver. An event is acknowledged only after its
 * listeners have stored it, so that Slack delivers it again when they could not. And the connection is supervised here,
 * because the client stops for good after some errors, and receives nothing for seconds after each routine disconnect.
 *
 * After a connection that lived for `steadyMs`, the next one is opened at once, and only then is the old one closed. If
 * Slack or a proxy ends connections sooner, the waits grow, because each new connection would end the same way.
 */
export function createSocketReceiver(
  options: ConnectionOptions & {
    /** Uniform in [0, 1). */
    random: () => number;
    steadyMs?: number;
    /** After a time without a connection that is longer than this, deliveries may be missing. */
    absenceMs?: number;
  },
): SlackReceiver {
  const { log, random, steadyMs = steadyConnectionMs, absenceMs = shortestAbsenceMs } = options;
  const stopping = new AbortController();
  let app: Processor | undefined;
  /** The newest connection that had its `hello`, and when. */
  let latest: { connection: SocketConnection; openedMs: number } | undefined;
  /** Whether the connection before it ended before it was steady. */
  let flaps = false;
  let supervision: Promise<void> | undefined;
  const closing = new Set<Promise<void>>();

  return {
    init: (bolt) => {
      app = bolt;
    },
    start: async () => {
      supervision = supervise();
    },
    stop: async () => {
      stopping.abort();
      await supervision;
      await Promise.all(closing);
    },
    isConnected: () =>
      latest?.connection.isOpen() === true && (!flaps || performance.now() - latest.openedMs >= steadyMs),
  };

  async function receive({ ack, type, body: raw, retry_num, retry_reason }: SocketEvent): Promise<void> {
    const body = readPayload(raw);
    if (body === undefined) {
      log.warn({ event: 'slack_payload_unreadable', outcome: 'ignored', type: type ?? 'unknown' });
      // Acknowledged, because a second delivery could not be read either.
      return sent(ack());
    }
    // Bolt acknowledges an event before its listeners run. That call is ignored, and sent here when they are done.
    const holdsAck = type === 'events_api';
    let answered = false;
    let onAnswered = (): void => {};
    const isAnswered = new Promise<void>((resolve) => {
      onAnswered = resolve;
    });
    const event: ReceiverEvent = {
      body,
      ack: async (response) => {
        if (answered || holdsAck) return;
        answered = true;
        await sent(ack(typeof response === 'string' ? { text: response } : response));
        onAnswered();
      },
      retryNum: retry_num,
      retryReason: retry_reason,
    };
    const processed = handled(event, type);
    if (!holdsAck) return Promise.race([processed.then(() => undefined), isAnswered]);
    if (await processed) await sent(ack());
  }

  /** Returns whether the listeners have done their work. */
  async function handled(event: ReceiverEvent, type: string | undefined): Promise<boolean> {
    try {
      await app?.processEvent(event);
      return true;
    } catch (error) {
      log.error({ event: 'slack_event_failed', outcome: 'not_acknowledged', type: type ?? 'unknown' }, error);
      return false;
    }
  }

  /** If this threw into a listener, the listener would tell the person that nothing was done. */
  async function sent(acknowledgement: Promise<void>): Promise<void> {
    await acknowledgement.catch((error: unknown) =>
      log.warn({ event: 'slack_ack_failed', outcome: 'not_sent' }, error),
    );
  }

  async function supervise(): Promise<void> {
    const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
    let failures = 0;
    let previous: SocketConnection | undefined;
    let awayFromMs: number | undefined;
    while (!stopping.signal.aborted) {
      let waitMs = 0;
      const connection = createSocketConnection(options, receive);
      try {
        await Promise.race([connection.open(), stopped]);
        if (stopping.signal.aborted) {
          previous = replace(previous, connection);
          break;
        }
        const openedMs = performance.now();
        latest = { connection, openedMs };
        if (awayFromMs !== undefined && openedMs - awayFromMs > absenceMs) app?.missed?.();
        previous = replace(previous, connection);
        log.info({ event: 'slack_connected', outcome: 'ok' });
        const reason = await Promise.race([connection.ended, stopped]);
        if (reason === undefined) {
          log.info({ event: 'slack_disconnected', outcome: 'stopping' });
          break;
        }
        flaps = performance.now() - openedMs < steadyMs;
        // The absence lasts until a connection is steady, because deliveries may also be lost while each lives only for moments.
        if (!flaps || awayFromMs === undefined) awayFromMs = performance.now();
        failures = flaps ? failures + 1 : 0;
        if (flaps) {
          previous = replace(previous, undefined);
          waitMs = backOffMs(failures, random());
          log.warn({ event: 'slack_disconnected', outcome: 'flapping', reason, failures, waitMs });
        } else {
          log.info({ event: 'slack_disconnected', outcome: 'reconnecting', reason });
        }
      } catch (error) {
        previous = replace(previous, undefined);
        failures += 1;
        waitMs = backOffMs(failures, random(), retryAfterMs(error));
        log.warn({ event: 'slack_connection_failed', failures, waitMs }, error);
      }
      // A stop ends the wait.
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    replace(previous, undefined);
  }

  /** Closes `before` in the background. Returns `next`, which the caller closes later. */
  function replace(
    before: SocketConnection | undefined,
    next: SocketConnection | undefined,
  ): SocketConnection | undefined {
    if (before !== undefined) {
      const closed = before.close().finally(() => closing.delete(closed));
      closing.add(closed);
    }
    return next;
  }
}

/** How long Slack asks not to be called. Bounded, because Slack's windows are minutes. */
function retryAfterMs(error: unknown): number {
  return error instanceof WebAPIRateLimitedError ? Math.min(longestBlockMs, error.retryAfter * 1000) : 0;
}

interface SocketEvent {
  ack: (response?: Record<string, unknown>) => Promise<void>;
  type?: string;
  body: unknown;
  retry_num?: number;
  retry_reason?: string;
}

/** One connection of Socket Mode. It never connects again. */
interface SocketConnection {
  /** Resolves with Slack's `hello`. Throws Slack's refusal, or an error that names why the connection ended before. */
  open(): Promise<void>;
  /** Whether events can come: from `hello` until the socket is closed, also after Slack asked to end it. */
  isOpen(): boolean;
  /** Resolves with the reason once Slack asks to end the connection, or when it is closed. */
  ended: Promise<string>;
  /** Closes it, after the acknowledgements of what came on it: they can only be sent here. Takes a bounded time. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  appToken: string;
  clientOptions: WebClientOptions;
  outbound: Outbound;
  logger: SlackLogger;
  log: Log;
}

/** What undici publishes of a socket that is closed. */
const closeChannel = 'undici:websocket:close';

/** `receive` never throws, and resolves when the event needs no acknowledgement any more. */
function createSocketConnection(
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
