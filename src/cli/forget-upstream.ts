import { createConversationDeletion } from '../app/conversation-deletion.ts';
import { type Config, parseConfig } from '../config.ts';
import type { Person } from '../core/accounts/accounts.ts';
import { isAppError } from '../core/errors.ts';
import type { ConversationId } from '../core/question/question.ts';
import { serviceKeyOf } from '../core/question/service-ids.ts';
import { accountKey, createAccountStore } from '../storage/accounts.ts';
import { createKeyRing } from '../storage/encryption.ts';
import type { KeyValueStore } from '../storage/key-value-store.ts';
import { createLocks } from '../storage/locks.ts';
import type { OwnQuestion } from '../storage/person-questions.ts';
import { questionKey } from '../storage/records.ts';
import { createWorkspaceServices } from '../storage/workspace-services.ts';
import { type Environment, quietLog } from './program.ts';

/** What became of a person's conversations at the service. */
export interface UpstreamDeletion {
  deleted: number;
  /** Other people asked in them too, so they stay. */
  shared: number;
  /** One line for each conversation that could not be deleted, with its id. */
  failures: string[];
  /** Keys of records that another try needs. */
  kept: Set<string>;
}

/** All settings of the app, because requests need those of the service. Throws `ConfigError`. */
export function upstreamConfig(environment: Environment): Config {
  return parseConfig(environment);
}

/**
 * Deletes the conversations of a person's questions at the service: with the app's account those that were asked with
 * it, with their own account the others. Goes on after a failure. Throws `AppError` of kind `storage`.
 */
export async function deleteConversations(
  store: KeyValueStore,
  config: Config,
  questions: readonly OwnQuestion[],
  userId: string,
): Promise<UpstreamDeletion> {
  const keyRing = createKeyRing(config.ENCRYPTION_KEYS ?? []);
  const service = createConversationDeletion(config, {
    accounts: createAccountStore(store, keyRing),
    workspaceServices: createWorkspaceServices(store, keyRing),
    locks: createLocks(store, quietLog),
    log: quietLog,
  });
  const result: UpstreamDeletion = { deleted: 0, shared: 0, failures: [], kept: new Set() };
  const seen = new Map<string, boolean>();
  try {
    for (const question of questions) {
      const { conversationId, access, teamId, id } = question;
      if (conversationId === undefined) continue;
      const person: Person = { teamId, userId };
      const name = `${access} ${teamId} ${conversationId}`;
      const known = seen.get(name);
      const mayRetry = known ?? (await deleteOne(access === 'own' ? person : 'app', question, conversationId));
      seen.set(name, mayRetry);
      if (!mayRetry) continue;
      result.kept.add(questionKey(id));
      if (access === 'own') result.kept.add(accountKey(person));
    }
    return result;
  } finally {
    await service.close();
  }

  /** Returns whether another try may delete it. */
  async function deleteOne(
    account: 'app' | Person,
    { teamId, isShared }: OwnQuestion,
    conversationId: ConversationId,
  ): Promise<boolean> {
    if (isShared) {
      result.shared += 1;
      return false;
    }
    try {
      await service.remove(account, conversationId, teamId);
      result.deleted += 1;
      return false;
    } catch (error) {
      if (!isAppError(error) || error.kind === 'storage') throw error;
      const whose = account === 'app' ? `the app's account${ofService(conversationId)}` : "the person's own account";
      const isFinal =
        account === 'app'
          ? serviceKeyOf(conversationId) !== undefined && error.kind === 'refused'
          : error.kind === 'unauthorized' || error.kind === 'corrupt';
      const advice = isFinal ? 'delete it at the service' : 'run the command again';
      result.failures.push(`conversation ${conversationId} of ${whose} is not deleted (${error.kind}): ${advice}`);
      return !isFinal;
    }
  }
}

function ofService(id: ConversationId): string {
  return serviceKeyOf(id) === undefined ? '' : " at the workspace's own service";
}
