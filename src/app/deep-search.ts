import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { AccountCredentials, Person } from '../core/accounts/accounts.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { DeepSearch, DeepSearchOf, Log } from '../core/ports.ts';
import { createHealth, type Health } from '../observability/health.ts';
import { type ApiChoice, type ApiSetting, createApiChoice, readVersion } from '../service/api-choice.ts';
import type { Auth } from '../service/auth.ts';
import type { GenerationNumber } from '../service/generation.ts';
import { createGraphql, createRepositoryLists, type Graphql, type RepositoryLists } from '../service/graphql.ts';
import { createMachineAccount, createTokenEndpoint } from '../service/oauth.ts';
import { createPersonsClient, createPersonsService, createPipeline } from '../service/pipeline.ts';
import type { ProxySettings } from '../service/proxy.ts';
import {
  createServiceClient,
  createServiceHttp,
  type ServiceClient,
  type ServiceClientOptions,
} from '../service/service-client.ts';
import { version } from '../version.ts';
import type { AppContext } from './context.ts';

/** The code search service: its conversations as the app's account sees them, and whether it is reachable. */
export interface DeepSearchAccess extends Pick<Health, 'latest' | 'state'> {
  deepSearch: DeepSearch;
  /** The service as any account sees it. */
  of: DeepSearchOf;
  /** Which generation of the API calls use. */
  generation: () => GenerationNumber;
  tendApi: ApiChoice['tend'];
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
  const choice = createChoice(config, client, log);
  const connect = createPipeline({
    baseUrl: config.SRC_ENDPOINT,
    choice,
    createLimiter,
    requestsPerSecond: config.SRC_REQUESTS_PER_SECOND,
    hasTotal: config.ACCOUNTS !== 'shared',
    hidesCredentials: !config.SHOW_CREDENTIALS,
    now,
    log,
  });
  // Only the app's own access is watched: what a person's account is refused says nothing about it.
  const health = createHealth({
    probe: () => app.newest(1),
    isRefusal: (error) => isAppError(error, 'unauthorized'),
    now,
  });
  const app = connect(client, 'account', health.noting);
  const clientOf = (person: Person) => createPersonsClient(service, credentials, person);
  const ofPerson = createPersonsService(connect, clientOf);
  // Readiness and Home tell what is wrong before someone asks.
  app.newest(1).catch((error: unknown) => {
    const outcome = isAppError(error, 'unauthorized') ? 'refused' : 'failed';
    log.warn({ event: 'deepsearch.access', outcome }, error);
  });
  return {
    deepSearch: app,
    latest: health.latest,
    state: health.state,
    generation: choice.chosen,
    tendApi: choice.tend,
    of: (account) => (account === 'app' ? app : ofPerson(account)),
    repositories: {
      known: createGraphql(client).repositoryNames,
      list: createRepositoryLists((account) => createGraphql(account === 'app' ? client : clientOf(account)), log),
    },
  };
}

/** Which generation of the API to use. Begins to read the version of the service with the app's own client. */
export function createChoice(config: Config, client: ServiceClient, log: Log): ApiChoice {
  return createApiChoice({ setting: apiSettings[config.SRC_API], readVersion: () => readVersion(client), log });
}

/** `SRC_API` as a choice of the API. */
export const apiSettings: Record<Config['SRC_API'], ApiSetting> = { auto: 'auto', '1': 1, '2': 2 };

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
