import { setTimeout as delay } from 'node:timers/promises';
import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import type { Logger as SlackLogger, WebClientOptions } from '@slack/web-api';
import type { Log } from '../../core/ports.ts';
import { withTimeout } from '../../core/timeout.ts';
import type { Outbound } from '../api/outbound-fetch.ts';
import { helloTimeoutMs, pingTimeoutMs } from '../settings.ts';
import { readPayload } from './payload.ts';

/** The wait before the next connection, after `failures` failed ones in a row. After a routine disconnect it is 0. */
const reconnectDelayMs = (failures: number): number => (failures === 0 ? 0 : Math.min(30_000, 500 * 2 ** failures));

interface SocketEvent {
  ack: (response?: Record<string, unknown>) => Promise<void>;
  type?: string;
  body: unknown;
  retry_num?: number;
  retry_reason?: string;
}

/** Handles one delivery of Slack. Throws if it was not taken. */
export interface Processor {
  processEvent: App['processEvent'];
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
 */
export function createSocketReceiver(options: {
  appToken: string;
  clientOptions: WebClientOptions;
  outbound: Outbound;
  logger: SlackLogger;
  log: Log;
}): SlackReceiver {
  const { appToken, clientOptions, outbound, logger, log } = options;
  const client = new SocketModeClient({
    appToken,
    logger,
    autoReconnectEnabled: false,
    clientPingTimeout: pingTimeoutMs,
    dispatcher: outbound.dispatcher,

    // A copy, because the client writes its own defaults into this object.
    clientOptions: { ...clientOptions },
  });
  const stopping = new AbortController();
  let app: Processor | undefined;
  let connected = false;
  let onDisconnected = (): void => {};
  let supervision: Promise<void> | undefined;

  // The client does not handle errors when it reads a frame. An unreadable frame would end the process.
  for (const read of client.listeners('ws_message')) {
    client.off('ws_message', read);
    client.on('ws_message', (...frame: unknown[]) => {
      Promise.resolve(read(...frame)).catch((error: unknown) =>
        log.warn({ event: 'slack_frame_unreadable', outcome: 'ignored' }, error),
      );
    });
  }
  client.on('slack_event', (event: SocketEvent) => void receive(event));
  client.on('connected', () => {
    connected = true;
  });
  client.on('disconnected', () => {
    connected = false;
    onDisconnected();
  });

  return {
    init: (bolt) => {
      app = bolt;
    },
    start: async () => {
      supervision = supervise();
    },
    stop: async () => {
      stopping.abort();
      try {
        await client.disconnect();
      } finally {
        await supervision;
      }
    },
    isConnected: () => connected,
  };

  async function receive({ ack, type, body: raw, retry_num, retry_reason }: SocketEvent): Promise<void> {
    const body = readPayload(raw);
    if (body === undefined) {
      log.warn({ event: 'slack_payload_unreadable', outcome: 'ignored', type: type ?? 'unknown' });
      // Acknowledged, because a second delivery could not be read either.
      await ack().catch((error: unknown) => log.warn({ event: 'slack_ack_failed' }, error));
      return;
    }
    // Bolt acknowledges an event before its listeners run. That call is ignored, and sent here when they are done.
    const holdsAck = type === 'events_api';
    let answered = false;
    const event: ReceiverEvent = {
      body,
      ack: async (response) => {
        if (answered || holdsAck) return;
        answered = true;
        await ack(typeof response === 'string' ? { text: response } : response);
      },
      ...(retry_num === undefined ? {} : { retryNum: retry_num }),
      ...(retry_reason === undefined ? {} : { retryReason: retry_reason }),
    };
    try {
      await app?.processEvent(event);
      if (holdsAck) await ack();
    } catch (error) {
      log.error({ event: 'slack_event_failed', outcome: 'not_acknowledged', type: type ?? 'unknown' }, error);
    }
  }

  async function supervise(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const closed = new Promise<void>((resolve) => {
        onDisconnected = resolve;
      });
      try {
        await connect();
        // The app may have stopped while the connection was being made.
        if (stopping.signal.aborted) await client.disconnect();
        failures = 0;
        log.info({ event: 'slack_connected', outcome: 'ok' });
        await closed;
        log.info({ event: 'slack_disconnected', outcome: stopping.signal.aborted ? 'stopping' : 'reconnecting' });
      } catch (error) {
        failures += 1;
        if (!stopping.signal.aborted) log.warn({ event: 'slack_connection_failed', failures }, error);
      }
      // A stop ends the wait.
      await delay(reconnectDelayMs(failures), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function connect(): Promise<void> {
    await withTimeout(client.start(), helloTimeoutMs, () => {
      client.disconnect().catch((error: unknown) => log.warn({ event: 'slack_disconnect_failed' }, error));
      throw new Error(`no hello within ${helloTimeoutMs} ms`);
    });
  }
}
