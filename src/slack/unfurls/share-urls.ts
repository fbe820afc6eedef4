/** A share link of the service: what opens the conversation, and the address without what is not needed for that. */
export interface ShareUrl {
  /** A secret: whoever has it can read the conversation. */
  readToken: string;
  url: string;
}

const PATH = /^\/deepsearch\/(?:shared\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;
const MAX_LENGTH = 2_000;

/**
 * Reads share URLs of the service at `endpoint`, its path prefix included; undefined for any other address. The forms are
 * those the service gives, with or without `/shared` before the token (sourcegraph.com/changelog/deep-search-read).
 */
export function createShareUrlReader(endpoint: string): (address: string) => ShareUrl | undefined {
  const base = new URL(endpoint);
  const prefix = base.pathname.replace(/\/+$/, '');

  return (address) => {
    if (address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
    const { origin, pathname, username, password } = new URL(address);
    if (origin !== base.origin || username !== '' || password !== '') return undefined;
    if (!pathname.startsWith(`${prefix}/`)) return undefined;
    const readToken = PATH.exec(pathname.slice(prefix.length))?.[1]?.toLowerCase();
    return readToken === undefined ? undefined : { readToken, url: `${origin}${pathname}` };
  };
}
