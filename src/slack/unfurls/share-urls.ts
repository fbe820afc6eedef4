import { longestShareUrl } from '../settings.ts';
/** A share link of the service: the token that opens the conversation, and the address with only the parts it needs. */
export interface ShareUrl {
  /** A secret: with this token, anyone can read the conversation. */
  readToken: string;
  url: string;
}

const PATH = /^\/deepsearch\/(?:shared\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;

/**
 * Reads share URLs of the service at `endpoint`, which includes its path prefix. Undefined for any other address. The
 * service gives two forms: with `/shared` before the token, and without (sourcegraph.com/changelog/deep-search-read).
 */
export function createShareUrlReader(endpoint: string): (address: string) => ShareUrl | undefined {
  const base = new URL(endpoint);
  const prefix = base.pathname.replace(/\/+$/, '');

  return (address) => {
    if (address.length > longestShareUrl || !URL.canParse(address)) return undefined;
    const { origin, pathname, username, password } = new URL(address);
    if (origin !== base.origin || username !== '' || password !== '') return undefined;
    if (!pathname.startsWith(`${prefix}/`)) return undefined;
    const readToken = PATH.exec(pathname.slice(prefix.length))?.[1]?.toLowerCase();
    return readToken === undefined ? undefined : { readToken, url: `${origin}${pathname}` };
  };
}
