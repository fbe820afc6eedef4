import { randomInt } from 'node:crypto';
import type { Config } from '../config.ts';
import type { AccountStore, Locks, Person } from '../core/accounts/accounts.ts';
import { createAccountCredentials } from '../core/accounts/credentials.ts';
import type { Log } from '../core/ports.ts';
import type { ConversationId } from '../core/question/question.ts';
import type { Auth } from '../deepsearch/auth.ts';
import { createDeepSearchClient } from '../deepsearch/client.ts';
import { createDeepSearch } from '../deepsearch/generation-1/deep-search.ts';
import { createAuthorizationServer } from './accounts.ts';
import { serviceOptions } from './deep-search.ts';

/** Deletes conversations at the service, for a program beside the app. */
export interface ConversationDeletion {
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
  const token = config.SRC_ACCESS_TOKEN.reveal();
  const clientOf = (auth: Auth) => {
    const client = createDeepSearchClient({ ...serviceOptions({ config, now, random }), auth });
    onStop(() => client.close());
    return createDeepSearch(client, config.SRC_ENDPOINT);
  };
  const username = config.SRC_SUDO_USER;
  const app = clientOf(username === undefined ? { kind: 'token', token } : { kind: 'sudo', username, token });

  return {
    remove: (account, conversationId) =>
      account === 'app' ? app.delete(conversationId) : ofPerson(account).delete(conversationId),
    async close() {
      for (const close of closers) await close();
    },
  };

  function ofPerson(person: Person): ReturnType<typeof clientOf> {
    return clientOf({
      kind: 'account',
      current: () => credentials.current(person),
      renewed: (rejected) => credentials.renewed(person, rejected),
    });
  }
}
