import { BlockList, isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Agent, Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { AppError } from '../core/errors.ts';

/** Proxy addresses as in the usual environment variables. `noProxy` lists hosts and networks, separated by commas. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  noProxy?: string | undefined;
}

/**
 * Connection pools for addresses of one scheme, directly or through the proxy for that scheme. `https` uses a tunnel.
 * `http` uses the absolute form unless `tunnelsHttp` is set, since many proxies refuse CONNECT to any port but 443. Throws
 * `refused` when the proxy's address is not usable.
 */
export function createProxyAgent(options: {
  scheme: 'http' | 'https';
  proxy: ProxySettings | undefined;
  connectTimeoutMs: number;
  tunnelsHttp?: boolean;
  /** Most connections to one origin. Unset: no limit. */
  maxConnections?: number;
  /** PEM of certificate authorities to trust in addition to the usual ones. */
  ca?: string | undefined;
  /** Whether connections are used again. Default: yes. */
  keepsAlive?: boolean;
}): Dispatcher {
  const { scheme, proxy = {}, connectTimeoutMs, tunnelsHttp = false, maxConnections, ca, keepsAlive = true } = options;
  const tls = {
    timeout: connectTimeoutMs,
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  };
  const https = scheme === 'https';
  const pooling = {
    connect: tls,
    // undici closes a connection after each request if none may follow on it.
    ...(keepsAlive ? {} : { pipelining: 0 }),
  };
  const factory = (target: string | URL, settings: object) =>
    new Pool(target, { ...settings, connections: maxConnections ?? null });
  try {
    const direct = new Agent({ ...pooling, factory });
    // Empty strings instead of undefined keep undici from reading the environment. Only the proxy for this scheme is
    // set, because undici would send https through the http proxy if there is no https proxy. It knows no networks in
    // NO_PROXY, so `proxyFor` decides which requests it gets.
    const through = new EnvHttpProxyAgent({
      httpProxy: https ? '' : proxyAddress(proxy.http),
      httpsProxy: https ? proxyAddress(proxy.https) : '',
      noProxy: '',
      proxyTunnel: tunnelsHttp,
      ...pooling,
      requestTls: tls,
      proxyTls: tls,
      factory,
      clientFactory: (target, settings) => new Pool(target, { ...settings, headersTimeout: connectTimeoutMs }),
    });
    return new FunctionDispatcher(
      (request, handler) => {
        const isDirect = proxyFor(new URL(request.origin ?? ''), proxy) === undefined;
        return (isDirect ? direct : through).dispatch(request, handler);
      },
      [direct, through],
    );
  } catch (cause) {
    throw new AppError('refused', 'the proxy address is not usable', { cause });
  }
}

type Dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean;

/** Sends requests with other dispatchers, and ends them. */
export class FunctionDispatcher extends Dispatcher {
  override readonly dispatch: Dispatch;
  readonly #used: readonly Dispatcher[];

  constructor(dispatch: Dispatch, used: readonly Dispatcher[] = []) {
    super();
    this.#used = used;
    this.dispatch = dispatch;
  }

  override async destroy(): Promise<void> {
    await Promise.all(this.#used.map((each) => each.destroy()));
  }
}

/** The proxy that carries connections to an address. Undefined: none. */
export function proxyFor(address: URL, proxy: ProxySettings): URL | undefined {
  const chosen = address.protocol === 'https:' ? proxy.https : proxy.http;
  if (!chosen || isExcepted(address, proxy.noProxy ?? '')) return undefined;
  return new URL(proxyAddress(chosen));
}

/**
 * An entry of NO_PROXY names a host and all its subdomains, an address or a network (`10.0.0.0/8`, `fd00::/8`), perhaps
 * with a port; `*` alone names every host. A network has only addresses: no name is looked up.
 */
function isExcepted({ protocol, hostname, port }: URL, noProxy: string): boolean {
  if (noProxy.trim() === '*') return true;
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const host = withoutBrackets(hostname);
  return entriesOf(noProxy).some(({ name, onlyPort }) => {
    if (onlyPort !== undefined && onlyPort !== ownPort) return false;
    const network = networkOf(name);
    if (network !== undefined) return isIP(host) !== 0 && network.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
    return host === name || host.endsWith(`.${name}`);
  });
}

function entriesOf(noProxy: string): { name: string; onlyPort: string | undefined }[] {
  return noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      // An IPv6 address has colons of its own, so a port can follow only its brackets.
      const [, bare, onlyPort] = (isIP(entry.replace(/\/.*/, '')) === 6 ? null : /^(.*):(\d+)$/.exec(entry)) ?? [];
      return { name: withoutBrackets((bare ?? entry).replace(/^\*?\./, '')), onlyPort };
    });
}

/** The addresses that an entry names. Undefined for the name of a host. */
function networkOf(entry: string): BlockList | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(bits ?? 0) > (version === 6 ? 128 : 32)) return undefined;
  const network = new BlockList();
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) network.addAddress(address, family);
  else network.addSubnet(address, Number(bits), family);
  return network;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\](?=\/|$)/g, '');
}

function proxyAddress(value = ''): string {
  return value === '' || value.includes('://') ? value : `http://${value}`;
}
