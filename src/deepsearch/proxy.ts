import { rootCertificates } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { AppError } from '../core/errors.ts';

/** Proxy addresses as the usual environment variables hold them; `noProxy` is a list of hosts separated by commas. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  noProxy?: string | undefined;
}

/**
 * Keep-alive pools for addresses of one scheme, directly or through the proxy for that scheme. `https` goes through a tunnel;
 * `http` in absolute form unless `tunnelsHttp`, since many proxies refuse CONNECT to anything but port 443. Throws `refused`
 * where a proxy's address is not usable.
 */
export function createProxyAgent(options: {
  scheme: 'http' | 'https';
  proxy: ProxySettings | undefined;
  connectTimeoutMs: number;
  tunnelsHttp?: boolean;
  /** Most connections to one origin; as many as there are requests without it. */
  maxConnections?: number;
  /** PEM of certificate authorities to trust beside the usual ones. */
  ca?: string | undefined;
}): Dispatcher {
  const { scheme, proxy, connectTimeoutMs, tunnelsHttp = false, maxConnections, ca } = options;
  const tls = {
    timeout: connectTimeoutMs,
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  };
  const https = scheme === 'https';
  try {
    // Empty strings, not undefined: otherwise undici reads the environment on its own. Only the proxy for the scheme is
    // given, because undici would send https through the http proxy when it has no other.
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
