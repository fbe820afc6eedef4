import type { IncomingMessage } from 'node:http';

/** Host names of this machine in a browser, without the port. */
const ownNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Paths that other sites may link to: the page and its messages. Other paths have side effects even for GET. */
const linkable = /^\/(?:archives\/[\w/]*)?(?:\?|$)/;

/**
 * Returns why a request is refused; undefined when it is allowed. Any web page in a browser on this machine can reach a
 * server on 127.0.0.1: with a host name that resolves to 127.0.0.1 (visible in `Host`), or across sites (visible in
 * `Origin`, or in `Sec-Fetch-Site` when browsers send no `Origin`). Programs send neither `Origin` nor `Sec-Fetch-Site`.
 * `Host` may contain any port, because people may forward another port to this one.
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
