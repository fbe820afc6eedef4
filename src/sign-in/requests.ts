import type { IncomingMessage } from 'node:http';

/** Largest form, in bytes. The form of the page has about 100. */
const mostFormBytes = 4_096;

/** The fields of a form. Undefined if it is none, or too large. Throws if the browser goes away. */
export function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  return new Promise((resolve, reject) => {
    // No further event would come.
    if (request.destroyed) throw new Error('the browser went away');
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostFormBytes) {
        // The rest is not read: the reply closes the connection.
        request.pause();
        resolve(undefined);
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(formOf(request, Buffer.concat(chunks))));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the browser went away')));
  });
}

function formOf({ headers }: IncomingMessage, body: Buffer): URLSearchParams | undefined {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
  return isForm ? new URLSearchParams(body.toString('utf8')) : undefined;
}

/** Whether a page of this address sent the form, by the headers that browsers add and scripts can't change. */
export function isOwnForm({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return headers.origin === undefined ? site === 'same-origin' : headers.origin === origin;
}

/** The cookie that binds a browser to a sign-in. Over https no other host of the domain can set it. */
export function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-deepsearch-sign-in' : 'deepsearch-sign-in';
}

export function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/** The first language that the browser asks for, as a locale. */
export function languageOf({ headers }: IncomingMessage): string | undefined {
  return /^\s*([a-z]{2,3}(?:-[a-z0-9]{2,8})*)/i.exec(headers['accept-language'] ?? '')?.[1];
}
