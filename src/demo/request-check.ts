import type { IncomingMessage } from 'node:http';

/** Names by which a browser on this machine reaches a server on 127.0.0.1, its port aside. */
const ownNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** What links of other sites may lead to: the page and its messages. Much else does something for a mere GET. */
const linkable = /^\/(?:archives\/[\w/]*)?(?:\?|$)/;

/**
 * Why a request is refused, in words; undefined for one of this machine. A server on 127.0.0.1 is also reached by every
 * web page that is open in a browser here, be it under a name of the page's own that leads to 127.0.0.1 (told by `Host`)
 * or across sites (told by `Origin`, and by `Sec-Fetch-Site` where browsers send no `Origin`). Programs send neither of
 * the latter two. The port in `Host` is free, since people may forward another port to this one.
 */
export function requestProblem({ method, url = '/', headers }: IncomingMessage): string | undefined {
  const host = headers.host?.toLowerCase() ?? '';
  const name = host.replace(/:\d+$/, '');
  if (!ownNames.has(name)) return `The Host ${JSON.stringify(host)} is not this machine.`;
  const { origin } = headers;
  if (origin !== undefined && hostOf(origin) !== host) {
    return `The Origin ${JSON.stringify(origin)} is not this page.`;
  }
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  const isLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && linkable.test(url);
  return isLink ? undefined : 'The request comes from another site.';
}

function hostOf(origin: string): string | undefined {
  return /^https?:\/\/(.+)$/.exec(origin.toLowerCase())?.[1];
}
