import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { AccountCredentials } from '../core/accounts/accounts.ts';
import type { DeepSearchOf } from '../core/ports.ts';
import { createAccountClients } from '../deepsearch/accounts.ts';
import { createDeepSearchClient, type DeepSearchClient } from '../deepsearch/client.ts';
import { createDeepSearch } from '../deepsearch/generation-1/deep-search.ts';
import { createGuard } from '../deepsearch/guarded.ts';
import type { ProxySettings } from '../deepsearch/proxy.ts';
import { rememberLinks } from '../deepsearch/remembered.ts';
import { createServiceHttp, type ServiceClientOptions } from '../deepsearch/service-client.ts';
import { watchAccess } from '../observability/access-watch.ts';
import { version } from '../version.ts';
import type { AppContext } from './context.ts';

/** The code search service: its conversations as the app's account sees them, and whether it is reachable. */
export interface DeepSearchAccess extends ReturnType<typeof watchAccess> {
  /** The service as any account sees it. */
  of: DeepSearchOf;
  /** Which names of repositories the service knows, as far as the app's account may read. */
  repositories: { known: DeepSearchClient['repositoryNames'] };
}

/** Creates the clients of the code search service, with their request limits. */
export function createDeepSearchAccess(context: AppContext, credentials: AccountCredentials): DeepSearchAccess {
  const { config, createLimiter, now, log, onStop } = context;
  const options = serviceOptions(context);
  const service = { ...options, http: createServiceHttp(options) };
  onStop(() => service.http.close());
  const token = config.SRC_ACCESS_TOKEN.reveal();
  const client = createDeepSearchClient({
    ...service,
    auth:
      config.SRC_SUDO_USER === undefined
        ? { kind: 'token', token }
        : { kind: 'sudo', username: config.SRC_SUDO_USER, token },
  });
  onStop(() => client.close());
  const guard = createGuard({
    createLimiter,
    requestsPerSecond: config.SRC_REQUESTS_PER_SECOND,
    burst: config.SRC_REQUEST_BURST,
    hasTotal: config.ACCOUNTS !== 'shared',
    log,
  });
  const withAbsoluteLinks = rememberLinks(config.SRC_ENDPOINT);
  // Only the app's own access is watched: what a person's account is refused says nothing about it.
  const app = watchAccess(guard(createDeepSearch(client, config.SRC_ENDPOINT, withAbsoluteLinks), 'account'), now);
  const ofPerson = createAccountClients({ service, credentials, guard, withAbsoluteLinks });
  return {
    ...app,
    of: (account) => (account === 'app' ? app.deepSearch : ofPerson(account)),
    repositories: { known: client.repositoryNames },
  };
}

/** How to reach the service, for every credential. */
export function serviceOptions({
  config,
  now,
  random,
}: Pick<AppContext, 'config' | 'now' | 'random'>): Omit<ServiceClientOptions, 'auth'> {
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
