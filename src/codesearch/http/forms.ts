import type { IncomingMessage } from 'node:http';
import { type Authentication, isFormToken, type Session } from '../accounts/authentication.ts';
import { LIMITS } from '../limits.ts';
import { isForm, readText } from './body.ts';
import { HttpError } from './http-error.ts';
import type { Reply } from './reply.ts';

/** The fields of a form; those with checkboxes may repeat a name. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (!isForm(request.headers)) {
    throw new HttpError(415, 'Send a form: application/x-www-form-urlencoded.');
  }
  if (Number(request.headers['content-length'] ?? 0) > LIMITS.formBytes) {
    throw new HttpError(413, `The form is larger than ${LIMITS.formBytes} bytes.`, { Connection: 'close' });
  }
  const fields = new URLSearchParams(await readText(request));
  for (const value of fields.values())
    if (value.includes('\0')) throw new HttpError(400, 'A field has a NUL character.');
  return fields;
}

/** The fields as parameters; 400 when one is repeated. */
export function singleValues(fields: URLSearchParams): Record<string, string> {
  const names = [...fields.keys()];
  if (new Set(names).size < names.length) throw new HttpError(400, 'A parameter is repeated.');
  return Object.fromEntries(fields);
}

/** Throws 403 unless a page of this service sent the request: stops forms on other sites. */
export function requireSameOrigin(headers: IncomingMessage['headers'], authentication: Authentication): void {
  if (!authentication.isSameOrigin(headers)) {
    throw new HttpError(403, 'This form must be sent from a page of this service.');
  }
}

/**
 * Reads a form of a signed-in person. Throws 403 when it was not sent from a page of this service or lacks the form
 * token of the session, and a redirect to the sign-in page without a session.
 */
export async function readSignedInForm(
  request: IncomingMessage,
  authentication: Authentication,
): Promise<{ fields: URLSearchParams; session: Session }> {
  requireSameOrigin(request.headers, authentication);
  const session = authentication.session(request.headers);
  if (session === undefined) throw new HttpError(303, 'Sign in first.', { Location: '/sign-in' });
  const fields = await readForm(request);
  if (!isFormToken(session.formToken, fields.get('formToken') ?? undefined)) {
    throw new HttpError(403, 'This form has expired. Go back, load the page again and repeat.');
  }
  return { fields, session };
}

/** Sends the browser to another address with GET. */
export function redirect(location: string, headers: Record<string, string> = {}): Reply {
  return { kind: 'json', status: 303, headers: { Location: location, 'Cache-Control': 'no-store', ...headers } };
}

/** The address if it is a path of this service, else `/`: a sign-in never leads to another site. */
export function ownPath(address: string | null): string {
  return address !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(address) ? address : '/';
}
