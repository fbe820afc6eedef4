import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { AccountCredentials } from '../core/accounts/accounts.ts';
import type { DeepSearchOf } from '../core/ports.ts';
import { createAccountClients, createPersonsClient } from '../deepsearch/accounts.ts';
import { type ApiChoice, type ApiSetting, createApiChoice } from '../deepsearch/api-choice.ts';
import type { Auth } from '../deepsearch/auth.ts';
import { createDeepSearchOfClient, type DeepSearchOfClient } from '../deepsearch/chosen-generation.ts';
import type { GenerationNumber } from '../deepsearch/generation.ts';
import { createGraphql, type Graphql } from '../deepsearch/graphql.ts';
import { createGuard } from '../deepsearch/guarded.ts';
import { withCredentialsHidden } from '../deepsearch/hidden-credentials.ts';
import { createProbes } from '../deepsearch/probes.ts';
import type { ProxySettings } from '../deepsearch/proxy.ts';
import { createRepositoryLists, type RepositoryLists } from '../deepsearch/repository-lists.ts';
import { createServiceClient, createServiceHttp, type ServiceClientOptions } from '../deepsearch/service-client.ts';
import { type FarSide, watchAccess } from '../observability/access-watch.ts';
import type { ApiGeneration } from '../observability/metrics.ts';
import { version } from '../version.ts';
import type { AppContext } from './context.ts';

/** The code search service: its conversations as the app's account sees them, and whether it is reachable. */
export interface DeepSearchAccess extends Omit<ReturnType<typeof watchAccess>, 'latest'> {
  /** The service as any account sees it. */
  of: DeepSearchOf;
  /** For operators. */
  latest: FarSide['state'];
  apiGenerations: () => ApiGeneration[];
  tendApi: ApiChoice['tend'];
  lookForApi: ApiChoice['lookAgain'];
  /** Which names of repositories the service knows, as far as the app's account may read. */
  repositories: { known: Graphql['repositoryNames']; list: RepositoryLists };
}

/** Creates the clients of the code search service, with their request limits. */
export function createDeepSearchAccess(context: AppContext, credentials: AccountCredentials): DeepSearchAccess {
  const { config, createLimiter, now, log, onStop } = context;
  const options = serviceOptions(context);
  const service = { ...options, http: createServiceHttp(options) };
  onStop(() => service.http.close());
  const client = createServiceClient({ ...service, auth: appAuth(config) });
  onStop(() => client.close());
  const choice = createChoice(context);
  const guard = createGuard({
    createLimiter,
    requestsPerSecond: config.SRC_REQUESTS_PER_SECOND,
    burst: config.SRC_REQUEST_BURST,
    hasTotal: config.ACCOUNTS !== 'shared',
    log,
  });
  const ofClient = createDeepSearchOfClient({ baseUrl: config.SRC_ENDPOINT, choice, now, log });
  const deepSearchOf: DeepSearchOfClient = (each) =>
    config.SHOW_CREDENTIALS ? ofClient(each) : withCredentialsHidden(ofClient(each));
  // Only the app's own access is watched: what a person's account is refused says nothing about it.
  const app = watchAccess(guard(deepSearchOf(client), 'account'), now);
  const ofPerson = createAccountClients({ service, credentials, guard, deepSearchOf });
  return {
    ...app,
    latest: async () => (choice.chosen().isMissing ? 'apiMissing' : app.latest()),
    apiGenerations: () => ([1, 2] as const).map((number) => generationOf(choice, number)),
    tendApi: choice.tend,
    lookForApi: choice.lookAgain,
    of: (account) => (account === 'app' ? app.deepSearch : ofPerson(account)),
    repositories: {
      known: createGraphql(client).repositoryNames,
      list: createRepositoryLists(
        (account) => createGraphql(account === 'app' ? client : createPersonsClient(service, credentials, account)),
        log,
      ),
    },
  };
}

/** Which generation of the API to use. Begins to probe the service with the app's account. */
export function createChoice({
  config,
  now,
  random,
  log,
  onStop,
}: Pick<AppContext, 'config' | 'now' | 'random' | 'log' | 'onStop'>): ApiChoice {
  const probes = createProbes({ ...serviceOptions({ config, now, random }), auth: appAuth(config) }, log);
  onStop(() => probes.close());
  return createApiChoice({ setting: apiSettings[config.SRC_API], probes, now, log });
}

/** `SRC_API` as a choice of the API. */
export const apiSettings: Record<Config['SRC_API'], ApiSetting> = { auto: 'auto', '1': 1, '2': 2 };

function generationOf(choice: ApiChoice, number: GenerationNumber): ApiGeneration {
  const offer = choice.offers()[number];
  return {
    generation: String(number),
    ...(offer === 'unknown' ? {} : { isOffered: offer === 'yes' }),
    isUsed: choice.chosen().number === number,
  };
}

/** How the app's account authenticates. */
export function appAuth({ SRC_SUDO_USER: username, SRC_ACCESS_TOKEN }: Config): Auth {
  const token = SRC_ACCESS_TOKEN.reveal();
  return username === undefined ? { kind: 'token', token } : { kind: 'sudo', username, token };
}

/** How to reach the service, for every credential. */
export function serviceOptions({
  config,
  tracer,
  now,
  random,
}: Pick<AppContext, 'config' | 'now' | 'random'> & Partial<Pick<AppContext, 'tracer'>>): Omit<
  ServiceClientOptions,
  'auth'
> {
  return {
    baseUrl: config.SRC_ENDPOINT,
    userAgentVersion: version,
    headers: headersFor(config.SRC_ENDPOINT, config),
    timeoutMs: config.SRC_TIMEOUT_MS,
    proxy: proxyOf(config),
    ...(config.SRC_CA_FILE === undefined ? {} : { ca: readFileSync(config.SRC_CA_FILE, 'utf8') }),
    clock: now,
    random,
    tracer,
  };
}

/** `SRC_HEADERS`, if this address is at the service's origin. */
export function headersFor(
  address: string,
  { SRC_ENDPOINT: endpoint, SRC_HEADERS: headers = {} }: Config,
): Record<string, string> {
  if (new URL(address).origin !== new URL(endpoint).origin) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
}

export function proxyOf(config: Config): ProxySettings {
  return { http: config.HTTP_PROXY?.reveal(), https: config.HTTPS_PROXY?.reveal(), noProxy: config.NO_PROXY };
}
