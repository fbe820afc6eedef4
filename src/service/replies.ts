import { z } from 'zod';
import { hideCredentials } from '../core/credentials-in-text.ts';
import { AppError, type AppErrorDetails, serviceCodes } from '../core/errors.ts';
import { conversationIdOf } from '../core/question/question.ts';
import type { HttpReply, HttpRequest } from './http.ts';

/** A longer `Retry-After` is not credible and is shortened to this. */
const longestRetryAfterMs = 24 * 3_600_000;
/** Longest message of the service that is kept, in characters. */
const longestSaid = 300;
/** A message with so long a part of the request would bring people's questions into the log. */
const repeatedCharacters = 16;

/** What the error of a reply depends on besides the reply. */
export type FailedRequest = Pick<HttpRequest, 'label' | 'safe' | 'body'>;

/** The error of an unsuccessful reply; undefined for a success. Its message contains nothing of the body. */
export function replyFailure(reply: HttpReply, request: FailedRequest, nowMs: number): AppError | undefined {
  const { status, headers } = reply;
  const { label, safe } = request;
  if (status >= 200 && status < 300) return undefined;
  const message = `${label} answered ${status}`;
  const outcomeUnknown = !safe;
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], nowMs);
  if (status < 400) {
    // Redirects are never followed, because the next origin must not see the credential. The operator has to correct
    // the address in the settings, or let the app pass the proxy that asks for a sign-in.
    const redirected = `${message}, a redirect to ${originOf(headers.location)}; it is not followed`;
    return leadsToSignIn(reply)
      ? signInPage(`${redirected}: a sign-in page`, { outcomeUnknown })
      : new AppError('badReply', redirected, { code: status, outcomeUnknown });
  }
  const details = { code: status, said: saidIn(reply, request.body) };
  switch (status) {
    case 401:
    case 403:
    case 407:
      return new AppError('unauthorized', isHtml(reply) ? `${message} with an HTML page` : message, details);
    case 404:
      return new AppError('notFound', message, details);
    case 429:
      return new AppError('rateLimited', message, { ...details, retryAfterMs });
    case 408:
    case 425:
      return new AppError('unavailable', message, { ...details, outcomeUnknown, retryAfterMs });
  }
  if (status < 500) return new AppError('refused', message, details);
  return new AppError('unavailable', message, { ...details, outcomeUnknown, retryAfterMs });
}

/**
 * The descriptive message of a failure, on one line. Undefined for a page, and for a message that repeats a part of the
 * request.
 */
function saidIn({ headers, body }: HttpReply, sent = ''): string | undefined {
  const type = headers['content-type']?.toLowerCase() ?? '';
  const found = type.includes('html') ? undefined : (messageIn(body) ?? (type.startsWith('text/') ? body : undefined));
  const said = found?.replace(/[\s\p{C}]+/gu, ' ').trim();
  if (said === undefined || said === '' || said.startsWith('<')) return undefined;
  const bounded = said.length > longestSaid ? cutSaid(said) : said;
  return bounded === undefined || repeats(bounded, sent) ? undefined : bounded;
}

/**
 * The beginning of a long message. If the message contains a credential, it ends before the word at the cut: a part of a
 * credential would not be recognized.
 */
function cutSaid(said: string): string | undefined {
  const beginning = said.slice(0, longestSaid - 1);
  if (hideCredentials(said) === said) return `${beginning}…`;
  const words = beginning.slice(0, beginning.lastIndexOf(' ') + 1).trimEnd();
  return words === '' ? undefined : `${words} …`;
}

/** What a body says. Undefined if it is no JSON. */
export function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** `message` of the body, or of its `error`, or `error` if that is a text. */
function messageIn(body: string): string | undefined {
  const { message, error } = fieldsOf(jsonIn(body));
  return [message, fieldsOf(error).message, error].find((each) => typeof each === 'string');
}

function fieldsOf(value: unknown): { message?: unknown; error?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}

function repeats(said: string, sent: string): boolean {
  const inJson = JSON.stringify(said).slice(1, -1);
  for (let at = 0; at + repeatedCharacters <= inJson.length; at += repeatedCharacters) {
    if (sent.includes(inJson.slice(at, at + repeatedCharacters))) return true;
  }
  return false;
}

function originOf(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  // Names only the origin, because the rest of the address may contain secrets. A path without an origin stays on this
  // origin.
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}

/** Words in the host or path of addresses at which people sign in. */
const signInWords =
  /(?:^|[^a-z])(?:(?:sign|log)[-_]?(?:in|on)|sso|saml2?|oauth2?|openid|auth[nz]?|authorize|idp|identity|accounts?|cdn-cgi)(?:$|[^a-z])/;

/** The error of a call that a page for people answered. */
export function signInPage(message: string, details: AppErrorDetails = {}): AppError {
  return new AppError('badReply', message, { ...details, code: serviceCodes.signInPage });
}

/** Whether the reply is a page for people. */
export function isHtml({ headers }: Pick<HttpReply, 'headers'>): boolean {
  return headers['content-type']?.toLowerCase().includes('html') ?? false;
}

/** Whether a redirect leads to where people sign in. */
function leadsToSignIn({ status, headers: { location = '' } }: Pick<HttpReply, 'status' | 'headers'>): boolean {
  const base = 'http://same.invalid';
  if (status < 300 || status >= 400 || location === '' || !URL.canParse(location, base)) return false;
  const { host, pathname } = new URL(location, base);
  return signInWords.test(`${host}${pathname}`.toLowerCase());
}

/**
 * Reads a `Retry-After` header: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when it is absent or unreadable;
 * at most 24 h.
 */
export function parseRetryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (text === '') return undefined;
  const delayMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), longestRetryAfterMs);
}

// Values of replies that both generations write in the same way.

/** The suggestions without blanks and duplicates. */
export function followUpsOf(texts: string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

/** Epoch milliseconds of an ISO time. Undefined if it is missing or unreadable. */
export function parseTime(iso: string | null | undefined): number | undefined {
  const timeMs = Date.parse(iso ?? '');
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** An object with this field, or without it if the value is undefined. */
export function defined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  const result: { [P in K]?: V } = {};
  if (value !== undefined) result[key] = value;
  return result;
}

/** An id or a cursor that {@link parseReply} kept as its digits: a number, or these digits where a number can't hold it. */
export const longInteger = z.object({ integer: z.string() }).transform(({ integer }) => conversationIdOf(integer));

/**
 * Keys of ids and cursors, with integers of 16 digits or more. Inside a string, a quote has a backslash before it, so this
 * finds nothing there.
 */
const idsAndCursors = /([{,]\s*"(?:id|\w*_id|\w*cursor|next_page|page_after)"\s*:\s*)(-?[1-9]\d{15,38})(?![\d.eE])/g;

/**
 * Parses a JSON text of the service, in linear time. An id or a cursor that `JSON.parse` might round becomes what
 * {@link longInteger} reads. Throws what `JSON.parse` throws.
 */
export function parseReply(json: string): unknown {
  return JSON.parse(json.replace(idsAndCursors, '$1{"integer":"$2"}'));
}
