import type { Config } from '../config.ts';
import { AppError, isAppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { ServiceKey } from '../core/question/service-ids.ts';
import type { OwnService } from '../core/workspaces/own-service.ts';
import { createDeepSearchOfClient } from '../deepsearch/chosen-generation.ts';
import { createGraphql } from '../deepsearch/graphql.ts';
import { createServiceClient, parseBaseUrl, type ServiceClient } from '../deepsearch/service-client.ts';
import { appAuth, createChoice, serviceOptions } from './deep-search.ts';
import { shortDigest } from './digest.ts';

/** The settings of the app for a workspace that asks at this service. People have no accounts of their own there. */
export function configOf(config: Config, { endpoint, token, sudoUser, api }: OwnService): Config {
  return {
    ...config,
    SRC_ENDPOINT: endpoint,
    SRC_ACCESS_TOKEN: token,
    SRC_SUDO_USER: sudoUser,
    SRC_HEADERS: undefined,
    SRC_CLIENT_ID: undefined,
    SRC_CLIENT_SECRET: undefined,
    SRC_TOKEN_URL: undefined,
    SRC_API: api,
    ACCOUNTS: 'shared',
  };
}

/** The key of a service in ids of its conversations. `appEndpoint` is the address of the app's own service. */
export function keyOf(service: OwnService, appEndpoint: string): ServiceKey {
  const { href } = parseBaseUrl(service.endpoint);
  const address = href === parseBaseUrl(appEndpoint).href ? 'app' : shortDigest(href).slice(0, 12);
  return `${address}.${shortDigest(accountOf(service)).slice(0, 8)}`;
}

/** Differs for all that {@link isSameAccount} tells apart at one service. */
function accountOf({ username, sudoUser = '', token }: OwnService): string {
  return username === '' ? JSON.stringify([sudoUser, shortDigest(token.reveal())]) : username;
}

/**
 * Asks a service whether it takes this token and offers the API that the app uses, and whose account that is: an empty
 * name if the service does not tell. Changes nothing there. Throws `AppError`.
 */
export async function examineService(
  config: Config,
  service: Omit<OwnService, 'username'>,
): Promise<Pick<OwnService, 'username'>> {
  const closers: (() => Promise<void>)[] = [];
  const onStop = (close: () => Promise<void>): void => void closers.push(close);
  const own = { config: configOf(config, { ...service, username: '' }), now: Date.now, random: Math.random };
  try {
    const auth = appAuth({ ...own, log: silent, onStop });
    const client = createServiceClient({ ...serviceOptions(own), auth });
    onStop(() => client.close());
    const choice = createChoice({ ...own, auth, log: silent, onStop });
    await choice.ready();
    if (choice.chosen().isMissing) {
      throw new AppError('refused', 'the service does not offer the generation of the API that the app has to use');
    }
    const baseUrl = service.endpoint;
    await createDeepSearchOfClient({ baseUrl, choice, now: Date.now, log: silent })(client).newest(1);
    return { username: await usernameOf(client) };
  } finally {
    for (const close of closers) await close();
  }
}

/** A token that may only ask conversations is no reason to refuse it. */
async function usernameOf(client: ServiceClient): Promise<string> {
  try {
    return (await createGraphql(client).currentUser()).username;
  } catch (error) {
    if (isAppError(error, 'unauthorized', 'refused', 'notFound')) return '';
    throw error;
  }
}

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
