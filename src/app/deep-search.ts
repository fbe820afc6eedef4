import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { AccountCredentials } from '../core/accounts/accounts.ts';
import { AppError } from '../core/errors.ts';
import type { DeepSearchOf } from '../core/ports.ts';
import { createAccountClients, createPersonsClient } from '../deepsearch/accounts.ts';
import { type ApiChoice, type ApiSetting, createApiChoice } from '../deepsearch/api-choice.ts';
import type { Auth } from '../deepsearch/auth.ts';
import { createDeepSearchOfClient, type DeepSearchOfClient } from '../deepsearch/chosen-generation.ts';
import type { GenerationNumber } from '../deepsearch/generation.ts';
import { createGraphql, type Graphql } from '../deepsearch/graphql.ts';
import { createGuard } from '../deepsearch/guarded.ts';
import { withCredentialsHidden } from '../deepsearch/hidden-credentials.ts';
import { createMachineAccount } from '../deepsearch/machine-account.ts';
import { createTokenEndpoint } from '../deepsearch/oauth.ts';
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
  const auth = appAuth(context);
  const client = createServiceClient({ ...service, auth });
  onStop(() => client.close());
  const choice = createChoice({ ...context, auth }, () => {
    log.warn({ event: 'deepsearch.access', outcome: 'refused' });
    // This call notes the refusal, so that readiness and Home tell it before someone asks.
    app.deepSearch.newest(1).catch(() => undefined);
  });
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

/** Which generation of the API to use. Begins to probe the service with this credential, which is the app's own. */
export function createChoice(
  {
    config,
    auth,
    now,
    random,
    log,
    onStop,
  }: Pick<AppContext, 'config' | 'now' | 'random' | 'log' | 'onStop'> & { auth: Auth },
  onRefused?: () => void,
): ApiChoice {
  const probes = createProbes({ ...serviceOptions({ config, now, random }), auth }, log);
  onStop(() => probes.close());
  return createApiChoice({ setting: apiSettings[config.SRC_API], probes, now, log, onRefused });
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

/** How the app's account authenticates. One of these for each account, because it has the account's tokens. */
export function appAuth({
  config,
  tracer,
  now,
  log,
  onStop,
}: Pick<AppContext, 'config' | 'now' | 'log' | 'onStop'> & Partial<Pick<AppContext, 'tracer'>>): Auth {
  const { SRC_SUDO_USER: username, SRC_CLIENT_ID: clientId, SRC_TOKEN_URL: tokenUrl } = config;
  const token = config.SRC_ACCESS_TOKEN?.reveal();
  if (token !== undefined) return username === undefined ? { kind: 'token', token } : { kind: 'sudo', username, token };
  if (clientId === undefined || tokenUrl === undefined) throw new AppError('refused', 'the app has no access token');
  const endpoint = createTokenEndpoint({
    clientId,
    clientSecret: config.SRC_CLIENT_SECRET?.reveal(),
    tokenUrl,
    headers: headersFor(tokenUrl, config),
    proxy: proxyOf(config),
    ...caOf(config),
    clock: now,
    tracer,
  });
  onStop(() => endpoint.close());
  return createMachineAccount({ endpoint, now, log });
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
    ...caOf(config),
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

/** The certificate authorities of `SRC_CA_FILE`. */
export function caOf({ SRC_CA_FILE: path }: Config): { ca?: string } {
  return path === undefined ? {} : { ca: readFileSync(path, 'utf8') };
}

export function proxyOf(config: Config): ProxySettings {
  return { http: config.HTTP_PROXY?.reveal(), https: config.HTTPS_PROXY?.reveal(), noProxy: config.NO_PROXY };
}
