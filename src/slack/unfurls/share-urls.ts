import { longestShareUrl } from '../settings.ts';
/** A share link of the service: the token that opens the conversation, and the address with only the parts it needs. */
export interface ShareUrl {
  /** A secret: with this token, anyone can read the conversation. */
  readToken: string;
  url: string;
  /** The token is only the number of a conversation, which anyone can guess. */
  isGuessable?: true;
}

const PATH = /^\/deepsearch\/(?:shared\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;
const NUMBERED_PATH = /^\/deepsearch\/([1-9]\d{0,19})\/?$/;

/**
 * Reads share URLs of the service at `endpoint`, which includes its path prefix. Undefined for any other address. The
 * service gives two forms: with `/shared` before the token, and without (sourcegraph.com/changelog/deep-search-read). The
 * second generation of its API also gives the number of the conversation instead of a token.
 */
export function createShareUrlReader(endpoint: string): (address: string) => ShareUrl | undefined {
  const base = new URL(endpoint);
  const prefix = base.pathname.replace(/\/+$/, '');

  return (address) => {
    if (address.length > longestShareUrl || !URL.canParse(address)) return undefined;
    const { origin, pathname, username, password } = new URL(address);
    if (origin !== base.origin || username !== '' || password !== '') return undefined;
    if (!pathname.startsWith(`${prefix}/`)) return undefined;
    const path = pathname.slice(prefix.length);
    const url = `${origin}${pathname}`;
    const readToken = PATH.exec(path)?.[1]?.toLowerCase();
    if (readToken !== undefined) return { readToken, url };
    const number = NUMBERED_PATH.exec(path)?.[1];
    return number === undefined ? undefined : { readToken: number, url, isGuessable: true };
  };
}
