/** An `Authorization` header: a scheme in lower case with one credential, or with named parameters. */
export type AuthorizationHeader =
  | { scheme: 'token' | 'bearer'; credential: string }
  | { scheme: 'token-sudo'; user: string; token: string }
  | { scheme: 'unknown' };

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+/;
const QUOTED = /^"((?:[^"\\]|\\.)*)"/s;

/**
 * Reads an `Authorization` header. Parameters may come in any order, with white space around `=` and `,`, as tokens or
 * quoted strings with backslash escapes (RFC 9110, 11.2 and 5.6.4). Anything else has the scheme `unknown`.
 */
export function readAuthorization(header: string): AuthorizationHeader {
  const [, scheme = '', rest = ''] = /^\s*([!#-'*+.^_`|~0-9A-Za-z-]+)\s+(.*?)\s*$/s.exec(header) ?? [];
  const name = scheme.toLowerCase();
  if (name === 'token' || name === 'bearer') {
    return /^\S+$/.test(rest) ? { scheme: name, credential: rest } : { scheme: 'unknown' };
  }
  if (name !== 'token-sudo') return { scheme: 'unknown' };
  const parameters = readParameters(rest);
  const user = parameters?.get('user');
  const token = parameters?.get('token');
  return user === undefined || token === undefined ? { scheme: 'unknown' } : { scheme: 'token-sudo', user, token };
}

/** Parameters by their names in lower case; undefined when the text has another form or repeats a name. */
function readParameters(text: string): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  let rest = text;
  while (rest !== '') {
    rest = rest.replace(/^[\s,]+/, '');
    if (rest === '') break;
    const name = TOKEN.exec(rest)?.[0].toLowerCase();
    if (name === undefined || parameters.has(name)) return undefined;
    const afterName = /^\s*=\s*/.exec(rest.slice(name.length));
    if (afterName === null) return undefined;
    rest = rest.slice(name.length + afterName[0].length);
    const quoted = QUOTED.exec(rest);
    const value = quoted?.[1]?.replace(/\\(.)/gs, '$1') ?? TOKEN.exec(rest)?.[0];
    if (value === undefined) return undefined;
    parameters.set(name, value);
    rest = rest.slice(quoted?.[0].length ?? value.length).replace(/^\s+/, '');
    if (rest !== '' && !rest.startsWith(',')) return undefined;
  }
  return parameters;
}
