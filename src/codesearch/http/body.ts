import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';

/** Reads a JSON object; 413 over the size cap, 400 when it is not UTF-8 JSON or not an object. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readText(request);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The request body is not valid JSON.');
  }
  if (!isObject(parsed)) throw new HttpError(400, 'The request body must be a JSON object.');
  return parsed;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a body as text; 413 over the size cap, 400 when it is not UTF-8. */
export async function readText(request: IncomingMessage): Promise<string> {
  const tooLarge = new HttpError(413, `The request body is larger than ${LIMITS.bodyBytes} bytes.`, {
    Connection: 'close',
  });
  if (Number(request.headers['content-length'] ?? 0) > LIMITS.bodyBytes) throw tooLarge;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LIMITS.bodyBytes) throw tooLarge;
    parts.push(part);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new HttpError(400, 'The request body is not valid UTF-8.');
  }
}
