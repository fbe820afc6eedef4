import { randomInt } from 'node:crypto';
import type { Config } from '../config.ts';
import type { AccountStore, Locks, Person } from '../core/accounts/accounts.ts';
import { createAccountCredentials } from '../core/accounts/credentials.ts';
import type { Log } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import type { Auth } from '../service/auth.ts';
import { createBothGenerations } from '../service/both-generations.ts';
import type { DeepSearchAdapter } from '../service/generation.ts';
import { createMethods } from '../service/methods.ts';
import { createServiceClient, type ServiceClient } from '../service/service-client.ts';
import { createAuthorizationServer } from './accounts.ts';
import { appAuth, createChoice, serviceOptions } from './deep-search.ts';

/** Deletes conversations at the service, for a program beside the app. */
interface ConversationDeletion {
  /** Succeeds when the conversation is already gone. Throws `AppError` of the service or of the person's credential. */
  remove(account: 'app' | Person, conversationId: ConversationId): Promise<void>;
  close(): Promise<void>;
}

/** Uses the app's account, or a person's own one as long as it is connected. */
export function createConversationDeletion(
  config: Config,
  { accounts, locks, log }: { accounts: AccountStore; locks: Locks; log: Log },
): ConversationDeletion {
  const closers: (() => Promise<void>)[] = [];
  const onStop = (close: () => Promise<void>): void => void closers.push(close);
  const now = Date.now;
  const random = (): number => randomInt(2 ** 32) / 2 ** 32;
  const server = createAuthorizationServer({ config, now, onStop });
  const credentials = createAccountCredentials({ accounts, locks, server, changed: () => {}, now, log });
  const client = clientOf(appAuth({ config, now, log, onStop }));
  const choice = createChoice(config, client, log);
  const overEither = createBothGenerations({ baseUrl: config.SRC_ENDPOINT, choice, now, log });
  const deepSearchOf = (each: ServiceClient): DeepSearchAdapter => createMethods(overEither(each));
  const app = deepSearchOf(client);

  return {
    remove: (account, conversationId) => (account === 'app' ? app : ofPerson(account)).delete(conversationId),
    async close() {
      for (const close of closers) await close();
    },
  };

  function ofPerson(person: Person): DeepSearchAdapter {
    return deepSearchOf(
      clientOf({
        kind: 'account',
        current: () => credentials.current(person),
        renewed: (rejected) => credentials.renewed(person, rejected),
      }),
    );
  }

  function clientOf(auth: Auth): ServiceClient {
    const created = createServiceClient({ ...serviceOptions({ config, now, random }), auth });
    onStop(() => created.close());
    return created;
  }
}
