import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LIMITS } from '../limits.ts';
import { HttpError } from './http-error.ts';

/** Reads a JSON object; 413 over the size cap, 415 in an unknown encoding, 400 when it is not UTF-8 JSON or not an object. */
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

/** Whether the body is `application/json` with any charset. A body without a type counts as JSON. */
export function isJson(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  return type === undefined || /^\s*application\/json\s*(?:;|$)/i.test(type);
}

/** Whether the body claims to be the fields of a form. Programs like curl send JSON so when they are not told the type. */
export function isForm({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return type !== undefined && /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Reads a body as text; 413 over the size cap, 415 in an unknown encoding, 400 when it is not UTF-8. */
export async function readText(request: IncomingMessage): Promise<string> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new HttpError(415, 'Content-Encoding must be gzip or identity.', { 'Accept-Encoding': 'gzip, identity' });
  }
  const sent = await readBytes(request);
  const bytes = encoding === 'gzip' ? await unzip(sent) : sent;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError(400, 'The request body is not valid UTF-8.');
  }
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > LIMITS.bodyBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LIMITS.bodyBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function unzip(bytes: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: LIMITS.bodyBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new HttpError(400, 'The request body is not valid gzip.');
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, `The request body is larger than ${LIMITS.bodyBytes} bytes.`, { Connection: 'close' });
}

/** Checks the text of a question, which both generations call `label`; throws 400 with a message that does not quote it. */
export function readQuestionText(value: unknown, label: string): string {
  if (value === undefined || value === null) throw new HttpError(400, `${label} is required.`);
  if (typeof value !== 'string') throw new HttpError(400, `${label} must be a string.`);
  if (value.trim() === '') throw new HttpError(400, `${label} must not be empty.`);
  if (value.includes('\0')) throw new HttpError(400, `${label} must not contain a NUL character.`);
  if (/\p{Surrogate}/u.test(value)) throw new HttpError(400, `${label} must be valid Unicode text.`);
  if (isTooLong(value)) {
    throw new HttpError(400, `${label} must have at most ${LIMITS.questionCharacters} characters.`);
  }
  return value;
}

/** Counts Unicode characters, and only where the length in UTF-16 leaves it open. */
function isTooLong(text: string): boolean {
  return text.length > LIMITS.questionCharacters && [...text].length > LIMITS.questionCharacters;
}
