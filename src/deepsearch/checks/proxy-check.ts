import { errorCode } from '../../core/doctor/error-code.ts';
import type { Check, Finding, Says } from '../../core/doctor/finding.ts';
import { type ProxySettings, proxyFor } from '../proxy.ts';
import { authorityOf, openDirect, openSocket, TunnelRefused } from './tunnel.ts';

/**
 * Whether the proxy settings let the app reach these addresses: a tunnel for https, a connection to the proxy for http.
 * Sends nothing through a tunnel.
 */
export function createProxyCheck(proxy: ProxySettings, addresses: readonly string[]): Check {
  return { name: 'proxy', run };

  async function run(say: Says): Promise<Finding[]> {
    if (!proxy.http && !proxy.https) return [say('pass', 'proxyNone', {})];
    const urls = addresses.map((address) => new URL(address));
    const found = await Promise.all(urls.map(async (url) => ({ url, ...(await check(url, say)) })));
    const direct = found.filter(({ used }) => used === undefined).map(({ url }) => url.hostname);
    const problems = found.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    const carried = found.filter(({ used, problem }) => used !== undefined && problem === undefined);
    const proxies = [...new Set(carried.map(({ used }) => used ?? ''))];
    return [
      ...uniqueOf(problems),
      ...proxies.map((name) => {
        const hosts = carried.filter(({ used }) => used === name).map(({ url }) => url.hostname);
        return say('pass', 'proxyCarries', { proxy: name, hosts: listOf(hosts) });
      }),
      ...(direct.length === 0 ? [] : [say('pass', 'proxyNotFor', { hosts: listOf(direct) })]),
    ];
  }

  async function check(url: URL, say: Says): Promise<{ used?: string; problem?: Finding }> {
    const through = proxyFor(url, proxy);
    if (through === undefined) return {};
    const used = through.host;
    try {
      const socket = await (url.protocol === 'https:' ? openSocket(url, through) : openDirect(through));
      socket.destroy();
      return { used };
    } catch (error) {
      if (!(error instanceof TunnelRefused)) {
        return { used, problem: say('fail', 'proxyUnreachable', { proxy: used, code: errorCode(error) }) };
      }
      const { status } = error;
      if (status === 407) return { used, problem: say('fail', 'proxyAsksForPassword', { proxy: used }) };
      return { used, problem: say('fail', 'proxyRefuses', { proxy: used, host: authorityOf(url), status }) };
    }
  }
}

/** The same proxy may fail for several hosts in the same way. */
function uniqueOf(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

function listOf(hosts: readonly string[]): string {
  return [...new Set(hosts)].join(', ');
}
