import { isUsername } from './store.ts';

/** An access token given on the command line, and the user it belongs to. It is not stored. */
export interface AccessToken {
  username: string;
  /** Default: a person. */
  kind?: 'serviceAccount';
  token: string;
}

/** Reads `name:secret`, or a bare secret, whose user is `user`, `user2`, … by its position in the list; `user` is another word. */
export function parseAccessToken(text: string, index: number, user = 'user'): AccessToken {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon));
  if (isUsername(name) && colon < text.length - 1) return { username: name, token: text.slice(colon + 1) };
  return { username: index === 0 ? user : `${user}${index + 1}`, token: text };
}
