import { createHash } from 'node:crypto';
import { AccessError, type Scope, type Viewer } from './viewer.ts';

/** An access token and the user it belongs to. */
export interface AccessToken {
  username: string;
  token: string;
}

const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const SCHEMES = 'Send "Authorization: token <ACCESS_TOKEN>".';

/** Reads `name:secret`, or a bare secret, whose user is `user`, `user2`, … by its position in the list. */
export function parseAccessToken(text: string, index: number): AccessToken {
  const named = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127}):(.+)$/.exec(text);
  if (named?.[1] !== undefined && named[2] !== undefined) return { username: named[1], token: named[2] };
  return { username: index === 0 ? 'user' : `user${index + 1}`, token: text };
}

/**
 * Creates the check of an `Authorization` header; it throws {@link AccessError}. The owner of the first token is the
 * site admin: with `token-sudo` it may act as any user.
 */
export function createAuthentication(tokens: readonly AccessToken[], userId: (username: string) => Promise<number>) {
  const owners = new Map(tokens.map(({ token, username }) => [digest(token), username]));
  const admin = tokens[0]?.username;

  async function viewer(username: string, credential: Viewer['credential']): Promise<Viewer> {
    const siteAdmin = username === admin;
    const scopes: Scope[] = siteAdmin ? ['user:all', 'site-admin:sudo'] : ['user:all'];
    return {
      userId: await userId(username),
      username,
      displayName: username,
      kind: 'user',
      siteAdmin,
      scopes: new Set(scopes),
      credential,
      canRead: () => true,
    };
  }

  return async ({ authorization: header }: { authorization?: string | undefined }): Promise<Viewer> => {
    if (header === undefined || header.trim() === '') throw unauthorized(`No access token was given. ${SCHEMES}`);
    const sudo = /^token-sudo\s+user="([^"]*)"\s*,\s*token="([^"]*)"\s*$/i.exec(header);
    if (sudo) {
      const owner = owners.get(digest(sudo[2] ?? ''));
      if (owner === undefined) throw unauthorized('The access token is not known.');
      if (owner !== admin) throw unauthorized('The access token does not carry the scope site-admin:sudo.');
      const user = sudo[1] ?? '';
      if (!USERNAME.test(user)) throw unauthorized('The user named for sudo is not valid.');
      return viewer(user, 'sudo');
    }
    const plain = /^(?:token|bearer)\s+(\S+)\s*$/i.exec(header);
    if (!plain) throw unauthorized(`The Authorization header is not understood. ${SCHEMES}`);
    const owner = owners.get(digest(plain[1] ?? ''));
    if (owner === undefined) throw unauthorized('The access token is not known.');
    return viewer(owner, 'token');
  };
}

function unauthorized(message: string): AccessError {
  return new AccessError('unauthenticated', message);
}

/** Tokens are compared by digest, so that the duration of a lookup reveals nothing about them. */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
