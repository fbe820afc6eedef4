import type { IncomingMessage, ServerResponse } from 'node:http';
import { type App, type BufferedIncomingMessage, HTTPResponseAck, HTTPModuleFunctions as http } from '@slack/bolt';
import type { Logger as SlackLogger } from '@slack/web-api';
import { readPayload } from './payload.ts';
import type { SlackReceiver } from './socket-receiver.ts';

/** The path to which Slack posts events, commands and button presses. */
export const eventsPath = '/slack/events';

/** How far the timestamp of a signed request may be in the future, in seconds, because clocks differ. */
const clockToleranceSeconds = 300;

/**
 * Receives signed HTTP requests. It has no server: the app's server mounts `handle` at {@link eventsPath}. An event is
 * answered after its listeners have stored it. When they could not, the answer is an error and Slack delivers the event
 * again. Bolt's own receiver ends the process when a signed body is not an object. This one answers 400.
 */
export function createHttpReceiver(options: { signingSecret: string; logger: SlackLogger }): SlackReceiver & {
  handle: (request: IncomingMessage, response: ServerResponse) => void;
} {
  const { signingSecret, logger } = options;
  let app: App | undefined;

  return {
    init: (bolt) => {
      app = bolt;
    },
    start: async () => {},
    stop: async () => {},
    isConnected: () => true,
    handle: (request, response) => {
      receive(request, response).catch((error: unknown) => {
        logger.error(`Slack's request was not taken: ${error}`);
        end(response, 500);
      });
    },
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      return end(response, 405);
    }
    // Bolt refuses only old timestamps. A request with a future timestamp could be kept and replayed later.
    const sentSeconds = Number(request.headers['x-slack-request-timestamp']);
    if (sentSeconds > Date.now() / 1000 + clockToleranceSeconds) return end(response, 401);
    const verified = await verify(request);
    if (typeof verified === 'number') return end(response, verified);
    const raw = parse(verified);
    if (isRecord(raw) && raw.ssl_check === '1') return http.buildSSLCheckResponse(response);
    if (isRecord(raw) && raw.type === 'url_verification') return http.buildUrlVerificationResponse(response, raw);
    const body = readPayload(raw);
    if (body === undefined) {
      logger.warn('Slack sent what is none of its payloads');
      return end(response, 400);
    }
    const ack = new HTTPResponseAck({
      logger,
      processBeforeResponse: true,
      httpRequest: request,
      httpRequestBody: body,
      httpResponse: response,
    });
    const retryNum = http.extractRetryNumFromHTTPRequest(request);
    const retryReason = http.extractRetryReasonFromHTTPRequest(request);
    try {
      await app?.processEvent({
        body,
        ack: ack.bind(),
        ...(retryNum === undefined ? {} : { retryNum }),
        ...(retryReason === undefined ? {} : { retryReason }),
      });
    } catch (error) {
      // Stops Bolt's timer for a missing acknowledgement.
      ack.ack();
      throw error;
    }
    if (ack.storedResponse !== undefined) http.buildContentResponse(response, ack.storedResponse);
  }

  /** Returns the request with its body, or the HTTP status of the refusal. */
  async function verify(request: IncomingMessage): Promise<BufferedIncomingMessage | number> {
    try {
      return await http.parseAndVerifyHTTPRequest({ signingSecret, bodyLimit: http.defaultBodyLimit }, request);
    } catch (error) {
      logger.warn(`Slack's request was refused: ${error}`);
      return http.isRawBodyError(error) && error.statusCode === 413 ? 413 : 401;
    }
  }
}

/** Undefined when the body is neither JSON nor a form. */
function parse(request: BufferedIncomingMessage): unknown {
  try {
    return http.parseHTTPRequestBody(request);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status);
  response.end();
}
