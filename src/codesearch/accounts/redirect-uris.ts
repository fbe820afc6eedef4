const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Schemes that browsers run or read instead of opening a program. */
const REFUSED_SCHEMES = /^(?:javascript|data|vbscript|file|blob|about|filesystem|view-source|ws|wss|ftp):$/;

/** Whether an app may be registered with this redirect address: https, a scheme of its own, or http on a loopback address. */
export function isRegistrableRedirect(uri: string): boolean {
  if (!/^[\x21-\x7e]{1,2000}$/.test(uri) || !/^[a-z][a-z0-9+.-]+:/i.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#') || username !== '' || password !== '') return false;
  if (protocol === 'https:') return hostname !== '';
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return !REFUSED_SCHEMES.test(protocol);
}

/**
 * Whether a redirect address is one of the registered ones, compared as text. A registered `http` loopback address
 * without a port stands for every port (RFC 8252, 7.3).
 */
export function isRegisteredRedirect(uri: string, registered: readonly string[]): boolean {
  return registered.includes(uri) || registered.some((known) => isLoopbackWithPort(uri, known));
}

function isLoopbackWithPort(uri: string, known: string): boolean {
  const [, host, rest] = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(\/.*)?$/.exec(known) ?? [];
  const [, ownHost, ownRest] = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d{1,5}(\/.*)?$/.exec(uri) ?? [];
  return host !== undefined && host === ownHost && (rest ?? '') === (ownRest ?? '') && URL.canParse(uri);
}

/** The redirect address with these parameters added to its query. */
export function redirectWith(uri: string, parameters: Record<string, string | undefined>): string {
  const target = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value) target.searchParams.set(name, value);
  return target.href;
}

/** The origin or scheme of a redirect address, as a Content Security Policy names it. */
export function formTargetOf(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol;
}
