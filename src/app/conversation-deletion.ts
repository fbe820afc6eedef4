import { randomInt } from 'node:crypto';
import type { Config } from '../config.ts';
import type { AccountStore, Locks, Person } from '../core/accounts/accounts.ts';
import { createAccountCredentials } from '../core/accounts/credentials.ts';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import { type ServiceKey, serviceKeyOf, withoutServiceKey } from '../core/question/service-ids.ts';
import type { WorkspaceServices } from '../core/workspaces/own-service.ts';
import type { Auth } from '../deepsearch/auth.ts';
import { createDeepSearchOfClient } from '../deepsearch/chosen-generation.ts';
import type { DeepSearchAdapter } from '../deepsearch/generation.ts';
import { createServiceClient } from '../deepsearch/service-client.ts';
import { createAuthorizationServer } from './accounts.ts';
import { appAuth, createChoice, serviceOptions } from './deep-search.ts';
import { configOf, keyOf } from './own-service.ts';

/** Deletes conversations at the service, for a program beside the app. */
export interface ConversationDeletion {
  /**
   * Succeeds when the conversation is already gone. Throws `AppError` of the service or of the person's credential, and
   * `refused` if the app has no token of its service. `teamId`: the workspace that asked in it.
   */
  remove(account: 'app' | Person, conversationId: ConversationId, teamId: string): Promise<void>;
  close(): Promise<void>;
}

/** Uses the app's account, or a person's own one as long as it is connected. */
export function createConversationDeletion(
  config: Config,
  {
    accounts,
    workspaceServices,
    locks,
    log,
  }: { accounts: AccountStore; workspaceServices: Pick<WorkspaceServices, 'get'>; locks: Locks; log: Log },
): ConversationDeletion {
  const closers: (() => Promise<void>)[] = [];
  const onStop = (close: () => Promise<void>): void => void closers.push(close);
  const now = Date.now;
  const random = (): number => randomInt(2 ** 32) / 2 ** 32;
  const server = createAuthorizationServer({ config, now, onStop });
  const credentials = createAccountCredentials({ accounts, locks, server, changed: () => {}, now, log });
  const ofService = (serviceConfig: Config) => {
    const ownAuth = appAuth({ config: serviceConfig, now, log, onStop });
    const choice = createChoice({ config: serviceConfig, auth: ownAuth, now, random, log, onStop });
    const deepSearchOf = createDeepSearchOfClient({ baseUrl: serviceConfig.SRC_ENDPOINT, choice, now, log });
    const as = (auth: Auth): DeepSearchAdapter => {
      const client = createServiceClient({ ...serviceOptions({ config: serviceConfig, now, random }), auth });
      onStop(() => client.close());
      return deepSearchOf(client);
    };
    return { app: as(ownAuth), as };
  };
  const { app, as } = ofService(config);
  const atOthers = new Map<string, Promise<DeepSearchAdapter>>();

  return {
    async remove(account, conversationId, teamId) {
      const key = serviceKeyOf(conversationId);
      if (key === undefined) return (account === 'app' ? app : ofPerson(account)).delete(conversationId);
      const name = `${teamId} ${key}`;
      const adapter = atOthers.get(name) ?? ofWorkspace(teamId, key);
      atOthers.set(name, adapter);
      return (await adapter).delete(withoutServiceKey(conversationId));
    },
    async close() {
      for (const close of closers) await close();
    },
  };

  async function ofWorkspace(teamId: string, key: ServiceKey): Promise<DeepSearchAdapter> {
    const { current, former = [] } = (await workspaceServices.get(teamId)) ?? {};
    const service = [...(current === undefined ? [] : [current]), ...former].find(
      (each) => keyOf(each, config.SRC_ENDPOINT) === key,
    );
    if (service === undefined) throw new AppError('refused', 'the workspace has no token of that service any more');
    return ofService(configOf(config, service)).app;
  }

  function ofPerson(person: Person): DeepSearchAdapter {
    return as({
      kind: 'account',
      current: () => credentials.current(person),
      renewed: (rejected) => credentials.renewed(person, rejected),
    });
  }
}
