/** An `Authorization` header: a scheme in lower case with one credential, or with named parameters. */
export type AuthorizationHeader =
  | { scheme: 'token' | 'bearer'; credential: string }
  | { scheme: 'token-sudo'; user: string; token: string }
  | { scheme: 'unknown' };

/** A longer header is not read: access tokens have 68 characters, names of users at most 128. */
const MOST_CHARACTERS = 8_000;
/** A name, `=`, and a value as a token or a quoted string; each repetition ends where its neighbor begins. */
const PARAMETER =
  /[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+))\s*(?:,|$)/sy;

/**
 * Reads an `Authorization` header. Parameters may come in any order, with white space around `=` and `,`, as tokens or
 * quoted strings with backslash escapes (RFC 9110, 11.2 and 5.6.4). Anything else has the scheme `unknown`. The work grows with the
 * length of the header: strangers send it.
 */
export function readAuthorization(header: string): AuthorizationHeader {
  const text = header.length > MOST_CHARACTERS ? '' : header.trim();
  const end = text.search(/\s/);
  const scheme = text.slice(0, Math.max(0, end)).toLowerCase();
  const rest = text.slice(end).trimStart();
  if (scheme === 'token' || scheme === 'bearer') {
    return /\s/.test(rest) ? { scheme: 'unknown' } : { scheme, credential: rest };
  }
  if (scheme !== 'token-sudo') return { scheme: 'unknown' };
  const parameters = readParameters(rest);
  const user = parameters?.get('user');
  const token = parameters?.get('token');
  return user === undefined || token === undefined ? { scheme: 'unknown' } : { scheme: 'token-sudo', user, token };
}

/** Parameters by their names in lower case; undefined when the text has another form or repeats a name. */
function readParameters(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  const reader = new RegExp(PARAMETER);
  while (reader.lastIndex < text.length) {
    const start = reader.lastIndex;
    const [, name, quoted, token] = reader.exec(text) ?? [];
    if (name === undefined) return /^[\s,]*$/.test(text.slice(start)) ? parameters : undefined;
    const key = name.toLowerCase();
    if (parameters.has(key)) return undefined;
    parameters.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? token ?? '');
  }
  return parameters;
}
