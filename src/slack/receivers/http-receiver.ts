import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BufferedIncomingMessage, HTTPResponseAck, HTTPModuleFunctions as http } from '@slack/bolt';
import type { Logger as SlackLogger } from '@slack/web-api';
import type { Log } from '../../core/ports.ts';
import {
  clockToleranceSeconds,
  mostArrivingBytes,
  mostSignedBytes,
  mostUnsignedBytes,
  refusalLoggedEveryMs,
} from '../settings.ts';
import { readPayload } from './payload.ts';
import type { Processor, SlackReceiver } from './socket-receiver.ts';

/** The path to which Slack posts events, commands and button presses. */
export const eventsPath = '/slack/events';

/**
 * Receives signed HTTP requests. It has no server: the app's server mounts `handle` at {@link eventsPath}. An event is
 * answered after its listeners have stored it. When they could not, the answer is an error and Slack delivers the event
 * again. Bolt's own receiver ends the process when a signed body is not an object. This one answers 400.
 */
export function createHttpReceiver(options: { signingSecret: string; logger: SlackLogger; log: Log }): SlackReceiver & {
  handle: (request: IncomingMessage, response: ServerResponse) => void;
} {
  const { signingSecret, logger, log } = options;
  const countBody = createArrivingBodies();
  let app: Processor | undefined;
  const noteWrongClock = createRefusalNote(log, 'clock');
  const noteWrongSignature = createRefusalNote(log, 'signature');
  const noteTooLarge = createRefusalNote(log, 'tooLarge');
  const noteAborted = createRefusalNote(log, 'aborted');

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
    const claim = claimOf(request);
    if (claim === 'wrong') {
      noteWrongSignature({});
      return end(response, 401);
    }
    if (typeof claim === 'object') {
      noteWrongClock(claim);
      return end(response, 401);
    }
    if (!/^application\/(?:json|x-www-form-urlencoded)\b/i.test(request.headers['content-type'] ?? '')) {
      return end(response, 415);
    }
    const verified = await verify(request, claim === 'signed' ? mostSignedBytes : mostUnsignedBytes);
    if (typeof verified === 'number') return end(response, verified);
    const raw = parse(verified);
    if (isRecord(raw) && raw.ssl_check === '1') return http.buildSSLCheckResponse(response);
    if (isRecord(raw) && raw.type === 'url_verification' && typeof raw.challenge === 'string') {
      return http.buildUrlVerificationResponse(response, raw);
    }
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
        retryNum,
        retryReason,
      });
    } finally {
      // Stops Bolt's timer for a missing acknowledgement.
      ack.ack();
    }
    // Nothing took it: the app has no command, button or form with this name.
    if (ack.storedResponse === undefined) return end(response, 404);
    http.buildContentResponse(response, ack.storedResponse);
  }

  /** Returns the request with its body, or the HTTP status of the refusal. */
  async function verify(request: IncomingMessage, bodyLimit: number): Promise<BufferedIncomingMessage | number> {
    try {
      return await countBody(request, () => http.parseAndVerifyHTTPRequest({ signingSecret, bodyLimit }, request));
    } catch (error) {
      if (!http.isRawBodyError(error)) {
        noteWrongSignature({}, error);
        return 401;
      }
      const isTooLarge = error.statusCode === 413;
      (isTooLarge ? noteTooLarge : noteAborted)({}, error);
      return isTooLarge ? 413 : 400;
    }
  }
}

/** Logs refused requests, with the number of those since the last line: a stranger can send any number. */
function createRefusalNote(log: Log, outcome: 'clock' | 'signature' | 'tooLarge' | 'aborted') {
  let refused = 0;
  let loggedMs = Number.NEGATIVE_INFINITY;
  return (fields: Partial<WrongClock>, error?: unknown): void => {
    refused += 1;
    const nowMs = performance.now();
    if (nowMs - loggedMs < refusalLoggedEveryMs) return;
    log.warn({ event: 'slack_request_refused', outcome, ...fields, refused }, error);
    refused = 0;
    loggedMs = nowMs;
  };
}

/** By how many seconds this machine's clock is ahead of the time that the request names; negative if it is behind. */
interface WrongClock {
  clockAheadSeconds: number;
}

/**
 * What the headers say before the body is read: without a signature, with one that may be Slack's, or with one that can't
 * be, also because it is too old, or from the future: that one could be kept and sent again later. A clock that is off
 * makes all requests of Slack look like that.
 */
function claimOf({ headers }: IncomingMessage): 'unsigned' | 'signed' | 'wrong' | WrongClock {
  const { 'x-slack-signature': signature, 'x-slack-request-timestamp': sentSeconds } = headers;
  if (signature === undefined && sentSeconds === undefined) return 'unsigned';
  const isSignature = /^v0=[0-9a-f]{64}$/.test(`${signature}`) && /^\d{1,12}$/.test(`${sentSeconds}`);
  if (!isSignature) return 'wrong';
  const clockAheadSeconds = Math.round(Date.now() / 1000 - Number(sentSeconds));
  return Math.abs(clockAheadSeconds) <= clockToleranceSeconds ? 'signed' : { clockAheadSeconds };
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

/**
 * Bounds the memory for bodies of requests whose sender is not verified yet. If all that are arriving together take more
 * than `mostBytes`, the request that began first is cut off: those of Slack arrive within milliseconds.
 */
export function createArrivingBodies(mostBytes = mostArrivingBytes) {
  const arriving = new Map<IncomingMessage, number>();
  let total = 0;

  /** Counts the body of a request while `reading` it. Call it before anything else listens to the request. */
  return async function count<Result>(request: IncomingMessage, reading: () => Promise<Result>): Promise<Result> {
    const add = (chunk: Buffer): void => {
      arriving.set(request, (arriving.get(request) ?? 0) + chunk.length);
      total += chunk.length;
      for (const oldest of arriving.keys()) {
        if (total <= mostBytes) return;
        forget(oldest);
        oldest.destroy();
      }
    };
    arriving.set(request, 0);
    request.on('data', add);
    try {
      return await reading();
    } finally {
      request.off('data', add);
      forget(request);
    }
  };

  function forget(request: IncomingMessage): void {
    total -= arriving.get(request) ?? 0;
    arriving.delete(request);
  }
}
