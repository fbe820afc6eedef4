import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';

/** Longest wait for a connection, to a host or to a proxy, in milliseconds. */
const connectMs = 5_000;

/** A proxy that answered CONNECT with something else than 200. */
export class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused';
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

/** Host and port of an address, as CONNECT needs them. */
export function authorityOf({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

/** Connects to host and port of an address, through the proxy if there is one. Throws `TunnelRefused` or a system error. */
export function openSocket(address: URL, proxy: URL | undefined): Promise<Socket> {
  return proxy === undefined ? openDirect(address) : openTunnel(address, proxy);
}

/** Connects to the host itself. */
export function openDirect(address: URL): Promise<Socket> {
  const authority = authorityOf(address);
  const host = address.hostname.replace(/^\[|\]$/g, '');
  const port = Number(authority.slice(authority.lastIndexOf(':') + 1));
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(isIP(host) === 0 ? { autoSelectFamily: true } : {}) });
    socket.setTimeout(connectMs, () => socket.destroy(timedOut()));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

function openTunnel(address: URL, proxy: URL): Promise<Socket> {
  const authority = authorityOf(address);
  const { username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    const asking = (proxy.protocol === 'https:' ? secureRequest : request)({
      host: proxy.hostname,
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${credentials}` }) },
      agent: false,
      timeout: connectMs,
    });
    asking.once('timeout', () => asking.destroy(timedOut()));
    asking.once('error', reject);
    // A proxy that knows no CONNECT may answer like a web server.
    asking.once('response', (response) => {
      response.destroy();
      reject(new TunnelRefused(response.statusCode ?? 0));
    });
    asking.once('connect', (response, socket: Socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new TunnelRefused(response.statusCode ?? 0));
    });
    asking.end();
  });
}

function timedOut(): Error {
  return Object.assign(new Error(`no connection within ${connectMs} ms`), { code: 'ETIMEDOUT' });
}
