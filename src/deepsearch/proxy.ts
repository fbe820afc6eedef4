import { rootCertificates } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { AppError } from '../core/errors.ts';

/** Proxy addresses as in the usual environment variables. `noProxy` lists hosts, separated by commas. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  noProxy?: string | undefined;
}

/**
 * Keep-alive connection pools for addresses of one scheme, directly or through the proxy for that scheme. `https` uses
 * a tunnel. `http` uses the absolute form unless `tunnelsHttp` is set, since many proxies refuse CONNECT to any port
 * but 443. Throws `refused` when the proxy's address is not usable.
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
}): Dispatcher {
  const { scheme, proxy, connectTimeoutMs, tunnelsHttp = false, maxConnections, ca } = options;
  const tls = {
    timeout: connectTimeoutMs,
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  };
  const https = scheme === 'https';
  try {
    // Empty strings instead of undefined keep undici from reading the environment. Only the proxy for this scheme is
    // set, because undici would send https through the http proxy if there is no https proxy.
    return new EnvHttpProxyAgent({
      httpProxy: https ? '' : proxyAddress(proxy?.http),
      httpsProxy: https ? proxyAddress(proxy?.https) : '',
      noProxy: proxy?.noProxy ?? '',
      proxyTunnel: tunnelsHttp,
      connect: tls,
      requestTls: tls,
      proxyTls: tls,
      factory: (target, settings) => new Pool(target, { ...settings, connections: maxConnections ?? null }),
      clientFactory: (target, settings) => new Pool(target, { ...settings, headersTimeout: connectTimeoutMs }),
    });
  } catch (cause) {
    throw new AppError('refused', 'the proxy address is not usable', { cause });
  }
}

function proxyAddress(value = ''): string {
  return value === '' || value.includes('://') ? value : `http://${value}`;
}
