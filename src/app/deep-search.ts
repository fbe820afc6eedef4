import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { createDeepSearchClient, type DeepSearchClient, type DeepSearchClientOptions } from '../deepsearch/client.ts';
import { createDeepSearch } from '../deepsearch/deep-search.ts';
import { guardDeepSearch } from '../deepsearch/guarded.ts';
import type { ProxySettings } from '../deepsearch/proxy.ts';
import { watchAccess } from '../observability/access-watch.ts';
import { version } from '../version.ts';
import type { AppContext } from './context.ts';

/** The code search service: its conversations and whether it is reachable. */
export type DeepSearchAccess = ReturnType<typeof watchAccess> & {
  /** Which names the service knows. */
  repositories: { known: DeepSearchClient['repositoryNames'] };
};

/** Creates the client of the code search service, with its request limits. */
export function createDeepSearchAccess(context: AppContext): DeepSearchAccess {
  const { config, createLimiter, now, log, onStop } = context;
  const client = createClient(context);
  onStop(() => client.close());
  const guarded = guardDeepSearch(createDeepSearch(client, config.SRC_ENDPOINT), {
    createLimiter,
    requestsPerSecond: config.SRC_REQUESTS_PER_SECOND,
    burst: config.SRC_REQUEST_BURST,
    log,
  });
  return {
    ...watchAccess(guarded, now),
    repositories: { known: client.repositoryNames },
  };
}

function createClient(context: AppContext): DeepSearchClient {
  const { config } = context;
  const token = config.SRC_ACCESS_TOKEN.reveal();
  return createDeepSearchClient({
    ...serviceOptions(context),
    auth:
      config.SRC_SUDO_USER === undefined
        ? { kind: 'token', token }
        : { kind: 'sudo', username: config.SRC_SUDO_USER, token },
  });
}

/** How to reach the service, for every credential. */
export function serviceOptions({ config, now, random }: AppContext): Omit<DeepSearchClientOptions, 'auth'> {
  return {
    baseUrl: config.SRC_ENDPOINT,
    userAgentVersion: version,
    timeoutMs: config.SRC_TIMEOUT_MS,
    proxy: proxyOf(config),
    ...(config.SRC_CA_FILE === undefined ? {} : { ca: readFileSync(config.SRC_CA_FILE, 'utf8') }),
    clock: now,
    random,
  };
}

export function proxyOf(config: Config): ProxySettings {
  return { http: config.HTTP_PROXY?.reveal(), https: config.HTTPS_PROXY?.reveal(), noProxy: config.NO_PROXY };
}
